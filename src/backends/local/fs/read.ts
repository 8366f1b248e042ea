/** Reads regular files through a pinned directory. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { notAFile, tooLarge } from "../../../kernel/index.js";
import type { Deadline } from "./deadline.js";
import { notFound } from "./faults.js";
import { type PinnedPath, specialFileKindOf } from "./path-resolver.js";

/** Bytes of one chunk of `openRead`, and of one step of a large read. */
export const CHUNK_BYTES = 256 * 1024;
/** Up to this size a read is synchronous: the page cache is faster than a pool thread. */
const AT_ONCE_BYTES = 64 * 1024;
/** For files that report size 0 but have content, as in /proc. */
const SMALLEST_CHUNK_BYTES = 4 * 1024;

export interface OpenFile {
  readonly descriptor: number;
  readonly info: BigIntStats;
}

/** Opens a regular file. Special files are refused before they are opened, so that a FIFO does not block. */
export function openFile(resolved: PinnedPath, did: string): OpenFile {
  requireRegular(resolved, did);
  // Without blocking and following, in case the file was replaced meanwhile.
  const descriptor = openSync(resolved.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const info = fstatSync(descriptor, { bigint: true });
  const odd = specialFileKindOf(info);
  if (odd === undefined) return { descriptor, info };
  closeSync(descriptor);
  throw notAFile(did, resolved.asked, odd);
}

function requireRegular(resolved: PinnedPath, did: string): BigIntStats {
  if (resolved.info === undefined) throw notFound(did, resolved.asked, "open");
  const odd = specialFileKindOf(resolved.info);
  if (odd !== undefined) throw notAFile(did, resolved.asked, odd);
  return resolved.info;
}

/** Reads `length` bytes from `offset`; fewer only at the end of the file. */
export async function readAt(
  descriptor: number,
  offset: number,
  length: number,
  deadline: Deadline,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  const filled = await fill(buffer, descriptor, offset, deadline);
  return filled === length ? buffer : buffer.slice(0, filled);
}

/**
 * Yields chunks from `offset`. Each chunk has its own buffer, or, for a scan, reuses the buffer of the chunk before the
 * previous one, because allocating costs as much as reading. A small file takes one synchronous read: a search
 * opens thousands of them.
 */
export async function* chunksOf(
  file: OpenFile,
  offset: number,
  deadline: Deadline,
  isScan = false,
): AsyncGenerator<Uint8Array, void> {
  // One byte more than expected, so that the same read finds the end.
  const expected = Number(file.info.size) - offset + 1;
  let length = Math.min(Math.max(expected, SMALLEST_CHUNK_BYTES), CHUNK_BYTES);
  let spare: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  for (let at = offset; ; length = CHUNK_BYTES) {
    const buffer = isScan && spare?.length === length ? spare : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    [spare, last] = [last, buffer];
    const filled = await fill(buffer, file.descriptor, at, deadline);
    at += filled;
    if (filled > 0) yield filled === length ? buffer : buffer.subarray(0, filled);
    if (filled < length) return;
    deadline.check();
  }
}

/** Reads until the buffer is full or the file ends. @returns The number of bytes read. */
async function fill(buffer: Uint8Array, descriptor: number, offset: number, deadline: Deadline): Promise<number> {
  const { length } = buffer;
  let filled = 0;
  while (filled < length) {
    const step = Math.min(length - filled, length <= AT_ONCE_BYTES ? length : 32 * CHUNK_BYTES);
    const count =
      length <= AT_ONCE_BYTES
        ? readSync(descriptor, buffer, filled, step, offset + filled)
        : await readStep(descriptor, buffer, filled, step, offset + filled);
    if (count === 0) break;
    filled += count;
    deadline.check();
  }
  return filled;
}

/** Reads the whole file, also one that reports size 0 but has content, as in /proc. */
export async function readWhole(
  file: OpenFile,
  path: string,
  maxBytes: number,
  deadline: Deadline,
): Promise<Uint8Array> {
  const size = Number(file.info.size);
  if (size > maxBytes) throw tooLarge(path, size, maxBytes);
  const first = await readAt(file.descriptor, 0, size, deadline);
  const parts = [first];
  let total = first.length;
  while (total >= size) {
    const more = await readAt(file.descriptor, total, AT_ONCE_BYTES, deadline);
    if (more.length === 0) break;
    parts.push(more);
    total += more.length;
    if (total > maxBytes) throw tooLarge(path, total, maxBytes);
  }
  return parts.length === 1 ? first : Buffer.concat(parts);
}

function readStep(descriptor: number, buffer: Uint8Array, at: number, length: number, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, at, length, from, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
