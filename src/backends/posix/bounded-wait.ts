/** Waits that end: what the far side does not answer may hold no call for ever. */
import { within } from "../../kernel/index.js";

/** Calls `done` after `ms`, unless what it gives is called before. */
export function timer(ms: number, done: () => void): () => void {
  const pending = setTimeout(done, ms);
  return () => clearTimeout(pending);
}

/** What it resolves with, or undefined after `ms`. */
export function orAfter<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return within<T | undefined>(
    { clock: { timer }, ms },
    () => work,
    () => undefined,
  );
}
