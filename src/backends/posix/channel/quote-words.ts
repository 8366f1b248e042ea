/** Quotes words for a line that a remote shell evaluates. */
import { posixQuote } from "../../../text/index.js";

/** Words without special characters are not quoted, because the remote side reads lines byte by byte. */
const PLAIN = /^[A-Za-z0-9_./:=,+-]+$/;

/** Quotes words for the remote `eval`. A line cannot contain a newline, so it is written as the variable that holds one. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : posixQuote(word).replaceAll("\n", `'"$hf_nl"'`))).join(" ");
}

/**
 * One line for a login shell, whatever it is: POSIX, fish, csh. Words with special characters are sent as octal numbers, because
 * these shells agree on no quoting of quotes, backslashes and newlines.
 */
export function loginShellCommand(argv: readonly string[]): string {
  if (argv.every((word) => PLAIN.test(word) && !word.includes("="))) return `exec ${argv.join(" ")}`;
  const bytes = Buffer.from(argv.map(posixQuote).join(" "));
  const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `exec sh -c 'eval "exec $(printf "${octal}")"'`;
}
