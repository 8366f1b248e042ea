/** How the lines of a text end: all alike, `mixed` when at least two kinds occur, `none` without any ending. */
export type Eol = "lf" | "crlf" | "cr" | "mixed" | "none";

const NEWLINE = 10;

/**
 * The lines of `text` without their endings. `\n` and `\r\n` end a line; a lone `\r` is part of it.
 *
 * A newline at the end adds no line, and an empty text is one empty line (IR-135); for a window of a file, where an
 * empty file has no line, use {@link windowLines}.
 */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  const isTerminated = lines.length > 1 && lines[lines.length - 1] === "";
  if (isTerminated) lines.pop();
  if (!text.includes("\r\n")) return lines;
  const terminated = isTerminated ? lines.length : lines.length - 1;
  for (let index = 0; index < terminated; index++) {
    const line = lines[index]!;
    if (line.endsWith("\r")) lines[index] = line.slice(0, -1);
  }
  return lines;
}

/** As {@link splitLines}, but an empty text has no lines, so `lines.length` is what a reader numbers (IR-060). */
export function windowLines(text: string): string[] {
  return text === "" ? [] : splitLines(text);
}

/** Which line endings `text` uses. A `\r` that no `\n` follows is an ending of its own kind. */
export function detectEol(text: string): Eol {
  let hasLf = false;
  let hasCrlf = false;
  for (let at = text.indexOf("\n"); at !== -1 && !(hasLf && hasCrlf); at = text.indexOf("\n", at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) hasCrlf = true;
    else hasLf = true;
  }
  const hasCr = text.includes("\r") && /\r(?!\n)/.test(text);
  if (Number(hasLf) + Number(hasCrlf) + Number(hasCr) > 1) return "mixed";
  return hasLf ? "lf" : hasCrlf ? "crlf" : hasCr ? "cr" : "none";
}

/** Where a skip over lines stopped: the byte after the last newline passed, and how many newlines those were. */
export interface LineSkip {
  readonly offset: number;
  readonly skipped: number;
}

/**
 * Passes `count` newline bytes of `bytes` from `from` on. When fewer follow, `skipped` is less than `count` and
 * `offset` is the end of `bytes`: a line that has no newline is not passed.
 */
export function skipLines(bytes: Uint8Array, from: number, count: number): LineSkip {
  let offset = from;
  for (let skipped = 0; skipped < count; skipped++) {
    const at = bytes.indexOf(NEWLINE, offset);
    if (at === -1) return { offset: bytes.length, skipped };
    offset = at + 1;
  }
  return { offset, skipped: Math.max(0, count) };
}
