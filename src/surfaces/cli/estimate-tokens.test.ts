import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { builtinRegistry, DIALECT_NAMES, dialectNamed } from "../../toolkit/index.js";
import { estimateTokens } from "./estimate-tokens.js";

describe("estimateTokens", () => {
  it.each(DIALECT_NAMES)("is within 8 % for each tool of %s and within 3 % for all of them", async (name) => {
    const registry = builtinRegistry(await dialectNamed(name));
    const texts = registry.names().map((tool) => JSON.stringify(registry.get(tool).descriptor()));
    const off = texts.map((text) => Math.abs(estimateTokens(text) / countTokens(text) - 1));
    expect(Math.max(...off)).toBeLessThan(0.08);
    const sums = [estimateTokens, countTokens].map((count) => texts.reduce((sum, text) => sum + count(text), 0));
    expect(Math.abs(sums[0]! / sums[1]! - 1)).toBeLessThan(0.03);
  });

  it("counts nothing for nothing, and every script for something", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["日本語", "Привет", "🙂", "{}[]", "\n\n"]) expect(estimateTokens(text)).toBeGreaterThan(0);
  });
});
