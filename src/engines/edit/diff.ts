/**
 * The unified diff of an edit. It is made from the lines around the changed ranges only, so its cost depends on the size of the
 * change and not of the file. It reports what it does not show, so that the caller can store the old file then.
 */
import { clampWithCount } from "../../kernel/index.js";
import { DEFAULT_DIFF_CONTEXT, renderUnifiedDiff, stripControls } from "../../text/index.js";
import type { EditRange } from "./apply.js";
import { LF, LineNumbers, type UnitText } from "./units.js";

export interface EditDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** Whether the diff shows every character of every removed line. */
  readonly showsRemoved: boolean;
  /** Whether it shows carriage returns as `CR_SYMBOL`. */
  readonly showsReturns: boolean;
  /** Bytes of the whole diff, and of the shown part. */
  readonly producedBytes: number;
  readonly keptBytes: number;
}

/** Stands for a carriage return where line endings differ, or where it ends no line. */
export const CR_SYMBOL = "␍";

/** Changes with at most this many lines between them share a hunk. */
const REACH = 2 * DEFAULT_DIFF_CONTEXT + 1;

/**
 * Control characters are removed, and carriage returns are shown where `showReturns` says. Over `maxBytes` the middle is
 * omitted.
 */
export function diffOfEdit(
  before: UnitText,
  after: UnitText,
  ranges: readonly EditRange[],
  maxBytes: number,
): EditDiff {
  const lines = new LineNumbers(before);
  const hunks: string[] = [];
  let showsReturns = false;
  let shift = 0;
  for (const group of groupRanges(before, after, ranges)) {
    const first = lines.at(group.before[0]);
    const rendered = renderUnifiedDiff(before.decode(...group.before), after.decode(...group.after));
    const numbered = shiftHunks(rendered, first - 1, first - 1 + shift);
    shift += numbered.added - numbered.removed;
    const shown = showReturns(numbered.text);
    showsReturns ||= shown !== numbered.text;
    hunks.push(shown);
  }
  const raw = hunks.join("");
  const { text: whole, removed: stripped } = stripControls(raw);
  const [added, removed] = [countLines(whole, "+"), countLines(whole, "-")];
  const { text, omittedBytes, keptBytes } = clampWithCount(whole, { kind: "middle", maxBytes });
  const showsRemoved =
    removed === 0 || (omittedBytes === 0 && (stripped === 0 || !raw.split("\n").some(isStrippedRemoval)));
  return { diff: text, added, removed, showsRemoved, showsReturns, producedBytes: keptBytes + omittedBytes, keptBytes };
}

/**
 * Makes carriage returns visible that an edit may have changed: those inside a line, and those at the end of lines in a hunk
 * where other lines end without one.
 */
function showReturns(hunks: string): string {
  if (!hunks.includes("\r")) return hunks;
  const lines = hunks.split("\n");
  let start = 0;
  for (let index = 1; index <= lines.length; index++) {
    if (index < lines.length && !lines[index]!.startsWith("@@ ")) continue;
    const hasNoNewline = (at: number) => lines[at + 1]?.startsWith("\\") === true;
    let hasLineFeed = false;
    for (let at = start; at < index; at++)
      hasLineFeed ||= /^[-+ ]/.test(lines[at]!) && !hasNoNewline(at) && !lines[at]!.endsWith("\r");
    for (; start < index; start++)
      lines[start] = lines[start]!.replace(hasLineFeed || hasNoNewline(start) ? /\r/g : /\r(?!$)/g, CR_SYMBOL);
  }
  return lines.join("\n");
}

function isStrippedRemoval(line: string): boolean {
  return line.startsWith("-") && stripControls(line).removed > 0;
}

interface Span {
  readonly before: [number, number];
  readonly after: [number, number];
  /** Where the line of the last range ends, in units of the old file. */
  lineEnd: number;
}

/** The lines around the ranges, in units; overlapping ones are merged. */
function groupRanges(before: UnitText, after: UnitText, ranges: readonly EditRange[]): Span[] {
  const groups: Span[] = [];
  const toUnits = (text: UnitText, [from, to]: readonly [number, number]): [number, number] => [
    (from - text.form.bomBytes) / text.unitBytes,
    (to - text.form.bomBytes) / text.unitBytes,
  ];
  const endsBefore = (range: EditRange | undefined, unit: number) =>
    range !== undefined && toUnits(before, range.before)[1] <= unit;
  for (const [index, range] of ranges.entries()) {
    const last = groups.at(-1);
    // Of many ranges in one line only the first and the last can widen the group.
    if (last !== undefined && endsBefore(range, last.lineEnd) && endsBefore(ranges[index + 1], last.lineEnd)) continue;
    const old = toUnits(before, range.before);
    const now = toUnits(after, range.after);
    const lineEnd = before.units.indexOf(LF, old[1]);
    const span: Span = {
      before: widen(before, old),
      after: widen(after, now),
      lineEnd: lineEnd === -1 ? before.units.length : lineEnd,
    };
    if (last === undefined || span.before[0] > last.before[1]) groups.push(span);
    else {
      last.before[1] = span.before[1];
      last.after[1] = span.after[1];
      last.lineEnd = span.lineEnd;
    }
  }
  return groups;
}

function widen(text: UnitText, [start, end]: readonly [number, number]): [number, number] {
  const { units } = text;
  let from = start;
  for (let line = 0; line <= REACH && from > 0; line++) from = units.lastIndexOf(LF, from - 1);
  let to = end;
  for (let line = 0; line <= REACH && to !== -1; line++) {
    to = units.indexOf(LF, to);
    if (to !== -1) to++;
  }
  return [from <= 0 ? 0 : from + 1, to === -1 ? units.length : to];
}

/** Shifts the line numbers in the headers of hunks of a part to those of the whole file. */
function shiftHunks(hunks: string, before: number, after: number): { text: string; added: number; removed: number } {
  const shifted = (range: string, by: number) => {
    const [line, ...count] = range.split(",");
    return [Number(line) + by, ...count].join(",");
  };
  const text = hunks.replace(/(^|\n)@@ -(\S+) \+(\S+) @@(?=\n)/g, (_, lead: string, old: string, now: string) => {
    return `${lead}@@ -${shifted(old, before)} +${shifted(now, after)} @@`;
  });
  return { text, added: countLines(hunks, "+"), removed: countLines(hunks, "-") };
}

/** Lines that begin with + or -; hunks have no file header, so each is a change. */
function countLines(hunks: string, mark: "+" | "-"): number {
  let count = hunks.startsWith(mark) ? 1 : 0;
  for (let at = hunks.indexOf(`\n${mark}`); at !== -1; at = hunks.indexOf(`\n${mark}`, at + 1)) count++;
  return count;
}
