import type { GrepHit, GrepQuery } from "../../kernel/index.js";
import { concatBytes, countNewlines, hasUtf8Bom, hasUtf16Bom, isUtf8, UTF8_BOM_BYTES } from "../../text/index.js";
import { windowOf } from "./line-window.js";
import type { ByteRange, SearchPattern } from "./search-pattern.js";
import { PauseCheck } from "./source.js";

const NEWLINE = 10;
/** A larger file is not searched by a multiline pattern, which needs it whole. */
const MAX_MULTILINE_BYTES = 64 * 1024 * 1024;
/** Longer lines are searched in pieces of this size. A match across two pieces is not found; a piece with a match is reported as the line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

type FileFinding =
  /** "encoding": the file is UTF-16 and must be decoded first. */
  | { readonly skipped: "binary" | "large" | "encoding" }
  | {
      readonly skipped: undefined;
      readonly hits: readonly GrepHit[];
      readonly matchedLines: number;
      /** Lines that were not looked at: too long for the pattern. */
      readonly longLines: number;
      /** The file is not UTF-8: matches may be missing or unreadable until it is decoded. */
      readonly isLegacy: boolean;
    };

type FileQuery = Pick<GrepQuery, "mode" | "context" | "maxLineBytes" | "maxFileBytes" | "binary"> & {
  readonly multiline: boolean;
  /** The pattern has non-ASCII characters, so that text in other encodings must be decoded first. */
  readonly isBeyondAscii: boolean;
  /** Matching lines after which no further one is looked for. */
  readonly enough: number;
};

/**
 * Searches the bytes of one file. Nothing is found in a binary file, wherever its NUL stands: the file is read to its end
 * before a hit is given out, unless `binary` asks for its start only.
 *
 * @param pauseCheck - Asked now and then while matching; once they say that it is over, what was found so far is returned.
 */
export async function searchFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  pattern: SearchPattern,
  query: FileQuery,
  pauseCheck: PauseCheck = new PauseCheck({ signal: new AbortController().signal }),
): Promise<FileFinding> {
  const reader = new FileReading(chunks, query);
  const scan = new LineScan(path, pattern, query);
  if (query.multiline) {
    const maxBytes = Math.min(MAX_MULTILINE_BYTES, pattern.maxBytes);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of reader.chunks()) {
      parts.push(new Uint8Array(chunk));
      size += chunk.length;
      if (size > maxBytes) return { skipped: "large" };
    }
    await scan.pushWhole(concatBytes(parts), pauseCheck);
  } else {
    for await (const block of lineBlocks(reader.chunks())) {
      if (await pauseCheck.pauseAndCheckAborted()) break;
      if (scan.isDone) {
        if (reader.isClassified) break;
      } else await scan.push(block, pauseCheck);
    }
  }
  if (reader.skipped !== undefined) return { skipped: reader.skipped };
  const { hits, matchedLines, longLines } = scan;
  const isLegacy = matchedLines === 0 ? !reader.isUtf8 : hits.some(({ bytes }) => !isUtf8(bytes));
  return { skipped: undefined, hits, matchedLines, longLines, isLegacy };
}

/** Passes chunks on, without a BOM, until the file pauseCheck out binary or too large. */
class FileReading {
  skipped: "binary" | "large" | "encoding" | undefined;
  /** Whether the rest of the file can no longer make it binary. */
  isClassified = false;
  /** False once bytes came that are not UTF-8; looked at only where the pattern is beyond ASCII. */
  isUtf8 = true;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #query: FileQuery;

  constructor(source: AsyncIterable<Uint8Array>, query: FileQuery) {
    this.#source = source;
    this.#query = query;
  }

  chunks(): AsyncGenerator<Uint8Array, void> {
    return withoutBom(this.#classified());
  }

  async *#classified(): AsyncGenerator<Uint8Array, void> {
    const { binary, maxFileBytes } = this.#query;
    const classifiedBytes = binary === "any-nul" ? Number.POSITIVE_INFINITY : binary.firstBytes;
    let size = 0;
    for await (const chunk of this.#source) {
      if (size === 0 && hasUtf16Bom(chunk)) this.skipped = "encoding";
      const nul = size < classifiedBytes ? chunk.indexOf(0) : -1;
      if (this.skipped === undefined && nul !== -1 && size + nul < classifiedBytes) this.skipped = "binary";
      size += chunk.length;
      if (maxFileBytes !== undefined && size > maxFileBytes) this.skipped = "large";
      if (this.skipped !== undefined) return;
      if (this.#query.isBeyondAscii && this.isUtf8) this.isUtf8 = this.#decodes(chunk);
      this.isClassified = size >= classifiedBytes;
      yield chunk;
    }
  }

  #decodes(chunk: Uint8Array): boolean {
    try {
      this.#decoder.decode(chunk, { stream: true });
      return true;
    } catch {
      return false;
    }
  }
}

/** The bytes of a file behind its UTF-8 BOM, which is no part of the first line, however the chunks are cut. */
async function* withoutBom(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    const joined: Uint8Array = start.length === 0 ? chunk : concatBytes([start, chunk]);
    if (joined.length < UTF8_BOM_BYTES) {
      start = new Uint8Array(joined);
      continue;
    }
    start = undefined;
    const text = hasUtf8Bom(joined) ? joined.subarray(UTF8_BOM_BYTES) : joined;
    if (text.length > 0) yield text;
  }
  if (start !== undefined && start.length > 0) yield start;
}

interface Line {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Finds matching lines in blocks of lines and keeps the lines around them. */
class LineScan {
  readonly hits: GrepHit[] = [];
  matchedLines = 0;
  longLines = 0;
  readonly #path: string;
  readonly #pattern: SearchPattern;
  readonly #query: FileQuery;
  #lineNumber = 1;
  #afterLeft = 0;
  #before: Line[] = [];
  /** What is known of a line whose first piece ended the last block: it continues in the next one. */
  #open: "no" | "searched" | "settled" = "no";

  constructor(path: string, pattern: SearchPattern, query: FileQuery) {
    this.#path = path;
    this.#pattern = pattern;
    this.#query = query;
  }

  get isDone(): boolean {
    return this.matchedLines >= this.#query.enough && this.#afterLeft === 0;
  }

  async push(block: Uint8Array, pauseCheck: PauseCheck): Promise<void> {
    let at = 0;
    if (this.#open !== "no") this.#lineNumber--;
    if (this.#hasNone(block)) {
      this.#open = block.at(-1) === NEWLINE ? "no" : "searched";
      return this.#gap(block, 0, block.length);
    }
    for await (const match of this.#matchesByLine(block, pauseCheck)) {
      if (this.matchedLines >= this.#query.enough) break;
      at = this.#take(block, at, match);
    }
    this.#gap(block, at, block.length);
  }

  async pushWhole(bytes: Uint8Array, pauseCheck: PauseCheck): Promise<void> {
    let at = 0;
    const matches = matchesOverLines(bytes, this.#pattern.each(bytes), this.#query.maxLineBytes, pauseCheck);
    for await (const match of matches) {
      if (this.matchedLines >= this.#query.enough) break;
      at = this.#take(bytes, at, match);
    }
    this.#gap(bytes, at, bytes.length);
  }

  /** Whether one look at the whole block shows that no line of it matches: most blocks of most searches. */
  #hasNone(block: Uint8Array): boolean {
    if (this.#open === "settled" || !this.#pattern.isOfLines || block.length > this.#pattern.maxBytes / LOOKAROUNDS)
      return false;
    return !this.#pattern.test(block);
  }

  /** One matching line and what stands between it and the one before; returns where the next line starts. */
  #take(block: Uint8Array, at: number, match: LineMatch): number {
    this.#gap(block, at, match.start);
    this.matchedLines++;
    if (this.#query.mode === "content") this.#emitMatch(block, match);
    this.#lineNumber++;
    return match.next;
  }

  async *#matchesByLine(block: Uint8Array, pauseCheck: PauseCheck): AsyncGenerator<LineMatch> {
    let unaskedBytes = 0;
    for (let start = 0; start < block.length; ) {
      const newline = block.indexOf(10, start);
      const next = newline === -1 ? block.length : newline + 1;
      const line = block.subarray(start, textEnd(block, start, next));
      unaskedBytes += line.length;
      if (unaskedBytes > this.#pattern.maxBytes / LOOKAROUNDS) {
        unaskedBytes = 0;
        if (pauseCheck.isPauseDue() && (await pauseCheck.pauseAndCheckAborted())) return;
      }
      // A line in pieces is one line: once it is found, or omitted, its other pieces are ignored.
      const isKnown = start === 0 && this.#open === "settled";
      const isLong = !isKnown && line.length > this.#pattern.maxBytes;
      const isFound = !isKnown && !isLong && this.#pattern.test(line);
      if (isLong) this.longLines++;
      this.#open = newline !== -1 ? "no" : isKnown || isLong || isFound ? "settled" : "searched";
      if (isFound) yield { start, next, at: await this.#shownMatches(line, pauseCheck) };
      start = next;
    }
  }

  /**
   * Those that a window around the first can show: a line of megabytes may hold a match at every byte. Fewer once the search
   * is over.
   */
  async #shownMatches(line: Uint8Array, pauseCheck: PauseCheck): Promise<readonly ByteRange[]> {
    const { mode, maxLineBytes } = this.#query;
    if (mode !== "content") return [];
    const at: ByteRange[] = [];
    for (const range of this.#pattern.each(line)) {
      if (at.length > 0 && range[0] - at[0]![0] >= maxLineBytes) break;
      at.push(range);
      // One step may look at all the rest of the line.
      if (pauseCheck.isPauseDue() && (await pauseCheck.pauseAndCheckAborted())) break;
    }
    return at;
  }

  #emitMatch(block: Uint8Array, match: LineMatch): void {
    for (const line of this.#before) this.#emit(line, [], true);
    this.#before = [];
    const bytes = block.subarray(match.start, textEnd(block, match.start, match.next));
    const at = match.at
      .map(([from, to]) => [from, Math.min(to, bytes.length)] as const)
      .filter(([from, to]) => from < to);
    this.#emit({ number: this.#lineNumber, bytes }, at, false);
    this.#afterLeft = this.#query.context;
  }

  /** Lines without a match, from `from` to `to`: kept as far as they stand near a match, counted in any case. */
  #gap(block: Uint8Array, from: number, to: number): void {
    const { context, mode } = this.#query;
    let at = from;
    while (this.#afterLeft > 0 && at < to) {
      const next = nextLine(block, at, to);
      this.#emit({ number: this.#lineNumber, bytes: block.subarray(at, textEnd(block, at, next)) }, [], true);
      this.#afterLeft--;
      this.#lineNumber++;
      at = next;
    }
    if (at >= to) return;
    const lines = countNewlines(block.subarray(at, to)) + (block[to - 1] === 10 ? 0 : 1);
    if (context > 0 && mode === "content") this.#remember(block, at, to, lines);
    this.#lineNumber += lines;
  }

  /** Keeps the last lines of a gap, in case a match follows. */
  #remember(block: Uint8Array, from: number, to: number, lines: number): void {
    const { context } = this.#query;
    let at = to;
    for (let kept = 0; kept < Math.min(context, lines); kept++) {
      const newline = at - 2 < from ? -1 : block.lastIndexOf(10, at - 2);
      at = newline < from ? from : newline + 1;
    }
    const near: Line[] = [];
    let number = this.#lineNumber + Math.max(0, lines - context);
    for (; at < to; number++) {
      const next = nextLine(block, at, to);
      near.push({ number, bytes: new Uint8Array(block.subarray(at, textEnd(block, at, next))) });
      at = next;
    }
    this.#before = [...this.#before, ...near].slice(-context);
  }

  #emit(line: Line, at: readonly ByteRange[], isContext: boolean): void {
    const window = windowOf(line.bytes, at, this.#query.maxLineBytes);
    const hit: GrepHit = { kind: "hit", path: this.#path, line: line.number, ...window };
    this.hits.push(isContext ? { ...hit, context: true } : hit);
  }
}

interface LineMatch {
  /** Where the line starts in its block, and where the next one does. */
  readonly start: number;
  readonly next: number;
  /** Matches by bytes of the line. */
  readonly at: readonly ByteRange[];
}

/** Looks at whether the search is over in the time that one text may take in the worst case. */
const LOOKAROUNDS = 64;

/**
 * Splits matches that may span lines into one entry a line, with those that a window of `maxLineBytes` can show. A match
 * touches a line when it shares a byte with it, or is empty there.
 */
async function* matchesOverLines(
  bytes: Uint8Array,
  ranges: Iterable<ByteRange>,
  maxLineBytes: number,
  pauseCheck: PauseCheck,
): AsyncGenerator<LineMatch, void> {
  let start = 0;
  let next = 0;
  let at: ByteRange[] = [];
  for (const [from, to] of ranges) {
    if (pauseCheck.isPauseDue() && (await pauseCheck.pauseAndCheckAborted())) return;
    for (let place = from; ; place = next) {
      if (place >= next) {
        if (at.length > 0) yield { start, next, at };
        at = [];
        start = place === 0 ? 0 : Math.max(next, bytes.lastIndexOf(10, place - 1) + 1);
        if (start >= bytes.length) return;
        next = nextLine(bytes, start, bytes.length);
      }
      const first = at[0]?.[0] ?? place - start;
      if (place - start - first < maxLineBytes || at.length === 0) at.push([place - start, Math.min(to, next) - start]);
      if (to <= next) break;
    }
  }
  if (at.length > 0) yield { start, next, at };
}

/** The end of a line's text, before its `\n` or `\r\n`. */
function textEnd(block: Uint8Array, start: number, next: number): number {
  if (next === start || block[next - 1] !== 10) return next;
  return next - 2 >= start && block[next - 2] === 13 ? next - 2 : next - 1;
}

function nextLine(block: Uint8Array, start: number, limit: number): number {
  const newline = block.indexOf(10, start);
  return newline === -1 || newline >= limit ? limit : newline + 1;
}

/**
 * Regroups chunks so that each block ends at the end of a line, except the last one and pieces of a line longer than
 * `MAX_LINE_BYTES`. Blocks are never empty. Linear, however the chunks are cut.
 */
async function* lineBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let open: Uint8Array[] = [];
  let openBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      yield joined(open, chunk.subarray(0, end));
      open = [];
      openBytes = 0;
    }
    if (end === chunk.length) continue;
    open.push(new Uint8Array(chunk.subarray(end)));
    openBytes += chunk.length - end;
    if (openBytes < MAX_LINE_BYTES) continue;
    yield joined(open);
    open = [];
    openBytes = 0;
  }
  if (openBytes > 0) yield joined(open);
}

function joined(open: readonly Uint8Array[], last?: Uint8Array): Uint8Array {
  const parts = last === undefined ? open : [...open, last];
  return parts.length === 1 ? parts[0]! : concatBytes(parts);
}
