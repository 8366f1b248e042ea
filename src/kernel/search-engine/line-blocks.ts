import { concatBytes } from "../../text/index.js";

/** A longer line is handed on in pieces of this size; a match across a seam is not seen, and where a piece is found it stands for its line. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 10;

/**
 * Regroups chunks so that each block ends where a line ends, except the last one and pieces of a line longer than
 * `MAX_LINE_BYTES`. Blocks are never empty. Linear, however the chunks are cut.
 */
export async function* lineBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let open: Uint8Array[] = [];
  let openBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      yield joined(open, chunk.subarray(0, end));
      open = [];
      openBytes = 0;
    }
    if (end === chunk.length) continue;
    open.push(new Uint8Array(chunk.subarray(end)));
    openBytes += chunk.length - end;
    if (openBytes < MAX_LINE_BYTES) continue;
    yield joined(open);
    open = [];
    openBytes = 0;
  }
  if (openBytes > 0) yield joined(open);
}

function joined(open: readonly Uint8Array[], last?: Uint8Array): Uint8Array {
  const parts = last === undefined ? open : [...open, last];
  return parts.length === 1 ? parts[0]! : concatBytes(parts);
}
