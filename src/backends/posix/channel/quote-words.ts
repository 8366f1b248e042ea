/** What goes to a far shell as words of a line. */
import { posixQuote } from "../../../text/index.js";

/** Nothing in it means anything to a shell; a far line is read byte by byte, so it goes as it is. */
const PLAIN = /^[A-Za-z0-9_./:=,+-]+$/;

/** Quotes words for the far `eval`. A line cannot hold a line end, so one is written as the far variable that holds it. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : posixQuote(word).replaceAll("\n", `'"$hf_nl"'`))).join(" ");
}
