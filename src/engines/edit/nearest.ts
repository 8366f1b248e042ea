/**
 * Finds the places of a file that are most similar to a text that does not occur in it, in one pass. Each line of the file that
 * equals a line of the text, except for whitespace and case, votes for the line where the text would begin. The longest line of
 * the text is also compared with each line by trigrams, which finds places without any equal line.
 */
import { foldTypography, hasLookAlikes } from "../../text/index.js";
import { CR, isInlineWhitespace, LF, type Units, type UnitText } from "./units.js";

const MAX_PLACES = 3;
/** Shorter lines, such as a brace, do not vote. */
const MIN_EVIDENCE = 3;
/** The most that the length of a line counts. */
const MAX_EVIDENCE = 40;
/** Equal lines of the text that one line of the file votes for. */
const MAX_SAME_LINES = 4;
/** The largest file in which look-alike characters are folded. */
const MAX_FOLDED_UNITS = 16 * 1024 * 1024;
/** Candidate places kept at once. */
const MAX_CANDIDATES = 20_000;
/** The lowest score of a place that is reported. */
const MIN_SHARE = 0.3;

/** Lines of the file, from 0, where `oldText` would begin; the most similar first. */
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

/** The lines of `oldText` without line endings. */
export function linesOf(oldText: string): readonly string[] {
  return oldText.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
}

/** Finds a text that is too short for a score, by folding look-alike characters. */
function lookAlikeLine(text: UnitText, oldText: string): number | undefined {
  if (!hasLookAlikes(oldText) || text.units.length > MAX_FOLDED_UNITS) return undefined;
  const [file, sought] = [text.decode(0, text.units.length), oldText].map(foldTypography);
  const at = sought === "" ? -1 : file!.indexOf(sought!);
  return at === -1 ? undefined : file!.slice(0, at).split("\n").length - 1;
}

interface Candidate {
  /** The line of the file, from 0. */
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

/** The lines of the text that can get votes, by their key. */
function keysOf(text: UnitText, lines: readonly string[]): Map<number, KeyedLine[]> {
  const keyed = new Map<number, KeyedLine[]>();
  const key = new LineKey();
  // A single line is found by its trigrams.
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

/** Hashes lines without whitespace and the case of ASCII letters. */
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
 * The trigrams of the longest line, which is the best evidence, in both Unicode normalization forms. `weight` is how much they
 * count beside the votes.
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
/** Units of the line whose trigrams are taken. */
const MAX_PROBED = 256;
/** Lines kept, the best ones. */
const MAX_BEST = 8;
/** How much a line loses for each time that it is longer than the probed one. */
const LENGTH_COST = 0.02;
/** A line with at least this share of ASCII is compared by its ASCII characters only. */
const ASCII_SHARE = 0.6;

/**
 * Scores lines by how many trigrams (sequences of three units) they share with one line. Whitespace, quotes, hyphens and case
 * do not count; in a line that is mostly ASCII only ASCII counts, because accents and typographic characters can be encoded in
 * several ways. Takes a few operations for each unit.
 */
class TrigramProbe {
  /** The best lines so far, best first. The score is the share of the trigrams, less a little for a longer line. */
  readonly best: Candidate[] = [];
  readonly #counts: (unit: number) => boolean;
  /** For each slot the number of its trigram, from 1, or 0. */
  readonly #trigrams = new Uint16Array(SLOTS);
  /** The line, from 1, in which each trigram was last seen. */
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
    for (const slot of slots) this.#trigrams[slot] = ++number;
  }

  /** Scores one line of the file; `line` counts from 0 and must increase with each call. */
  scan(units: Units, start: number, end: number, line: number): void {
    const trigrams = this.#trigrams;
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
      const number = trigrams[slotOf(rolling)]!;
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
