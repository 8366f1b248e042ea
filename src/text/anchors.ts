/**
 * Pairs of equal elements, rising on both sides: `before[i]` of one sequence stays where `after[i]` of the other is.
 */
export interface Anchors {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/**
 * Picks the elements that occur exactly once in both sequences and keeps the longest run of them that is in the same
 * order on both sides. Costs n log n, so it holds where an exact script would take too long.
 *
 * @param idCount - One more than the largest element of either sequence.
 */
export function uniqueAnchors(before: Int32Array, after: Int32Array, idCount: number): Anchors {
  const placeInAfter = uniquePlaces(after, idCount);
  const placeInBefore = uniquePlaces(before, idCount);
  const pairs: number[] = [];
  for (let index = 0; index < before.length; index++) {
    const id = before[index]!;
    if (placeInBefore[id]! > 0 && placeInAfter[id]! > 0) pairs.push(index);
  }
  const places = Int32Array.from(pairs, (index) => placeInAfter[before[index]!]! - 1);
  const rising = longestRise(places);
  return {
    before: rising.map((pair) => pairs[pair]!),
    after: rising.map((pair) => places[pair]!),
  };
}

/** Per id one more than its index, 0 when it does not occur, -1 when it occurs again. */
function uniquePlaces(ids: Int32Array, idCount: number): Int32Array {
  const places = new Int32Array(idCount);
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    places[id] = places[id] === 0 ? index + 1 : -1;
  }
  return places;
}

/** Indexes of a longest strictly rising subsequence of distinct values. */
function longestRise(values: Int32Array): Int32Array {
  const previous = new Int32Array(values.length);
  /** Index of the smallest value that ends a rise of this length, less one. */
  const ends = new Int32Array(values.length);
  let longest = 0;
  for (let index = 0; index < values.length; index++) {
    let low = 0;
    let high = longest;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]!]! < values[index]!) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = index;
    if (low === longest) longest++;
  }
  const rise = new Int32Array(longest);
  let at = longest > 0 ? ends[longest - 1]! : -1;
  for (let slot = longest - 1; slot >= 0; slot--) {
    rise[slot] = at;
    at = previous[at]!;
  }
  return rise;
}
