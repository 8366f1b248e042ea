import { describe, expect, it } from "vitest";
import type { Pattern } from "../../../kernel/index.js";
import { ripgrepPattern } from "./ripgrep-pattern.js";

const STRAY = "(?-u:[\\x80-\\xff])";
const write = (source: string, more: Partial<Pattern> = {}, binary: "any-nul" | { firstBytes: number } = "any-nul") =>
  ripgrepPattern({ source, syntax: "re2", ignoreCase: false, multiline: false, ...more }, binary);

describe("ripgrepPattern", () => {
  it("writes what ripgrep would read otherwise in its own words", async () => {
    const expected: Readonly<Record<string, string>> = {
      QUARTZ_NEEDLE: "QUARTZ_NEEDLE",
      "a\\d+": "a[0-9]+",
      "[\\w-]": "[[0-9A-Za-z_]\\x{2d}]",
      "\\bfoo\\b": "(?-u:\\b)foo(?-u:\\b)",
      "[a&&b]": "[\\x{61}\\x{26}\\x{26}\\x{62}]",
      "[[x]": "[\\x{5b}\\x{78}]",
      "[]a]": "[\\x{5d}\\x{61}]",
      "[a-]": "[\\x{61}\\x{2d}]",
      "[[:alpha:][:^digit:]_]": "(?:[[:alpha:][:^digit:]\\x{5f}]|(?-u:[\\x80-\\xff]))",
      "\\<x\\>": "<x>",
      "\\Qa.b\\E+": "a\\.b+",
      "\\Qa.b": "a\\.b",
      "a{,2}": "a\\{,2\\}",
      "a{2,}?": "a{2,}?",
      "(?P<n>a)(?<m>b)(c)": "(?:a)(?:b)(?:c)",
      "(?im-s:a)(?m)b(?-m)": "(?i-s:a)b",
      "^a": "(?m:^\\x{feff}?)a",
      a$: "a(?mR:$)",
      "\\Aa\\z": "(?m:^\\x{feff}?)a(?mR:$)",
      "a\\nb": "a[a&&b]b",
      "a\\x00": "a[a&&b]",
      "\\x41\\x{e9}\\t": "Aé\\x{9}",
      ".": `(?:.|${STRAY})`,
      "[^a]": `(?:[^\\x{61}]|${STRAY})`,
      "\\pN": `[[\\p{N}]\\p{Cn}\\x{295}]`,
      "\\x{fffd}": `(?:\\x{fffd}|${STRAY})`,
    };
    for (const [source, written] of Object.entries(expected)) {
      expect([source, (await write(source))?.source]).toEqual([source, written]);
    }
  });

  it("keeps the ends of the text apart from those of lines where a match may span lines", async () => {
    const more = { multiline: true };
    expect((await write("\\A^$\\z\\n", more))?.source).toBe("(?:\\A\\x{feff}?)(?m:^\\x{feff}?)(?m:$)\\z\\x{a}");
    expect((await write("(?-m:^$)^", more))?.source).toBe("(?:(?:\\A\\x{feff}?)\\z)(?m:^\\x{feff}?)");
  });

  it("says in which lines its matches are to be looked at again", async () => {
    const doubts: Readonly<Record<string, readonly [boolean, boolean, boolean?]>> = {
      "foo\\d": [false, false],
      "(?i)é[a-z]+\\b": [false, false],
      foo$: [true, false],
      "foo\\s": [true, false],
      "foo\\r": [true, false],
      "foo\\B": [false, true],
      "\\p{Lu}": [false, true],
      "fo.": [true, true],
      "[^f]": [true, true],
      "a|^f": [false, false, true],
      "\\Af": [false, false, true],
    };
    for (const [source, [carriageReturn, beyondAscii, lineStart = false]] of Object.entries(doubts)) {
      expect([source, (await write(source))?.doubt]).toEqual([source, { carriageReturn, beyondAscii, lineStart }]);
    }
  });

  it("takes a literal sign by sign, and a NUL where files with one are searched", async () => {
    expect((await write("a.b(\n", { syntax: "literal", ignoreCase: true }))?.source).toBe("(?i)a\\.b\\([a&&b]");
    expect((await write("\\x00", {}, { firstBytes: 4 }))?.source).toBe("\\x{0}");
  });

  it("writes none that the system or UTF-8 has no room for", async () => {
    expect(await write("a".repeat(70_000), { syntax: "literal" })).toBeUndefined();
    expect(await write("a\ud800", { syntax: "literal" })).toBeUndefined();
  });
});
