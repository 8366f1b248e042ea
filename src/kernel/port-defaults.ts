/** What the ports promise where a caller says nothing: in one place, so that every backend keeps the same. */

/** Bytes that `readBytes` and `readText` take at the most: 256 MiB. A larger old file is replaced without its hash. */
export const DEFAULT_MAX_READ_BYTES = 256 * 1024 * 1024;

/** Children that `readDir` lists. */
export const DEFAULT_MAX_CHILDREN = 10_000;

/** Milliseconds between TERM and KILL. */
export const DEFAULT_GRACE_MS = 3_000;

/** Bytes kept of each stream of a command, first and last. */
export const DEFAULT_KEEP: { readonly head: number; readonly tail: number } = Object.freeze({
  head: 8_192,
  tail: 24_576,
});

/** The longest wait that a timer takes: 2^31 - 1 ms, 24.8 days. A later end is as good as none. */
export const MAX_TIMER_MS = 2_147_483_647;
