/** What goes to a far shell as words of a line. */
import { posixQuote } from "../../text/index.js";

/** Quotes words for the far `eval`. A line cannot hold a line end, so one is written as the far variable that holds it. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => posixQuote(word).replaceAll("\n", `'"$hf_nl"'`)).join(" ");
}
