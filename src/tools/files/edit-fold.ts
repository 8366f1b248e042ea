import type { Units } from "./edit-search.js";

/**
 * What a tolerant stage disregards. `line-endings`: every line end is a line feed. `trailing-blanks`: those too, and blanks
 * before a line end. `blank-runs`: those too, and how wide and of what a run of blanks inside a line is; indentation counts.
 * `all-white-space`: indentation and line ends too, every run of white space being one space.
 */
export type FoldKind = "line-endings" | "trailing-blanks" | "blank-runs" | "all-white-space";

export const LF = 10;
export const CR = 13;
const SPACE = 32;

export function isBlank(unit: number): boolean {
  return unit === SPACE || unit === 9 || unit === 11 || unit === 12;
}

function isLineEnd(unit: number): boolean {
  return unit === LF || unit === CR;
}

/** A text as one stage sees it, and the way back to the original. */
export class FoldedUnits {
  /**
   * @param units - The folded text.
   * @param original - The text it was made from.
   * @param changed - Whether anything was disregarded.
   * @param endsInBlanks - The original ends with blanks that were dropped.
   */
  constructor(
    readonly units: Units,
    readonly original: Units,
    readonly changed: boolean,
    readonly endsInBlanks: boolean,
    private readonly breaks: Breaks,
  ) {}

  /** Where the original of a folded unit begins. */
  originalStart(index: number): number {
    return this.breaks.originalOf(index);
  }

  /** Where the original of the folded units before `end` ends; what was dropped behind them stays outside. */
  originalEnd(end: number): number {
    const start = this.originalStart(end - 1);
    const isPair = this.original[start] === CR && this.original[start + 1] === LF;
    return start + (isPair ? 2 : 1);
  }

  /** Whether a line, or the text, ends at this place. */
  isLineEnd(index: number): boolean {
    return index === this.units.length || this.units[index] === LF;
  }
}

/** Folds a text in one pass; a text without any carriage return has nothing to fold in its line ends and is not copied. */
export function foldUnits(units: Units, kind: FoldKind): FoldedUnits {
  if (kind === "line-endings" && units.indexOf(CR) === -1)
    return new FoldedUnits(units, units, false, false, new Breaks());
  const fold = new Folding(units);
  if (kind === "all-white-space") foldAllWhiteSpace(units, fold);
  else foldLines(units, fold, kind);
  return fold.finish();
}

function foldLines(units: Units, fold: Folding, kind: FoldKind): void {
  const keepsBlanks = kind === "line-endings";
  const joinsRuns = kind === "blank-runs";
  const { length } = units;
  let isIndent = true;
  for (let at = 0; at < length; ) {
    const unit = units[at]!;
    if (unit === LF || unit === CR) {
      fold.put(LF, at);
      at += unit === CR && units[at + 1] === LF ? 2 : 1;
      isIndent = true;
      continue;
    }
    if (keepsBlanks || !isBlank(unit)) {
      fold.put(unit, at++);
      isIndent = false;
      continue;
    }
    const end = endOfBlanks(units, at);
    if (end === length || isLineEnd(units[end]!)) at = end;
    else if (joinsRuns && !isIndent) fold.put(SPACE, at);
    else for (let index = at; index < end; index++) fold.put(units[index]!, index);
    at = end;
  }
}

function foldAllWhiteSpace(units: Units, fold: Folding): void {
  const { length } = units;
  for (let at = 0; at < length; ) {
    const unit = units[at]!;
    if (!isBlank(unit) && !isLineEnd(unit)) {
      fold.put(unit, at++);
      continue;
    }
    fold.put(SPACE, at);
    while (at < length && (isBlank(units[at]!) || isLineEnd(units[at]!))) at++;
  }
}

function endOfBlanks(units: Units, from: number): number {
  let at = from;
  while (at < units.length && isBlank(units[at]!)) at++;
  return at;
}

/** A folded text without the white space at its ends, for a wanted text that may stand anywhere in a line. */
export function trimSpaces(units: Units): Units {
  const start = units[0] === SPACE ? 1 : 0;
  const end = units.length > start && units[units.length - 1] === SPACE ? units.length - 1 : units.length;
  return units.subarray(start, end);
}

class Folding {
  readonly #original: Units;
  readonly #out: Units;
  readonly #breaks = new Breaks();
  #length = 0;
  #next = 0;
  #changed = false;

  constructor(original: Units) {
    this.#original = original;
    this.#out = original instanceof Uint16Array ? new Uint16Array(original.length) : new Uint8Array(original.length);
  }

  /** Adds a unit that stands for the original from `from` on. */
  put(unit: number, from: number): void {
    if (from !== this.#next) this.#breaks.add(this.#length, from);
    if (this.#original[from] !== unit) this.#changed = true;
    this.#out[this.#length++] = unit;
    this.#next = from + 1;
  }

  finish(): FoldedUnits {
    const { length } = this.#original;
    const endsInBlanks = length > this.#next && isBlank(this.#original[length - 1]!);
    const changed = this.#changed || this.#length !== length;
    return new FoldedUnits(this.#out.subarray(0, this.#length), this.#original, changed, endsInBlanks, this.#breaks);
  }
}

/** Where the folded text ceases to run along the original: pairs of positions, in order. */
class Breaks {
  #folded = new Uint32Array(64);
  #original = new Uint32Array(64);
  #count = 0;

  add(folded: number, original: number): void {
    if (this.#count === this.#folded.length) {
      this.#folded = grown(this.#folded);
      this.#original = grown(this.#original);
    }
    this.#folded[this.#count] = folded;
    this.#original[this.#count++] = original;
  }

  originalOf(index: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#folded[middle]! <= index) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? index : this.#original[low - 1]! + index - this.#folded[low - 1]!;
  }
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
