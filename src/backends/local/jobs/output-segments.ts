/** Stores one output stream of a job in files that are named by the offset of their first byte; the oldest are deleted. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Bytes of one stream that are stored at most; then the oldest file is deleted. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** Bytes of one file. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;
/** Milliseconds after a failed write in which nothing is written. */
const RETRY_MS = 250;
const WRITE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** One file: the stream offset of its first byte, and its size. */
interface Segment {
  readonly offset: number;
  readonly size: number;
}

/** Writes bytes to a file; tests replace it to simulate a full disk. */
export type WriteBytes = (descriptor: number, bytes: Uint8Array) => number;

const writeBytes: WriteBytes = (descriptor, bytes) => writeSync(descriptor, bytes);

/**
 * Appends to `PREFIX.OFFSET` files. Never throws: bytes that could not be written leave a gap between two files.
 * The next file begins after the gap.
 */
export class OutputSegments {
  readonly #prefix: string;
  readonly #write: WriteBytes;
  readonly #segments: { offset: number; size: number }[] = [];
  #descriptor: number | undefined;
  #produced = 0;
  #notBefore = 0;
  #isClosed = false;

  /** @param prefix - Absolute; the directory exists. */
  constructor(prefix: string, write: WriteBytes = writeBytes) {
    this.#prefix = prefix;
    this.#write = write;
  }

  /** Bytes that were appended, stored or not. */
  get produced(): number {
    return this.#produced;
  }

  /** @param bytes - Read only during the call. */
  append(bytes: Uint8Array): void {
    const offset = this.#produced;
    this.#produced += bytes.length;
    if (this.#isClosed) return;
    for (let at = 0; at < bytes.length; ) {
      const taken = this.#put(offset + at, bytes.subarray(at));
      if (taken === 0) return;
      at += taken;
    }
  }

  /** See `readSegments`. */
  read(from: number, max: number): ReturnType<typeof readSegments> {
    return readSegments(this.#prefix, from, max);
  }

  /** Leaves a gap of bytes that were not stored. */
  skip(bytes: number): void {
    this.#produced += bytes;
    this.#closeFile();
  }

  close(): void {
    this.#isClosed = true;
    this.#closeFile();
  }

  /** @returns How many bytes were written. */
  #put(offset: number, bytes: Uint8Array): number {
    const last = this.#fileAt(offset);
    if (last === undefined || this.#descriptor === undefined) return 0;
    try {
      const taken = this.#write(this.#descriptor, bytes.subarray(0, SEGMENT_BYTES - last.size));
      last.size += taken;
      if (last.size >= SEGMENT_BYTES) this.#closeFile();
      return taken;
    } catch {
      this.#fail();
      return 0;
    }
  }

  #fileAt(offset: number) {
    const last = this.#segments.at(-1);
    if (this.#descriptor !== undefined && last !== undefined && last.offset + last.size === offset) return last;
    this.#closeFile();
    if (performance.now() < this.#notBefore) return undefined;
    try {
      this.#descriptor = openSync(`${this.#prefix}.${offset}`, WRITE_FLAGS, 0o600);
    } catch {
      this.#fail();
      return undefined;
    }
    const next = { offset, size: 0 };
    this.#segments.push(next);
    this.#removeOldest();
    return next;
  }

  #fail(): void {
    this.#closeFile();
    this.#notBefore = performance.now() + RETRY_MS;
  }

  #closeFile(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #removeOldest(): void {
    let kept = this.#segments.reduce((sum, one) => sum + one.size, 0);
    while (kept > MAX_STREAM_BYTES - SEGMENT_BYTES && this.#segments.length > 1) {
      const oldest = this.#segments.shift()!;
      kept -= oldest.size;
      rmSync(`${this.#prefix}.${oldest.offset}`, { force: true });
    }
  }
}

/** The regular files of a stream, in order. */
export function segmentsOf(prefix: string): Segment[] {
  const name = `${basename(prefix)}.`;
  let names: string[];
  try {
    names = readdirSync(dirname(prefix));
  } catch {
    return [];
  }
  return names
    .filter((one) => one.startsWith(name) && /^(0|[1-9]\d{0,14})$/.test(one.slice(name.length)))
    .flatMap((one) => {
      const size = sizeOf(join(dirname(prefix), one));
      return size === undefined ? [] : [{ offset: Number(one.slice(name.length)), size }];
    })
    .sort((one, other) => one.offset - other.offset);
}

/** The end offset of a stream, by its files. */
export function producedOf(prefix: string): number {
  const last = segmentsOf(prefix).at(-1);
  return last === undefined ? 0 : last.offset + last.size;
}

/**
 * Bytes from `from` on, at most `max`, up to the next gap.
 * @returns `droppedBytes`: those between `from` and the first that comes.
 */
export function readSegments(
  prefix: string,
  from: number,
  max: number,
): { readonly bytes: Uint8Array; readonly next: number; readonly droppedBytes: number; readonly produced: number } {
  const all = segmentsOf(prefix).filter((one) => one.size > 0);
  const last = all.at(-1);
  const produced = last === undefined ? 0 : last.offset + last.size;
  const asked = Math.min(Math.max(0, from), produced);
  const rest = all.filter((one) => one.offset + one.size > asked);
  const start = Math.max(asked, rest[0]?.offset ?? asked);
  const parts: Buffer[] = [];
  let at = start;
  for (const { offset, size } of rest) {
    if (offset > at || at - start >= max) break;
    const part = readPart(`${prefix}.${offset}`, at - offset, Math.min(size - (at - offset), max - (at - start)));
    parts.push(part);
    at += part.length;
    // The file was truncated or removed meanwhile.
    if (part.length === 0) break;
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), next: at, droppedBytes: start - asked, produced };
}

function readPart(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  try {
    const descriptor = openSync(path, READ_FLAGS);
    try {
      if (!fstatSync(descriptor).isFile()) return Buffer.alloc(0);
      for (let count = -1; count !== 0 && read < length; read += count)
        count = readSync(descriptor, bytes, read, length - read, position + read);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Removed meanwhile: return what was read.
  }
  return bytes.subarray(0, read);
}

function sizeOf(path: string): number | undefined {
  try {
    const info = lstatSync(path);
    return info.isFile() ? info.size : undefined;
  } catch {
    return undefined;
  }
}
