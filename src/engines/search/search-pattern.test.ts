import { expect, it } from "vitest";
import { compilePattern } from "./search-pattern.js";

const pattern = (source: string) => compilePattern({ source, syntax: "re2", ignoreCase: false, multiline: false });
const bytes = (text: string) => new TextEncoder().encode(text);

it("finds every match, or those that start near the first", async () => {
  const line = bytes("..a.a....a");
  const letter = await pattern("a");
  expect(letter.find(line)).toEqual([
    [2, 3],
    [4, 5],
    [9, 10],
  ]);
  expect(letter.find(line, 3)).toEqual([
    [2, 3],
    [4, 5],
  ]);
  expect(letter.find(line, 0)).toEqual([[2, 3]]);
  expect(letter.find(bytes("...."), 3)).toEqual([]);
});

it("does not look at all of a long line where a window is wanted, however dear the pattern is", async () => {
  const dear = await pattern(`${"(".repeat(500)}a${")".repeat(500)}`);
  expect(dear.find(new Uint8Array(5_000_000).fill(97), 400)).toHaveLength(400);
});

it("speaks of a malformed pattern as it was given", async () => {
  for (const ignoreCase of [false, true]) {
    for (const source of ["(", "(?m)(", "a)"]) {
      const made = compilePattern({ source, syntax: "re2", ignoreCase, multiline: false });
      await expect(made).rejects.toMatchObject({
        code: "SEARCH_PATTERN",
        message: expect.stringContaining(`\`${source}\``),
        details: { pattern: source, why: expect.stringContaining(`\`${source}\``) },
      });
    }
  }
});

it("takes fewer bytes at once the larger the pattern is, and any number of plain words", async () => {
  const word = await pattern("needle");
  const small = await pattern("n[e]+dle");
  const large = await pattern("n.{900}");
  expect(word.maxBytes).toBeGreaterThan(small.maxBytes);
  expect(small.maxBytes).toBeGreaterThan(16 * 1024 * 1024);
  expect(large.maxBytes).toBeLessThan(500_000);
});
