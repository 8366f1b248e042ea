import { diffArrays } from "diff";
import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { type EditMarks, shortestEdits } from "./myers.js";

const unlimited = () => ({ remaining: Number.POSITIVE_INFINITY });
const ids = (size: number) =>
  fc.array(fc.integer({ min: 0, max: size }), { maxLength: 24 }).map((list) => Int32Array.from(list));
const kept = (list: Int32Array, flags: Uint8Array) => [...list].filter((_, index) => flags[index] === 0);
const marked = (marks: EditMarks) => marks.removed.filter(Boolean).length + marks.added.filter(Boolean).length;

describe("shortestEdits", () => {
  it.each([1, 2, 5, 20])("finds a script as short as another implementation's, with %i kinds of element", (size) => {
    fc.assert(
      fc.property(ids(size), ids(size), (before, after) => {
        const marks = shortestEdits(before, after, unlimited())!;
        const oracle = diffArrays([...before], [...after]);
        const changes = oracle.filter((part) => part.added || part.removed);
        expect(marked(marks)).toBe(changes.reduce((sum, part) => sum + part.value.length, 0));
        expect(kept(before, marks.removed)).toEqual(kept(after, marks.added));
      }),
    );
  });

  it("drops or inserts everything when the other side is empty", () => {
    const three = Int32Array.of(1, 2, 3);
    expect([...shortestEdits(three, new Int32Array(), unlimited())!.removed]).toEqual([1, 1, 1]);
    expect([...shortestEdits(new Int32Array(), three, unlimited())!.added]).toEqual([1, 1, 1]);
  });

  it("stops when the budget is spent and takes only what it used from it otherwise", () => {
    const rising = Int32Array.from({ length: 500 }, (_, index) => index);
    expect(shortestEdits(rising, rising.toReversed(), { remaining: 1000 })).toBeUndefined();
    const budget = { remaining: 10_000_000 };
    expect(marked(shortestEdits(rising, rising.toReversed(), budget)!)).toBe(998);
    expect(budget.remaining).toBeGreaterThan(0);
    expect(budget.remaining).toBeLessThan(10_000_000);
  });
});
