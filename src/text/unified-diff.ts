import { showControls } from "./control-characters.js";
import { findLineChanges } from "./line-diff.js";
import type { LineEdit } from "./line-script.js";

/** Default number of unchanged lines shown around a change. */
export const DEFAULT_DIFF_CONTEXT = 3;

/** How `renderUnifiedDiff` shows a difference. */
export interface UnifiedDiffOptions {
  /** Adds a `---` and a `+++` line with this path, after `a/` and `b/`. Default: hunks only. */
  readonly path?: string;
}

/**
 * Renders what changed between two texts as unified hunks, each line and the last one ended by a newline, in the shape
 * of `diff -U`; equal texts give an empty string (IR-134).
 *
 * Lines are compared with their endings, so a change from `\r\n` to `\n` or of the final newline shows, applying the
 * diff to `before` gives `after` exactly, and an empty text has no line. A `\r` stays in the output.
 *
 * @param context - Unchanged lines around each change, a whole number from 0. Default 3.
 */
export function renderUnifiedDiff(
  before: string,
  after: string,
  context: number = DEFAULT_DIFF_CONTEXT,
  options: UnifiedDiffOptions = {},
): string {
  const changes = findLineChanges(before, after, splitWithEndings);
  if (changes.edits.length === 0) return "";
  const around = Math.max(0, Math.floor(context) || 0);
  const head = splitWithEndings(before.slice(startOfLast(before, changes.headEnd, around), changes.headEnd));
  const tail = splitWithEndings(before.slice(changes.beforeTail, endOfFirst(before, changes.beforeTail, around)));
  const out: string[] = [];
  if (options.path !== undefined) out.push(...fileHeader(options.path));
  const sheet: Sheet = {
    lines: head.concat(changes.beforeLines, tail),
    first: -head.length,
    added: changes.afterLines,
    headLines: changes.headLines,
  };
  for (const hunk of groupEdits(changes.edits, around)) renderHunk(out, hunk, sheet, around);
  return out.join("");
}

/**
 * The old lines in reach of a hunk, `lines[0]` having the number `first` in the part that differs, and the new ones.
 */
interface Sheet {
  readonly lines: readonly string[];
  readonly first: number;
  readonly added: readonly string[];
  readonly headLines: number;
}

function fileHeader(path: string): string[] {
  const name = showControls(path.startsWith("/") ? path : `/${path}`);
  return [`--- a${name}\n`, `+++ b${name}\n`];
}

function splitWithEndings(part: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", start)) {
    lines.push(part.slice(start, at + 1));
    start = at + 1;
  }
  if (start < part.length) lines.push(part.slice(start));
  return lines;
}

/** Where the last `count` lines before `end`, a line start, begin. */
function startOfLast(text: string, end: number, count: number): number {
  let start = end;
  for (let line = 0; line < count && start > 0; line++) start = start === 1 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  return start;
}

/** Where the first `count` lines from `start` on end. */
function endOfFirst(text: string, start: number, count: number): number {
  let end = start;
  for (let line = 0; line < count && end < text.length; line++) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return end;
}

/** Edits whose contexts touch or overlap share a hunk. */
function groupEdits(edits: readonly LineEdit[], around: number): LineEdit[][] {
  const groups: LineEdit[][] = [];
  for (const edit of edits) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && edit.beforeStart - last.beforeEnd <= 2 * around) group.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function renderHunk(out: string[], edits: readonly LineEdit[], sheet: Sheet, around: number): void {
  const firstEdit = edits[0]!;
  const lastEdit = edits[edits.length - 1]!;
  const beforeStart = Math.max(sheet.first, firstEdit.beforeStart - around);
  const beforeEnd = Math.min(sheet.first + sheet.lines.length, lastEdit.beforeEnd + around);
  const afterStart = beforeStart + firstEdit.afterStart - firstEdit.beforeStart;
  const afterEnd = beforeEnd + lastEdit.afterEnd - lastEdit.beforeEnd;
  const ranges = [hunkRange(beforeStart, beforeEnd, sheet), hunkRange(afterStart, afterEnd, sheet)];
  out.push(`@@ -${ranges[0]} +${ranges[1]} @@\n`);
  let at = beforeStart;
  const push = (mark: string, end: number) => {
    for (; at < end; at++) pushLine(out, mark, sheet.lines[at - sheet.first]!);
  };
  for (const edit of edits) {
    push(" ", edit.beforeStart);
    push("-", edit.beforeEnd);
    for (let index = edit.afterStart; index < edit.afterEnd; index++) pushLine(out, "+", sheet.added[index]!);
  }
  push(" ", beforeEnd);
}

/** A range of one line is its number alone; an empty one names the line before it. */
function hunkRange(start: number, end: number, sheet: Sheet): string {
  const count = end - start;
  const line = sheet.headLines + start + (count === 0 ? 0 : 1);
  return count === 1 ? String(line) : `${line},${count}`;
}

function pushLine(out: string[], mark: string, line: string): void {
  out.push(line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`);
}
