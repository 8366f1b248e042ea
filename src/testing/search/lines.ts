/** Lines: where they begin and end, and their encoding. */
import { concatBytes } from "../../text/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual } from "../expect.js";
import type { Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, lay, namesOf } from "./find.js";

export const searchLines: Suite<Fixture> = [
  on("search:grep:crlf", "With CRLF a line has neither byte, and $ matches before both", async (fixture) => {
    await lay(fixture, { "a.txt": "key=value\r\nvalue\r\nvalues\r\n" });
    expectEqual((await grep(fixture, "value$")).lines, ["a.txt:1: key=value", "a.txt:2: value"], "lines");
    expectEqual((await grep(fixture, "^value$")).lines, ["a.txt:2: value"], "the whole line");
  }),
  on("search:grep:newline-in-crlf", "A newline in a multiline pattern matches CRLF too", async (fixture) => {
    await lay(fixture, { "a.txt": "a (\r\n  b)\r\n", "b.txt": "a (\n  b)\n" });
    for (const [source, syntax] of [
      ["\\(\\n\\s+b", "re2"],
      ["\\(\n[ ]+b\\)\\n", "re2"],
      ["a (\n  b)", "literal"],
    ] as const) {
      const { lines } = await grep(fixture, source, { pattern: { multiline: true, syntax } });
      const all = ["a.txt:1: a (", "a.txt:2:   b)", "b.txt:1: a (", "b.txt:2:   b)"];
      expectEqual(lines, all, `lines of ${source}`);
    }
  }),
  on("search:grep:empty-lines", "Empty lines match ^$, and there is none after the final newline", async (fixture) => {
    await lay(fixture, { "a.txt": "a\n\nb\n\n", "empty.txt": "" });
    expectEqual((await grep(fixture, "^$")).lines, ["a.txt:2: ", "a.txt:4: "], "lines");
    expectEqual((await grep(fixture, "^")).hits.length, 4, "lines that begin");
  }),
  on(
    "search:grep:bom",
    "A BOM is not part of the first line, neither for the pattern nor in a hit",
    async (fixture) => {
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
      expectEqual(hits[3]?.truncatedBytes, hits[2]?.truncatedBytes, "truncated bytes of a long first line");
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
    },
  ),
  on("search:grep:not-utf8", "A line in another encoding is searched, and returned as UTF-8", async (fixture) => {
    const line = concatBytes([utf8("caf"), Uint8Array.of(0xe9), utf8(" match "), Uint8Array.of(0xb0)]);
    await lay(fixture, { "a.txt": concatBytes([line, utf8("\nplain match\n")]) });
    const { hits } = await grep(fixture, "match");
    expectEqual(hits.length, 2, "hits");
    expectBytes(hits[0]?.bytes ?? new Uint8Array(), utf8("café match °"), "the line");
    expectEqual(hits[0]?.at, [[6, 11]], "ranges");
  }),
  on(
    "search:grep:legacy-encoding",
    "Non-ASCII characters are found in files of a legacy encoding, in every mode",
    async (fixture) => {
      // "Elève n° 1" in windows-1252, and a Russian greeting in windows-1251.
      const western = concatBytes([utf8("El"), Uint8Array.of(0xe8), utf8("ve n"), Uint8Array.of(0xb0), utf8(" 1\n")]);
      const greeting = [
        0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xe2, 0xf1, 0xe5, 0xec, 0x20, 0xeb, 0xfe, 0xe4, 0xff, 0xec,
      ];
      await lay(fixture, {
        "l1.txt": western,
        "ru.txt": concatBytes([Uint8Array.from(greeting), utf8("\n")]),
        "u8.txt": "Elève\nПривет\n漢字\n",
      });
      expectEqual((await grep(fixture, "Elève")).lines, ["l1.txt:1: Elève n° 1", "u8.txt:1: Elève"], "Elève");
      expectEqual(namesOf((await grep(fixture, "n° 1", { pattern: { syntax: "literal" } })).lines), ["l1.txt"], "n°");
      const upper = await grep(fixture, "ELÈVE", { pattern: { ignoreCase: true }, mode: "count" });
      expectEqual(
        upper.hits.map(({ path, count }) => [path.slice(-6), count]),
        [
          ["l1.txt", 1],
          ["u8.txt", 1],
        ],
        "ELÈVE",
      );
      const russian = await grep(fixture, "Привет", { mode: "files" });
      expectEqual(
        russian.hits.map(({ path }) => path.slice(-6)),
        ["ru.txt", "u8.txt"],
        "Привет",
      );
      expectEqual((await grep(fixture, "è", { glob: "u8.txt" })).lines, ["u8.txt:1: Elève"], "one letter");
    },
  ),
  on("search:grep:utf-16", "A UTF-16 file with a BOM is searched, in every mode", async (fixture) => {
    const text = "first Zeile\r\nzweite \u00dc match\r\n";
    const little = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((one) => [one.charCodeAt(0), 0])]);
    const big = Uint8Array.from([0xfe, 0xff, ...[...text].flatMap((one) => [0, one.charCodeAt(0)])]);
    await lay(fixture, { "be.txt": big, "le.txt": little, "zero.bin": Uint8Array.from([...little.subarray(2)]) });
    const lines = ["be.txt:2: zweite \u00dc match", "le.txt:2: zweite \u00dc match"];
    for (const source of ["match$", "\u00dc"])
      expectEqual((await grep(fixture, source)).lines, lines, `lines of ${source}`);
    expectEqual((await grep(fixture, "match", { pattern: { syntax: "literal" } })).lines, lines, "lines of a literal");
    for (const binary of ["any-nul", { firstBytes: 4_096 }] as const) {
      for (const root of [fixture.directory, `${fixture.directory}/le.txt`]) {
        const files = root === fixture.directory ? 2 : 1;
        for (const mode of ["files", "count"] as const)
          expectEqual((await grep(fixture, "match", { mode, binary, root })).hits.length, files, `files of ${mode}`);
        expectEqual((await grep(fixture, "match", { binary, root })).hits.length, files, "hits");
      }
    }
  }),
];
