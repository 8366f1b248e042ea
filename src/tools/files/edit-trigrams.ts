import { CR, isBlank } from "./edit-fold.js";
import type { Units } from "./edit-search.js";

export interface ProbeOptions {
  /** Which line of the wanted text this is, from 0. */
  readonly index: number;
  /** What finding it is worth, 0 to 1. */
  readonly weight: number;
}

export interface ProbedLine {
  readonly line: number;
  /** The share of the wanted line's sequences that stand in this line, less a little for what else stands there. */
  readonly score: number;
}

const SLOTS = 1 << 14;
const MAX_UNITS = 256;
const MAX_BEST = 8;
/** What each length of the wanted line beyond the first costs a longer line. */
const LENGTH_COST = 0.02;

/** A line with at least this share of ASCII is looked for by that alone. */
const ASCII_SHARE = 0.6;

/**
 * Scores lines by how many three-unit sequences they share with one wanted line, whatever their blanks, quotes, hyphens and
 * case; in a line that is mostly ASCII other units do not count either, so that typographic signs and accents, which may be
 * spelled in several ways, do not hide a place. A few operations a unit, so that a whole file is scored in one pass.
 */
export class TrigramProbe {
  readonly options: ProbeOptions;
  readonly #counts: (unit: number) => boolean;
  /** For each slot 0, or the number of the sequence that falls into it, from 1. */
  readonly #sequences = new Uint16Array(SLOTS);
  /** The line, from 1, in which each sequence was last seen. */
  readonly #lastSeen: Uint32Array;
  readonly #count: number;
  readonly #best: ProbedLine[] = [];

  static of(units: Units, options: ProbeOptions): TrigramProbe | undefined {
    const ascii = units.filter((unit: number) => unit < 0x80).length;
    const counts = ascii >= units.length * ASCII_SHARE ? countsInAscii : countsAnywhere;
    const slots = new Set<number>();
    let rolling = 0;
    let length = 0;
    for (let at = 0; at < units.length && length < MAX_UNITS; at++) {
      if (!counts(units[at]!)) continue;
      rolling = roll(rolling, units[at]!);
      if (++length >= 3) slots.add(slotOf(rolling));
    }
    return slots.size === 0 ? undefined : new TrigramProbe(slots, counts, options);
  }

  private constructor(slots: ReadonlySet<number>, counts: (unit: number) => boolean, options: ProbeOptions) {
    this.options = options;
    this.#counts = counts;
    this.#count = slots.size;
    this.#lastSeen = new Uint32Array(slots.size + 1);
    let number = 0;
    for (const slot of slots) this.#sequences[slot] = ++number;
  }

  /** Looks at one line of the file; `line` counts from 0 and rises. */
  scan(units: Units, start: number, end: number, line: number): void {
    const sequences = this.#sequences;
    const lastSeen = this.#lastSeen;
    const counts = this.#counts;
    const stamp = line + 1;
    let rolling = 0;
    let length = 0;
    let shared = 0;
    for (let at = start; at < end; at++) {
      const unit = units[at]!;
      if (!counts(unit)) continue;
      rolling = roll(rolling, unit);
      if (++length < 3) continue;
      const number = sequences[slotOf(rolling)]!;
      if (number === 0 || lastSeen[number] === stamp) continue;
      lastSeen[number] = stamp;
      shared++;
    }
    if (shared * 3 >= this.#count) this.#keep(line, shared, length);
  }

  /** The best lines, best first. */
  get best(): readonly ProbedLine[] {
    return this.#best;
  }

  #keep(line: number, shared: number, length: number): void {
    const extra = Math.min(1, (LENGTH_COST * Math.max(0, length - this.#count)) / this.#count);
    const score = shared / this.#count - extra;
    const last = this.#best[MAX_BEST - 1];
    if (last !== undefined && last.score >= score) return;
    this.#best.push({ line, score });
    this.#best.sort((a, b) => b.score - a.score || a.line - b.line);
    if (this.#best.length > MAX_BEST) this.#best.pop();
  }
}

function countsAnywhere(unit: number): boolean {
  return !isBlank(unit) && unit !== CR && unit !== 34 && unit !== 39 && unit !== 45;
}

function countsInAscii(unit: number): boolean {
  return unit < 0x80 && countsAnywhere(unit);
}

function roll(rolling: number, unit: number): number {
  const lower = unit >= 65 && unit <= 90 ? unit + 32 : unit;
  return ((rolling << 8) | (lower & 0xff)) & 0xffffff;
}

function slotOf(rolling: number): number {
  return (Math.imul(rolling, 0x9e3779b1) >>> 18) & (SLOTS - 1);
}
