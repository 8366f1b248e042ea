import { read } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Whether a NUL stands in an open file from one offset to another.
 * @returns Undefined when the search was ended before that was known.
 */
export async function holdsNul(
  descriptor: number,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (to <= from) return false;
  // A Buffer finds a byte several times sooner than another array does.
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from));
  for (let at = from; at < to; ) {
    if (signal.aborted) return undefined;
    const count = await readInto(buffer.subarray(0, Math.min(buffer.length, to - at)), descriptor, at);
    if (count === 0) return false;
    if (buffer.subarray(0, count).includes(0)) return true;
    at += count;
  }
  return false;
}

function readInto(buffer: Uint8Array, descriptor: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
