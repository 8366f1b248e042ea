/** A longer line is handed on in pieces of this size; a match across a seam is not seen. */
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
      yield joined(open, openBytes, chunk.subarray(0, end));
      open = [];
      openBytes = 0;
    }
    if (end === chunk.length) continue;
    open.push(chunk.slice(end));
    openBytes += chunk.length - end;
    if (openBytes < MAX_LINE_BYTES) continue;
    yield joined(open, openBytes);
    open = [];
    openBytes = 0;
  }
  if (openBytes > 0) yield joined(open, openBytes);
}

function joined(open: readonly Uint8Array[], openBytes: number, last: Uint8Array = new Uint8Array()): Uint8Array {
  if (open.length === 0) return last;
  if (open.length === 1 && last.length === 0) return open[0]!;
  const block = new Uint8Array(openBytes + last.length);
  let at = 0;
  for (const part of open) {
    block.set(part, at);
    at += part.length;
  }
  block.set(last, at);
  return block;
}
