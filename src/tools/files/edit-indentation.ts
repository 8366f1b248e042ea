/** The stage "indentation": lines that stand in the file as a whole with more or fewer blanks in front, the same for all. */
import { CR, isBlank, LF } from "./edit-fold.js";
import { IndentFold, lineFrom, type TextLine } from "./edit-indent-fold.js";
import type { Match, Shift, StageSearch } from "./edit-match.js";
import { endsWithUnits, UnitSearch, type Units } from "./edit-search.js";

/** What a line that is not blank begins with, and the line end before it. */
const LINE_HEAD = /(^|\r\n|\r|\n)([ \t\v\f]*)(?=[^ \t\v\f\r\n])/g;

/** A text with all its lines but blank ones shifted; undefined where one of them has not the blanks that would go. */
export function shiftText(text: string, shift: Shift): string | undefined {
  if ("added" in shift) return text.replace(LINE_HEAD, `$1${shift.added}$2`);
  let isPossible = true;
  const shifted = text.replace(LINE_HEAD, (_, end: string, blanks: string) => {
    isPossible &&= blanks.startsWith(shift.removed);
    return end + blanks.slice(shift.removed.length);
  });
  return isPossible ? shifted : undefined;
}

/** Whether the stage can find anything, told without folding the file: the longest line has to stand somewhere. */
export function mayStandShifted(units: Units, wanted: Units): boolean {
  let longest = lineFrom(wanted, 0);
  for (let line = longest; line.next < wanted.length; ) {
    line = lineFrom(wanted, line.next);
    if (line.textEnd - line.textStart > longest.textEnd - longest.textStart) longest = line;
  }
  const text = wanted.subarray(longest.textStart, longest.textEnd);
  return text.length > 0 && new UnitSearch(text).next(units, 0) !== -1;
}

export function shiftedSearch(fold: IndentFold, wanted: Units): StageSearch | undefined {
  let blankLines = 0;
  let first = lineFrom(wanted, 0);
  for (; first.textEnd === first.textStart && first.next < wanted.length; blankLines++) {
    first = lineFrom(wanted, first.next);
  }
  // What ends with the indentation of a further line means a part of that line, and only whole ones can be shifted.
  if (first.textEnd === first.textStart || endsInIndentation(wanted)) return undefined;
  const needle = withoutFirstIndent(wanted.subarray(first.start));
  const endsLine = needle[needle.length - 1] === LF;
  const place = (at: number, end: number): Match | undefined => {
    const start = fold.lineStartOf(at);
    if (start === undefined || !hasBlankLines(fold, start, blankLines)) return undefined;
    const line = fold.lineAt(start);
    const shift = shiftBetween(wanted, first, fold.original, line);
    if (shift === undefined) return undefined;
    return { start: blankLines === 0 ? line.start : fold.lineAt(start - blankLines).start, end, shift };
  };
  return {
    units: fold.units,
    needle,
    differs: true,
    accept(at) {
      const end = at + needle.length;
      if (!endsLine && !fold.isLineEnd(end)) return undefined;
      return place(at, endsLine ? fold.lineAt(end - 1).next : fold.lineAt(end).textEnd);
    },
    last() {
      if (!endsLine || needle.length < 2) return undefined;
      const line = needle.subarray(0, needle.length - 1);
      if (!endsWithUnits(fold.units, line)) return undefined;
      const found = place(fold.units.length - line.length, fold.original.length);
      return found && { ...found, atMissingLineEnd: true };
    },
  };
}

function endsInIndentation(wanted: Units): boolean {
  let start = wanted.length;
  while (start > 0 && isBlank(wanted[start - 1]!)) start--;
  const before = wanted[start - 1];
  return start < wanted.length && (before === LF || before === CR);
}

function withoutFirstIndent(wanted: Units): Units {
  const { units } = new IndentFold(wanted);
  let start = 1;
  while (isBlank(units[start]!)) start++;
  return units.subarray(start);
}

function hasBlankLines(fold: IndentFold, start: number, count: number): boolean {
  for (let back = 1; back <= count; back++) if (fold.units[start - back] !== LF) return false;
  return fold.isLineStart(start - count);
}

/** By how much the first line is shifted; all others are by as much where the folded texts are equal. */
function shiftBetween(wanted: Units, first: TextLine, file: Units, line: TextLine): Shift | undefined {
  const asked = wanted.subarray(first.start, first.textStart);
  const there = file.subarray(line.start, line.textStart);
  const more = there.length - asked.length;
  if (more >= 0) return endsWithUnits(there, asked) ? { added: blanksOf(there.subarray(0, more)) } : undefined;
  return endsWithUnits(asked, there) ? { removed: blanksOf(asked.subarray(0, -more)) } : undefined;
}

function blanksOf(units: Units): string {
  return Array.from(units, (unit) => String.fromCharCode(unit)).join("");
}
