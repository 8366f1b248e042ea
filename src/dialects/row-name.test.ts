import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { showControls } from "../text/index.js";
import { rowName } from "./row-name.js";

describe("rowName", () => {
  it("leaves ordinary names alone, backslashes, whitespace and quotes inside them too", () => {
    for (const name of ["a.txt", "two words", "back\\nslash", 'quo"ted"', "it's", "ünï-漢😀", "-n", "[id].tsx"])
      expect(rowName(name)).toBe(name);
  });

  it("writes as JSON what holds control characters, or could be overlooked or mistaken", () => {
    expect(rowName("two\nlines")).toBe('"two\\nlines"');
    expect(rowName("\x1b[31mred\x9b")).toBe('"\\u001b[31mred\\u009b"');
    expect(rowName("exe\u202egpj")).toBe('"exe\\u202egpj"');
    expect(rowName('"two\\nlines"')).toBe('"\\"two\\\\nlines\\""');
    expect(rowName(" a")).toBe('" a"');
    expect(rowName("a ")).toBe('"a "');
    expect(rowName("")).toBe('""');
  });

  it("shows no two names alike, each on one row without control characters", () => {
    const piece = fc.constantFrom("a", "\n", "\\n", '"', "\\", " ", "\x1b", "\u202e", "\ufeff", "\x85");
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(name, (one) => {
        const row = rowName(one);
        expect(showControls(row)).toBe(row);
        expect(row).not.toMatch(/[\n\r]/);
        // A half of a pair is no part of a name that a system has.
        if (!/\p{Surrogate}/u.test(one)) expect(row.startsWith('"') ? JSON.parse(row) : row).toBe(one);
      }),
    );
  });
});
