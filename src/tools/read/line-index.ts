import type { CallSession } from "../../kernel/index.js";
import { countNewlines } from "../../text/index.js";
import { type LineTerminators, nextNewline } from "./line-source.js";

/** Bytes between two entries, unless the file is so large that this would make too many. */
const MIN_BLOCK_BYTES = 256 * 1024;
const MAX_ENTRIES = 16_384;
/** Files whose index a session keeps, most recently used. */
const MAX_FILES = 16;
const CACHE = "read:line-indexes";

/** Where to start looking for a line: an offset at or before its start, and the line feeds before that. */
interface LineCheckpoint {
  readonly offset: number;
  readonly newlines: number;
  /** A line starts there. */
  readonly isStart: boolean;
}

/**
 * How many lines end before every so many bytes of one version of a file. It is filled by whatever scans the file from its
 * start, here or where the file is, and is then good for any line that the scan has passed.
 */
export class LineIndex {
  readonly blockBytes: number;
  /** By offset, at least a block apart. */
  readonly #checkpoints: LineCheckpoint[] = [{ offset: 0, newlines: 0, isStart: true }];
  #scanned = 0;
  #newlines = 0;
  #endsOpen = false;

  constructor(
    readonly sizeBytes: number,
    private readonly ends: LineTerminators,
    private readonly bomBytes = 0,
  ) {
    const block = Math.max(MIN_BLOCK_BYTES, Math.ceil(sizeBytes / MAX_ENTRIES));
    this.blockBytes = block + (block % 2);
  }

  /** Bytes from the start of the file that have been scanned. */
  get scanned(): number {
    return this.#scanned;
  }

  /** All lines of the file, once all of it has been scanned. */
  get totalLines(): number | undefined {
    if (this.#scanned < this.sizeBytes) return undefined;
    const hasOpenLine = this.#endsOpen && this.#scanned > this.bomBytes;
    return this.#newlines + (hasOpenLine ? 1 : 0);
  }

  /** Line feeds so far. */
  get newlines(): number {
    return this.#newlines;
  }

  /**
   * Scans the new part of a chunk that follows what has been scanned. Returns the newlines of the chunk
   * where all of it was new.
   */
  push(offset: number, chunk: Uint8Array): number | undefined {
    if (offset > this.#scanned) return undefined;
    const isNew = offset === this.#scanned;
    const before = this.#newlines;
    for (let from = this.#scanned - offset; from < chunk.length; ) {
      const remaining = this.blockBytes - (this.#scanned % this.blockBytes);
      const part = chunk.subarray(from, from + remaining);
      this.#newlines += newlinesIn(part, this.ends);
      this.#scanned += part.length;
      this.#endsOpen = nextNewline(part, Math.max(0, part.length - this.ends.unitBytes), this.ends) === -1;
      if (this.#scanned % this.blockBytes === 0) this.#keep(this.#endsOpen);
      from += part.length;
    }
    return isNew ? this.#newlines - before : undefined;
  }

  /**
   * As if everything up to `offset` had been scanned.
   * @param endsOpen - The byte before `offset` is not a line feed, or it is not known.
   */
  note(offset: number, newlines: number, endsOpen: boolean): void {
    if (offset <= this.#scanned) return;
    [this.#scanned, this.#newlines, this.#endsOpen] = [offset, newlines, endsOpen];
    if (offset - this.#checkpoints.at(-1)!.offset >= this.blockBytes) this.#keep(endsOpen);
  }

  /** The last known place at or before the start of `line`. */
  checkpointBefore(line: number): LineCheckpoint {
    let low = 0;
    let high = this.#checkpoints.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const { newlines, isStart } = this.#checkpoints[middle]!;
      if (newlines < line - 1 || (isStart && newlines === line - 1)) low = middle;
      else high = middle - 1;
    }
    return this.#checkpoints[low]!;
  }

  #keep(endsOpen: boolean): void {
    this.#checkpoints.push({ offset: this.#scanned, newlines: this.#newlines, isStart: !endsOpen });
  }
}

export function newlinesIn(bytes: Uint8Array, ends: LineTerminators): number {
  if (ends.unitBytes === 1) return countNewlines(bytes);
  let count = 0;
  for (let at = nextNewline(bytes, 0, ends); at !== -1; at = nextNewline(bytes, at + ends.unitBytes, ends)) count++;
  return count;
}

/** The cached index of a version of a file, created on first use. */
export function indexFor(session: Pick<CallSession, "cache">, key: string, make: () => LineIndex): LineIndex {
  const indexes = (session.cache.get(CACHE) as Map<string, LineIndex> | undefined) ?? new Map<string, LineIndex>();
  session.cache.set(CACHE, indexes);
  const known = indexes.get(key);
  const index = known ?? make();
  indexes.delete(key);
  indexes.set(key, index);
  const oldest = indexes.keys().next();
  if (indexes.size > MAX_FILES && !oldest.done) indexes.delete(oldest.value);
  return index;
}
