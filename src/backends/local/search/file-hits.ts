import { isAscii, isUtf8 } from "node:buffer";
import { type ByteRange, type SearchPattern, windowOf } from "../../../engines/search/index.js";
import type { GrepHit, GrepQuery } from "../../../kernel/index.js";
import type { FileLine, LineReader } from "./line-reader.js";
import type { RipgrepRecord } from "./ripgrep-output.js";

/** Our engine does not look at a longer line as a whole either. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024;
const RETURN = 13;

/** A line that ripgrep prints. */
export type LineRecord = Extract<RipgrepRecord, { readonly type: "match" | "context" }>;

export interface FileHitsOptions {
  readonly path: string;
  readonly query: Pick<GrepQuery, "context" | "maxLineBytes">;
  /** What decides, and what gives the ranges. */
  readonly pattern: SearchPattern;
  /** Whether ripgrep's pattern may match in more lines than that. */
  readonly isLoose: boolean;
  readonly reader: LineReader;
}

/**
 * The hits of one file, from the places that ripgrep named. The lines are read here, from the file that was judged: what
 * ripgrep read may have been another one for a moment.
 */
export class FileHits {
  /** Matching lines and those around them, in line order. */
  readonly hits: GrepHit[] = [];
  matchedLines = 0;
  /** Records of matches, true ones or not. */
  records = 0;
  /** Where the line behind the last match starts. */
  nextOffset = 0;
  /**
   * The lines are for our own engine to find: one does not stand where it was found, so that the file is another one now; one
   * is not UTF-8, so that the file has to be decoded; or one is long and has to be looked at again, which must not hold
   * everything up.
   */
  isForOwnEngine = false;
  readonly #options: FileHitsOptions;
  #nearUntil = 0;
  #before: GrepHit[] = [];

  constructor(options: FileHitsOptions) {
    this.#options = options;
  }

  take(record: LineRecord): void {
    const { line_number: number, absolute_offset: offset } = record.data;
    const line = this.#options.reader.line(offset);
    if (line === undefined || (line.text !== undefined && !isUtf8(line.text))) {
      this.isForOwnEngine = true;
      return;
    }
    if (record.type === "match") {
      this.records++;
      this.nextOffset = line.next;
    }
    const ranges = record.type === "match" ? this.#rangesIn(line, record.data.submatches) : undefined;
    if (ranges === undefined) this.#emitOther(line, number);
    else this.#emitMatch(line, number, ranges);
  }

  /** Matches by bytes of the line, some of the empty ones too; undefined when the line is no hit. */
  #rangesIn(
    line: FileLine,
    reported: readonly { readonly start: number; readonly end: number }[],
  ): readonly ByteRange[] | undefined {
    const { pattern, isLoose, reader, query } = this.#options;
    const asReported = () => reported.map(({ start, end }) => [start, end] as const);
    if (!(line.hasBom || isLoose) || line.length > MAX_CHECKED_BYTES) return asReported();
    const endsInReturn = line.next - line.start - line.length > 1;
    const text = line.text ?? reader.bytes(line.start, line.length);
    if (!line.hasBom && !endsInReturn && !text.includes(RETURN) && isAscii(text)) return asReported();
    if (line.text === undefined) {
      this.isForOwnEngine = true;
      return undefined;
    }
    const found = pattern.find(text, query.maxLineBytes);
    return found.length === 0 ? undefined : found;
  }

  #emitMatch(line: FileLine, number: number, ranges: readonly ByteRange[]): void {
    const { context } = this.#options.query;
    this.matchedLines++;
    this.hits.push(...this.#before.filter((hit) => hit.line >= number - context));
    this.#before = [];
    const at = ranges.map(([from, to]) => [from, Math.min(to, line.length)] as const).filter(([from, to]) => from < to);
    this.hits.push(this.#hit(line, number, at));
    this.#nearUntil = number + context;
  }

  /** A line of the context, or one that ripgrep took for a match: it stays beside a true match only. */
  #emitOther(line: FileLine, number: number): void {
    const { context } = this.#options.query;
    if (context === 0) return;
    const hit: GrepHit = { ...this.#hit(line, number, []), context: true };
    if (number <= this.#nearUntil) this.hits.push(hit);
    else this.#before = [...this.#before, hit].slice(-context);
  }

  #hit(line: FileLine, number: number, at: readonly ByteRange[]): GrepHit {
    const { path, query } = this.#options;
    const window = line.text === undefined ? this.#longWindow(line, at) : windowOf(line.text, at, query.maxLineBytes);
    return { kind: "hit", path, line: number, ...window };
  }

  /** The window of a line that is not held: read from around its first match. */
  #longWindow(line: FileLine, at: readonly ByteRange[]): ReturnType<typeof windowOf> {
    const { query, reader } = this.#options;
    const max = query.maxLineBytes;
    const first = at[0]?.[0] ?? 0;
    const from = Math.max(0, first - max);
    const to = Math.min(line.length, first + 2 * max);
    const near = at.map(([start, end]) => [start - from, end - from] as const);
    const window = windowOf(reader.bytes(line.start + from, to - from), near, max);
    const truncatedBytes = line.length - window.bytes.length;
    const { bytes, at: shown } = window;
    return truncatedBytes === 0 ? { bytes, at: shown } : { bytes, at: shown, truncatedBytes };
  }
}
