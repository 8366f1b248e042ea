/**
 * Finds the lines of a file that are most similar to a text that does not occur in it, in one pass. Lines that equal
 * one of the text except for whitespace and case vote for where the text would begin; the longest line of the text is also
 * compared by three-unit sequences, so that a place without any equal line is found too.
 */
import { foldTypography, hasLookAlikes } from "../../text/index.js";
import { CR, isInlineWhitespace, LF, type Units, type UnitText } from "./units.js";

const MAX_PLACES = 3;
/** Lines with less content than this, such as a brace, are no evidence. */
const MIN_EVIDENCE = 3;
/** A long line counts no more than this many units. */
const MAX_EVIDENCE = 40;
/** Equal lines of the text that one line of the file may stand for. */
const MAX_SAME_LINES = 4;
/** The largest text that is compared character by character. */
const MAX_FOLDED_UNITS = 16 * 1024 * 1024;
/** Candidate places kept at once. */
const MAX_CANDIDATES = 20_000;
/** The share of the text that must be found for a place to be called near. */
const MIN_SHARE = 0.3;

/** Lines of the file, from 0, at which `oldText` would begin; best first. */
export function nearestLines(text: UnitText, oldText: string): readonly number[] {
  const lines = linesOf(oldText);
  const places: number[] = [];
  for (const { line, score } of findCandidates(text, lines)) {
    if (places.length === MAX_PLACES || score < MIN_SHARE) break;
    const isApart = (place: number) => Math.abs(place - line) >= Math.max(1, lines.length / 2);
    if (places.every(isApart)) places.push(line);
  }
  if (places.length > 0) return places;
  const line = lookAlikeLine(text, oldText);
  return line === undefined ? [] : [line];
}

/** The lines of an `oldText`, without line endings; one at its end begins no further line. */
export function linesOf(oldText: string): readonly string[] {
  return oldText.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
}

/** Finds a text that is too short for scoring by folding look-alike characters. */
function lookAlikeLine(text: UnitText, oldText: string): number | undefined {
  if (!hasLookAlikes(oldText) || text.units.length > MAX_FOLDED_UNITS) return undefined;
  const [file, sought] = [text.decode(0, text.units.length), oldText].map(foldTypography);
  const at = sought === "" ? -1 : file!.indexOf(sought!);
  return at === -1 ? undefined : file!.slice(0, at).split("\n").length - 1;
}

interface Candidate {
  /** Line of the file, from 0, at which the text would begin. */
  readonly line: number;
  score: number;
}

function findCandidates(text: UnitText, lines: readonly string[]): Candidate[] {
  const keyed = keysOf(text, lines);
  const total = [...keyed.values()].flat().reduce((sum, { evidence }) => sum + evidence, 0);
  const votes = new Map<number, number>();
  const { index: longest, weight, probes } = probesOf(text, lines);
  const { units } = text;
  const key = new LineKey();
  let line = 0;
  for (let start = 0; start < units.length; line++) {
    const end = endOfLine(units, start);
    for (const probe of probes) probe.scan(units, start, end, line);
    if (keyed.size > 0) key.read(units, start, end);
    for (const { index, length, evidence } of keyed.get(key.hash) ?? []) {
      if (length !== key.length) continue;
      const before = votes.get(line - index);
      if (before !== undefined || votes.size < MAX_CANDIDATES) votes.set(line - index, (before ?? 0) + evidence);
    }
    start = end + 1;
  }
  const candidates = new Map<number, Candidate>();
  for (const [begin, evidence] of votes) candidates.set(begin, { line: begin, score: evidence / total });
  for (const { line: at, score } of probes.flatMap(({ best }) => best)) {
    const begin = at - longest;
    const known = candidates.get(begin);
    if (known === undefined) candidates.set(begin, { line: begin, score: score * weight });
    else known.score += score * weight;
  }
  return [...candidates.values()].filter(({ line: at }) => at >= 0).sort(byScore);
}

const byScore = (one: Candidate, other: Candidate) => other.score - one.score || one.line - other.line;

/** The offset of the line feed that ends the line, or of the end of the file. */
export function endOfLine(units: Units, start: number): number {
  const at = units.indexOf(LF, start);
  return at === -1 ? units.length : at;
}

interface KeyedLine {
  readonly index: number;
  readonly length: number;
  readonly evidence: number;
}

/** The lines of the text that are evidence, by their key. */
function keysOf(text: UnitText, lines: readonly string[]): Map<number, KeyedLine[]> {
  const keyed = new Map<number, KeyedLine[]>();
  const key = new LineKey();
  // A single line that is in the file except for whitespace and case is found by its sequences.
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

/** A hash of a line that whitespace and the case of ASCII letters do not change. */
class LineKey {
  hash = 0;
  length = 0;

  read(units: Units, start: number, end: number): void {
    let hash = 0x811c9dc5;
    let length = 0;
    for (let at = start; at < end; at++) {
      const unit = units[at]!;
      if (isInlineWhitespace(unit) || unit === CR) continue;
      hash = Math.imul(hash ^ lowerCase(unit), 0x01000193);
      length++;
    }
    this.hash = hash >>> 0;
    this.length = length;
  }
}

const lowerCase = (unit: number) => (unit >= 65 && unit <= 90 ? unit + 32 : unit);

/**
 * The longest line is the best evidence. `weight` is what it adds to a place that lines have voted for. Where its accents can be composed
 * in two ways both are tried.
 */
function probesOf(text: UnitText, lines: readonly string[]) {
  let index = 0;
  lines.forEach((line, at) => {
    if (line.trim().length > lines[index]!.trim().length) index = at;
  });
  const spellings = new Set([lines[index]!.normalize("NFC"), lines[index]!.normalize("NFD")]);
  const probes = [...spellings].flatMap((spelling) => TrigramProbe.of(text.encode(spelling)) ?? []);
  return { index, weight: lines.length === 1 ? 1 : 0.6, probes };
}

const SLOTS = 1 << 14;
/** Units of the longest line that are compared. */
const MAX_PROBED = 256;
/** The best lines kept. */
const MAX_BEST = 8;
/** What each length of the probed line beyond the first costs a longer line. */
const LENGTH_COST = 0.02;
/** A line with at least this share of ASCII is compared by its ASCII alone. */
const ASCII_SHARE = 0.6;

/**
 * Scores lines by how many three-unit sequences they share with one line, whatever their whitespace, quotes, hyphens and case.
 * In a line that is mostly ASCII other units do not count either, so that typographic signs and accents, which may be spelled
 * in several ways, do not hide a place. A few operations a unit.
 */
class TrigramProbe {
  /** The best lines so far, best first. A score is the share of the sequences, less a little for what else the line has. */
  readonly best: Candidate[] = [];
  readonly #counts: (unit: number) => boolean;
  /** For each slot 0, or the number of the sequence that falls into it, from 1. */
  readonly #sequences = new Uint16Array(SLOTS);
  /** The line, from 1, in which each sequence was last seen. */
  readonly #lastSeen: Uint32Array;
  readonly #count: number;

  static of(units: Units | undefined): TrigramProbe | undefined {
    if (units === undefined) return undefined;
    const ascii = units.filter((unit: number) => unit < 0x80).length;
    const counts = ascii >= units.length * ASCII_SHARE ? countsInAscii : countsAnywhere;
    const slots = new Set<number>();
    let rolling = 0;
    let length = 0;
    for (let at = 0; at < units.length && length < MAX_PROBED; at++) {
      if (!counts(units[at]!)) continue;
      rolling = roll(rolling, units[at]!);
      if (++length >= 3) slots.add(slotOf(rolling));
    }
    return slots.size === 0 ? undefined : new TrigramProbe(slots, counts);
  }

  private constructor(slots: ReadonlySet<number>, counts: (unit: number) => boolean) {
    this.#counts = counts;
    this.#count = slots.size;
    this.#lastSeen = new Uint32Array(slots.size + 1);
    let number = 0;
    for (const slot of slots) this.#sequences[slot] = ++number;
  }

  /** Scores one line of the file; `line` counts from 0 and rises. */
  scan(units: Units, start: number, end: number, line: number): void {
    const sequences = this.#sequences;
    const lastSeen = this.#lastSeen;
    const counts = this.#counts;
    const stamp = line + 1;
    let rolling = 0;
    let length = 0;
    let shared = 0;
    for (let at = start; at < end; at++) {
      const unit = units[at]!;
      if (!counts(unit)) continue;
      rolling = roll(rolling, unit);
      if (++length < 3) continue;
      const number = sequences[slotOf(rolling)]!;
      if (number === 0 || lastSeen[number] === stamp) continue;
      lastSeen[number] = stamp;
      shared++;
    }
    if (shared * 3 >= this.#count) this.#keep(line, shared, length);
  }

  #keep(line: number, shared: number, length: number): void {
    const extra = Math.min(1, (LENGTH_COST * Math.max(0, length - this.#count)) / this.#count);
    const score = shared / this.#count - extra;
    const last = this.best[MAX_BEST - 1];
    if (last !== undefined && last.score >= score) return;
    this.best.push({ line, score });
    this.best.sort(byScore);
    if (this.best.length > MAX_BEST) this.best.pop();
  }
}

function countsAnywhere(unit: number): boolean {
  return !isInlineWhitespace(unit) && unit !== CR && unit !== 34 && unit !== 39 && unit !== 45;
}

function countsInAscii(unit: number): boolean {
  return unit < 0x80 && countsAnywhere(unit);
}

function roll(rolling: number, unit: number): number {
  return ((rolling << 8) | (lowerCase(unit) & 0xff)) & 0xffffff;
}

function slotOf(rolling: number): number {
  return (Math.imul(rolling, 0x9e3779b1) >>> 18) & (SLOTS - 1);
}
