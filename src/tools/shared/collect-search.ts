import { fail, HaftError, type SearchEnd, type ToolResult } from "../../kernel/index.js";
import { rootFailure, type SearchedRoot } from "./search-root.js";

/** Milliseconds after which a search returns what it has found. */
export const SEARCH_TIMEOUT_MS = 30_000;
/** Deadline of the call: time to finish after that. */
export const SEARCH_DEADLINE_MS = SEARCH_TIMEOUT_MS + 2_000;

/**
 * Collects what a search yields. What is found before a cancel or timeout is kept, however the engine reports it: the end
 * record then says so. Any other HaftError is the call's failure, with the path as the model spelled it.
 */
export async function collectSearch<T>(
  found: AsyncIterable<T | SearchEnd>,
  take: (item: T | SearchEnd) => void,
  signal: AbortSignal,
  root?: SearchedRoot,
): Promise<ToolResult<never> | undefined> {
  try {
    for await (const item of found) take(item);
    return undefined;
  } catch (thrown) {
    const isStopped = HaftError.is(thrown, "CALL_CANCELLED") || HaftError.is(thrown, "CALL_TIMEOUT");
    if (!isStopped && !signal.aborted) {
      if (root !== undefined && HaftError.is(thrown) && !thrown.code.startsWith("SEARCH_"))
        return rootFailure(thrown, root);
      if (HaftError.is(thrown)) return fail(thrown.code, thrown.message, { details: thrown.details });
      throw thrown;
    }
    const isLate = HaftError.is(signal.reason, "CALL_TIMEOUT") || HaftError.is(thrown, "CALL_TIMEOUT");
    take({ kind: "end", why: isLate ? "deadline" : "cancelled", engine: "", seen: 0, skipped: {} });
    return undefined;
  }
}
