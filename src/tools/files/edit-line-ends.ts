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
  units: Units,
  place: { readonly start: number; readonly end: number },
): FittedText {
  if (!newText.includes("\n") || newText.includes("\r")) return { text: newText, converted: false };
  if (oldText.includes("\r") && oldText.replace(/\r\n?/g, "\n") === newText) return { text: newText, converted: false };
  const ends = lineEndsAt(units, place.start, place.end);
  if (ends.every((end) => end === "\n")) return { text: newText, converted: false };
  let index = 0;
  const text = newText.replace(/\n/g, () => ends[Math.min(index++, ends.length - 1)]!);
  return { text, converted: text !== newText };
}

function lineEndsAt(units: Units, start: number, end: number): readonly string[] {
  const inside: string[] = [];
  for (let at = start; at < end; at++) {
    const found = lineEndAt(units, at);
    if (found === undefined) continue;
    inside.push(found);
    at += found.length - 1;
  }
  if (inside.length > 0) return inside;
  return [nextLineEnd(units, end) ?? lastLineEnd(units, start) ?? "\n"];
}

function lineEndAt(units: Units, at: number): string | undefined {
  if (units[at] === LF) return "\n";
  if (units[at] !== CR) return undefined;
  return units[at + 1] === LF ? "\r\n" : "\r";
}

/** A lone carriage return far from any line feed is text, so only a line feed ends the look ahead. */
function nextLineEnd(units: Units, from: number): string | undefined {
  const at = units.indexOf(LF, from);
  if (at === -1) return onlyCarriageReturns(units);
  return at > from && units[at - 1] === CR ? "\r\n" : "\n";
}

function lastLineEnd(units: Units, before: number): string | undefined {
  const at = before === 0 ? -1 : units.lastIndexOf(LF, before - 1);
  if (at === -1) return undefined;
  return at > 0 && units[at - 1] === CR ? "\r\n" : "\n";
}

function onlyCarriageReturns(units: Units): string | undefined {
  return units.indexOf(LF) === -1 && units.indexOf(CR) !== -1 ? "\r" : undefined;
}
