/**
 * The stages in which `oldText` is searched, strictest first: exact, then ignoring line endings, trailing whitespace, the width
 * of whitespace, and last the indentation of whole lines. Each stage defines a view of the file and of the text, and which of
 * the places where the two views are equal it accepts.
 */
import {
  CR,
  endsWithUnits,
  type FoldedUnits,
  type FoldKind,
  foldUnits,
  isInlineWhitespace,
  isLineBreak,
  LF,
  lineEndingAt,
  OffsetMap,
  trimSpaces,
  type Units,
  type UnitText,
} from "./units.js";

/** The stages that locate `oldText`, each tried only if the one before found nothing. */
export type EditStage = "exact" | "line-endings" | "trailing-whitespace" | "whitespace" | "indentation";

/**
 * What the stage "whitespace" folds. "inside": whitespace within a line becomes one space, indentation counts.
 * "anywhere": all whitespace, indentation and line endings included, becomes one space, and both ends are trimmed.
 */
export type WhitespaceFolding = "inside" | "anywhere";

/** The whitespace that every line of a place has before that of `oldText`, or that `oldText` has and the place lacks. */
export type Shift = { readonly added: string } | { readonly removed: string };

/** A place in the original, in units. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** `oldText` ends with a line ending where the file ends without one. */
  readonly atMissingLineEnding?: true;
  /** How the indentation of the place differs from that of `oldText`, so that `newText` can be shifted alike. */
  readonly shift?: Shift;
}

/** How a stage looks for one text. */
export interface StageSearch {
  /** The view of the file, and of `oldText`. */
  readonly units: Units;
  readonly pattern: Units;
  /** The place in the original of a match at `at` of the view; undefined if the stage rejects it. */
  accept(at: number): Match | undefined;
  /** The place where `oldText` ends with a line ending and the file ends without one. */
  last?(): Match | undefined;
}

/** The views of a file; each is made when a stage first needs it. */
export class FileViews {
  readonly #folds = new Map<FoldKind, FoldedUnits>();
  #relative: RelativeIndents | undefined;

  constructor(readonly text: UnitText) {}

  folded(kind: FoldKind): FoldedUnits {
    let fold = this.#folds.get(kind);
    if (fold === undefined) {
      fold = foldUnits(this.text.units, kind);
      this.#folds.set(kind, fold);
    }
    return fold;
  }

  relativeIndents(): RelativeIndents {
    this.#relative ??= new RelativeIndents(this.text.units);
    return this.#relative;
  }
}

/** Undefined where the stage finds nothing. */
type Stage = (views: FileViews, oldText: Units, whitespace: WhitespaceFolding) => StageSearch | undefined;

export const STAGES: Readonly<Record<EditStage, Stage>> = {
  exact: (views, oldText) => exactSearch(views.text, oldText),
  "line-endings": (views, oldText) => foldedSearch(views, oldText, "line-endings"),
  "trailing-whitespace": (views, oldText) => foldedSearch(views, oldText, "trailing-whitespace"),
  whitespace: (views, oldText, whitespace) =>
    whitespace === "inside" ? foldedSearch(views, oldText, "whitespace-runs") : anywhereSearch(views, oldText),
  indentation: (views, oldText) => shiftedSearch(views.relativeIndents(), oldText),
};

/** Their names, strictest first. */
export const EDIT_STAGES = Object.keys(STAGES) as readonly EditStage[];

function exactSearch(text: UnitText, pattern: Units): StageSearch {
  const { units } = text;
  return {
    units,
    pattern,
    accept(at) {
      // The line feed of a CRLF is half of a line ending; the next stage matches the whole one.
      const splitsPair = pattern[0] === LF && at > 0 && units[at - 1] === CR;
      return !splitsPair && text.isCharacterStart(at) ? { start: at, end: at + pattern.length } : undefined;
    },
  };
}

function foldedSearch(views: FileViews, oldText: Units, kind: FoldKind): StageSearch | undefined {
  const fold = views.folded(kind);
  const { units: pattern, endsInWhitespace } = foldUnits(oldText, kind);
  if (pattern.length === 0) return undefined;
  return {
    units: fold.units,
    pattern,
    accept(at) {
      const end = at + pattern.length;
      // Whitespace at the end of `oldText` was dropped as trailing, so it must be trailing in the file, too.
      if (endsInWhitespace && !fold.isLineEnd(end)) return undefined;
      if (kind === "whitespace-runs" && isInsideWord(fold.units, at, end)) return undefined;
      const start = fold.originalStart(at);
      return views.text.isCharacterStart(start) ? { start, end: fold.originalEnd(end) } : undefined;
    },
    last() {
      // The file ends without a line ending, and `oldText` ends with one: they mean the same last line.
      const line = withoutLastLineFeed(pattern);
      if (line === undefined || !endsWithUnits(fold.units, line)) return undefined;
      const at = fold.units.length - line.length;
      const start = fold.originalStart(at);
      if (isInsideWord(fold.units, at, fold.units.length) || !views.text.isCharacterStart(start)) return undefined;
      return { start, end: views.text.units.length, atMissingLineEnding: true };
    },
  };
}

function withoutLastLineFeed(pattern: Units): Units | undefined {
  const isLine = pattern.length > 1 && pattern[pattern.length - 1] === LF;
  return isLine ? pattern.subarray(0, pattern.length - 1) : undefined;
}

function anywhereSearch(views: FileViews, oldText: Units): StageSearch | undefined {
  const fold = views.folded("all-whitespace");
  const pattern = trimSpaces(foldUnits(oldText, "all-whitespace").units);
  if (pattern.length === 0) return undefined;
  return {
    units: fold.units,
    pattern,
    accept(at) {
      const end = at + pattern.length;
      const start = fold.originalStart(at);
      if (isInsideWord(fold.units, at, end) || !views.text.isCharacterStart(start)) return undefined;
      return { start, end: fold.originalEnd(end) };
    },
  };
}

/** Whether the place begins or ends inside a word, which no tolerant stage accepts. */
function isInsideWord(units: Units, start: number, end: number): boolean {
  const joins = (left: number) => left > 0 && isWord(units[left - 1]) && isWord(units[left]);
  return joins(start) || joins(end);
}

function isWord(unit: number | undefined): boolean {
  if (unit === undefined) return false;
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
}

/** The offsets of a line. Its content is the line without whitespace at both ends. */
interface Line {
  readonly start: number;
  readonly contentStart: number;
  /** Equal to `contentStart` for a blank line. */
  readonly contentEnd: number;
  /** Where the line ending begins; equal to `next` if there is none. */
  readonly end: number;
  readonly next: number;
}

/** The line that begins at `start`. */
export function lineFrom(units: Units, start: number): Line {
  let end = start;
  while (end < units.length && !isLineBreak(units[end]!)) end++;
  let contentEnd = end;
  while (contentEnd > start && isInlineWhitespace(units[contentEnd - 1]!)) contentEnd--;
  const contentStart = Math.min(afterWhitespace(units, start), contentEnd);
  return { start, contentStart, contentEnd, end, next: end + (lineEndingAt(units, end)?.length ?? 0) };
}

function afterWhitespace(units: Units, from: number): number {
  let at = from;
  while (at < units.length && isInlineWhitespace(units[at]!)) at++;
  return at;
}

function beforeWhitespace(units: Units, from: number): number {
  let at = from;
  while (at > 0 && isInlineWhitespace(units[at - 1]!)) at--;
  return at;
}

/** In relative indentation, separates the removed whitespace from the added. */
const SEPARATOR = 0;

/**
 * A view in which each line begins with how its indentation differs from that of the line before: the whitespace removed, a
 * separator, the whitespace added. So lines that are shifted together are equal, except for the first one. Blank lines
 * are empty, every line ending is a line feed, and trailing whitespace is dropped.
 */
class RelativeIndents {
  readonly units: Units;
  /** Where each line begins. */
  readonly #lines = new OffsetMap();

  constructor(readonly original: Units) {
    const size = original.length * 2 + 1;
    const out = original instanceof Uint16Array ? new Uint16Array(size) : new Uint8Array(size);
    let length = 0;
    let last: Pick<Line, "start" | "contentStart"> = { start: 0, contentStart: 0 };
    for (let start = 0; start < original.length; ) {
      this.#lines.add(length, start);
      const line = lineFrom(original, start);
      if (line.contentEnd > line.contentStart) {
        const same = sameIndent(original, last, line);
        for (let at = last.start + same; at < last.contentStart; at++) out[length++] = original[at]!;
        out[length++] = SEPARATOR;
        for (let at = start + same; at < line.contentEnd; at++) out[length++] = original[at]!;
        last = line;
      }
      if (line.next > line.end) out[length++] = LF;
      start = line.next;
    }
    this.units = out.subarray(0, length);
  }

  /** Where the line begins whose content begins at `at`; undefined if none does. */
  lineStartOf(at: number): number | undefined {
    const separator = beforeWhitespace(this.units, at) - 1;
    if (this.units[separator] !== SEPARATOR) return undefined;
    const start = beforeWhitespace(this.units, separator);
    return this.isLineStart(start) ? start : undefined;
  }

  isLineStart(at: number): boolean {
    return at === 0 || this.units[at - 1] === LF;
  }

  isLineEnd(at: number): boolean {
    return at === this.units.length || this.units[at] === LF;
  }

  /** The line of the original that contains `at` of the view. */
  lineAt(at: number): Line {
    return lineFrom(this.original, this.#lines.lastAt(at)[1]);
  }
}

function sameIndent(units: Units, one: Pick<Line, "start" | "contentStart">, other: Line): number {
  const most = Math.min(one.contentStart - one.start, other.contentStart - other.start);
  let same = 0;
  while (same < most && units[one.start + same] === units[other.start + same]) same++;
  return same;
}

/** The stage "indentation": whole lines, all with the same whitespace added to or removed from their indentation. */
function shiftedSearch(file: RelativeIndents, oldText: Units): StageSearch | undefined {
  let blankLines = 0;
  let first = lineFrom(oldText, 0);
  for (; first.contentEnd === first.contentStart && first.next < oldText.length; blankLines++) {
    first = lineFrom(oldText, first.next);
  }
  // A text that ends with indentation would match part of a line, and only whole lines can be shifted.
  if (first.contentEnd === first.contentStart || endsInIndentation(oldText)) return undefined;
  const { units: relative } = new RelativeIndents(oldText.subarray(first.start));
  // Without the separator and indentation of the first line, which are compared by `shiftBetween`.
  const pattern = relative.subarray(afterWhitespace(relative, 1));
  const place = (at: number, end: number): Match | undefined => {
    const start = file.lineStartOf(at);
    if (start === undefined || !hasBlankLines(file, start, blankLines)) return undefined;
    const line = file.lineAt(start);
    const shift = shiftBetween(oldText, first, file.original, line);
    if (shift === undefined) return undefined;
    return { start: blankLines === 0 ? line.start : file.lineAt(start - blankLines).start, end, shift };
  };
  const withoutEnding = withoutLastLineFeed(pattern);
  return {
    units: file.units,
    pattern,
    accept(at) {
      const end = at + pattern.length;
      if (withoutEnding !== undefined) return place(at, file.lineAt(end - 1).next);
      return file.isLineEnd(end) ? place(at, file.lineAt(end).contentEnd) : undefined;
    },
    last() {
      if (withoutEnding === undefined || !endsWithUnits(file.units, withoutEnding)) return undefined;
      const found = place(file.units.length - withoutEnding.length, file.original.length);
      return found && { ...found, atMissingLineEnding: true };
    },
  };
}

function endsInIndentation(oldText: Units): boolean {
  const start = beforeWhitespace(oldText, oldText.length);
  return start > 0 && start < oldText.length && isLineBreak(oldText[start - 1]!);
}

function hasBlankLines(file: RelativeIndents, start: number, count: number): boolean {
  for (let back = 1; back <= count; back++) if (file.units[start - back] !== LF) return false;
  return file.isLineStart(start - count);
}

/** How the first line is shifted, and therefore all of them. */
function shiftBetween(oldText: Units, first: Line, file: Units, line: Line): Shift | undefined {
  const asked = oldText.subarray(first.start, first.contentStart);
  const found = file.subarray(line.start, line.contentStart);
  const more = found.length - asked.length;
  if (more >= 0) return endsWithUnits(found, asked) ? { added: asText(found.subarray(0, more)) } : undefined;
  return endsWithUnits(asked, found) ? { removed: asText(asked.subarray(0, -more)) } : undefined;
}

function asText(whitespace: Units): string {
  return Array.from(whitespace, (unit) => String.fromCharCode(unit)).join("");
}
