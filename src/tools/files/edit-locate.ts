import type { EditStage } from "../../kernel/index.js";
import { CR, type FoldedUnits, type FoldKind, foldUnits, isBlank, LF, trimSpaces } from "./edit-fold.js";
import { endsWithUnits, UnitSearch, type Units } from "./edit-search.js";
import type { UnitText } from "./unit-text.js";

/** A place in the original, in units. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The wanted text ends with a line end where the file ends without one. */
  readonly atMissingLineEnd?: true;
}

export type Located =
  | { readonly stage: EditStage; readonly matches: readonly Match[] }
  /** `starts` holds the first of `count` places. */
  | { readonly stage: EditStage; readonly count: number; readonly starts: readonly number[] }
  | "not-found";

export interface LocateOptions {
  readonly stages: readonly EditStage[];
  readonly whitespace: "inside" | "anywhere";
  readonly replaceAll: boolean;
}

/** How many places of an ambiguous text are named. */
const MAX_NAMED_PLACES = 20;
/** The most places that one edit replaces: each of them is told, and more would fill the memory. */
export const MAX_REPLACED_PLACES = 500_000;

/** A file as the stages see it; each view is made once, when a stage first needs it. */
export class Haystack {
  readonly #folds = new Map<FoldKind, FoldedUnits>();

  constructor(readonly text: UnitText) {}

  folded(kind: FoldKind): FoldedUnits {
    let fold = this.#folds.get(kind);
    if (fold === undefined) {
      fold = foldUnits(this.text.units, kind);
      this.#folds.set(kind, fold);
    }
    return fold;
  }
}

/**
 * Finds where `wanted` stands. A stage is tried only when the one before found nothing; it says where, and never what the
 * bytes there become. Without `replaceAll` more than one place, overlapping ones included, is ambiguous; with it,
 * more than `MAX_REPLACED_PLACES`.
 */
export function locate(haystack: Haystack, wanted: Units, options: LocateOptions): Located {
  let isFiltered = false;
  for (const stage of options.stages) {
    if (stage !== "exact" && !isFiltered) {
      if (!standsAnyhow(haystack, wanted, options)) return "not-found";
      isFiltered = true;
    }
    const places = STAGES[stage](haystack, wanted, options.whitespace);
    if (places === undefined) continue;
    if (options.replaceAll) {
      const matches = upTo(MAX_REPLACED_PLACES, withoutOverlaps(places));
      if (matches === undefined) return { stage, ...countOf(STAGES[stage](haystack, wanted, options.whitespace)!) };
      if (matches.length > 0) return { stage, matches };
      continue;
    }
    const [first, ...others] = firstTwo(places);
    if (first === undefined) continue;
    if (others.length === 0) return { stage, matches: [first] };
    return { stage, ...countOf(STAGES[stage](haystack, wanted, options.whitespace)!) };
  }
  return "not-found";
}

/**
 * Whether any tolerant stage can find something, judged by the most tolerant of them alone. What a stage finds the next one
 * finds too, but for blanks that the wanted text begins with, which may be a part of a longer run; so they are left out.
 */
function standsAnyhow(haystack: Haystack, wanted: Units, { stages, whitespace }: LocateOptions): boolean {
  const kind: FoldKind = stages.includes("whitespace")
    ? whitespace === "inside"
      ? "blank-runs"
      : "all-white-space"
    : stages.includes("trailing-blanks")
      ? "trailing-blanks"
      : "line-endings";
  const needle = withoutFirstBlanks(trimSpaces(foldUnits(wanted, kind).units));
  if (needle.length === 0) return true;
  const { units } = haystack.folded(kind);
  if (new UnitSearch(needle).next(units, 0) !== -1) return true;
  return needle[needle.length - 1] === LF && endsWithUnits(units, needle.subarray(0, needle.length - 1));
}

function withoutFirstBlanks(units: Units): Units {
  let start = 0;
  while (start < units.length && isBlank(units[start]!)) start++;
  return units.subarray(start);
}

type Places = Iterable<Match>;
type Stage = (haystack: Haystack, wanted: Units, whitespace: LocateOptions["whitespace"]) => Places | undefined;

const STAGES: Readonly<Record<EditStage, Stage>> = {
  exact: (haystack, wanted) => exactPlaces(haystack.text, wanted),
  "line-endings": (haystack, wanted) => foldedPlaces(haystack, wanted, "line-endings"),
  "trailing-blanks": (haystack, wanted) => foldedPlaces(haystack, wanted, "trailing-blanks"),
  whitespace: (haystack, wanted, whitespace) =>
    whitespace === "inside" ? foldedPlaces(haystack, wanted, "blank-runs") : placesInAnySpace(haystack, wanted),
  // A uniform shift of the indentation also has to shift the new text; until that is built the stage finds nothing.
  indentation: () => undefined,
};

function* exactPlaces(text: UnitText, wanted: Units): Places {
  const { units } = text;
  const search = new UnitSearch(wanted);
  for (let at = search.next(units, 0); at !== -1; at = search.next(units, at + 1)) {
    // A line feed that closes a CR LF pair is half a line end: the next stage takes the pair.
    const splitsPair = wanted[0] === LF && at > 0 && units[at - 1] === CR;
    if (!splitsPair && text.isCharacterStart(at)) yield { start: at, end: at + wanted.length };
  }
}

function* foldedPlaces(haystack: Haystack, wanted: Units, kind: FoldKind): Places {
  const fold = haystack.folded(kind);
  const needle = foldUnits(wanted, kind);
  if (needle.units.length === 0) return;
  const standsAlone = kind === "blank-runs";
  if (fold.changed || needle.changed) {
    const search = new UnitSearch(needle.units);
    for (let at = search.next(fold.units, 0); at !== -1; at = search.next(fold.units, at + 1)) {
      const end = at + needle.units.length;
      // Blanks that the wanted text ends with were dropped as trailing ones: they must be trailing in the file as well.
      if (needle.endsInBlanks && !fold.isLineEnd(end)) continue;
      if (standsAlone && isInsideWord(fold.units, at, end)) continue;
      const start = fold.originalStart(at);
      if (haystack.text.isCharacterStart(start)) yield { start, end: fold.originalEnd(end) };
    }
  }
  yield* placeAtMissingLineEnd(haystack, fold, needle.units);
}

/** The file ends without a line end, and the wanted text ends with one: they mean the same last line. */
function* placeAtMissingLineEnd(haystack: Haystack, fold: FoldedUnits, needle: Units): Places {
  if (needle[needle.length - 1] !== LF || needle.length < 2) return;
  const line = needle.subarray(0, needle.length - 1);
  const at = fold.units.length - line.length;
  if (!endsWithUnits(fold.units, line) || isInsideWord(fold.units, at, fold.units.length)) return;
  const start = fold.originalStart(at);
  if (!haystack.text.isCharacterStart(start)) return;
  yield { start, end: haystack.text.units.length, atMissingLineEnd: true };
}

function* placesInAnySpace(haystack: Haystack, wanted: Units): Places {
  const fold = haystack.folded("all-white-space");
  const needle = trimSpaces(foldUnits(wanted, "all-white-space").units);
  if (needle.length === 0) return;
  const search = new UnitSearch(needle);
  for (let at = search.next(fold.units, 0); at !== -1; at = search.next(fold.units, at + 1)) {
    const end = at + needle.length;
    const start = fold.originalStart(at);
    if (isInsideWord(fold.units, at, end) || !haystack.text.isCharacterStart(start)) continue;
    yield { start, end: fold.originalEnd(end) };
  }
}

/** Whether the place begins or ends in the middle of a word: a tolerant stage does not guess that much. */
function isInsideWord(units: Units, start: number, end: number): boolean {
  const joins = (left: number) => left > 0 && isWord(units[left - 1]) && isWord(units[left]);
  return joins(start) || joins(end);
}

function isWord(unit: number | undefined): boolean {
  if (unit === undefined) return false;
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
}

function* withoutOverlaps(places: Places): Places {
  let end = 0;
  for (const place of places) {
    if (place.start < end) continue;
    end = place.end;
    yield place;
  }
}

/** All of them, or undefined when there are more than `most`. */
function upTo(most: number, places: Places): readonly Match[] | undefined {
  const found: Match[] = [];
  for (const place of places) if (found.push(place) > most) return undefined;
  return found;
}

function firstTwo(places: Places): Match[] {
  const found: Match[] = [];
  for (const place of places) {
    found.push(place);
    if (found.length === 2) break;
  }
  return found;
}

function countOf(places: Places): { readonly count: number; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let count = 0;
  for (const { start } of places) {
    count++;
    if (starts.length < MAX_NAMED_PLACES) starts.push(start);
  }
  return { count, starts };
}
