/** What a success says beside its data: notes of the tool, and where the bytes are that it replaced. */
import { isRecord, type RenderContext, type ToolResult } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { counted } from "../rendering.js";

/** The context with the tool's own notes after those on the arguments. */
export function withToolNotes(about: RenderContext, result: ToolResult<unknown>): RenderContext {
  const notes = isRecord(result.details) ? result.details.notes : undefined;
  if (!Array.isArray(notes)) return about;
  const reported = notes.filter((note): note is string => typeof note === "string");
  return { ...about, notes: [...about.notes, ...reported] };
}

/** Where the replaced bytes are kept, or that they (`lost`) are gone, as a sentence; nothing where there were none. */
export function replacedBytes(result: ToolResult<unknown>, lost?: string): readonly string[] {
  const backup = isRecord(result.details) ? result.details.backup : undefined;
  if (!isRecord(backup)) return [];
  const { artifact, bytes, sizeBytes, maxBytes } = backup;
  const size = typeof sizeBytes === "number" ? `, ${counted(sizeBytes, "byte")},` : "";
  if (typeof artifact === "string") {
    const name = `artifact:${showControls(artifact)}`;
    if (typeof bytes !== "number" || typeof sizeBytes !== "number" || bytes === sizeBytes)
      return [`The old content is ${name}.`];
    return [`Of the old content${size} the first and the last are kept, together ${counted(bytes, "byte")}: ${name}.`];
  }
  if (backup.kept !== false) return [];
  const why =
    typeof maxBytes === "number"
      ? `of a file that is replaced at most ${counted(maxBytes, "byte")} are kept`
      : "this session has no room for it among its artifacts";
  return [`${lost ?? `The old content${size}`} was not kept and is gone: ${why}.`];
}
