import { findChangedRegion } from "./changed-region.js";
import { type DiffStrategy, findLineScript, type LineEdit } from "./line-script.js";
import { splitLines, windowLines } from "./lines.js";

/** One line of a diff. Line numbers count from 1 and are `null` on the side that does not have the line. */
export interface DiffOp {
  readonly kind: "keep" | "add" | "remove";
  /** The line without its ending. */
  readonly text: string;
  readonly beforeLine: number | null;
  readonly afterLine: number | null;
}

/** How two texts differ, line by line. */
export interface LineDiff {
  readonly ops: readonly DiffOp[];
  /** Lines added and removed. */
  readonly added: number;
  readonly removed: number;
  readonly strategy: DiffStrategy;
}

/** What changed between two texts, as ranges: the form that costs no more than the change does. */
interface LineChanges {
  /** Edits in rising order; their numbers count from 0 in `beforeLines` and `afterLines`. */
  readonly edits: readonly LineEdit[];
  readonly strategy: DiffStrategy;
  /** The lines of the part that differs. */
  readonly beforeLines: readonly string[];
  readonly afterLines: readonly string[];
  /**
   * Both texts are equal up to the offset `headEnd`, which is `headLines` lines, and from `beforeTail` of `before` on.
   */
  readonly headEnd: number;
  readonly headLines: number;
  readonly beforeTail: number;
}

/**
 * Compares two texts line by line (IR-133). `\n` and `\r\n` both end a line and are not compared; a newline at the end
 * adds no line, and an empty text is one empty line (IR-135).
 *
 * The script is a shortest one up to a fixed amount of work; beyond, `strategy` says what took its place, and the ops
 * still lead from `before` to `after`. Removals come before additions where both stand in one place.
 */
export function diffLines(before: string, after: string): LineDiff {
  const changes = findLineChanges(before, after, linesOf(before, after));
  const { edits, strategy, headLines, beforeLines, afterLines } = changes;
  const kept = splitLines(before);
  const ops: DiffOp[] = [];
  let beforeLine = 1;
  let afterLine = 1;
  let [added, removed] = [0, 0];
  const keepUntil = (end: number): void => {
    while (beforeLine <= end) {
      ops.push({ kind: "keep", text: kept[beforeLine - 1]!, beforeLine: beforeLine++, afterLine: afterLine++ });
    }
  };
  for (const edit of edits) {
    keepUntil(headLines + edit.beforeStart);
    for (let index = edit.beforeStart; index < edit.beforeEnd; index++, removed++)
      ops.push({ kind: "remove", text: beforeLines[index]!, beforeLine: beforeLine++, afterLine: null });
    for (let index = edit.afterStart; index < edit.afterEnd; index++, added++)
      ops.push({ kind: "add", text: afterLines[index]!, beforeLine: null, afterLine: afterLine++ });
  }
  keepUntil(kept.length);
  return { ops, added, removed, strategy };
}

/** Lines added and removed between two texts, each with its ending; an empty text has none. */
export function countChangedLines(before: string, after: string): Pick<LineDiff, "added" | "removed"> {
  const { edits } = findLineChanges(before, after, (part) => part.match(/[^\n]*\n|[^\n]+/g) ?? []);
  let [added, removed] = [0, 0];
  for (const edit of edits) {
    added += edit.afterEnd - edit.afterStart;
    removed += edit.beforeEnd - edit.beforeStart;
  }
  return { added, removed };
}

/** The edits between two texts, given how a part of them is split into lines; lines are equal when their texts are. */
export function findLineChanges(before: string, after: string, split: (part: string) => string[]): LineChanges {
  const { headEnd, headLines, beforeTail, afterTail } = findChangedRegion(before, after);
  const beforeLines = split(before.slice(headEnd, beforeTail));
  const afterLines = split(after.slice(headEnd, afterTail));
  const ids = new Map<string, number>();
  const number = (line: string): number => {
    const known = ids.get(line);
    if (known !== undefined) return known;
    ids.set(line, ids.size);
    return ids.size - 1;
  };
  const beforeIds = Int32Array.from(beforeLines, number);
  const afterIds = Int32Array.from(afterLines, number);
  return { ...findLineScript(beforeIds, afterIds, ids.size), beforeLines, afterLines, headEnd, headLines, beforeTail };
}

/** The part that differs may be empty and then has no line, unless the whole text is empty and so is one empty line. */
function linesOf(before: string, after: string): (part: string) => string[] {
  return before === "" || after === "" ? splitLines : windowLines;
}
