/** What a line is: where it begins and ends. */
import { on } from "../case-setup.js";
import { expectEqual } from "../expect.js";
import type { Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, lay } from "./find.js";

export const searchLines: Suite<Fixture> = [
  on("search:grep:crlf", "With CRLF a line has neither byte, and $ stands before both", async (fixture) => {
    await lay(fixture, { "a.txt": "key=value\r\nvalue\r\nvalues\r\n", "b.txt": "value\rx\n" });
    expectEqual((await grep(fixture, "value$")).lines, ["a.txt:1: key=value", "a.txt:2: value"], "lines");
    expectEqual((await grep(fixture, "^value$")).lines, ["a.txt:2: value"], "the whole line");
  }),
  on("search:grep:empty-lines", "Empty lines match ^$, and there is none after the final newline", async (fixture) => {
    await lay(fixture, { "a.txt": "a\n\nb\n\n", "empty.txt": "" });
    expectEqual((await grep(fixture, "^$")).lines, ["a.txt:2: ", "a.txt:4: "], "lines");
    expectEqual((await grep(fixture, "^")).hits.length, 4, "lines that begin");
  }),
  on("search:grep:bom", "A BOM is not part of the first line: not for the pattern, not in a hit", async (fixture) => {
    const bom = "\ufeff";
    await lay(fixture, {
      "a.txt": `${bom}import x\n${bom}import y\n`,
      "b.txt": `${bom}`,
      "c.txt": `${bom}\r\nimport z`,
      "d.txt": `import w ${"v".repeat(100_000)}`,
      "e.txt": `${bom}import w ${"v".repeat(100_000)}`,
    });
    const { hits, lines } = await grep(fixture, "^import", { maxLineBytes: 8 });
    expectEqual(lines, ["a.txt:1: import x", "c.txt:2: import z", "d.txt:1: import w", "e.txt:1: import w"], "lines");
    expectEqual(hits[0]?.at, [[0, 6]], "ranges of the first hit");
    expectEqual(hits[3]?.clippedBytes, hits[2]?.clippedBytes, "clipped bytes of a long first line");
    const found = async (source: string, more: Parameters<typeof grep>[2] = {}) =>
      (await grep(fixture, source, { maxLineBytes: 9, ...more })).lines;
    expectEqual(await found("^.?import y$"), [`a.txt:2: ${bom}import`], "a U+FEFF elsewhere is a character");
    expectEqual(await found("\\Aimport", { glob: "a.txt" }), ["a.txt:1: import x"], "at the start of the text");
    expectEqual(await found("^$"), ["c.txt:1: "], "an empty first line");
    expectEqual(await found(bom), [`a.txt:2: ${bom}import`], "the character itself");
    expectEqual(
      await found("y$", { glob: "a.txt", context: 1, maxLineBytes: 12 }),
      ["a.txt-1- import x", `a.txt:2: ${bom}import y`],
      "a first line beside a hit",
    );
    const multiline = { pattern: { multiline: true }, glob: "{a,c}.txt" };
    expectEqual(
      await found("\\A\\s*import", multiline),
      ["a.txt:1: import x", "c.txt:1: ", "c.txt:2: import z"],
      "over lines",
    );
    const { hits: counted } = await grep(fixture, "^import|\\x{feff}", { mode: "count" });
    expectEqual(
      counted.map(({ count }) => count),
      [2, 1, 1, 1],
      "matching lines of each file",
    );
  }),
];
