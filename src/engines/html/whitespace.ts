/** Whitespace of HTML and the no-break spaces, which only matter to a layout. */
const RUNS = /[ \t\n\f\r\u00a0\u202f]+/g;
/** Hints for hyphenation and line breaks: nothing that a reader sees. */
const HINTS = /[\u00ad\u200b\u2060\ufeff]/g;

/** As CSS collapses it: each run of whitespace is one space. */
export function collapseWhitespace(text: string): string {
  return text.replace(HINTS, "").replace(RUNS, " ");
}

/** As `pre` keeps it, with line endings as newlines. */
export function keepWhitespace(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\u00a0/g, " ")
    .replace(HINTS, "");
}
