/** The last lines of a result: how arguments were corrected, one line each. */

import type { RenderContext } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";

export function withNotes(text: string, about: Pick<RenderContext, "notes">): string {
  if (about.notes.length === 0) return text;
  const notes = about.notes.map((note) => `note: ${showControls(note)}`);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${notes.join("\n")}`;
}

/** A path in quotes, always on one row. */
export function quotedPath(path: string): string {
  return `"${showControls(path)}"`;
}
