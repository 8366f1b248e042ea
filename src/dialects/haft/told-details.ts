/** What a success says beside its data: notes of the tool, and where the bytes are that it replaced. */
import { isRecord, type RenderContext, type ToolResult } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";

/** The context with the tool's own notes after those on the arguments. */
export function withToolNotes(about: RenderContext, result: ToolResult<unknown>): RenderContext {
  const notes = isRecord(result.details) ? result.details.notes : undefined;
  if (!Array.isArray(notes)) return about;
  const told = notes.filter((note): note is string => typeof note === "string");
  return { ...about, notes: [...about.notes, ...told] };
}

/** Where the replaced bytes are kept, as a sentence; nothing where there were none. */
export function replacedBytes(result: ToolResult<unknown>): readonly string[] {
  const journal = isRecord(result.details) ? result.details.journal : undefined;
  if (!isRecord(journal)) return [];
  if (typeof journal.artifact === "string") return [`The old content is artifact:${showControls(journal.artifact)}.`];
  return journal.kept === false ? ["The old content was too large to be kept."] : [];
}
