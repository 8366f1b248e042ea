import { CR, LF } from "./edit-fold.js";
import type { Units } from "./edit-search.js";

/** What a new text is written with, and whether its line ends were changed to those of the place. */
export interface FittedText {
  readonly text: string;
  readonly converted: boolean;
}

/**
 * Gives `newText` the line ends of the place it goes to: its first line feed takes the first line end of the replaced text,
 * and so on, the last one standing for all that follow; a place without any takes the end of its own line, else of the line
 * before. A text that holds a carriage return, or differs from `oldText` in line ends alone, is meant as it is.
 */
export function fitLineEnds(
  newText: string,
  oldText: string,
  around: LineEndsAround,
  place: { readonly start: number; readonly end: number },
): FittedText {
  if (!newText.includes("\n") || newText.includes("\r")) return { text: newText, converted: false };
  if (oldText.includes("\r") && oldText.replace(/\r\n?/g, "\n") === newText) return { text: newText, converted: false };
  const ends = lineEndsAt(around, place.start, place.end);
  if (ends.every((end) => end === "\n")) return { text: newText, converted: false };
  let index = 0;
  const text = newText.replace(/\n/g, () => ends[Math.min(index++, ends.length - 1)]!);
  return { text, converted: text !== newText };
}

function lineEndsAt(around: LineEndsAround, start: number, end: number): readonly string[] {
  const { units } = around;
  const inside: string[] = [];
  for (let at = start; at < end; at++) {
    const found = lineEndAt(units, at);
    if (found === undefined) continue;
    inside.push(found);
    at += found.length - 1;
  }
  if (inside.length > 0) return inside;
  return [around.next(end) ?? around.last() ?? "\n"];
}

function lineEndAt(units: Units, at: number): string | undefined {
  if (units[at] === LF) return "\n";
  if (units[at] !== CR) return undefined;
  return units[at + 1] === LF ? "\r\n" : "\r";
}

/** The line ends near places of a file. Places that rise cost one look through the file, however many they are. */
export class LineEndsAround {
  /** A stretch without line feeds, and the one that ends it; -1 when none follows. */
  #clear: { readonly from: number; readonly feed: number } | undefined;
  #onlyReturns: boolean | undefined;
  #lastFeed: number | undefined;

  constructor(readonly units: Units) {}

  /** A lone carriage return far from any line feed is text, so only a line feed ends the look ahead. */
  next(from: number): string | undefined {
    const at = this.#feedAfter(from);
    if (at === -1) return this.#hasOnlyReturns() ? "\r" : undefined;
    return at > from && this.units[at - 1] === CR ? "\r\n" : "\n";
  }

  /** For a place that holds no line feed and has none behind it, so that the last of the file stands before it. */
  last(): string | undefined {
    this.#lastFeed ??= this.units.lastIndexOf(LF);
    if (this.#lastFeed === -1) return undefined;
    return this.units[this.#lastFeed - 1] === CR ? "\r\n" : "\n";
  }

  #feedAfter(from: number): number {
    const { from: known, feed } = this.#clear ?? { from: -1, feed: -2 };
    if (known !== -1 && from >= known && (feed === -1 || from <= feed)) return feed;
    const found = this.units.indexOf(LF, from);
    this.#clear = { from, feed: found };
    return found;
  }

  #hasOnlyReturns(): boolean {
    this.#onlyReturns ??= this.units.indexOf(LF) === -1 && this.units.indexOf(CR) !== -1;
    return this.#onlyReturns;
  }
}
