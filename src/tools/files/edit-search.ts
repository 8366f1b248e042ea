/**
 * The units that a text file is matched by: its bytes, or the 16-bit units of a UTF-16 file. Matching units instead of
 * decoded characters keeps every byte that an edit does not name, whatever its encoding.
 */
export type Units = Uint8Array | Uint16Array;

/** Comparisons allowed per unit of the text before the search changes to the method that never looks back. */
const WORK_PER_UNIT = 4;
const WORK_ALLOWANCE = 4_096;

/**
 * Looks for one sequence of units. Linear in the text whatever the sequence: it skips by the last unit while that pays,
 * and changes over to a search that never looks back when a repetitive text makes skipping dear.
 */
export class UnitSearch {
  readonly #needle: Units;
  /** How far the needle may move when its end stands on a unit, by the low byte of that unit. */
  readonly #skip: Uint32Array | undefined;
  #borders: Uint32Array | undefined;

  /** @param needle - At least one unit. */
  constructor(needle: Units) {
    this.#needle = needle;
    const last = needle.length - 1;
    if (last === 0) return;
    const skip = new Uint32Array(256).fill(needle.length);
    for (let index = 0; index < last; index++) skip[needle[index]! & 0xff] = last - index;
    this.#skip = skip;
  }

  /** The first place from `from` on at which the needle stands, or -1. */
  next(text: Units, from: number): number {
    const needle = this.#needle;
    const skip = this.#skip;
    if (skip === undefined) return text.indexOf(needle[0]!, from);
    const last = needle.length - 1;
    const lastUnit = needle[last]!;
    const limit = text.length - needle.length;
    let work = 0;
    let at = from;
    while (at <= limit) {
      const unit = text[at + last]!;
      if (unit === lastUnit) {
        let index = 0;
        while (index < last && text[at + index] === needle[index]) index++;
        if (index === last) return at;
        work += index;
        if (work > WORK_ALLOWANCE + WORK_PER_UNIT * (at - from)) return this.#nextWithoutLookingBack(text, at);
      }
      at += skip[unit & 0xff]!;
    }
    return -1;
  }

  #nextWithoutLookingBack(text: Units, from: number): number {
    const needle = this.#needle;
    this.#borders ??= bordersOf(needle);
    const borders = this.#borders;
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      const unit = text[at];
      while (matched > 0 && needle[matched] !== unit) matched = borders[matched - 1]!;
      if (needle[matched] === unit) matched++;
      if (matched === needle.length) return at - matched + 1;
    }
    return -1;
  }
}

/** For every prefix the length of the longest proper prefix that also ends it. */
function bordersOf(needle: Units): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let index = 1; index < needle.length; index++) {
    while (length > 0 && needle[length] !== needle[index]) length = borders[length - 1]!;
    if (needle[length] === needle[index]) length++;
    borders[index] = length;
  }
  return borders;
}

/** Whether `text` ends with `end`. */
export function endsWithUnits(text: Units, end: Units): boolean {
  return end.length <= text.length && startsWithUnits(text, end, text.length - end.length);
}

/** Whether `part` stands in `text` at `from`. */
export function startsWithUnits(text: Units, part: Units, from: number): boolean {
  for (let index = 0; index < part.length; index++) if (text[from + index] !== part[index]) return false;
  return true;
}
