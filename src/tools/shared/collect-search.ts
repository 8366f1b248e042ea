import { fail, HaftError, type SearchEnd, type ToolResult } from "../../kernel/index.js";
import { rootFailure, type SearchedRoot } from "./search-root.js";

/**
 * Takes what a search yields. What is found before a cancel or a time-out is kept, however the engine tells of it: the end
 * record then says so. Any other error of ours is the call's failure, in the words of the one who named the root.
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
