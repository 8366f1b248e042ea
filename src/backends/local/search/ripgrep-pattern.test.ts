import { describe, expect, it } from "vitest";
import type { Pattern } from "../../../kernel/index.js";
import { ripgrepPattern } from "./ripgrep-pattern.js";

const STRAY = "(?-u:[\\x80-\\xff])";
const write = (source: string, more: Partial<Pattern> = {}) =>
  ripgrepPattern({ source, syntax: "re2", ignoreCase: false, multiline: false, ...more });

describe("ripgrepPattern", () => {
  it("writes what ripgrep would read otherwise in its own words", () => {
    const expected: Readonly<Record<string, string>> = {
      QUARTZ_NEEDLE: "QUARTZ_NEEDLE",
      "a\\d+": "a(?-u:\\d)+",
      "[\\w-]": "[[:word:]-]",
      "[\\D]": `(?:[[:^digit:]]|${STRAY})`,
      "\\bfoo\\b": "(?-u:\\b)foo(?-u:\\b)",
      "[a&&b]": "[a\\&\\&b]",
      "[[x]": "[\\[x]",
      "[]a]": "[\\]a]",
      "[^]a]": `(?:[^\\]a]|${STRAY})`,
      "[a-]": "[a-]",
      "[[:alpha:]_]": "[[:alpha:]_]",
      "\\<x\\>": "\\x{3c}x\\x{3e}",
      "a{,2} {": "a\\{\\x{2c}2\\x{7d}\\x{20}\\{",
      "a{2,}?": "a{2,}?",
      "(?P<n>a)(?<m>b)(c)": "(?P<n>a)(?<m>b)(c)",
      "(?im-s:a)(?m)b(?-m)": "(?i-s:a)b",
      "^a": "(?m:^\\x{feff}?)a",
      a$: "a(?mR:$)",
      "\\Aa\\z": "(?m:^\\x{feff}?)a(?mR:$)",
      ".": `(?:.|${STRAY})`,
      "[^a]": `(?:[^a]|${STRAY})`,
    };
    for (const [source, written] of Object.entries(expected))
      expect([source, write(source)?.source]).toEqual([source, written]);
  });

  it("looks for the bytes that characters have in the encodings of one byte a character", () => {
    const { source = "" } = write("El\u00e8ve") ?? {};
    expect(source).toMatch(/^El\(\?:\u00e8\|.*\(\?-u:\[\\xe8\]\).*\)ve$/);
    expect(write("\u00e8", { ignoreCase: true })?.source).toContain("[\\xe8\\xe8\\xc8]");
    expect(write("a\u00e8+")?.source).toMatch(/\)\+$/);
  });

  it("says in which lines its matches are to be looked at again", () => {
    const loose = ["foo$", "foo\\s", "foo\\r", "foo\\B", "\\p{Lu}", "fo.", "[^f]", "a|^f", "\\Af", "\u00e9"];
    for (const source of loose) expect([source, write(source)?.isLoose]).toEqual([source, true]);
    for (const source of ["foo\\d", "(?i)k[a-z]+\\b", "[\\w-]+\\.", "a{2}"])
      expect([source, write(source)?.isLoose]).toEqual([source, false]);
  });

  it("takes a literal sign by sign", () => {
    expect(write("a.b(", { syntax: "literal", ignoreCase: true })?.source).toBe("(?i)a\\x{2e}b\\x{28}");
  });

  it("writes none that is too long for the system or cannot be UTF-8, and none for what it does not read", () => {
    expect(write("a".repeat(70_000), { syntax: "literal" })).toBeUndefined();
    expect(write("a\ud800", { syntax: "literal" })).toBeUndefined();
    expect(write("\\Qa.b\\E")).toBeUndefined();
  });
});
