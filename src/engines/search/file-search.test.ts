import { expect, it } from "vitest";
import { searchFile } from "./file-search.js";
import { compilePattern } from "./search-pattern.js";

const encoder = new TextEncoder();
const QUERY = {
  mode: "content",
  context: 0,
  maxLineBytes: 400,
  binary: "any-nul",
  multiline: false,
  isBeyondAscii: false,
  enough: 99,
} as const;

const TEXT = "one two\r\n\r\ntwo\nthree one\n\n  one\r\nlast";
const SOURCES = [
  "one",
  "one$",
  "^two$",
  "^$",
  "\\Atwo",
  "two\\z",
  "last\\z",
  "(?-m)^two",
  "\\bone\\b",
  "\\Bne",
  "[^x]two",
  "o.*o",
  "\\s$",
  "\\r",
  "none",
];

it.each(SOURCES)("%s is found in the lines that hold it when each stands alone", async (source) => {
  const pattern = await compilePattern({ source, syntax: "re2", ignoreCase: false, multiline: false });
  const expected = TEXT.split("\n").flatMap((line, index) =>
    pattern.test(encoder.encode(line.replace(/\r$/, ""))) ? [index + 1] : [],
  );
  for (const size of [3, 8, 1000]) {
    const found = await searchFile("f", chunks(encoder.encode(TEXT), size), pattern, QUERY);
    expect(found).toMatchObject({ skipped: undefined, matchedLines: expected.length });
    expect("hits" in found ? found.hits.map(({ line }) => line) : []).toEqual(expected);
  }
});

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}
