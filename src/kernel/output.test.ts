import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { clamp, clampWithCount, type OutputBudget, standardBudget } from "./index.js";
import { defaultNotice } from "./output.js";

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe("the output budget", () => {
  verifies(["IR-037", "IP-023"], "keeps the head, the tail or both ends and says what is gone", () => {
    const notice = (omitted: number) => `<${omitted}>`;
    expect(clamp("abcdefgh", { kind: "head", maxBytes: 3, notice })).toBe("abc<5>");
    expect(clamp("abcdefgh", { kind: "tail", maxBytes: 3, notice })).toBe("<5>fgh");
    expect(clamp("abcdefgh", { kind: "middle", maxBytes: 4, notice })).toBe("ab<4>gh");
  });

  verifies("IR-038", "measures in UTF-8 bytes", () => {
    expect(clamp("é".repeat(10), { kind: "head", maxBytes: 20 })).toBe("é".repeat(10));
    expect(clamp("é".repeat(10), { kind: "head", maxBytes: 19 })).toBe(`${"é".repeat(9)}${defaultNotice(2)}`);
  });

  verifies("IR-039", "never splits a character and counts every byte", () => {
    const kinds = fc.constantFrom("head" as const, "tail" as const, "middle" as const);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), kinds, fc.nat(60), (text, kind, maxBytes) => {
        const budget: OutputBudget = { kind, maxBytes, notice: () => "" };
        const clamped = clampWithCount(text, budget);
        expect(clamped.text.includes("\uFFFD") && !text.includes("\uFFFD")).toBe(false);
        expect(new TextDecoder().decode(new TextEncoder().encode(clamped.text))).toBe(clamped.text);
        expect(bytes(clamped.text)).toBe(clamped.keptBytes);
        expect(clamped.keptBytes + clamped.omittedBytes).toBe(bytes(text));
        expect(clamped.keptBytes).toBeLessThanOrEqual(Math.max(maxBytes, clamped.omittedBytes === 0 ? bytes(text) : 0));
      }),
    );
  });

  verifies("IR-040", "returns a text within the budget as it was", () => {
    const text = "héllo\n";
    for (const kind of ["head", "tail", "middle"] as const)
      expect(clamp(text, { kind, maxBytes: bytes(text) })).toBe(text);
  });

  verifies("IR-041", "has a default notice with a singular for one byte", () => {
    expect(clamp("abcd", { kind: "head", maxBytes: 3 })).toBe("abc\n… trimmed 1 byte to fit the window …\n");
    expect(clamp("abcde", { kind: "head", maxBytes: 3 })).toBe("abc\n… trimmed 2 bytes to fit the window …\n");
  });

  it("leaves a text alone whose two windows would overlap", () => {
    expect(clamp("abcde", { kind: "middle", maxBytes: 5 })).toBe("abcde");
    expect(clamp("abcde", { kind: "middle", maxBytes: 6 })).toBe("abcde");
  });

  verifies("IR-043", "goes over the budget by its notice only", () => {
    const out = clamp("x".repeat(100_000), { kind: "middle", maxBytes: 65_536 });
    expect(bytes(out)).toBeLessThanOrEqual(65_792);
    expect(bytes(out)).toBeGreaterThan(65_536);
  });

  it("keeps both ends of 64 KiB as the standard", () => {
    expect(standardBudget()).toMatchObject({ kind: "middle", maxBytes: 65_536 });
    expect(standardBudget().notice?.(7)).toBe("\n[7 bytes elided to stay within the output ceiling]\n");
  });
});
