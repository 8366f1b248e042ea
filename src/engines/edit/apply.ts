/**
 * Plans the edits of a call. Each `oldText` is found in the original, its `newText` gets the line endings and the indentation
 * of the place, and all replacements are written into a copy of the file, or none. Pure: bytes in, bytes out. Read
 * `planEdits` first; it calls the rest of this file from top to bottom.
 */
import { explainMismatch, type Mismatch } from "./explain-mismatch.js";
import { findMatches, type MatchOptions, matchesAnyLineEnding } from "./match.js";
import { EDIT_STAGES, type EditStage, FileViews, type Match, type Shift, type WhitespaceFolding } from "./stages.js";
import { CR, LF, LineNumbers, lineEndingAt, type Units, type UnitText } from "./units.js";

/** One replacement: `oldText` in the file becomes `newText`. */
export interface EditPair {
  readonly oldText: string;
  readonly newText: string;
}

/** A replaced byte range of the old file, and where it is in the new one. Ranges are sorted and do not touch. */
export type EditRange = {
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
  readonly line: number;
};

/** The outcome of planning the edits of a call: "applied" only if all can be made. `edit` is an index from 0. */
export type EditPlan =
  | {
      readonly kind: "applied";
      readonly bytes: Uint8Array;
      readonly ranges: readonly EditRange[];
      /** The latest stage that was needed. */
      readonly stage: EditStage;
      readonly eolConverted: boolean;
      readonly reindented: boolean;
      /** In a file of mixed line endings, those of an `oldText` decided which place was meant. */
      readonly byEndings: boolean;
    }
  | ({ readonly kind: "not-found"; readonly edit: number } & Mismatch)
  | {
      readonly kind: "ambiguous";
      readonly edit: number;
      readonly count: number;
      /** The numbers of the first lines where it occurs, each once. */
      readonly lines: readonly number[];
      readonly hasMoreLines: boolean;
      /** `oldText` has line feeds, which in this file match any line ending. */
      readonly hasOtherEndings: boolean;
    }
  /** Two edits replace the same bytes. */
  | { readonly kind: "overlap"; readonly edits: readonly [number, number] }
  /** `char`: the first character of `newText` that the encoding of the file lacks. */
  | { readonly kind: "not-encodable"; readonly edit: number; readonly char: string }
  | { readonly kind: "no-change" };

/** How `planEdits` works. */
interface PlanOptions {
  readonly stages: readonly EditStage[];
  /** Default "inside". */
  readonly whitespace?: WhitespaceFolding;
  readonly replaceAll: boolean;
  /** Called after each search; what it throws ends the planning. Default: nothing. */
  readonly afterSearch?: () => Promise<void>;
}

/** Takes time linear in the file for each edit; the length of the texts hardly matters. */
export async function planEdits(text: UnitText, edits: readonly EditPair[], options: PlanOptions): Promise<EditPlan> {
  const views = new FileViews(text);
  const matching: MatchOptions = { ...options, whitespace: options.whitespace ?? "inside" };
  const replacements: Replacement[] = [];
  let stage: EditStage = "exact";
  let eolConverted = false;
  let reindented = false;
  let byEndings = false;
  for (const [edit, pair] of edits.map(withoutBom).entries()) {
    const { oldText, newText } = pair;
    const units = text.encode(oldText);
    const found = units === undefined || units.length === 0 ? "not-found" : findMatches(views, units, matching);
    await options.afterSearch?.();
    if (found === "not-found") return { kind: "not-found", edit, ...explainMismatch(views, oldText, matching) };
    if ("count" in found) {
      const { count, starts, hasMoreLines } = found;
      const numbers = new LineNumbers(text);
      const lines = starts.map((start) => numbers.at(start));
      const hasOtherEndings = matchesAnyLineEnding(views, units!, options.stages);
      return { kind: "ambiguous", edit, count, lines, hasMoreLines, hasOtherEndings };
    }
    byEndings ||= found.stage === "exact" && oldText.includes("\r") && text.lineEndings === "mixed";
    if (EDIT_STAGES.indexOf(found.stage) > EDIT_STAGES.indexOf(stage)) stage = found.stage;
    const writer = new ReplacementWriter(text, pair);
    // This stage ignores whitespace at both ends of `oldText`, so the place does not include it.
    const isTrimmed = found.stage === "whitespace" && matching.whitespace === "anywhere";
    for (const match of found.matches) {
      const made = writer.write(match, isTrimmed);
      if (made === "not-encodable") {
        const char = [...newText].find((one) => text.encode(one) === undefined) ?? "";
        return { kind: "not-encodable", edit, char };
      }
      if (made === "not-shiftable") return { kind: "not-found", edit, ...explainMismatch(views, oldText, matching) };
      reindented ||= made.reindented;
      eolConverted ||= made.converted;
      replacements.push({ edit, start: match.start, end: match.end, units: made.units });
    }
  }
  const applied = applyReplacements(text, replacements);
  if ("overlap" in applied) return { kind: "overlap", edits: applied.overlap };
  if (!changesBytes(text.bytes, applied)) return { kind: "no-change" };
  return { kind: "applied", ...applied, stage, eolConverted, reindented, byEndings };
}

/** A BOM is not part of the text of a file, so one that was copied along is removed. */
function withoutBom({ oldText, newText }: EditPair): EditPair {
  if (!oldText.startsWith("\ufeff")) return { oldText, newText };
  return { oldText: oldText.slice(1), newText: newText.startsWith("\ufeff") ? newText.slice(1) : newText };
}

/** Whether the new file differs from the old one. Where no range has moved, only the ranges can. */
function changesBytes(
  old: Uint8Array,
  { bytes, ranges }: { readonly bytes: Uint8Array; readonly ranges: readonly EditRange[] },
): boolean {
  if (old.length !== bytes.length) return true;
  const isInPlace = ranges.every(({ before, after }) => before[0] === after[0] && before[1] === after[1]);
  const compared = isInPlace ? ranges.map(({ before }) => before) : [[0, old.length] as const];
  return compared.some(([from, to]) => {
    for (let index = from; index < to; index++) if (old[index] !== bytes[index]) return true;
    return false;
  });
}

/** A place and what it becomes, in units of the file. */
interface Replacement {
  readonly edit: number;
  readonly start: number;
  readonly end: number;
  readonly units: Units;
}

type AppliedReplacements =
  | { readonly bytes: Uint8Array; readonly ranges: readonly EditRange[] }
  | { readonly overlap: readonly [number, number] };

/**
 * Writes all replacements, which may be in any order, into a copy of the file. All other bytes are copied as they are: the
 * BOM, and in UTF-16 an odd last byte, too.
 */
function applyReplacements(text: UnitText, replacements: readonly Replacement[]): AppliedReplacements {
  const sorted = [...replacements].sort((left, right) => left.start - right.start || left.end - right.end);
  for (let index = 1; index < sorted.length; index++) {
    const [left, right] = [sorted[index - 1]!, sorted[index]!];
    if (right.start < left.end) return { overlap: [left.edit, right.edit] };
  }
  const parts = sorted.map(({ start, end, units }) => ({
    start,
    from: text.byteOffset(start),
    to: text.byteOffset(end),
    bytes: text.toBytes(units),
  }));
  const grown = parts.reduce((sum, part) => sum + part.bytes.length - (part.to - part.from), 0);
  const bytes = new Uint8Array(text.bytes.length + grown);
  const lines = new LineNumbers(text);
  let copied = 0; // of the old file
  let written = 0; // of the new one
  const ranges = parts.map((part): EditRange => {
    bytes.set(text.bytes.subarray(copied, part.from), written);
    const begin = written + part.from - copied;
    bytes.set(part.bytes, begin);
    written = begin + part.bytes.length;
    copied = part.to;
    return { before: [part.from, part.to], after: [begin, written], line: lines.at(part.start) };
  });
  bytes.set(text.bytes.subarray(copied), written);
  return { bytes, ranges };
}

interface WrittenUnits {
  readonly units: Units;
  /** Its line endings were converted. */
  readonly converted: boolean;
  readonly reindented: boolean;
}

/** Makes the units that replace each place of one edit. Equal texts are encoded once. */
class ReplacementWriter {
  readonly #encoded = new Map<string, Units | undefined>();
  readonly #endings: LineEndingWriter;

  constructor(
    private readonly text: UnitText,
    private readonly pair: EditPair,
  ) {
    this.#endings = new LineEndingWriter(text, differOnlyInEndings(pair));
  }

  /** "not-shiftable": the place is indented less than `oldText`, and a line of `newText` has not that much to remove. */
  write(match: Match, isTrimmed: boolean): WrittenUnits | "not-encodable" | "not-shiftable" {
    let { newText } = this.pair;
    // The file ends without the line ending that `oldText` ends with, and stays so.
    if (match.atMissingLineEnding) newText = newText.replace(/(?:\r\n?|\n)$/, "");
    if (isTrimmed) newText = withoutEndsOf(this.pair.oldText, newText);
    const shifted = match.shift === undefined ? newText : shiftText(newText, match.shift);
    if (shifted === undefined) return "not-shiftable";
    const fitted = this.#endings.fit(shifted, match);
    if (!this.#encoded.has(fitted)) this.#encoded.set(fitted, this.text.encode(fitted));
    const units = this.#encoded.get(fitted);
    if (units === undefined) return "not-encodable";
    return { units, converted: fitted !== shifted, reindented: shifted !== newText };
  }
}

/** A place that was matched without the whitespace at both ends of `oldText` takes `newText` without it, too. */
function withoutEndsOf(oldText: string, newText: string): string {
  const lead = /^\s*/.exec(oldText)![0];
  const trail = /\s*$/.exec(oldText)![0];
  const headless = newText.startsWith(lead) ? newText.slice(lead.length) : newText;
  return trail !== "" && headless.endsWith(trail) ? headless.slice(0, -trail.length) : headless;
}

/** The line ending before a line that is not blank, and its indentation. */
const LINE_HEAD = /(^|\r\n|\r|\n)([ \t\v\f]*)(?=[^ \t\v\f\r\n])/g;

/** The text with all lines shifted except blank ones; undefined if a line lacks the whitespace to remove. */
export function shiftText(text: string, shift: Shift): string | undefined {
  if ("added" in shift) return text.replace(LINE_HEAD, `$1${shift.added}$2`);
  let isPossible = true;
  const shifted = text.replace(LINE_HEAD, (_, ending: string, indent: string) => {
    isPossible &&= indent.startsWith(shift.removed);
    return ending + indent.slice(shift.removed.length);
  });
  return isPossible ? shifted : undefined;
}

/** Whether the texts are equal except for their line endings; a carriage return at the end of only one of them is such a difference. */
function differOnlyInEndings({ oldText, newText }: EditPair): boolean {
  if (!oldText.includes("\r") && !newText.includes("\r")) return false;
  const withLineFeeds = (text: string) => text.replace(/\r\n?/g, "\n");
  const withoutLastReturn = (text: string) => withLineFeeds(text.replace(/\r$/, ""));
  return withLineFeeds(oldText) === withLineFeeds(newText) || withoutLastReturn(oldText) === withoutLastReturn(newText);
}

/**
 * Converts the line endings of a new text to those of the file, if the file has one kind. In a file of mixed line endings a
 * carriage return is literal. A text without one gets the endings of the replaced text there, the first for its first line
 * feed and so on, and the last of them for all further ones. If the replaced text has none, it gets the ending of that line,
 * else of the last line that has one.
 */
class LineEndingWriter {
  /** The last search: no line feed is between `from` and `feed`, which is -1 if none follows. */
  #searched: { readonly from: number; readonly feed: number } | undefined;
  #lastFeed: number | undefined;

  /** @param isOnlyEndings - The edit changes nothing but line endings, so they are not converted. */
  constructor(
    private readonly text: UnitText,
    private readonly isOnlyEndings: boolean,
  ) {}

  fit(newText: string, place: Match): string {
    if (!/[\r\n]/.test(newText)) return newText;
    const { units, lineEndings } = this.text;
    if (lineEndings === "none") return newText;
    if (lineEndings === "mixed") {
      if (this.isOnlyEndings || newText.includes("\r")) return newText;
      const endings = this.#endingsOf(place);
      let index = 0;
      return newText.replace(/\n/g, () => endings[Math.min(index++, endings.length - 1)]!);
    }
    const whole = this.#isHalfEnding(newText, place) ? newText.slice(0, -1) : newText;
    // The place ends between CR and LF, and the LF stays in the file: the new text ends with the CR of that pair.
    const endsInPair = units[place.end - 1] === CR && units[place.end] === LF && /[\r\n]$/.test(whole);
    if (this.isOnlyEndings) return endsInPair ? whole.replace(/\n$/, "") : whole;
    const body = endsInPair ? whole.replace(/(?:\r\n?|\n)$/, "") : whole;
    return body.replace(/\r\n?|\n/g, lineEndings) + (endsInPair ? "\r" : "");
  }

  /** Whether the new text ends with a carriage return that the line ending after the place already has. */
  #isHalfEnding(newText: string, { end }: Match): boolean {
    const { units } = this.text;
    if (!newText.endsWith("\r") || units[end - 1] === LF || units[end - 1] === CR) return false;
    return lineEndingAt(units, end) === "\r\n" || (units[end] === LF && !this.isOnlyEndings);
  }

  /** The line endings in the place, or the one that fits it. */
  #endingsOf({ start, end }: Match): readonly string[] {
    const { units } = this.text;
    const inside: string[] = [];
    for (let at = start; at < end; at++) {
      const found = lineEndingAt(units, at);
      if (found === undefined) continue;
      inside.push(found);
      at += found.length - 1;
    }
    if (inside.length > 0) return inside;
    // Outside the place a lone carriage return may be text, so only line feeds count.
    let feed = this.#feedFrom(end);
    if (feed === -1) feed = this.#lastFeed ??= units.lastIndexOf(LF);
    if (feed === -1) return ["\n"];
    return [feed !== end && units[feed - 1] === CR ? "\r\n" : "\n"];
  }

  /** For places in ascending order all calls together scan the file once. */
  #feedFrom(from: number): number {
    const last = this.#searched;
    if (last !== undefined && from >= last.from && (last.feed === -1 || from <= last.feed)) return last.feed;
    const feed = this.text.units.indexOf(LF, from);
    this.#searched = { from, feed };
    return feed;
  }
}
