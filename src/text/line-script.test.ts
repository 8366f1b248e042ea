import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { findLineScript } from "./line-script.js";

const script = (before: number[], after: number[]) =>
  findLineScript(Int32Array.from(before), Int32Array.from(after), 10);
const ids = fc.array(fc.nat(4), { maxLength: 20 });

describe("findLineScript", () => {
  it("has no edits for equal sequences", () => {
    expect(script([], [])).toEqual({ edits: [], strategy: "identical" });
    expect(script([1, 2], [1, 2])).toEqual({ edits: [], strategy: "identical" });
  });

  it("leads from one sequence to the other by edits that rise and never touch", () => {
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const result: number[] = [];
        let [beforeAt, afterAt] = [0, 0];
        for (const [index, edit] of script(before, after).edits.entries()) {
          if (index > 0) expect(edit.beforeStart).toBeGreaterThan(beforeAt);
          expect(edit.beforeStart - beforeAt).toBe(edit.afterStart - afterAt);
          result.push(...before.slice(beforeAt, edit.beforeStart), ...after.slice(edit.afterStart, edit.afterEnd));
          beforeAt = edit.beforeEnd;
          afterAt = edit.afterEnd;
        }
        expect([...result, ...before.slice(beforeAt)]).toEqual(after);
      }),
    );
  });

  it("puts an insertion or a removal among equal elements last", () => {
    const insertion = { beforeStart: 3, beforeEnd: 3, afterStart: 3, afterEnd: 4 };
    expect(script([7, 0, 1, 1, 9], [8, 0, 1, 9]).edits.at(-1)?.beforeStart).toBe(3);
    expect(script([1, 5, 5, 2], [1, 5, 5, 5, 2]).edits).toEqual([insertion]);
    expect(script([7, 0, 1, 2, 9], [8, 0, 1, 2, 1, 2, 9]).edits.at(-1)).toEqual({
      beforeStart: 4,
      beforeEnd: 4,
      afterStart: 4,
      afterEnd: 6,
    });
  });
});
