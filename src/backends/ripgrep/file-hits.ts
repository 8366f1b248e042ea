import { isUtf8 } from "node:buffer";
import { type ByteRange, windowOf } from "../../engines/search/index.js";
import type { GrepHit, GrepQuery } from "../../kernel/index.js";
import type { FileLine, LineReader } from "./line-reader.js";
import type { RipgrepRecord } from "./output.js";

/** A line that ripgrep prints. */
export type LineRecord = Extract<RipgrepRecord, { readonly type: "match" | "context" }>;

interface FileHitsOptions {
  readonly path: string;
  readonly query: Pick<GrepQuery, "context" | "maxLineBytes">;
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
  /** Where the line behind the last match starts. */
  nextOffset = 0;
  /**
   * Whether our own engine must search the file: a line is not where ripgrep found it, so the file has changed; or a line is not
   * UTF-8, so the file must be decoded.
   */
  isForOwnEngine = false;
  readonly #options: FileHitsOptions;

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
    if (record.type === "context") {
      this.hits.push({ ...this.#hit(line, number, []), context: true });
      return;
    }
    this.matchedLines++;
    this.nextOffset = line.next;
    const at = record.data.submatches.map(({ start, end }) => [start, Math.min(end, line.length)] as const);
    this.hits.push(
      this.#hit(
        line,
        number,
        at.filter(([from, to]) => from < to),
      ),
    );
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
