import { CR, LF } from "./edit-fold.js";
import type { Units } from "./edit-search.js";

/** The line endings of a whole file: the one kind that it has, "none", or "mixed" for more than one kind. */
export type FileLineEndings = "\n" | "\r\n" | "\r" | "none" | "mixed";

/** One pass at most; ends at the second kind. */
export function lineEndingsOf(units: Units): FileLineEndings {
  if (units.indexOf(CR) === -1) return units.indexOf(LF) === -1 ? "none" : "\n";
  let known: string | undefined;
  for (let at = 0; at < units.length; at++) {
    const found = lineEndAt(units, at);
    if (found === undefined) continue;
    if (known !== undefined && known !== found) return "mixed";
    known = found;
    at += found.length - 1;
  }
  return known as "\n" | "\r\n" | "\r";
}

/** What a new text is written with, and whether its line endings were changed. */
export interface FittedText {
  readonly text: string;
  readonly converted: boolean;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Gives `newText` the line endings of the file where it has one kind of them. In a file with several kinds a carriage
 * return is literal, and a text without any takes the endings of its place: its first line feed takes the first ending of
 * the replaced text, and so on, the last one standing for all that follow; a place without any takes the ending of its own
 * line, else of the line before.
 *
 * @param isOnlyEndings - The edit changes line endings and nothing else, so they are meant as they are.
 */
export function fitLineEnds(newText: string, around: LineEndsAround, place: Place, isOnlyEndings: boolean): FittedText {
  if (!/[\r\n]/.test(newText)) return { text: newText, converted: false };
  const text = fittedText(newText, around, place, isOnlyEndings);
  return { text, converted: text !== newText };
}

function fittedText(newText: string, around: LineEndsAround, place: Place, isOnlyEndings: boolean): string {
  const { units, kind } = around;
  if (kind === "none") return newText;
  if (kind !== "mixed") {
    const whole = isHalfEnding(newText, units, place, isOnlyEndings) ? newText.slice(0, -1) : newText;
    // What is replaced ends between CR and LF: its carriage return stands for the ending of the line.
    const endsInPair = units[place.end - 1] === CR && units[place.end] === LF && /[\r\n]$/.test(whole);
    if (isOnlyEndings) return endsInPair ? whole.replace(/\n$/, "") : whole;
    const body = endsInPair ? whole.replace(/(?:\r\n?|\n)$/, "") : whole;
    return body.replace(/\r\n?|\n/g, kind) + (endsInPair ? "\r" : "");
  }
  if (isOnlyEndings || newText.includes("\r")) return newText;
  const ends = lineEndsAt(around, place.start, place.end);
  let index = 0;
  return newText.replace(/\n/g, () => ends[Math.min(index++, ends.length - 1)]!);
}

/** Whether two texts are equal but for their line endings, a carriage return at the end of only one of them included. */
export function differOnlyInEndings(oldText: string, newText: string): boolean {
  if (!oldText.includes("\r") && !newText.includes("\r")) return false;
  return withLineFeeds(oldText) === withLineFeeds(newText) || withoutLastReturn(oldText) === withoutLastReturn(newText);
}

const withLineFeeds = (text: string) => text.replace(/\r\n?/g, "\n");
const withoutLastReturn = (text: string) => withLineFeeds(text.replace(/\r$/, ""));

/** A carriage return before a CR LF or LF of the file is half of an ending: the line does not end twice. */
function isHalfEnding(newText: string, units: Units, { end }: Place, isOnlyEndings: boolean): boolean {
  if (!newText.endsWith("\r") || units[end - 1] === LF || units[end - 1] === CR) return false;
  return lineEndAt(units, end) === "\r\n" || (units[end] === LF && !isOnlyEndings);
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

function lineEndAt(units: Units, at: number): "\n" | "\r\n" | "\r" | undefined {
  if (units[at] === LF) return "\n";
  if (units[at] !== CR) return undefined;
  return units[at + 1] === LF ? "\r\n" : "\r";
}

/** The line ends near places of a file. Places that rise cost one look through the file, however many they are. */
export class LineEndsAround {
  /** A stretch without line feeds, and the one that ends it; -1 when none follows. */
  #clear: { readonly from: number; readonly feed: number } | undefined;
  #lastFeed: number | undefined;

  constructor(private readonly text: { readonly units: Units; readonly lineEndings: FileLineEndings }) {}

  get units(): Units {
    return this.text.units;
  }

  get kind(): FileLineEndings {
    return this.text.lineEndings;
  }

  /** A lone carriage return far from any line feed is text, so only a line feed ends the look ahead. */
  next(from: number): string | undefined {
    const at = this.#feedAfter(from);
    if (at === -1) return undefined;
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
}
