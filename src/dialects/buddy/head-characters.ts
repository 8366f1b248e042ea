/** The first characters of a text: what this dialect's limits count. */
import { TRUNCATED } from "./messages.js";

interface HeadCharacters {
  /** With the mark of truncation where something was left out. */
  readonly text: string;
  /** Without it. */
  readonly kept: string;
}

/**
 * Keeps the first `maxCharacters` code points (BD-020).
 *
 * @param isPartial - Whether more text follows that is not part of `text`; then the mark stands even when all of it fits.
 */
export function headCharacters(text: string, maxCharacters: number, isPartial = false): HeadCharacters {
  const kept = firstCodePoints(text, maxCharacters);
  return { text: kept.length < text.length || isPartial ? kept + TRUNCATED : kept, kept };
}

function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let seen = 0; seen < count && end < text.length; seen++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
