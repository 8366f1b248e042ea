/**
 * Writes `text` as one word of a POSIX shell: in single quotes, where nothing is special.
 *
 * Always quotes, so the result never is an assignment, an option of the shell, a pattern or a `~`. A shell cannot pass
 * a NUL byte: refuse such a text before it gets here.
 */
export function posixQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
