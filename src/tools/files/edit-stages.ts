/** How each stage sees a file and a wanted text, and which places it takes. */
import type { EditStage } from "../../kernel/index.js";
import { CR, type FoldedUnits, type FoldKind, foldUnits, LF, trimSpaces } from "./edit-fold.js";
import { IndentFold } from "./edit-indent-fold.js";
import { shiftedSearch } from "./edit-indentation.js";
import type { Match, StageSearch } from "./edit-match.js";
import { endsWithUnits, UnitSearch, type Units } from "./edit-search.js";
import type { UnitText } from "./unit-text.js";

/** A file as the stages see it; each view is made once, when a stage first needs it. */
export class Haystack {
  readonly #folds = new Map<FoldKind, FoldedUnits>();
  #shiftable: IndentFold | undefined;

  constructor(readonly text: UnitText) {}

  folded(kind: FoldKind): FoldedUnits {
    let fold = this.#folds.get(kind);
    if (fold === undefined) {
      fold = foldUnits(this.text.units, kind);
      this.#folds.set(kind, fold);
    }
    return fold;
  }

  /** The view in which lines read the same wherever they are shifted to. */
  shiftable(): IndentFold {
    this.#shiftable ??= new IndentFold(this.text.units);
    return this.#shiftable;
  }
}

/** Undefined where the stage finds nothing. */
type Stage = (haystack: Haystack, wanted: Units, whitespace: "inside" | "anywhere") => StageSearch | undefined;

/** Every place of one text, in rising order, those that overlap included. */
export function* placesOf({ units, needle, differs, accept, last }: StageSearch): Generator<Match> {
  if (differs) {
    const search = new UnitSearch(needle);
    for (let at = search.next(units, 0); at !== -1; at = search.next(units, at + 1)) {
      const place = accept(at);
      if (place !== undefined) yield place;
    }
  }
  const atEnd = last?.();
  if (atEnd !== undefined) yield atEnd;
}

export const STAGES: Readonly<Record<EditStage, Stage>> = {
  exact: (haystack, wanted) => exactSearch(haystack.text, wanted),
  "line-endings": (haystack, wanted) => foldedSearch(haystack, wanted, "line-endings"),
  "trailing-blanks": (haystack, wanted) => foldedSearch(haystack, wanted, "trailing-blanks"),
  whitespace: (haystack, wanted, whitespace) =>
    whitespace === "inside" ? foldedSearch(haystack, wanted, "blank-runs") : searchInAnySpace(haystack, wanted),
  indentation: (haystack, wanted) => shiftedSearch(haystack.shiftable(), wanted),
};

function exactSearch(text: UnitText, needle: Units): StageSearch {
  const { units } = text;
  return {
    units,
    needle,
    differs: true,
    accept(at) {
      // A line feed that closes a CR LF pair is half a line end: the next stage takes the pair.
      const splitsPair = needle[0] === LF && at > 0 && units[at - 1] === CR;
      return !splitsPair && text.isCharacterStart(at) ? { start: at, end: at + needle.length } : undefined;
    },
  };
}

function foldedSearch(haystack: Haystack, wanted: Units, kind: FoldKind): StageSearch | undefined {
  const fold = haystack.folded(kind);
  const needle = foldUnits(wanted, kind);
  if (needle.units.length === 0) return undefined;
  const standsAlone = kind === "blank-runs";
  return {
    units: fold.units,
    needle: needle.units,
    differs: fold.changed || needle.changed,
    accept(at) {
      const end = at + needle.units.length;
      // Blanks that the wanted text ends with were dropped as trailing ones: they must be trailing in the file as well.
      if (needle.endsInBlanks && !fold.isLineEnd(end)) return undefined;
      if (standsAlone && isInsideWord(fold.units, at, end)) return undefined;
      const start = fold.originalStart(at);
      return haystack.text.isCharacterStart(start) ? { start, end: fold.originalEnd(end) } : undefined;
    },
    last: () => placeAtMissingLineEnd(haystack, fold, needle.units),
  };
}

/** The file ends without a line end, and the wanted text ends with one: they mean the same last line. */
function placeAtMissingLineEnd(haystack: Haystack, fold: FoldedUnits, needle: Units): Match | undefined {
  if (needle[needle.length - 1] !== LF || needle.length < 2) return undefined;
  const line = needle.subarray(0, needle.length - 1);
  const at = fold.units.length - line.length;
  if (!endsWithUnits(fold.units, line) || isInsideWord(fold.units, at, fold.units.length)) return undefined;
  const start = fold.originalStart(at);
  if (!haystack.text.isCharacterStart(start)) return undefined;
  return { start, end: haystack.text.units.length, atMissingLineEnd: true };
}

function searchInAnySpace(haystack: Haystack, wanted: Units): StageSearch | undefined {
  const fold = haystack.folded("all-white-space");
  const needle = trimSpaces(foldUnits(wanted, "all-white-space").units);
  if (needle.length === 0) return undefined;
  return {
    units: fold.units,
    needle,
    differs: true,
    accept(at) {
      const end = at + needle.length;
      const start = fold.originalStart(at);
      if (isInsideWord(fold.units, at, end) || !haystack.text.isCharacterStart(start)) return undefined;
      return { start, end: fold.originalEnd(end) };
    },
  };
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
