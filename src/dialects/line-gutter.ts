/** Line numbers of a text window. */
import { windowLines } from "../text/index.js";

/** Width of the right-aligned line number; a wider number is not truncated. */
const GUTTER_WIDTH = 6;
/** Separates the number from the line. */
const GUTTER_BAR = "│";

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

export function gutter(line: number): string {
  return `${String(line).padStart(GUTTER_WIDTH)}${GUTTER_BAR}`;
}

/** Lines whose start is kept once it was made: most windows are among them. */
const MAX_KEPT = 4_096;
const kept: string[] = [];

/** A newline and the gutter. */
function rowStart(line: number): string {
  const known = kept[line];
  if (known !== undefined) return known;
  const made = `\n${gutter(line)}`;
  if (line >= 0 && line < MAX_KEPT) kept[line] = made;
  return made;
}

/** The lines that `windowLines` finds as one text, each behind a newline and its number. */
export function withGutters(text: string, startLine: number): { readonly text: string; readonly lines: number } {
  let numbered = "";
  let lines = 0;
  // Not `split`: its array and what is joined from it would be as much memory again as the text.
  for (let at = 0; at < text.length; lines++) {
    const newline = text.indexOf("\n", at);
    const to = newline === -1 ? text.length : newline;
    const end = newline > at && text.charCodeAt(newline - 1) === 13 ? newline - 1 : to;
    numbered += rowStart(startLine + lines);
    numbered += text.slice(at, end);
    at = to + 1;
  }
  return { text: numbered, lines };
}

/** The lines of a window with their numbers; a newline at the end makes no further line (IR-060). */
export function numberLines(text: string, startLine: number): readonly NumberedLine[] {
  return windowLines(text).map((line, index) => ({ number: startLine + index, text: line }));
}
