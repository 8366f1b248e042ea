import { utf8HeadEnd, utf8TailStart } from "../../text/index.js";

/** A line, or the window of it around its first match. */
interface MatchWindow {
  readonly bytes: Uint8Array;
  readonly at: readonly (readonly [number, number])[];
  /** Bytes of the line outside the window; absent when the line is whole. */
  readonly truncatedBytes?: number;
}

/** Part of a cut window that shows what stands before the match. */
const LEADING_BYTES = 0.25;

/**
 * Cuts a line to `maxBytes` around its first match, between characters. Matches outside the window are omitted, a match
 * that reaches over its edge is shortened. The bytes are a copy, so the line's buffer may be used again.
 */
export function windowOf(line: Uint8Array, at: readonly (readonly [number, number])[], maxBytes: number): MatchWindow {
  if (line.length <= maxBytes) return { bytes: new Uint8Array(line), at };
  const first = at[0]?.[0] ?? 0;
  const match = Math.min(Math.max(0, first - Math.floor(maxBytes * LEADING_BYTES)), line.length - maxBytes);
  const start = utf8Start(line, match);
  const rest = line.subarray(start);
  const end = start + utf8HeadEnd(rest, Math.min(maxBytes, rest.length));
  return {
    bytes: new Uint8Array(line.subarray(start, end)),
    at: at
      .filter(([from, to]) => from < end && to > start)
      .map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start] as const),
    truncatedBytes: line.length - (end - start),
  };
}

/** The first index at or after `index` where a character starts. */
function utf8Start(line: Uint8Array, index: number): number {
  return index === 0 ? 0 : utf8TailStart(line, line.length - index);
}
