/** Tests the bytes of an open file. */
import { read, readSync } from "node:fs";
import { hasUtf8Bom, hasUtf16Bom } from "../../../text/index.js";

const SCAN_BYTES = 1024 * 1024;
const NUL = 0;

/** Whether an open file starts with a BOM: ripgrep searches the text after it, decoded if it is UTF-16. */
export function hasBom(descriptor: number): boolean {
  const start = startOf(descriptor);
  return hasUtf8Bom(start) || hasUtf16Bom(start);
}

/**
 * Whether an open file contains a NUL between two offsets. UTF-16 text has none.
 * @returns Undefined when the search was ended before that was known.
 */
export async function hasNul(
  descriptor: number,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (to <= from || hasUtf16Bom(startOf(descriptor))) return false;
  // A Buffer finds a byte several times faster than a Uint8Array.
  const buffer = Buffer.allocUnsafe(Math.min(SCAN_BYTES, to - from));
  for (let at = from; at < to; ) {
    if (signal.aborted) return undefined;
    const count = await readInto(buffer.subarray(0, Math.min(buffer.length, to - at)), descriptor, at);
    if (count === 0) return false;
    if (buffer.subarray(0, count).includes(NUL)) return true;
    at += count;
  }
  return false;
}

function startOf(descriptor: number): Uint8Array {
  const start = new Uint8Array(4);
  return start.subarray(0, readSync(descriptor, start, 0, start.length, 0));
}

function readInto(buffer: Uint8Array, descriptor: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
