import { isRecord } from "../../../kernel/index.js";
import type { SearchOutcome, SearchResponse, SearchResult } from "../contract.js";
import { statusOutcome } from "./status-outcome.js";

/**
 * Reads a JSON response.
 *
 * @param list - The entries of the results; undefined where the answer has another shape.
 * @param snippet - The member of an entry that has its snippet.
 */
export function jsonOutcome(
  response: SearchResponse,
  snippet: string,
  list: (answer: Readonly<Record<string, unknown>>) => unknown,
): SearchOutcome {
  const refused = statusOutcome(response);
  if (refused !== undefined) return refused;
  let answer: unknown;
  try {
    answer = JSON.parse(response.text);
  } catch {
    return { kind: "failed", why: "its answer is not valid JSON" };
  }
  const entries = isRecord(answer) ? list(answer) : undefined;
  if (!Array.isArray(entries)) return { kind: "failed", why: "its answer has no list of results" };
  const results = entries.flatMap((entry) => (isRecord(entry) ? [resultOf(entry, snippet)] : []));
  return { kind: "results", results };
}

function resultOf(entry: Readonly<Record<string, unknown>>, snippet: string): SearchResult {
  const text = (name: string) => (typeof entry[name] === "string" ? entry[name] : "");
  return { title: text("title"), url: text("url"), snippet: text(snippet) };
}
