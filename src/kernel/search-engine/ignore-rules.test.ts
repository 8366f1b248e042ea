import { describe, expect, it } from "vitest";
import { IgnoreRules } from "./ignore-rules.js";

describe("IgnoreRules", () => {
  it("takes a rule that can match no path for none", () => {
    for (const rule of ["//a", "a//b", "a\\", "a\\\\\\", "/", "!"]) {
      const rules = new IgnoreRules(rule);
      expect([rule, rules.judge("a", false), rules.judge("a/b", false)]).toEqual([rule, undefined, undefined]);
    }
  });

  it("takes braces and an escaped blank at the end for themselves", () => {
    const rules = new IgnoreRules("{a,b}\nc\\ \nd  \ne\\\\");
    expect(rules.judge("{a,b}", false)).toBe("ignored");
    expect(rules.judge("a", false)).toBeUndefined();
    expect(rules.judge("c ", false)).toBe("ignored");
    expect(rules.judge("c", false)).toBeUndefined();
    expect(rules.judge("d", false)).toBe("ignored");
    expect(rules.judge("e\\", false)).toBe("ignored");
  });
});
