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

/** The lines of a window with their numbers; a newline at the end makes no further line (IR-060). */
export function numberLines(text: string, startLine: number): readonly NumberedLine[] {
  return windowLines(text).map((line, index) => ({ number: startLine + index, text: line }));
}
