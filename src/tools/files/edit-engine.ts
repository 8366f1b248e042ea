import type { EditLimits, EditPair, EditStage, NearestPlace } from "../../kernel/index.js";
import { applyEdits, LineNumbers, type Replacement } from "./edit-apply.js";
import { shiftText } from "./edit-indentation.js";
import { differOnlyInEndings, fitLineEnds, LineEndsAround } from "./edit-line-ends.js";
import { endsAreOpen, type LocateOptions, locate } from "./edit-locate.js";
import { locateAll } from "./edit-locate-all.js";
import type { Match } from "./edit-match.js";
import { nearestPlaces } from "./edit-nearest.js";
import type { Units } from "./edit-search.js";
import { Haystack } from "./edit-stages.js";
import type { UnitText } from "./unit-text.js";

/** What a call's edits come to. `edit` counts from 0. Nothing is changed unless all of them can be made. */
export type EditPlan =
  | {
      readonly kind: "applied";
      readonly bytes: Uint8Array;
      readonly ranges: readonly { readonly before: Pair; readonly after: Pair; readonly line: number }[];
      readonly stage: EditStage;
      readonly eolConverted: boolean;
      readonly reindented: boolean;
      /** In a file of several line endings, those of an `oldText` decided which place was meant. */
      readonly byEndings: boolean;
    }
  | {
      readonly kind: "not-found";
      readonly edit: number;
      readonly nearest: readonly NearestPlace[];
      readonly hint?: Hint;
    }
  | {
      readonly kind: "ambiguous";
      readonly edit: number;
      readonly count: number;
      /** The first lines that hold it, each once. */
      readonly lines: readonly number[];
      readonly hasMoreLines: boolean;
      /** It has line feeds, which in this file stand for any line ending. */
      readonly hasOtherEndings: boolean;
    }
  | { readonly kind: "overlap"; readonly edits: Pair }
  /** `char`: the first character of the new text that the encoding of the file lacks. */
  | { readonly kind: "not-encodable"; readonly edit: number; readonly char: string }
  | { readonly kind: "no-change" };

type Pair = readonly [number, number];

/**
 * What is wrong with a text that stands nowhere. `gutter`: it was copied together with the line numbers that `read` shows.
 * `escaped`: it has the two characters `\n` (or another JSON escape) where the file has the character itself; `unescaped`:
 * the other way round.
 */
export type Hint = "gutter" | "escaped" | "unescaped";

/** A number, then the sign that tools put between it and the line. */
const GUTTER = /^ *\d+(?:\t|│|\||→|: )/;

/** More edits than this are looked for together: fewer are found sooner one by one. */
const SOUGHT_ONE_BY_ONE = 32;

/** How `planEdits` works. */
export interface PlanOptions extends Pick<EditLimits, "stages" | "whitespace"> {
  readonly replaceAll: boolean;
  /** Called now and then; what it throws ends the work. Default: nothing. */
  readonly rest?: () => Promise<void>;
}

/**
 * Works out all edits of a call against the original. Pure: bytes in, bytes out. Linear in the file, and the cost hardly
 * depends on how long the wanted texts are, nor on how many.
 */
export async function planEdits(text: UnitText, edits: readonly EditPair[], options: PlanOptions): Promise<EditPlan> {
  const { rest = async () => {} } = options;
  const haystack = new Haystack(text);
  const locating: LocateOptions = { ...options, whitespace: options.whitespace ?? "inside" };
  const replacements: Replacement[] = [];
  let stage: EditStage = "exact";
  let eolConverted = false;
  let reindented = false;
  let byEndings = false;
  const pairs = edits.map(withoutMark);
  const wanteds = pairs.map(({ oldText }) => text.encode(oldText) ?? NOTHING);
  const together = edits.length > SOUGHT_ONE_BY_ONE ? await locateAll(haystack, wanteds, locating, rest) : [];
  for (const [edit, { oldText, newText }] of pairs.entries()) {
    const wanted = wanteds[edit]!;
    const located = together[edit] ?? (wanted.length === 0 ? "not-found" : locate(haystack, wanted, locating));
    await rest();
    if (located === "not-found") return notFound(text, haystack, edit, oldText, locating);
    if ("count" in located) {
      const numbers = new LineNumbers(text);
      const { count, starts, hasMoreLines } = located;
      const lines = starts.map((start) => numbers.at(start));
      const hasOtherEndings = endsAreOpen(haystack, wanted, options.stages);
      return { kind: "ambiguous", edit, count, lines, hasMoreLines, hasOtherEndings };
    }
    byEndings ||= located.stage === "exact" && oldText.includes("\r") && text.lineEndings === "mixed";
    if (later(located.stage, stage)) stage = located.stage;
    const writer = new ReplacementWriter(text, { oldText, newText });
    for (const match of located.matches) {
      const fitted = writer.fit(match, located.stage === "whitespace" && locating.whitespace === "anywhere");
      if (fitted === "not-encodable") {
        const char = [...newText].find((one) => text.encode(one) === undefined) ?? "";
        return { kind: "not-encodable", edit, char };
      }
      if (fitted === "not-shiftable") return notFound(text, haystack, edit, oldText, locating);
      reindented ||= fitted.reindented;
      eolConverted ||= fitted.converted;
      replacements.push({ edit, start: match.start, end: match.end, units: fitted.units });
    }
  }
  const applied = applyEdits(text, replacements);
  if ("overlap" in applied) return { kind: "overlap", edits: applied.overlap };
  if (isSame(text.bytes, applied.bytes)) return { kind: "no-change" };
  return { kind: "applied", bytes: applied.bytes, ranges: applied.ranges, stage, eolConverted, reindented, byEndings };
}

/** No text of any file: it stands nowhere. */
const NOTHING: Units = new Uint8Array();

/** The mark in front of a file is no part of its text, so it is none of a text that was copied along with it. */
function withoutMark({ oldText, newText }: EditPair): EditPair {
  if (!oldText.startsWith("\ufeff")) return { oldText, newText };
  return { oldText: oldText.slice(1), newText: newText.startsWith("\ufeff") ? newText.slice(1) : newText };
}

interface FittedUnits {
  readonly units: Units;
  readonly converted: boolean;
  readonly reindented: boolean;
}

/** Makes the new units of each place of one edit; the same text is encoded once. */
class ReplacementWriter {
  readonly #encoded = new Map<string, Units | undefined>();
  readonly #lineEnds: LineEndsAround;
  readonly #isOnlyEndings: boolean;

  constructor(
    private readonly text: UnitText,
    private readonly pair: EditPair,
  ) {
    this.#lineEnds = new LineEndsAround(text);
    this.#isOnlyEndings = differOnlyInEndings(pair.oldText, pair.newText);
  }

  /** "not-shiftable": a line of the new text has not the blanks that the lines of the place have less. */
  fit(match: Match, isTrimmed: boolean): FittedUnits | "not-encodable" | "not-shiftable" {
    const { oldText } = this.pair;
    let { newText } = this.pair;
    // The file ends without a line end, and stays so: what the wanted text had too much, the new one has too.
    if (match.atMissingLineEnd) newText = newText.replace(/(?:\r\n?|\n)$/, "");
    if (isTrimmed) newText = withoutEndsOf(oldText, newText);
    const shifted = match.shift === undefined ? newText : shiftText(newText, match.shift);
    if (shifted === undefined) return "not-shiftable";
    const fitted = fitLineEnds(shifted, this.#lineEnds, match, this.#isOnlyEndings);
    if (!this.#encoded.has(fitted.text)) this.#encoded.set(fitted.text, this.text.encode(fitted.text));
    const units = this.#encoded.get(fitted.text);
    if (units === undefined) return "not-encodable";
    return { units, converted: fitted.converted, reindented: shifted !== newText };
  }
}

/** The place begins and ends with text, so white space that both texts begin or end with stands outside it already. */
function withoutEndsOf(oldText: string, newText: string): string {
  const lead = /^\s*/.exec(oldText)![0];
  const trail = /\s*$/.exec(oldText)![0];
  const headless = newText.startsWith(lead) ? newText.slice(lead.length) : newText;
  return trail !== "" && headless.endsWith(trail) ? headless.slice(0, -trail.length) : headless;
}

function notFound(
  text: UnitText,
  haystack: Haystack,
  edit: number,
  oldText: string,
  locating: LocateOptions,
): EditPlan {
  const stands = (one: string) => {
    const wanted = text.encode(one);
    return wanted !== undefined && wanted.length > 0 && locate(haystack, wanted, locating) !== "not-found";
  };
  const bare = withoutGutter(oldText);
  if (bare !== undefined) {
    const nearest = nearestPlaces(text, bare);
    if (nearest.length > 0 || stands(bare)) return { kind: "not-found", edit, nearest, hint: "gutter" };
  }
  const unescaped = oldText.replace(JSON_ESCAPE, (pair, char: string) => ESCAPED[char] ?? pair);
  if (unescaped !== oldText && stands(unescaped))
    return { kind: "not-found", edit, nearest: nearestPlaces(text, unescaped), hint: "escaped" };
  const escaped = JSON.stringify(oldText).slice(1, -1);
  const nearest = nearestPlaces(text, oldText);
  return escaped !== oldText && stands(escaped)
    ? { kind: "not-found", edit, nearest, hint: "unescaped" }
    : { kind: "not-found", edit, nearest };
}

const JSON_ESCAPE = /\\([nrt"\\])/g;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** The text without line numbers where every line that is not blank has one, else undefined. */
function withoutGutter(oldText: string): string | undefined {
  const lines = oldText.split("\n");
  const numbered = lines.filter((line) => line.trim() !== "");
  if (numbered.length === 0 || !numbered.every((line) => GUTTER.test(line))) return undefined;
  return lines.map((line) => line.replace(GUTTER, "")).join("\n");
}

const ORDER: readonly EditStage[] = ["exact", "line-endings", "trailing-blanks", "whitespace", "indentation"];

function later(stage: EditStage, than: EditStage): boolean {
  return ORDER.indexOf(stage) > ORDER.indexOf(than);
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
