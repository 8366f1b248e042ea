import type { EditStage } from "../../kernel/index.js";
import { CR, type FoldKind, foldUnits, isBlank, LF, trimSpaces } from "./edit-fold.js";
import { mayStandShifted } from "./edit-indentation.js";
import type { Match } from "./edit-match.js";
import { endsWithUnits, startsWithUnits, UnitSearch, type Units } from "./edit-search.js";
import { type Haystack, placesOf, STAGES } from "./edit-stages.js";

export type Located =
  | { readonly stage: EditStage; readonly matches: readonly Match[] }
  | ({ readonly stage: EditStage } & ManyPlaces)
  | "not-found";

interface ManyPlaces {
  readonly count: number;
  /** The first place of each of the first lines that hold any. */
  readonly starts: readonly number[];
  /** There are more such lines. */
  readonly hasMoreLines: boolean;
}

export interface LocateOptions {
  readonly stages: readonly EditStage[];
  readonly whitespace: "inside" | "anywhere";
  readonly replaceAll: boolean;
}

/** How many lines of an ambiguous text are named. */
const MAX_NAMED_LINES = 20;
/** The most places that one edit replaces: each of them is told, and more would fill the memory. */
export const MAX_REPLACED_PLACES = 500_000;

/**
 * Whether the bytes of `wanted` do not decide which place is meant: its line feeds are what every caller sends, and in a
 * file of several line endings the same lines may stand once more with other ones. So all of them are looked for at once.
 */
export function endsAreOpen(haystack: Haystack, wanted: Units, stages: readonly EditStage[]): boolean {
  const isOpen = wanted.indexOf(LF) !== -1 && wanted.indexOf(CR) === -1 && stages.includes("line-endings");
  return isOpen && haystack.text.lineEndings === "mixed";
}

/** The stage that found these places, which is "exact" for bytes that are those of `wanted` at each of them. */
export function stageOf(stage: EditStage, matches: readonly Match[], wanted: Units, units: Units): EditStage {
  if (stage !== "line-endings") return stage;
  const isExact = ({ start, end }: Match) => end - start === wanted.length && startsWithUnits(units, wanted, start);
  return matches.every(isExact) ? "exact" : stage;
}

/**
 * Finds where `wanted` stands. A stage is tried only when the one before found nothing; it says where, and never what the
 * bytes there become. Without `replaceAll` more than one place, overlapping ones included, is ambiguous; with it,
 * more than `MAX_REPLACED_PLACES`.
 */
export function locate(haystack: Haystack, wanted: Units, options: LocateOptions): Located {
  let stands: boolean | undefined;
  const skipsExact = endsAreOpen(haystack, wanted, options.stages);
  for (const stage of options.stages) {
    if (skipsExact && stage === "exact") continue;
    if (stage === "indentation") {
      if (!mayStandShifted(haystack.text.units, wanted)) continue;
    } else if (stage !== "exact") {
      stands ??= standsAnyhow(haystack, wanted, options);
      if (!stands) continue;
    }
    const search = STAGES[stage](haystack, wanted, options.whitespace);
    if (search === undefined) continue;
    const taken = new TakenPlaces(options.replaceAll);
    for (const place of placesOf(search)) if (!taken.add(place)) break;
    if (taken.isTooMany) return { stage, ...countOf(placesOf(search), haystack.text.units) };
    if (taken.matches.length > 0)
      return { stage: stageOf(stage, taken.matches, wanted, haystack.text.units), matches: taken.matches };
  }
  return "not-found";
}

/** What an edit replaces: the one place of its text, or all that do not overlap. */
export class TakenPlaces {
  readonly matches: Match[] = [];
  isTooMany = false;

  constructor(private readonly takesAll: boolean) {}

  /** Places come in rising order. False when no more are needed. */
  add(place: Match): boolean {
    const last = this.matches.at(-1);
    if (this.takesAll && last !== undefined && place.start < last.end) return true;
    this.isTooMany ||= this.matches.length === (this.takesAll ? MAX_REPLACED_PLACES : 1);
    if (this.isTooMany) return false;
    this.matches.push(place);
    return true;
  }
}

/**
 * Whether any tolerant stage but "indentation" can find something, judged by the most tolerant of them alone. What a stage finds the next one
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

/** Places come in rising order; the file is looked at no further than the last line that is named. */
function countOf(places: Iterable<Match>, units: Units): ManyPlaces {
  const starts: number[] = [];
  let count = 0;
  let lineEnd = -1;
  let hasMoreLines = false;
  for (const { start } of places) {
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
