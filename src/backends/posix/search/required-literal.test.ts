import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../engines/search/index.js";
import { requiredLiteral } from "./required-literal.js";

describe("requiredLiteral", () => {
  it("finds the longest text outside of groups and classes that no match can lack", () => {
    const expected: Readonly<Record<string, string>> = {
      "NEEDLE_\\d+": "NEEDLE_",
      needle: "needle",
      "a\\.needle\\(": "a.needle(",
      "needles?": "needle",
      "needles*x": "needle",
      "needles{0,2}xyz12": "needle",
      "needle+s": "needle",
      "^import .* from": "import ",
      "[abc]+defg": "defg",
      "[]a]defg": "defg",
      "(abcdefg|x)hij": "hij",
      "abc(defgh)?": "abc",
    };
    for (const [source, literal] of Object.entries(expected))
      expect([source, requiredLiteral(source)]).toEqual([source, literal]);
  });

  it("finds none where another alternative, a flag, a quote or an unusual escape may take it back", () => {
    for (const source of [
      "abcd|efgh",
      "(?i)abcd",
      "abcd(?i:e)",
      "\\Qabcd\\E",
      "\\x61bcd",
      "\\p{L}abcd",
      "[[:alpha:]]abcd",
      "ab",
      "äbcd",
    ])
      expect([source, requiredLiteral(source)]).toEqual([source, source === "äbcd" ? "bcd" : ""]);
  });

  it("gives a text that is in everything that matches", async () => {
    const texts = ["abc", "abcd", "xabcdx", "ab cd", "abccd", "abd", "aabcc", "", "abcabc", "a.cd", "a[cd"];
    const sources = [
      "abc*d",
      "abc?",
      "abc+",
      "a.cd",
      "abc{2}",
      "abc{0}abd",
      "(abc)+",
      "(abc)?abcd",
      "a[bc]cd",
      "ab\\wd",
      "abc$",
      "\\babc",
      "a\\[cd",
    ];
    for (const source of sources) {
      const pattern = await compilePattern({ source, syntax: "re2", ignoreCase: false, multiline: false });
      const literal = requiredLiteral(source);
      for (const text of texts)
        if (pattern.test(Buffer.from(text)))
          expect([source, text, text.includes(literal)]).toEqual([source, text, true]);
    }
  });
});
