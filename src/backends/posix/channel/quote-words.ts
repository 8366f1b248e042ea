/** Quotes words for a line that a remote shell evaluates. */
import { posixQuote } from "../../../text/index.js";

/** Words without special characters are not quoted, because the remote side reads lines byte by byte. */
const PLAIN = /^[A-Za-z0-9_./:=,+-]+$/;

/** Quotes words for the remote `eval`. A line cannot contain a newline, so it is written as the variable that holds one. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : posixQuote(word).replaceAll("\n", `'"$hf_nl"'`))).join(" ");
}
