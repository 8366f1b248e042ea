import { isAscii, isUtf8 } from "node:buffer";
import { type ByteRange, type SearchPattern, windowOf } from "../../../engines/search/index.js";
import type { GrepHit, GrepQuery } from "../../../kernel/index.js";
import type { FileLine, LineReader } from "./line-reader.js";
import type { RipgrepRecord } from "./ripgrep-output.js";

/** Our own engine does not search a longer line as a whole either. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024;
const RETURN = 13;

/** A line that ripgrep prints. */
export type LineRecord = Extract<RipgrepRecord, { readonly type: "match" | "context" }>;

export interface FileHitsOptions {
  readonly path: string;
  readonly query: Pick<GrepQuery, "context" | "maxLineBytes">;
  /** Decides whether a line matches, and gives the ranges. */
  readonly pattern: SearchPattern;
  /** Whether ripgrep's pattern may match additional lines. */
  readonly isLoose: boolean;
  readonly reader: LineReader;
}

/**
 * The hits of one file, at the lines that ripgrep reported. The lines are read from the authorized file, because ripgrep may
 * have read a different one under the same name.
 */
export class FileHits {
  /** Matching lines and those around them, in line order. */
  readonly hits: GrepHit[] = [];
  matchedLines = 0;
  /** Match records, including false positives. */
  records = 0;
  /** Where the line behind the last match starts. */
  nextOffset = 0;
  /**
   * Whether our own engine must search the file: a line is not where ripgrep found it, so the file has changed; a line is not
   * UTF-8, so the file must be decoded; or a line is long and must be rechecked without blocking.
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

  /** Byte ranges of the matches in the line, including some empty ones; undefined when the line does not match. */
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

  /** A context line, or a false positive of ripgrep: kept only next to a real match. */
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

  /** The window of a line that is not in memory: read from around its first match. */
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
