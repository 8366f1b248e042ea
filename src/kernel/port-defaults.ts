/**
 * Defaults and ranges of the ports' numbers, the same for every backend. A fraction is truncated, NaN counts as absent, a
 * number out of range is clamped.
 */
import { concatBytes, wholeNumber } from "../text/index.js";
import { HaftError } from "./errors.js";
import type { Digest } from "./services.js";

/** Bytes that `readBytes` and `readText` take at the most. A larger old file is replaced without its hash. */
export const DEFAULT_MAX_READ_BYTES = 256 * 1024 * 1024;

/** Children that `readDir` lists. */
export const DEFAULT_MAX_CHILDREN = 10_000;

/** The bytes that a whole read may take. */
export function maxReadBytes(io?: { readonly maxBytes?: number }): number {
  return wholeNumber(io?.maxBytes ?? DEFAULT_MAX_READ_BYTES, { otherwise: DEFAULT_MAX_READ_BYTES });
}

/** All chunks as one array, for a backend that cannot write a part of a file. @throws `FS_TOO_LARGE` over `DEFAULT_MAX_READ_BYTES`. */
export async function gatherChunks(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > DEFAULT_MAX_READ_BYTES) {
      const why = `it would have more than ${DEFAULT_MAX_READ_BYTES} bytes, which are the limit of this target`;
      throw new HaftError("FS_TOO_LARGE", `Did not write "${path}": ${why}. Write less.`, { details: { path, why } });
    }
    parts.push(chunk.slice());
  }
  return concatBytes(parts);
}

/** The number of children that a listing may return. */
export function maxChildren(io?: { readonly limit?: number }): number {
  return wholeNumber(io?.limit ?? DEFAULT_MAX_CHILDREN, { otherwise: DEFAULT_MAX_CHILDREN });
}

/** Where a range begins in a file of `sizeBytes`: a negative offset counts from the end and stops at the start. */
export function rangeStart(offset: number, sizeBytes: number): number {
  const asked = wholeNumber(offset, { min: Number.MIN_SAFE_INTEGER });
  return asked < 0 ? Math.max(0, sizeBytes + asked) : asked;
}

/** Symlinks followed for one path before they count as a loop; the limit of the Linux kernel. */
export const MAX_SYMLINKS = 40;

/** Milliseconds between TERM and KILL. */
export const DEFAULT_GRACE_MS = 3_000;

/** Milliseconds after its leader's exit in which the other processes of a command may print and end; later ones are survivors. */
export const SETTLE_MS = 100;

/** TERM, this and KILL fit into the 6 s that a call has to end: no command may outlive its call by a longer one. */
const MAX_GRACE_MS = 5_000;

/** The grace of a command: `DEFAULT_GRACE_MS` where none is given. */
export function graceOf(graceMs?: number): number {
  return wholeNumber(graceMs ?? DEFAULT_GRACE_MS, { otherwise: DEFAULT_GRACE_MS, max: MAX_GRACE_MS });
}

/** Bytes kept of each stream of a command, first and last. */
export const DEFAULT_KEEP: { readonly head: number; readonly tail: number } = Object.freeze({
  head: 8_192,
  tail: 24_576,
});

/** The longest delay of a timer: 2^31 - 1 ms, 24.8 days. A longer timeout counts as none. */
export const MAX_TIMER_MS = 2_147_483_647;

/** SHA-256 as hex by the Web Crypto of the runtime: the digest where the host gives none. */
export const webDigest: Digest = async (data) => {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
