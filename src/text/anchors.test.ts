import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { uniqueAnchors } from "./anchors.js";

const pairs = (before: number[], after: number[]) => {
  const anchors = uniqueAnchors(Int32Array.from(before), Int32Array.from(after), 20);
  return [...anchors.before].map((index, slot) => [index, anchors.after[slot]!]);
};

describe("uniqueAnchors", () => {
  it("keeps elements that occur once on both sides", () => {
    expect(pairs([1, 2, 2, 3], [3, 2, 1])).toHaveLength(1);
    expect(pairs([1, 2, 2, 3], [1, 2, 3])).toEqual([
      [0, 0],
      [3, 2],
    ]);
    expect(pairs([1, 1], [1, 1])).toEqual([]);
    expect(pairs([], [1])).toEqual([]);
  });

  it("keeps the longest run that is in order on both sides", () => {
    expect(pairs([9, 1, 2, 3], [1, 2, 3, 9])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
  });

  it("pairs equal elements only, rising on both sides, as many as a full search finds", () => {
    const permutation = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 0 });
    fc.assert(
      fc.property(permutation, permutation, (before, after) => {
        const found = pairs(before, after);
        for (const [index, [left, right]] of found.entries()) {
          expect(before[left!]).toBe(after[right!]);
          const last = found[index - 1];
          if (last) expect(left! > last[0]! && right! > last[1]!).toBe(true);
        }
        const places = before.filter((id) => after.includes(id)).map((id) => after.indexOf(id));
        const longest = places.map(() => 1);
        for (let end = 0; end < places.length; end++)
          for (let at = 0; at < end; at++)
            if (places[at]! < places[end]!) longest[end] = Math.max(longest[end]!, longest[at]! + 1);
        expect(found).toHaveLength(Math.max(0, ...longest));
      }),
    );
  });
});
