import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { findChangedRegion } from "./changed-region.js";

const text = fc.array(fc.constantFrom("a", "b", "\n", "\r\n"), { maxLength: 16 }).map((parts) => parts.join(""));

describe("findChangedRegion", () => {
  it("finds the line that differs in a long text", () => {
    const line = (index: number) => `line ${index}\n`;
    const before = Array.from({ length: 2000 }, (_, index) => line(index)).join("");
    const at = before.indexOf(line(1500));
    const after = before.replace(line(1500), "new\n");
    expect(findChangedRegion(before, after)).toEqual({
      headEnd: at,
      headLines: 1500,
      beforeTail: at + line(1500).length,
      afterTail: at + "new\n".length,
    });
  });

  it("begins and ends at line starts, with equal text on both sides of the region", () => {
    fc.assert(
      fc.property(text, text, text, text, (start, left, right, end) => {
        const [before, after] = [start + left + end, start + right + end];
        const { headEnd, headLines, beforeTail, afterTail } = findChangedRegion(before, after);
        const atLineStart = (whole: string, offset: number) =>
          offset === 0 || offset === whole.length || whole[offset - 1] === "\n";
        expect(after.slice(0, headEnd)).toBe(before.slice(0, headEnd));
        expect(after.slice(afterTail)).toBe(before.slice(beforeTail));
        expect(Math.min(beforeTail, afterTail)).toBeGreaterThanOrEqual(headEnd);
        expect(headEnd === 0 || before[headEnd - 1] === "\n").toBe(true);
        expect(atLineStart(before, beforeTail) && atLineStart(after, afterTail)).toBe(true);
        expect(headLines).toBe(before.slice(0, headEnd).split("\n").length - 1);
      }),
    );
  });
});
