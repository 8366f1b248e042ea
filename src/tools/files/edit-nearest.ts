import type { NearestPlace } from "../../kernel/index.js";
import { cutHead, foldTypography, hasLookAlikes, stripControls } from "../../text/index.js";
import { type Anchor, describeDifference, standsIn } from "./edit-differences.js";
import { CR, isBlank, LF } from "./edit-fold.js";
import type { Units } from "./edit-search.js";
import { type ProbeOptions, TrigramProbe } from "./edit-trigrams.js";
import type { UnitText } from "./unit-text.js";

const MAX_PLACES = 3;
/** Lines and bytes shown of one place. */
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_BYTES = 1_024;
/** Lines that say this little, such as a brace, are no evidence. */
const MIN_EVIDENCE = 3;
/** A long line counts no more than this many units. */
const MAX_EVIDENCE = 40;
/** Places in the wanted text that equal lines may stand for. */
const MAX_SAME_LINES = 4;
/** The largest text that is looked through character by character. */
const MAX_FOLDED_UNITS = 16 * 1024 * 1024;
/** Candidate places kept at once. */
const MAX_CANDIDATES = 20_000;
/** The share of the wanted text that must be found for a place to be called near. */
const MIN_SHARE = 0.3;

interface Candidate {
  /** Line of the file, from 0, on which the wanted text would begin. */
  readonly line: number;
  score: number;
}

/**
 * The places that come near `wanted`, best first. One pass over the file: lines that equal a line of `wanted` but for
 * blanks and case vote for where it would begin, and the line most like its longest one is looked for by three-unit
 * sequences, so that a text without any equal line is found too.
 */
export function nearestPlaces(text: UnitText, wanted: string): NearestPlace[] {
  const lines = linesOf(wanted);
  const found = collect(text, lines);
  const places: { readonly place: NearestPlace; readonly line: number }[] = [];
  for (const candidate of found) {
    if (places.length === MAX_PLACES || candidate.score < MIN_SHARE) break;
    if (places.some(({ line }) => Math.abs(line - candidate.line) < Math.max(1, lines.length / 2))) continue;
    places.push({ line: candidate.line, place: describe(text, candidate.line, lines) });
  }
  if (places.length === 0) {
    const line = lineAlike(text, wanted);
    if (line !== undefined) return [describe(text, line, lines)];
  }
  return places.map(({ place }) => place);
}

/** Where a text too short to be near anything stands but for characters that look alike, as a line from 0. */
function lineAlike(text: UnitText, wanted: string): number | undefined {
  if (!hasLookAlikes(wanted) || text.units.length > MAX_FOLDED_UNITS) return undefined;
  const [file, sought] = [text.decode(0, text.units.length), wanted].map(foldTypography);
  const at = sought === "" ? -1 : file!.indexOf(sought!);
  return at === -1 ? undefined : file!.slice(0, at).split("\n").length - 1;
}

/** The lines of the file, from a line counted from 1, that a text of as many lines would take. */
export function placeAt(
  text: UnitText,
  line: number,
  wanted: string,
): { readonly line: number; readonly text: string } {
  const { line: at, text: shown } = describe(text, line - 1, linesOf(wanted));
  return { line: at, text: shown };
}

function linesOf(wanted: string): readonly string[] {
  return wanted.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
}

function collect(text: UnitText, lines: readonly string[]): Candidate[] {
  const keyed = keysOf(text, lines);
  const total = [...keyed.values()].flat().reduce((sum, { evidence }) => sum + evidence, 0);
  const votes = new Map<number, number>();
  const probes = probesOf(text, lines);
  const { units } = text;
  const key = new LineKey();
  let line = 0;
  for (let start = 0; start < units.length; line++) {
    const end = endOfLine(units, start);
    for (const probe of probes) probe.scan(units, start, end, line);
    if (keyed.size > 0) key.read(units, start, end);
    for (const wanted of keyed.get(key.hash) ?? []) {
      if (wanted.length !== key.length) continue;
      const begin = line - wanted.index;
      const before = votes.get(begin);
      if (before !== undefined || votes.size < MAX_CANDIDATES) votes.set(begin, (before ?? 0) + wanted.evidence);
    }
    start = end + 1;
  }
  const candidates = new Map<number, Candidate>();
  for (const [begin, evidence] of votes) candidates.set(begin, { line: begin, score: evidence / total });
  for (const { options, best } of probes) {
    for (const { line: at, score } of best) {
      const begin = at - options.index;
      const known = candidates.get(begin);
      if (known === undefined) candidates.set(begin, { line: begin, score: score * options.weight });
      else known.score += score * options.weight;
    }
  }
  return [...candidates.values()]
    .filter(({ line: at }) => at >= 0)
    .sort((a, b) => b.score - a.score || a.line - b.line);
}

interface KeyedLine {
  readonly index: number;
  readonly length: number;
  readonly evidence: number;
}

/** The lines of the wanted text that are evidence, by their key. */
function keysOf(text: UnitText, lines: readonly string[]): Map<number, KeyedLine[]> {
  const keyed = new Map<number, KeyedLine[]>();
  const key = new LineKey();
  // A single line that stood anywhere but for blanks and case is found by its sequences.
  if (lines.length === 1) return keyed;
  lines.forEach((line, index) => {
    const units = text.encode(line);
    if (units === undefined) return;
    key.read(units, 0, units.length);
    const same = keyed.get(key.hash) ?? [];
    if (key.length < MIN_EVIDENCE || same.length >= MAX_SAME_LINES) return;
    same.push({ index, length: key.length, evidence: Math.min(key.length, MAX_EVIDENCE) });
    keyed.set(key.hash, same);
  });
  return keyed;
}

/** A number for a line that blanks and the case of ASCII letters do not change. */
class LineKey {
  hash = 0;
  length = 0;

  read(units: Units, start: number, end: number): void {
    let hash = 0x811c9dc5;
    let length = 0;
    for (let at = start; at < end; at++) {
      const unit = units[at]!;
      if (isBlank(unit) || unit === CR) continue;
      hash = Math.imul(hash ^ (unit >= 65 && unit <= 90 ? unit + 32 : unit), 0x01000193);
      length++;
    }
    this.hash = hash >>> 0;
    this.length = length;
  }
}

/**
 * The longest line says most. What it adds to a place that lines have voted for is its share of the whole text. Where its
 * accents can be composed in two ways it is looked for in both.
 */
function probesOf(text: UnitText, lines: readonly string[]): TrigramProbe[] {
  let index = 0;
  lines.forEach((line, at) => {
    if (line.trim().length > lines[index]!.trim().length) index = at;
  });
  const options: ProbeOptions = { index, weight: lines.length === 1 ? 1 : 0.6 };
  const spellings = new Set([lines[index]!.normalize("NFC"), lines[index]!.normalize("NFD")]);
  return [...spellings].flatMap((spelling) => {
    const units = text.encode(spelling);
    return (units === undefined ? undefined : TrigramProbe.of(units, options)) ?? [];
  });
}

function endOfLine(units: Units, start: number): number {
  const at = units.indexOf(LF, start);
  return at === -1 ? units.length : at;
}

function describe(text: UnitText, line: number, wanted: readonly string[]): NearestPlace {
  const found = linesAt(text, line, wanted.length);
  const last = wanted.length - 1;
  const anchorOf = (at: number): Anchor => {
    const opens = at === 0 && (last === 0 || !/^[ \t]/.test(wanted[0]!));
    if (at === last) return opens ? "anywhere" : "start";
    return opens ? "end" : "whole";
  };
  const differing = wanted.findIndex((one, at) => !standsIn(found[at] ?? "", one, anchorOf(at)));
  const index = differing === -1 ? 0 : differing;
  const there = found[index];
  const differs =
    there === undefined
      ? "the file ends before it"
      : `on line ${line + index + 1}, ${describeDifference(there, wanted[index]!, anchorOf(index))}`;
  const shown = stripControls(found.slice(0, MAX_SHOWN_LINES).join("\n")).text;
  return { line: line + 1, text: cutHead(shown, MAX_SHOWN_BYTES).text, differs };
}

/** Lines of the file without their ends; long ones only as far as they are ever shown or compared. */
function linesAt(text: UnitText, first: number, count: number): string[] {
  const { units } = text;
  let start = 0;
  for (let line = 0; line < first; line++) start = endOfLine(units, start) + 1;
  const lines: string[] = [];
  while (lines.length < count && start < units.length) {
    const end = endOfLine(units, start);
    const whole = text.decode(start, Math.min(end, start + 4 * MAX_SHOWN_BYTES));
    lines.push(whole.endsWith("\r") ? whole.slice(0, -1) : whole);
    start = end + 1;
  }
  return lines;
}
