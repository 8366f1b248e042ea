import { type LineTerminators, nextNewline } from "./line-source.js";

/** A line of the file, or its start where it is long. */
export interface RawLine {
  /** Holds the content; a window has thousands of lines, so that none has an array of its own. */
  readonly memory: Uint8Array;
  /** Where the content begins in `memory`. */
  readonly from: number;
  /** Bytes of the content that were kept, without the line ending. */
  readonly keptBytes: number;
  /** Bytes of the whole content; more than `keptBytes` where the line was truncated. */
  readonly contentBytes: number;
  /** `\n`, `\r\n`, or nothing for an open last line. */
  readonly end: Uint8Array;
  /** Whether the bytes of `end` follow those of the content in its memory. */
  readonly endFollows: boolean;
}

/** The content of the line, without its ending. */
export function keptContentOf({ memory, from, keptBytes }: RawLine): Uint8Array {
  return memory.subarray(from, from + keptBytes);
}

interface CollectorLimits {
  readonly maxLines: number;
  /** Bytes of all lines together; a line that does not fit is omitted, unless it is the first. */
  readonly maxBytes: number;
  /** Bytes kept of one line. */
  readonly maxLineBytes: number;
}

/**
 * Collects lines from a stream of bytes that begins at a line start. Memory stays within the limits
 * however long a line is.
 */
export class LineCollector {
  readonly lines: RawLine[] = [];
  /** No more lines are collected. */
  isFull = false;
  /** It is full because of `maxBytes`. */
  isFullByBytes = false;
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #keptBytes = 0;
  #used = 0;
  /** The unit before the line feed, which may be the `\r` of a CRLF. */
  #last: number | undefined;

  /** The endings that nearly all lines have. */
  readonly #lineFeed: Uint8Array;
  readonly #pair: Uint8Array;

  constructor(
    private readonly limits: CollectorLimits,
    private readonly ends: LineTerminators,
  ) {
    this.#lineFeed = this.#unit(10);
    this.#pair = join([this.#unit(13), this.#lineFeed]);
  }

  /** Consumes bytes up to the end of the last collected line. Chunks end between units. Returns the bytes consumed. */
  push(chunk: Uint8Array): number {
    const { unitBytes } = this.ends;
    let from = 0;
    while (!this.isFull && from < chunk.length) {
      const at = nextNewline(chunk, from, this.ends);
      if (at === -1) {
        this.#keep(chunk.subarray(from));
        return chunk.length;
      }
      if (!this.#takeWhole(chunk, from, at)) {
        this.#keep(chunk.subarray(from, at));
        this.#close(chunk.subarray(at, at + unitBytes));
      }
      from = at + unitBytes;
    }
    return from;
  }

  /** End of input: the rest is the last line. */
  finish(): void {
    if (!this.isFull && this.#openBytes > 0) this.#close(new Uint8Array());
  }

  /** A line of ordinary length that lies in one chunk, from `from` to the line feed at `at`. Returns whether it is one. */
  #takeWhole(chunk: Uint8Array, from: number, at: number): boolean {
    const { unitBytes } = this.ends;
    const isPair = at > from && this.#unitAt(chunk, at - unitBytes) === 13;
    const contentBytes = at - from - (isPair ? unitBytes : 0);
    if (this.#openBytes > 0 || contentBytes > this.limits.maxLineBytes) return false;
    const end = isPair ? this.#pair : this.#lineFeed;
    this.#add({ memory: chunk, from, keptBytes: contentBytes, contentBytes, end, endFollows: true });
    return true;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    const remaining = this.limits.maxLineBytes + 2 * this.ends.unitBytes - this.#keptBytes;
    if (remaining > 0) {
      const kept = part.length > remaining ? part.subarray(0, remaining) : part;
      this.#open.push(kept);
      this.#keptBytes += kept.length;
    }
    this.#openBytes += part.length;
    this.#last = this.#unitAt(part, part.length - this.ends.unitBytes);
  }

  #close(newline: Uint8Array): void {
    const { unitBytes } = this.ends;
    const isPair = newline.length > 0 && this.#last === 13;
    const contentBytes = this.#openBytes - (isPair ? unitBytes : 0);
    const memory = join(this.#open);
    const keptBytes = Math.min(memory.length, contentBytes, this.limits.maxLineBytes);
    const end = isPair ? this.#pair : newline;
    const endFollows = end.length === 0 && this.#open.length === 1;
    this.#open = [];
    this.#openBytes = 0;
    this.#keptBytes = 0;
    this.#last = undefined;
    this.#add({ memory, from: 0, keptBytes, contentBytes, end, endFollows });
  }

  #add(line: RawLine): void {
    const cost = line.keptBytes + line.end.length;
    if (this.lines.length > 0 && this.#used + cost > this.limits.maxBytes) {
      this.isFull = true;
      this.isFullByBytes = true;
      return;
    }
    this.#used += cost;
    this.lines.push(line);
    this.isFull = this.lines.length >= this.limits.maxLines;
  }

  #unitAt(bytes: Uint8Array, at: number): number | undefined {
    if (this.ends.unitBytes === 1) return bytes[at];
    return this.ends.bigEndian ? (bytes[at]! << 8) | bytes[at + 1]! : bytes[at]! | (bytes[at + 1]! << 8);
  }

  #unit(value: number): Uint8Array {
    if (this.ends.unitBytes === 1) return Uint8Array.of(value);
    return this.ends.bigEndian ? Uint8Array.of(0, value) : Uint8Array.of(value, 0);
  }
}

/** Joins arrays; a single one is returned as it is. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
