/** What ripgrep is asked to print for a query. */
import type { SearchPattern } from "../../engines/search/index.js";
import type { GrepQuery } from "../../kernel/index.js";
import type { RipgrepOutput } from "./arguments.js";

/** Characters of a pattern that are tried; the rest of a longer pattern is ignored. */
const MAX_TRIED = 200;
/** What ripgrep is asked to print. */
export interface OutputPlan {
  readonly output: RipgrepOutput;
  /** Maximum matches in one file: ripgrep buffers them all until it has searched the file. */
  readonly maxLines: number | undefined;
}

/**
 * Whole lines only if few matches are expected in each: ripgrep buffers every match of a file, fifty bytes each, before it
 * prints the first line. Files are listed with their first match; without that limit ripgrep takes quadratic time for some
 * patterns that match at the start of a line.
 */
export function outputPlan(query: GrepQuery, pattern: SearchPattern): OutputPlan {
  const isDense = query.mode === "content" && mayMatchDensely(pattern, query.pattern.source);
  if (query.pattern.multiline || isDense) return { output: "files", maxLines: 1 };
  if (query.mode !== "content") return { output: "counts", maxLines: undefined };
  return { output: "lines", maxLines: query.offset + query.limit + 1 };
}

/** A few characters of each kind. */
const CHARACTERS = [..." aZ09_.,:;'\"(){}[]<>=+-*/\\|&!?#$%@^~`\t\u00e9\u6f22\u{1f600}"];

/**
 * Guesses whether a match may have three characters or fewer, by trying one character of each kind and those of the
 * pattern. Whole scripts and numbered characters cannot be tried, so they count as dense.
 */
function mayMatchDensely(pattern: SearchPattern, source: string): boolean {
  if (/\\[pP]|\\x\{/.test(source)) return true;
  const encoder = new TextEncoder();
  const characters = new Set([...CHARACTERS, ...source.slice(0, MAX_TRIED)]);
  const tried = [...characters].map((character) => character.repeat(3));
  if ([...source].length <= 3) tried.push(source);
  return tried.some((text) => pattern.test(encoder.encode(text)));
}
