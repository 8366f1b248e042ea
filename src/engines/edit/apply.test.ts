import { describe, expect, it } from "vitest";
import { detectTextForm } from "../../text/index.js";
import type { EditPair } from "./apply.js";
import { type EditPlan, planEdits } from "./apply.js";
import { EDIT_STAGES } from "./stages.js";
import { UnitText } from "./units.js";

const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const textOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const utf8 = (text: string) => textOf(new TextEncoder().encode(text));
const utf16 = (text: string, order: "le" | "be") =>
  [...`\ufeff${text}`]
    .flatMap((char) => [char.charCodeAt(0) & 0xff, char.charCodeAt(0) >> 8])
    .map((_, index, all) => String.fromCharCode(all[order === "le" ? index : index ^ 1]!))
    .join("");

interface Options {
  readonly replaceAll?: boolean;
  readonly whitespace?: "inside" | "anywhere";
}

/** `file` is a string of bytes, one character each. */
async function plan(file: string, edits: EditPair | readonly EditPair[], options: Options = {}): Promise<EditPlan> {
  const bytes = bytesOf(file);
  const text = new UnitText(bytes, await detectTextForm(bytes));
  const pairs = Array.isArray(edits) ? (edits as readonly EditPair[]) : [edits as EditPair];
  return planEdits(text, pairs, { stages: EDIT_STAGES, replaceAll: false, ...options });
}

async function edited(file: string, oldText: string, newText: string, options: Options = {}): Promise<string> {
  const result = await plan(file, { oldText, newText }, options);
  return result.kind === "applied" ? textOf(result.bytes) : result.kind;
}

describe("the table of imperfect edits", () => {
  it("1: applies an exact text, with `$&`, no final newline and a mark", async () => {
    expect(await edited("\xef\xbb\xbfa=1\nend", "a=1", "a=$& $$ $1 $`")).toBe("\xef\xbb\xbfa=$& $$ $1 $`\nend");
  });

  it("2: finds two lines of a CRLF file by a text with LF, and keeps CRLF", async () => {
    expect(await edited("a\r\nb\r\nc\r\n", "a\nb", "A\nB")).toBe("A\r\nB\r\nc\r\n");
  });

  it("3: ignores trailing whitespace that oldText lacks, in that place only", async () => {
    const file = "keep \t\none  \ntwo\t\nthree   \n";
    expect(await edited(file, "one\ntwo\n", "1\n2\n")).toBe("keep \t\n1\n2\nthree   \n");
  });

  it("4: keeps every line ending of a mixed file but those of the place", async () => {
    expect(await edited("a\r\nb\nc\rd\r\nx\n", "x", "y")).toBe("a\r\nb\nc\rd\r\ny\n");
    expect(await edited("a\r\nb\nc\r\nd\n", "b\nc", "B\nC")).toBe("a\r\nB\nC\r\nd\n");
  });

  it("5: refuses straight quotes for curly ones and reports it", async () => {
    const file = utf8("say “hi” é²\n");
    const result = await plan(file, { oldText: 'say "hi"', newText: "x" });
    expect(result).toMatchObject({ kind: "not-found", nearest: [{ line: 1 }] });
    expect(JSON.stringify(result)).toContain("look alike (quotes, dashes, spaces)");
  });

  it("6: keeps a Latin-1 byte elsewhere", async () => {
    expect(await edited("/* na\xefve \xe9 */\nint n = 4;\n", "int n = 4;", "int n = 5;")).toBe(
      "/* na\xefve \xe9 */\nint n = 5;\n",
    );
  });

  it("7: takes an indentation that is off by two and indents the new text alike", async () => {
    const result = await plan("f:\n    if a:\n        b\n", { oldText: "  if a:\n      b\n", newText: "  x\n" });
    expect(result).toMatchObject({ kind: "applied", stage: "indentation", reindented: true });
    expect(await edited("f:\n    if a:\n        b\n", "  if a:\n      b\n", "  x\n")).toBe("f:\n    x\n");
  });

  it("7: refuses an indentation that is off by two in some lines only and names it", async () => {
    const result = await plan("f:\n    if a:\n       b\n", { oldText: "  if a:\n      b\n", newText: "  x\n" });
    expect(result).toMatchObject({
      kind: "not-found",
      nearest: [{ line: 2, differs: "on line 2, the indentation: 4 spaces in the file, 2 spaces in `oldText`" }],
    });
  });

  it("8: refuses spaces for tabs in the indentation, accepts them inside a line", async () => {
    expect(await edited("\tif a:\n\t\tb\n", "    if a:\n        b\n", "x")).toBe("not-found");
    expect(await edited("a\t=\t1\n", "a = 1", "a = 2")).toBe("a = 2\n");
  });

  it("9 and 10: refuses two places, tolerant or exact, with their lines", async () => {
    expect(await plan("a  b\n--\na b\n", { oldText: "a\tb", newText: "Z" })).toMatchObject({
      kind: "ambiguous",
      count: 2,
      lines: [1, 3],
    });
    expect(await plan("dup\nx\ndup\ndup\n", { oldText: "dup", newText: "one" })).toMatchObject({
      kind: "ambiguous",
      count: 3,
      lines: [1, 3, 4],
    });
  });

  it("names each line of an ambiguous text once, and the first twenty", async () => {
    const pair = { oldText: "a", newText: "b" };
    expect(await plan("aaa\nx\naa\n", pair)).toMatchObject({ count: 5, lines: [1, 3], hasMoreLines: false });
    expect(await plan("xa".repeat(30), pair)).toMatchObject({ count: 30, lines: [1], hasMoreLines: false });
    const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(await plan("aa\n".repeat(20), pair)).toMatchObject({ count: 40, lines: twenty, hasMoreLines: false });
    expect(await plan("a\n".repeat(21), pair)).toMatchObject({ count: 21, lines: twenty, hasMoreLines: true });
    const breaks = { oldText: "\nx", newText: "" };
    expect(await plan("\nx\nx\n", breaks)).toMatchObject({ count: 2, lines: [1, 2], hasMoreLines: false });
  });

  it("11 and 12: refuses a block whose inside differs, and a token that differs by a letter", async () => {
    const block = "begin {\n  x := 1\n  y := 99\n} end\n";
    expect(await plan(block, { oldText: "begin {\n  x := 1\n  y := 2\n} end", newText: "" })).toMatchObject({
      kind: "not-found",
      nearest: [
        { line: 1, differs: 'on line 3, the text from character 8: "  y := 99" in the file, "  y := 2" in `oldText`' },
      ],
    });
    const loop = "  for (const item of items) sum += item.price;\n";
    const differs = 'on line 1, the text from character 44: "…item.price;" in the file, "…item.prize;" in `oldText`';
    expect(await plan(loop, { oldText: "sum += item.prize;", newText: "" })).toMatchObject({ nearest: [{ differs }] });
    expect(
      await plan("const totals = sum(rows);\n", { oldText: "const total = sum(rows);", newText: "" }),
    ).toMatchObject({ kind: "not-found", nearest: [{ line: 1 }] });
  });

  it("13: takes a backslash and an n as what they are", async () => {
    expect(await edited("a\nb\n", "a\\nb", "x")).toBe("not-found");
  });

  it("14: refuses far anchors and absent text", async () => {
    const far = `start\n${"filler\n".repeat(40)}stop\n`;
    expect(await edited(far, "start\nstop\n", "x")).toBe("not-found");
    expect(await plan("a\nb\n", { oldText: "nothing like it at all", newText: "x" })).toEqual({
      kind: "not-found",
      edit: 0,
      nearest: [],
    });
  });
});

describe("line endings", () => {
  it("uses the line ending of the place for a new line, and reports it", async () => {
    const result = await plan("a\r\nb\r\n", { oldText: "b", newText: "b\nc" });
    expect(result).toMatchObject({ kind: "applied", eolConverted: true, stage: "exact" });
    expect(await edited("a\r\nb\r\n", "b", "b\nc")).toBe("a\r\nb\r\nc\r\n");
    expect(await edited("a\rb\r", "b", "b\nc")).toBe("a\rb\rc\r");
    expect(await edited("a\r\nlast", "last", "x\ny")).toBe("a\r\nx\r\ny");
  });

  const CONVERTED: readonly (readonly [name: string, file: string, oldText: string, newText: string, after: string])[] =
    [
      ["CRLF for an LF file", "alpha\nbeta\nc\n", "alpha\r\nbeta", "alpha\r\nBETA\r\nnew", "alpha\nBETA\nnew\nc\n"],
      ["CRLF in the new text alone", "a\nb\n", "a", "x\r\ny", "x\ny\nb\n"],
      ["both kinds for a CRLF file", "a\r\nb\r\n", "b", "b\r\nc\n", "a\r\nb\r\nc\r\n\r\n"],
      ["CRLF for a file of lone CR", "a\rb\rc\r", "b", "x\r\ny", "a\rx\ry\rc\r"],
      ["lone CR for an LF file", "a\nb\n", "a\nb", "x\ry", "x\ny\n"],
      ["a CR before the line feed of the file", "alpha\nb\n", "alpha", "beta\r", "beta\nb\n"],
      ["a CR before the CR LF of the file", "alpha\r\nb\r\n", "alpha", "beta\r", "beta\r\nb\r\n"],
      ["a line that ends with CR alone", "alpha\nb\n", "alpha\r", "beta\r", "beta\nb\n"],
      ["the first half of a pair for an LF", "alpha\r\nb\r\n", "alpha\r", "beta\n", "beta\r\nb\r\n"],
      ["a last line without an ending", "a\nlast", "last\r\n", "LAST\r\n", "a\nLAST"],
      ["lines that are shifted", "f:\n  a\n  b\n", "a\r\nb", "c\r\nd", "f:\n  c\n  d\n"],
    ];
  it.each(CONVERTED)(
    "converts %s to the one kind of ending that the file has",
    async (_, file, oldText, newText, to) => {
      expect(await edited(file, oldText, newText)).toBe(to);
      const pure = to.replace(/\r\n?|\n/g, "\n");
      expect(new Set(to.match(/\r\n?|\n/g)).size, JSON.stringify(pure)).toBe(1);
    },
  );

  it("reports the conversion, and none where there was nothing to convert", async () => {
    expect(await plan("a\nb\n", { oldText: "a", newText: "x\r\ny" })).toMatchObject({ eolConverted: true });
    expect(await plan("alpha\nb\n", { oldText: "alpha", newText: "beta\r" })).toMatchObject({ eolConverted: true });
    expect(await plan("a\r\nb\r\n", { oldText: "a\r\n", newText: "x\r\n" })).toMatchObject({ eolConverted: false });
    expect(await plan("a\nb\n", { oldText: "a\n", newText: "x\ny\n" })).toMatchObject({ eolConverted: false });
  });

  it("converts the new text of every edit and at every place", async () => {
    const edits = [
      { oldText: "a", newText: "1\r\n2" },
      { oldText: "b", newText: "3\r4" },
    ];
    const result = await plan("a\nb\n", edits);
    expect(result.kind === "applied" && textOf(result.bytes)).toBe("1\n2\n3\n4\n");
    expect(await edited("a\na\n", "a", "x\r\ny", { replaceAll: true })).toBe("x\ny\nx\ny\n");
    expect(await edited(utf16("a\nb\n", "be"), "a", "x\r\ny")).toBe(utf16("x\ny\nb\n", "be"));
  });

  it("takes a carriage return literally where the file has several kinds of ending, or none", async () => {
    expect(await edited("a\r\nb\nc\n", "c", "c\r\nd\n")).toBe("a\r\nb\nc\r\nd\n\n");
    expect(await edited("one", "one", "1\r\n2\r3\n")).toBe("1\r\n2\r3\n");
  });

  const MEANT: readonly (readonly [name: string, file: string, oldText: string, newText: string, after: string])[] = [
    ["CRLF to LF", "a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"],
    ["LF to CRLF", "a\nb\n", "a\nb", "a\r\nb", "a\r\nb\n"],
    ["LF to CR", "a\nb\n", "a\n", "a\r", "a\rb\n"],
    ["a CR added to a line", "a\nb\n", "a", "a\r", "a\r\nb\n"],
    ["a CR taken from a line", "a\r\nb\r\n", "a\r", "a", "a\nb\r\n"],
    ["half of a pair to LF", "a\r\nb\r\n", "a\r", "a\n", "a\nb\r\n"],
    ["CRLF to LF in a mixed file", "a\r\nb\n", "a\r\n", "a\n", "a\nb\n"],
  ];
  it.each(MEANT)("does as asked what changes line endings alone: %s", async (_, file, oldText, newText, to) => {
    expect(await edited(file, oldText, newText)).toBe(to);
  });

  it("never takes half of a CRLF pair for a line feed", async () => {
    expect(await edited("x\r\nfoo\r\n", "\nfoo", "\nbar")).toBe("x\r\nbar\r\n");
    expect(await edited("x\r\nfoo\r\n", "\nfoo", "")).toBe("x\r\n");
  });

  it("refuses lines that occur twice, once with LF and once with CRLF", async () => {
    const file = "x\ny\nmid\nx\r\ny\r\n";
    const ambiguous = { kind: "ambiguous", count: 2, lines: [1, 4], hasOtherEndings: true };
    expect(await plan(file, { oldText: "x\ny", newText: "X\nY" })).toMatchObject(ambiguous);
    expect(await plan(file, { oldText: "x\n", newText: "X\n" })).toMatchObject(ambiguous);
    const many = Array.from({ length: 40 }, () => ({ oldText: "x\ny", newText: "X\nY" }));
    expect(await plan(file, many)).toMatchObject({ ...ambiguous, edit: 0 });
    expect(await edited(utf16(file, "le"), "x\ny", "X\nY")).toBe("ambiguous");
    expect(await plan("x\nx\n", { oldText: "x\n", newText: "X" })).toMatchObject({ hasOtherEndings: false });
  });

  it("matches the one whose bytes equal the old text, and reports it", async () => {
    const file = "x\ny\nmid\nx\r\ny\r\n";
    expect(await edited(file, "x\r\ny", "X\r\nY")).toBe("x\ny\nmid\nX\r\nY\r\n");
    expect(await plan(file, { oldText: "x\r\ny", newText: "z" })).toMatchObject({ byEndings: true, stage: "exact" });
    expect(await plan(file, { oldText: "mid\n", newText: "z\n" })).toMatchObject({ byEndings: false, stage: "exact" });
    expect(await plan("x\r\ny\r\n", { oldText: "x\r\n", newText: "z\n" })).toMatchObject({ byEndings: false });
  });

  it("replaces both with `replaceAll`, each with the endings of its place", async () => {
    const file = "x\ny\nmid\nx\r\ny\r\n";
    expect(await edited(file, "x\ny", "X\nY", { replaceAll: true })).toBe("X\nY\nmid\nX\r\nY\r\n");
  });

  it("takes a last line without its newline for the same line with it, and adds none", async () => {
    expect(await edited("first\nlast line", "last line\n", "LAST\n")).toBe("first\nLAST");
    expect(await edited("first\nheadline", "line\n", "x\n")).toBe("not-found");
    expect(await edited("top\nend", "end", "END")).toBe("top\nEND");
  });
});

describe("the whitespace stage", () => {
  it("leaves everything outside the place as it is", async () => {
    const nbsp = utf8("cost\u00a010€ say hello “q”\n");
    expect(await edited(nbsp, "say  hello", "say bye")).toBe(utf8("cost\u00a010€ say bye “q”\n"));
    expect(await edited("keep   \none two\nalso\t\n", "one    two", "one two!")).toBe("keep   \none two!\nalso\t\n");
  });

  it("does not take a part of a word", async () => {
    expect(await edited("someone  two\n", "one two", "x")).toBe("not-found");
    expect(await edited("one  twofold\n", "one two", "x")).toBe("not-found");
  });

  it("keeps indentation significant unless set to fold it too", async () => {
    const file = "def f(a):\n\tif a:\n\t\treturn 1\n";
    const old = "if a:\n    return 1";
    expect(await edited(file, old, "if a:\n    return 2")).toBe("not-found");
    expect(await edited(file, old, "if a:\n\t\treturn 2", { whitespace: "anywhere" })).toBe(
      "def f(a):\n\tif a:\n\t\treturn 2\n",
    );
  });

  it("replaces from the first to the last character that is no space when everything is folded", async () => {
    expect(await edited("\t\ttwo words  \n", "  two  words ", "  TWO ", { whitespace: "anywhere" })).toBe(
      "\t\tTWO  \n",
    );
    expect(await edited(utf8("é  ü\nx\né\tü\n"), "é ü", "ß", { whitespace: "anywhere", replaceAll: true })).toBe(
      utf8("ß\nx\nß\n"),
    );
  });
});

describe("encodings", () => {
  it("matches and writes UTF-16 in its own units", async () => {
    for (const order of ["le", "be"] as const) {
      expect(await edited(utf16("añb\r\nc\r\n", order), "ñb\nc", "ü\nd")).toBe(utf16("aü\r\nd\r\n", order));
    }
    // Two characters whose inner bytes spell a third one: 41 42 | 43 44 holds 42 43.
    expect(await edited(utf16("\u4142\u4344", "be"), "\u4243", "x")).toBe("not-found");
  });

  it("keeps an odd last byte of a UTF-16 file", async () => {
    expect(await edited(`${utf16("ab", "le")}z`, "b", "c")).toBe(`${utf16("ac", "le")}z`);
  });

  it("finds what `read` shows of a legacy file and writes it back in the same encoding", async () => {
    const french = "Le caf\xe9 est tr\xe8s bon, \xe0 bient\xf4t les amis de l'\xe9t\xe9\n";
    expect(await edited(french, "café est très bon", "thé est très froid")).toBe(
      "Le th\xe9 est tr\xe8s froid, \xe0 bient\xf4t les amis de l'\xe9t\xe9\n",
    );
  });

  it("writes every letter that a guessed encoding has, and names one that it lacks", async () => {
    expect(await edited("x\xff\n", "x", "é €")).toBe("\xe9 \x80\xff\n");
    expect(await plan("x\xff\n", { oldText: "x", newText: "é 你" })).toEqual({
      kind: "not-encodable",
      edit: 0,
      char: "你",
    });
  });

  it("does not begin inside a character of two bytes", async () => {
    // In Shift_JIS the second byte of this character is a backslash.
    const japanese =
      "\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\x82\xc5\x82\xb7\x81\x42";
    expect(await edited(`${japanese}\x95\x5cn \\n\n`, "\\n", "!")).toBe(`${japanese}\x95\x5cn !\n`);
  });
});

describe("several edits", () => {
  it("matches all of them against the original and applies all or none", async () => {
    const swap = [
      { oldText: "one", newText: "two" },
      { oldText: "two", newText: "one" },
    ];
    const result = await plan("one two\n", swap);
    expect(result.kind === "applied" && textOf(result.bytes)).toBe("two one\n");
    expect(await plan("one two\n", [...swap, { oldText: "three", newText: "x" }])).toMatchObject({
      kind: "not-found",
      edit: 2,
    });
  });

  it("refuses edits that overlap and applies those that touch", async () => {
    const overlapping = [
      { oldText: "abc", newText: "x" },
      { oldText: "cde", newText: "y" },
    ];
    expect(await plan("abcde\n", overlapping)).toEqual({ kind: "overlap", edits: [0, 1] });
    const touching = await plan("abcd\n", [
      { oldText: "cd", newText: "2" },
      { oldText: "ab", newText: "1" },
    ]);
    expect(touching.kind === "applied" && textOf(touching.bytes)).toBe("12\n");
  });

  it("counts overlapping places as two and replaces them once each", async () => {
    expect(await edited("aaa\n", "aa", "b")).toBe("ambiguous");
    expect(await edited("aaaa\n", "aa", "b", { replaceAll: true })).toBe("bb\n");
  });
});

describe("what is reported", () => {
  it("gives byte ranges and lines of the old file", async () => {
    const result = await plan("\xef\xbb\xbfab\ncd\nef\n", [
      { oldText: "ef", newText: "" },
      { oldText: "ab", newText: "abc" },
    ]);
    expect(result).toMatchObject({
      ranges: [
        { before: [3, 5], after: [3, 6], line: 1 },
        { before: [9, 11], after: [10, 10], line: 3 },
      ],
    });
  });

  it("reports no change when the new text equals the old", async () => {
    expect(await edited("a  b\n", "a b", "a  b")).toBe("no-change");
  });

  it("reports no change where edits move bytes and the file is the same", async () => {
    const edits = [
      { oldText: "[a", newText: "[" },
      { oldText: "a]", newText: "aa]" },
    ];
    expect((await plan("[aaaa]", edits)).kind).toBe("no-change");
    expect((await plan("[abba]", edits)).kind).toBe("applied");
  });

  it("recognises line numbers that were copied along", async () => {
    for (const oldText of ["     2│beta", "     2\tbeta", "     1│alpha\n     2│beta"]) {
      expect(await plan("alpha\nbeta\n", { oldText, newText: "x" })).toMatchObject({
        kind: "not-found",
        hint: expect.stringContaining("line numbers"),
      });
    }
    expect((await plan("alpha\n", { oldText: "1: unheard of", newText: "" })) as { hint?: string }).not.toHaveProperty(
      "hint",
    );
  });
});
