import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LineReader, LONG_LINE_BYTES } from "./line-reader.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-lines-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function reading<T>(content: string, use: (reader: LineReader) => T): T {
  const path = join(directory, "f");
  writeFileSync(path, content, "latin1");
  const descriptor = openSync(path, "r");
  try {
    const reader = new LineReader();
    reader.open((buffer, at, length, position) => readSync(descriptor, buffer, at, length, position));
    return use(reader);
  } finally {
    closeSync(descriptor);
  }
}

describe("LineReader", () => {
  it("gives every line of a file as splitting it does, in any order", () => {
    const lengths = [
      0,
      1,
      40,
      5_000,
      LONG_LINE_BYTES - 1,
      LONG_LINE_BYTES,
      LONG_LINE_BYTES + 1,
      98_303,
      98_304,
      300_000,
    ];
    const lines = lengths.flatMap((length, index) => {
      const text = String.fromCharCode(97 + index).repeat(length);
      return [`${text}\n`, `${text}\r\n`, `${text}\r\r\n`];
    });
    lines.push("the last\r");
    const starts = lines.map((_, index) => lines.slice(0, index).join("").length);
    reading(lines.join(""), (reader) => {
      for (const index of [...lines.keys(), ...[...lines.keys()].reverse()]) {
        const text = lines[index]!.replace(/\r?\n$/, "");
        const start = starts[index]!;
        const line = reader.line(start);
        const held = line?.text === undefined ? undefined : Buffer.from(line.text).toString("latin1");
        expect([index, line?.length, line?.next]).toEqual([index, text.length, start + lines[index]!.length]);
        expect(held === undefined ? text.length > LONG_LINE_BYTES : held === text).toBe(true);
        expect(Buffer.from(reader.bytes(start, Math.min(text.length, 10))).toString("latin1")).toBe(text.slice(0, 10));
      }
    });
  });

  it("gives none where no line starts", () => {
    reading("ab\ncd", (reader) => {
      expect([1, 2, 4, 5, 99].map((offset) => reader.line(offset))).toEqual(Array(5).fill(undefined));
      expect(reader.line(3)?.length).toBe(2);
    });
  });

  it("gives lines whose copies stay when another is read", () => {
    reading("one\ntwo\n", (reader) => {
      const copy = reader.line(0)!.text!.slice();
      writeFileSync(join(directory, "f"), "six\nten\n");
      reader.line(100);
      reader.line(4);
      expect(Buffer.from(copy).toString()).toBe("one");
    });
  });
});
