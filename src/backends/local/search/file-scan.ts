import { isAscii } from "node:buffer";
import { read } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;
const NUL = 0;
const RETURN = 13;
const BOM_BYTE = 0xef;

/** Whether any of the bytes of a part of a file are those that are looked for. */
export type Holds = (chunk: Buffer) => boolean;

export const holdsNul: Holds = (chunk) => chunk.includes(NUL);
export const holdsReturn: Holds = (chunk) => chunk.includes(RETURN);
/** A part of a U+FEFF: all of it may lie in two chunks. */
export const holdsBomByte: Holds = (chunk) => chunk.includes(BOM_BYTE);
export const holdsBeyondAscii: Holds = (chunk) => !isAscii(chunk);

/**
 * Whether an open file holds something from one offset to another.
 * @returns Undefined when the search was ended before that was known.
 */
export async function scanFile(
  descriptor: number,
  [from, to]: readonly [number, number],
  holds: Holds,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (to <= from) return false;
  // A Buffer finds a byte several times sooner than another array does.
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from));
  for (let at = from; at < to; ) {
    if (signal.aborted) return undefined;
    const count = await readInto(buffer.subarray(0, Math.min(buffer.length, to - at)), descriptor, at);
    if (count === 0) return false;
    if (holds(buffer.subarray(0, count))) return true;
    at += count;
  }
  return false;
}

function readInto(buffer: Uint8Array, descriptor: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
