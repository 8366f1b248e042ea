/**
 * Writes `text` as one word of a POSIX shell: in single quotes, where nothing is special.
 *
 * Always quotes, so the result never is an assignment, an option of the shell, a pattern or a `~`. A shell cannot pass
 * a NUL byte: refuse such a text before it gets here.
 */
export function posixQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Writes `text` as one word of a command line, quoted only where a shell would interpret it. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : posixQuote(text);
}

/** Writes a path as one argument of a command; one that begins with `-` is not read as an option. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith("-") ? `./${path}` : path);
}
