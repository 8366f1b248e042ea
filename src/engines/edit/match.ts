/**
 * Finds the places where `oldText` occurs in a file. The stages are tried in their order until one finds a place, each in
 * linear time. More than one place is ambiguous unless all are to be replaced.
 */
import {
  type EditStage,
  type FileViews,
  lineFrom,
  type Match,
  STAGES,
  type StageSearch,
  type WhitespaceFolding,
} from "./stages.js";
import {
  CR,
  endsWithUnits,
  type FoldKind,
  foldUnits,
  isInlineWhitespace,
  LF,
  startsWithUnits,
  trimSpaces,
  type Units,
} from "./units.js";

type MatchResult =
  | { readonly stage: EditStage; readonly matches: readonly Match[] }
  | ({ readonly stage: EditStage } & TooManyPlaces)
  | "not-found";

interface TooManyPlaces {
  readonly count: number;
  /** The first place in each of the first lines that have one. */
  readonly starts: readonly number[];
  readonly hasMoreLines: boolean;
}

export interface MatchOptions {
  readonly stages: readonly EditStage[];
  readonly whitespace: WhitespaceFolding;
  readonly replaceAll: boolean;
}

/** Lines that are listed for an ambiguous text. */
const MAX_NAMED_LINES = 20;
/** The most places that one edit replaces; the result lists each, which bounds memory. */
export const MAX_REPLACED_PLACES = 500_000;

/**
 * Finds where `oldText` occurs, which has at least one unit. Without `replaceAll` more than one place, overlapping ones
 * included, is ambiguous; with it, more than `MAX_REPLACED_PLACES`.
 */
export function findMatches(views: FileViews, oldText: Units, options: MatchOptions): MatchResult {
  const { units } = views.text;
  const skipsExact = matchesAnyLineEnding(views, oldText, options.stages);
  let mayMatch: boolean | undefined;
  for (const stage of options.stages) {
    if (stage === "exact") {
      if (skipsExact) continue;
    } else if (stage === "indentation") {
      if (!hasLongestLine(units, oldText)) continue;
    } else {
      mayMatch ??= mayMatchTolerantly(views, oldText, options);
      if (!mayMatch) continue;
    }
    const search = STAGES[stage](views, oldText, options.whitespace);
    if (search === undefined) continue;
    const matches = takeMatches(search, options.replaceAll);
    if (matches === "too-many") return { stage, ...countPlaces(search, units) };
    if (matches.length === 0) continue;
    // A stage that ignores line endings found the very bytes: that is what "exact" means.
    const isExact = ({ start, end }: Match) => end - start === oldText.length && startsWithUnits(units, oldText, start);
    return { stage: stage === "line-endings" && matches.every(isExact) ? "exact" : stage, matches };
  }
  return "not-found";
}

/**
 * Whether the stage "exact" must be skipped. Callers send line feeds whatever the file has, and in a file of mixed line endings
 * the same lines may occur again with other endings, so the bytes of `oldText` do not decide which place is meant.
 */
export function matchesAnyLineEnding(views: FileViews, oldText: Units, stages: readonly EditStage[]): boolean {
  const hasLineFeedsOnly = oldText.indexOf(LF) !== -1 && oldText.indexOf(CR) === -1;
  return hasLineFeedsOnly && stages.includes("line-endings") && views.text.lineEndings === "mixed";
}

/** The places that an edit replaces: one, or with `replaceAll` all that do not overlap. */
function takeMatches(search: StageSearch, replaceAll: boolean): readonly Match[] | "too-many" {
  const matches: Match[] = [];
  let end = -1;
  for (const place of placesOf(search)) {
    if (replaceAll && place.start < end) continue;
    if (matches.length === (replaceAll ? MAX_REPLACED_PLACES : 1)) return "too-many";
    matches.push(place);
    end = place.end;
  }
  return matches;
}

/** Every place that the stage accepts, in ascending order, overlapping ones included. */
function* placesOf({ units, pattern, accept, last }: StageSearch): Generator<Match> {
  const search = new UnitSearch(pattern);
  for (let at = search.next(units, 0); at !== -1; at = search.next(units, at + 1)) {
    const place = accept(at);
    if (place !== undefined) yield place;
  }
  const atEnd = last?.();
  if (atEnd !== undefined) yield atEnd;
}

/** Counts all places, and lists the first lines that have one. */
function countPlaces(search: StageSearch, units: Units): TooManyPlaces {
  const starts: number[] = [];
  let count = 0;
  let lineEnd = -1;
  let hasMoreLines = false;
  for (const { start } of placesOf(search)) {
    count++;
    if (start <= lineEnd) continue;
    hasMoreLines = starts.length === MAX_NAMED_LINES;
    if (hasMoreLines) continue;
    starts.push(start);
    const end = units.indexOf(LF, start);
    lineEnd = end === -1 ? units.length : end;
  }
  return { count, starts, hasMoreLines };
}

/**
 * Whether any stage between "exact" and "indentation" can find something. Only the view of the most tolerant one is searched,
 * because it contains whatever the stricter ones find; so a text that is nowhere costs one fold. Whitespace at the start of
 * `oldText` is ignored, because in the file it may be part of a longer run.
 */
function mayMatchTolerantly(views: FileViews, oldText: Units, { stages, whitespace }: MatchOptions): boolean {
  const kind: FoldKind = stages.includes("whitespace")
    ? whitespace === "inside"
      ? "whitespace-runs"
      : "all-whitespace"
    : stages.includes("trailing-whitespace")
      ? "trailing-whitespace"
      : "line-endings";
  const trimmed = trimSpaces(foldUnits(oldText, kind).units);
  let start = 0;
  while (start < trimmed.length && isInlineWhitespace(trimmed[start]!)) start++;
  const pattern = trimmed.subarray(start);
  if (pattern.length === 0) return true;
  const { units } = views.folded(kind);
  if (new UnitSearch(pattern).next(units, 0) !== -1) return true;
  return pattern[pattern.length - 1] === LF && endsWithUnits(units, pattern.subarray(0, pattern.length - 1));
}

/** Whether the stage "indentation" can find something: only if the file contains the longest line of `oldText`. */
function hasLongestLine(units: Units, oldText: Units): boolean {
  let longest = lineFrom(oldText, 0);
  for (let line = longest; line.next < oldText.length; ) {
    line = lineFrom(oldText, line.next);
    if (line.contentEnd - line.contentStart > longest.contentEnd - longest.contentStart) longest = line;
  }
  const content = oldText.subarray(longest.contentStart, longest.contentEnd);
  return content.length > 0 && new UnitSearch(content).next(units, 0) !== -1;
}

/** Comparisons allowed per unit of the text before the search switches to the method that never goes back. */
const WORK_PER_UNIT = 4;
const WORK_ALLOWANCE = 4_096;

/**
 * Searches for one sequence of units in linear time: by Horspool's algorithm, which skips most units, and in a repetitive text
 * by that of Knuth, Morris and Pratt, which never goes back.
 */
export class UnitSearch {
  readonly #pattern: Units;
  /** How far the pattern may move when its end is on a unit, by the low byte of that unit. */
  readonly #skip: Uint32Array | undefined;
  #borders: Uint32Array | undefined;

  /** @param pattern - At least one unit. */
  constructor(pattern: Units) {
    this.#pattern = pattern;
    const last = pattern.length - 1;
    if (last === 0) return;
    const skip = new Uint32Array(256).fill(pattern.length);
    for (let index = 0; index < last; index++) skip[pattern[index]! & 0xff] = last - index;
    this.#skip = skip;
  }

  /** The first place of the pattern at or after `from`, or -1. */
  next(text: Units, from: number): number {
    const pattern = this.#pattern;
    const skip = this.#skip;
    if (skip === undefined) return text.indexOf(pattern[0]!, from);
    const last = pattern.length - 1;
    const lastUnit = pattern[last]!;
    const limit = text.length - pattern.length;
    let work = 0;
    let at = from;
    while (at <= limit) {
      const unit = text[at + last]!;
      if (unit === lastUnit) {
        let index = 0;
        while (index < last && text[at + index] === pattern[index]) index++;
        if (index === last) return at;
        work += index;
        if (work > WORK_ALLOWANCE + WORK_PER_UNIT * (at - from)) return this.#nextWithoutGoingBack(text, at);
      }
      at += skip[unit & 0xff]!;
    }
    return -1;
  }

  #nextWithoutGoingBack(text: Units, from: number): number {
    const pattern = this.#pattern;
    this.#borders ??= bordersOf(pattern);
    const borders = this.#borders;
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      const unit = text[at];
      while (matched > 0 && pattern[matched] !== unit) matched = borders[matched - 1]!;
      if (pattern[matched] === unit) matched++;
      if (matched === pattern.length) return at - matched + 1;
    }
    return -1;
  }
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: Units): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  let length = 0;
  for (let index = 1; index < pattern.length; index++) {
    while (length > 0 && pattern[length] !== pattern[index]) length = borders[length - 1]!;
    if (pattern[length] === pattern[index]) length++;
    borders[index] = length;
  }
  return borders;
}
