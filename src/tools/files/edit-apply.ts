import type { EditData } from "../../kernel/index.js";
import { countNewlines } from "../../text/index.js";
import type { Units } from "./edit-search.js";
import type { UnitText } from "./unit-text.js";

/** One place and what it becomes; both in units of the file. */
export interface Replacement {
  /** Which of the call's edits it belongs to, from 0. */
  readonly edit: number;
  readonly start: number;
  readonly end: number;
  readonly units: Units;
}

export type AppliedEdits =
  | { readonly bytes: Uint8Array; readonly ranges: EditData["ranges"] }
  /** Two edits want the same bytes; their numbers, from 0. */
  | { readonly overlap: readonly [number, number] };

/**
 * Writes all replacements into a copy of the file. Every place was found in the original, so their order does not matter;
 * the bytes between them, the mark in front and an odd last byte are copied as they are.
 */
export function applyEdits(text: UnitText, replacements: readonly Replacement[]): AppliedEdits {
  const sorted = [...replacements].sort((left, right) => left.start - right.start || left.end - right.end);
  for (let index = 1; index < sorted.length; index++) {
    const [left, right] = [sorted[index - 1]!, sorted[index]!];
    if (right.start < left.end) return { overlap: [left.edit, right.edit] };
  }
  const parts = sorted.map((one) => ({
    from: text.byteOffset(one.start),
    to: text.byteOffset(one.end),
    bytes: text.toBytes(one.units),
  }));
  const grown = parts.reduce((sum, part) => sum + part.bytes.length - (part.to - part.from), 0);
  const bytes = new Uint8Array(text.bytes.length + grown);
  const ranges: { before: readonly [number, number]; after: readonly [number, number]; line: number }[] = [];
  const lines = new LineNumbers(text);
  let read = 0;
  let written = 0;
  parts.forEach((part, index) => {
    bytes.set(text.bytes.subarray(read, part.from), written);
    written += part.from - read;
    const after: [number, number] = [written, written + part.bytes.length];
    bytes.set(part.bytes, written);
    ranges.push({ before: [part.from, part.to], after, line: lines.at(sorted[index]!.start) });
    written = after[1];
    read = part.to;
  });
  bytes.set(text.bytes.subarray(read), written);
  return { bytes, ranges };
}

/** Line numbers of places asked for in rising order; counts every line once. */
export class LineNumbers {
  #unit = 0;
  #line = 1;

  constructor(private readonly text: UnitText) {}

  at(unit: number): number {
    const { units } = this.text;
    if (units instanceof Uint8Array) this.#line += countNewlines(units.subarray(this.#unit, unit));
    else for (let at = this.#unit; at < unit; at++) if (units[at] === 10) this.#line++;
    this.#unit = unit;
    return this.#line;
  }
}
