import { foldLookAlikes } from "./look-alike.js";

const DEFAULT_LIMIT = 3;
/** Longer names are compared by their first 128 characters. */
const MAX_COMPARED = 128;
/** A name this short is not searched for inside another one. */
const MIN_CONTAINED = 3;

/**
 * Spells `text` plainly: what {@link foldLookAlikes} does, and `-` for the other dashes. For comparing what was typed with
 * what is there; lengths may change.
 */
export function foldTypography(text: string): string {
  return foldLookAlikes(text).replace(/[\u2010-\u2015\u2212]/g, "-");
}

/**
 * The candidates that someone who wrote `name` may have meant, nearest first, as they are spelled; equal ones in the
 * order given. Case, `_`, `-` and the differences that {@link foldTypography} removes do not count.
 *
 * A candidate is near when at most a third of the letters have to be changed, added, dropped or swapped with a
 * neighbour, or when one of the two names contains the other.
 *
 * @param limit - Most names returned. Default 3.
 */
export function nearestNames(name: string, candidates: Iterable<string>, limit = DEFAULT_LIMIT): string[] {
  const target = fold(name);
  const near: { candidate: string; rank: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const rank = rankOf(target, fold(candidate));
    if (rank !== undefined) near.push({ candidate, rank });
  }
  near.sort((left, right) => left.rank - right.rank);
  return near.slice(0, limit).map(({ candidate }) => candidate);
}

function fold(name: string): string {
  return foldTypography(name).toLowerCase().replace(/[_-]/g, "").slice(0, MAX_COMPARED);
}

/** Distances rank before containment, and a closer fit in length before a looser one. */
function rankOf(target: string, candidate: string): number | undefined {
  if (target === candidate) return 0;
  const longest = Math.max(target.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longest / 3));
  const shortest = Math.min(target.length, candidate.length);
  if (longest - shortest <= allowed && shortest > 0) {
    const distance = editDistance(target, candidate);
    if (distance <= allowed) return distance;
  }
  const contains = target.includes(candidate) || candidate.includes(target);
  return contains && shortest >= MIN_CONTAINED ? MAX_COMPARED + longest - shortest : undefined;
}

/** Changes, additions, removals and swaps of neighbours that turn `left` into `right`. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length]!;
}
