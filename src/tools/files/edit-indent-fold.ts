import { CR, isBlank, LF } from "./edit-fold.js";
import type { Units } from "./edit-search.js";

/** Lines, and units, after which it is written down again where the original of a folded line begins. */
const LINES_BETWEEN_MARKS = 64;
const UNITS_BETWEEN_MARKS = 4_096;

/** Stands between the blanks that a line has less than the one before, and those that it has more. */
const TURN = 0;

/** A line of a text: where it and its text without the blanks around begin, and where the next line begins. */
export interface TextLine {
  readonly start: number;
  readonly textStart: number;
  /** Equal to `textStart` for a blank line. */
  readonly textEnd: number;
  /** Where the line end begins; equal to `next` where there is none. */
  readonly end: number;
  readonly next: number;
}

/** The line that begins at `start`. */
export function lineFrom(units: Units, start: number): TextLine {
  let end = start;
  while (end < units.length && units[end] !== LF && units[end] !== CR) end++;
  let textEnd = end;
  while (textEnd > start && isBlank(units[textEnd - 1]!)) textEnd--;
  let textStart = start;
  while (textStart < textEnd && isBlank(units[textStart]!)) textStart++;
  const isPair = units[end] === CR && units[end + 1] === LF;
  return { start, textStart, textEnd, end, next: Math.min(units.length, end + (isPair ? 2 : 1)) };
}

/**
 * A text in which each line tells how its indentation differs from that of the line before: the blanks it lacks, a turn, the
 * blanks it has more. So lines read the same wherever they are shifted to as one. Blank lines tell nothing, every line end
 * is a line feed, and blanks before it are left out.
 */
export class IndentFold {
  readonly units: Units;
  /** Pairs, in rising order: where a line begins in the original, and when folded. */
  readonly #marks: number[] = [];

  constructor(readonly original: Units) {
    const room = original.length * 2 + 1;
    const out = original instanceof Uint16Array ? new Uint16Array(room) : new Uint8Array(room);
    let length = 0;
    let sinceMark = 0;
    let last: Pick<TextLine, "start" | "textStart"> = { start: 0, textStart: 0 };
    for (let start = 0; start < original.length; ) {
      const marked = this.#marks.at(-2);
      if (marked === undefined || ++sinceMark === LINES_BETWEEN_MARKS || start - marked > UNITS_BETWEEN_MARKS) {
        this.#marks.push(start, length);
        sinceMark = 0;
      }
      const line = lineFrom(original, start);
      if (line.textEnd > line.textStart) {
        const same = sameBlanks(original, last, line);
        for (let at = last.start + same; at < last.textStart; at++) out[length++] = original[at]!;
        out[length++] = TURN;
        for (let at = start + same; at < line.textEnd; at++) out[length++] = original[at]!;
        last = line;
      }
      if (line.next > line.end) out[length++] = LF;
      start = line.next;
    }
    this.units = out.subarray(0, length);
  }

  /** Where the folded line begins whose text begins at `at`; undefined where no text of a line does. */
  lineStartOf(at: number): number | undefined {
    let start = this.#blanksBefore(at);
    if (start === 0 || this.units[start - 1] !== TURN) return undefined;
    start = this.#blanksBefore(start - 1);
    return this.isLineStart(start) ? start : undefined;
  }

  isLineStart(at: number): boolean {
    return at === 0 || this.units[at - 1] === LF;
  }

  isLineEnd(at: number): boolean {
    return at === this.units.length || this.units[at] === LF;
  }

  /** The original of the folded line that holds `at`. */
  lineAt(at: number): TextLine {
    let low = 0;
    let high = this.#marks.length / 2 - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#marks[2 * middle + 1]! <= at) low = middle;
      else high = middle - 1;
    }
    let line = lineFrom(this.original, this.#marks[2 * low]!);
    for (let index = this.#marks[2 * low + 1]!; index < at; index++) {
      if (this.units[index] === LF) line = lineFrom(this.original, line.next);
    }
    return line;
  }

  #blanksBefore(at: number): number {
    let start = at;
    while (start > 0 && isBlank(this.units[start - 1]!)) start--;
    return start;
  }
}

function sameBlanks(units: Units, one: Pick<TextLine, "start" | "textStart">, other: TextLine): number {
  const most = Math.min(one.textStart - one.start, other.textStart - other.start);
  let same = 0;
  while (same < most && units[one.start + same] === units[other.start + same]) same++;
  return same;
}
