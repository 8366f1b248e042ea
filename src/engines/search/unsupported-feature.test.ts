import { describe, expect, it } from "vitest";
import { compilePattern } from "./search-pattern.js";
import { unsupportedFeature } from "./unsupported-feature.js";

const FEATURES: Readonly<Record<string, string>> = {
  "(?=a)": "look-ahead",
  "x(?!a)": "look-ahead",
  "(?<=a)b": "look-behind",
  "(?<!a)b": "look-behind",
  "(a)\\1": "a back-reference",
  "(?<n>a)\\k<n>": "a back-reference",
  "(?P<n>a)(?P=n)": "a back-reference",
  "(?>a)": "an atomic group",
  "(?#note)a": "a comment group",
  "a++": "a possessive quantifier",
  "a{2}+": "a possessive quantifier",
  "a{2,}+": "a possessive quantifier",
  "a?+": "a possessive quantifier",
  "a+?+": "a possessive quantifier",
  "a\\Z": "the anchor \\Z",
};

describe("unsupportedFeature", () => {
  it("names what the common pattern language does not have", () => {
    for (const [source, feature] of Object.entries(FEATURES)) expect(unsupportedFeature(source), source).toBe(feature);
  });

  it("finds nothing in what only looks alike", () => {
    const plain = [
      "\\(\\?=a\\)",
      "[(?=]",
      "[]\\1]",
      "\\\\1",
      "a\\++",
      "\\++",
      "(?:a)",
      "(?i)a",
      "(?<n>a)",
      "\\Q(?=\\E",
      "[[:alpha:]]+",
      "a+?",
      "\\x41",
      "}+",
      "{a}+",
      "{2}x}+",
      "a\\{2}+",
      "[+]+",
    ];
    for (const source of plain) expect(unsupportedFeature(source), source).toBeUndefined();
  });

  it("is linear in the pattern", () => {
    for (const part of ["a+", "}+", "{1", "\\\\+"])
      expect(unsupportedFeature(part.repeat(500_000)), part).toBeUndefined();
  });
});

describe("compilePattern", () => {
  it("refuses such a feature as unsupported, and what is malformed as a pattern", async () => {
    const of = (source: string) => compilePattern({ source, syntax: "re2", ignoreCase: false, multiline: false });
    for (const [source, feature] of Object.entries(FEATURES)) {
      await expect(of(source), source).rejects.toMatchObject({ code: "SEARCH_UNSUPPORTED", details: { feature } });
    }
    for (const source of ["(", "[z-a]", "*a"])
      await expect(of(source)).rejects.toMatchObject({ code: "SEARCH_PATTERN" });
  });
});
