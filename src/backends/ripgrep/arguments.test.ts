import { describe, expect, it } from "vitest";
import { globTypes } from "./arguments.js";

describe("globTypes", () => {
  it("gives globs of names that let through at least what the glob does", () => {
    const expected: Readonly<Record<string, readonly string[] | undefined>> = {
      "*.ts": ["*.ts"],
      "*.{ts,tsx}": ["*.ts", "*.tsx"],
      "src/**/*.test.ts": ["*.test.ts"],
      "{src/a,b}.{c,d}": ["a.c", "a.d", "b.c", "b.d"],
      "[ab].ts": undefined,
      "x[ab].ts": ["x*"],
      "a\\*b": ["a*"],
      "a?c.ts": ["a*c.ts"],
      "!a": undefined,
      "\\!a": undefined,
      "x:y": ["x*y"],
      "é*": ["é*"],
      "src/": ["src"],
      "src/**": undefined,
      "**": undefined,
      "*": undefined,
      "{a,*}": undefined,
    };
    for (const [glob, types] of Object.entries(expected)) expect([glob, globTypes(glob)]).toEqual([glob, types]);
  });
});
