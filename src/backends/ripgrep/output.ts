/** What ripgrep prints: records of lines, paths with counts, and what it could not read. */
import { isUtf8 } from "node:buffer";

/** Text in ripgrep's records: UTF-8, or base64 if it is not valid UTF-8. */
export type RipgrepText = { readonly text: string } | { readonly bytes: string };

/** The fields used from one line of `rg --json`. The text of lines and matches is read from the file instead; of a line only its length counts. */
export type RipgrepRecord =
  | { readonly type: "begin"; readonly data: { readonly path: RipgrepText } }
  | {
      readonly type: "match" | "context";
      readonly data: {
        readonly line_number: number;
        readonly absolute_offset: number;
        readonly submatches: readonly { readonly start: number; readonly end: number }[];
        /** Empty if it was too long to be kept. */
        readonly lines?: RipgrepText;
      };
    }
  | {
      readonly type: "end";
      readonly data: {
        readonly binary_offset: number | null;
        readonly stats: { readonly bytes_searched: number };
      };
    }
  | { readonly type: "summary"; readonly data: { readonly stats: { readonly searches: number } } };

/** A longer record is truncated while it is read, so that memory stays bounded for lines of any length. */
const MAX_WHOLE_BYTES = 256 * 1024;
/** Bytes of one match in a record, without its text if that is long. */
const MATCH_BYTES = 96;
const NEWLINE = 10;

/**
 * The records in a stream of chunks. Ends early at an invalid record.
 * @param maxMatches - Maximum matches needed of one line.
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  maxMatches: number,
): AsyncGenerator<RipgrepRecord, void> {
  let open: Buffer[] = [];
  let openBytes = 0;
  let truncator: JsonTruncator | undefined;
  const take = (part: Buffer): void => {
    openBytes += part.length;
    if (truncator === undefined && openBytes > MAX_WHOLE_BYTES) {
      truncator = new JsonTruncator(MAX_WHOLE_BYTES + maxMatches * MATCH_BYTES);
      for (const one of open) truncator.push(one);
      open = [];
    }
    if (truncator === undefined) open.push(part);
    else truncator.push(part);
  };
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      take(chunk.subarray(at, end));
      at = end + 1;
      const text: string = truncator?.text() ?? (open.length === 1 ? open[0]! : Buffer.concat(open)).toString();
      open = [];
      openBytes = 0;
      truncator = undefined;
      const record = parsed(text);
      if (record === undefined) return;
      yield record;
    }
    if (at < chunk.length) take(chunk.subarray(at));
  }
}

function parsed(text: string): RipgrepRecord | undefined {
  try {
    return JSON.parse(text) as RipgrepRecord;
  } catch {
    return undefined;
  }
}

/** A longer string is omitted from a record. Paths are shorter in every encoding. */
const MAX_STRING_BYTES = 32 * 1024;

const QUOTE = 34;
const BACKSLASH = 92;
const NEXT_MATCH = ',{"match":';

/** Shrinks a large record while it is read: the same JSON without long strings and surplus matches. */
class JsonTruncator {
  readonly #maxBytes: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #isFull = false;
  #inString = false;
  #string: Buffer[] = [];
  #stringBytes = 0;
  /** Backslashes at the end of the bytes read so far. */
  #backslashes = 0;

  /** @param maxBytes - Maximum bytes kept; later matches are omitted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#isFull; ) {
      at = this.#inString ? this.#takeString(bytes, at) : this.#takeStructure(bytes, at);
    }
  }

  /** The record as JSON. */
  text(): string {
    const text = Buffer.concat(this.#kept).toString();
    return this.#isFull ? `${text.slice(0, text.lastIndexOf(NEXT_MATCH))}]}}` : text;
  }

  #takeStructure(bytes: Buffer, at: number): number {
    const quote = bytes.indexOf(QUOTE, at);
    const end = quote === -1 ? bytes.length : quote + 1;
    this.#keep(bytes.subarray(at, end));
    this.#inString = quote !== -1;
    return end;
  }

  #takeString(bytes: Buffer, at: number): number {
    const close = this.#closingQuote(bytes, at);
    const end = close === -1 ? bytes.length : close;
    this.#stringBytes += end - at;
    if (this.#stringBytes <= MAX_STRING_BYTES) this.#string.push(Buffer.from(bytes.subarray(at, end)));
    if (close === -1) return end;
    if (this.#stringBytes <= MAX_STRING_BYTES) for (const part of this.#string) this.#keep(part);
    this.#keep(bytes.subarray(close, close + 1));
    this.#inString = false;
    this.#string = [];
    this.#stringBytes = 0;
    this.#backslashes = 0;
    return close + 1;
  }

  #closingQuote(bytes: Buffer, from: number): number {
    for (let at = from; ; ) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote === -1 ? bytes.length : quote;
      let start = end;
      while (start > at && bytes[start - 1] === BACKSLASH) start--;
      const backslashes = end - start + (start === from ? this.#backslashes : 0);
      if (quote === -1) {
        this.#backslashes = backslashes;
        return -1;
      }
      if (backslashes % 2 === 0) return quote;
      at = quote + 1;
    }
  }

  #keep(part: Buffer): void {
    this.#keptBytes += part.length;
    if (this.#keptBytes > this.#maxBytes) this.#isFull = true;
    else this.#kept.push(Buffer.from(part));
  }
}

/** What `rg --count --null --stats` and `rg --files-with-matches --null --stats` print. */
export type PathRecord =
  | { readonly kind: "file"; readonly path: RipgrepText; readonly count: number }
  | { readonly kind: "summary"; readonly searches: number };

const NUL = 0;
const DOT = 46;

/** @param hasCounts - Whether a count and a newline follow each path; else `count` is 1. */
export async function* pathRecords(
  chunks: AsyncIterable<Buffer>,
  hasCounts: boolean,
): AsyncGenerator<PathRecord, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // Every path starts with a dot; the summary starts with an empty line.
    while (rest[0] === DOT) {
      const pathEnd = rest.indexOf(NUL);
      const end = pathEnd === -1 || !hasCounts ? pathEnd : rest.indexOf(NEWLINE, pathEnd);
      if (end === -1) break;
      const path = rest.subarray(0, pathEnd);
      const count = hasCounts ? Number(rest.subarray(pathEnd + 1, end).toString()) : 1;
      rest = rest.subarray(end + 1);
      yield {
        kind: "file",
        path: isUtf8(path) ? { text: path.toString() } : { bytes: path.toString("base64") },
        count,
      };
    }
  }
  const searches = /^(\d+) files searched$/m.exec(rest.toString())?.[1];
  if (searches !== undefined) yield { kind: "summary", searches: Number(searches) };
}

/** A longer line of stderr is ignored. */
const MAX_ERROR_BYTES = 32 * 1024;
const NOT_FOUND = 2;

/** Parses ripgrep's stderr in chunks and reports the paths that could not be read. */
export class UnreadablePaths {
  readonly #onPath: (path: string) => void;
  #open = "";

  constructor(onPath: (path: string) => void) {
    this.#onPath = onPath;
  }

  push(chunk: Buffer): void {
    const lines = (this.#open + chunk.toString()).split("\n");
    const open = lines.pop()!;
    this.#open = open.length > MAX_ERROR_BYTES ? `\0${open.slice(-MAX_ERROR_BYTES)}` : open;
    for (const line of lines) {
      // Versions before 14 print no "rg: ". A NUL stands for the beginning of a line that is too long.
      const [, path, errno] = /^(?:rg: )?([^\0]+): [^:]+ \(os error (\d+)\)$/s.exec(line) ?? [];
      if (path !== undefined && Number(errno) !== NOT_FOUND) this.#onPath(path);
    }
  }
}

/** The version in what `rg --version` prints; undefined if it is not ripgrep. */
export function parseVersion(output: string): readonly [number, number, number] | undefined {
  const [, major, minor, patch] = /^ripgrep (\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}
