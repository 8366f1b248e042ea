import { Patience } from "../fs-patience.js";
import { CHUNK_BYTES, readAt } from "../fs-read.js";

/**
 * Whether a NUL stands in a file from one offset to another.
 * @returns Undefined when the search was ended before that was known.
 */
export async function holdsNul(
  descriptor: number,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const patience = new Patience(undefined, () => {});
  for (let at = from; at < to; ) {
    if (signal.aborted) return undefined;
    const chunk = await readAt(descriptor, at, Math.min(CHUNK_BYTES, to - at), patience);
    if (chunk.length === 0) return false;
    if (chunk.includes(0)) return true;
    at += chunk.length;
  }
  return false;
}
