import { describe, expect, it } from "vitest";
import { expandBraces } from "./brace-expansion.js";

describe("expandBraces", () => {
  it.each([
    ["", [""]],
    ["a{b,c}d", ["abd", "acd"]],
    ["{a,b}{1,2}", ["a1", "a2", "b1", "b2"]],
    ["{a,b{c,d}}", ["a", "bc", "bd"]],
    ["{a{b,c}}", ["{ab}", "{ac}"]],
    ["{,x}", ["", "x"]],
    ["{a}{", ["{a}{"]],
    ["{a,b", ["{a,b"]],
    ["\\{a,b}", ["\\{a,b}"]],
    ["{a\\,b,c}", ["a\\,b", "c"]],
    ["{[,}],b}", ["[,}]", "b"]],
  ])("multiplies out %s", (pattern, expected) => {
    expect(expandBraces(pattern, 100)).toEqual(expected);
  });

  it("stops above the limit, wherever the alternatives come from", () => {
    expect(expandBraces("{a,b}{a,b}", 4)).toHaveLength(4);
    expect(expandBraces("{a,b}{a,b}", 3)).toBeUndefined();
    expect(expandBraces("{{a,b},{c,d}}", 3)).toBeUndefined();
    expect(expandBraces(`${"{a,".repeat(200)}b${"}".repeat(200)}`, 100)).toBeUndefined();
  });
});
