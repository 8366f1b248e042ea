/** What a result says beside its data: notes of the tool, and where the replaced bytes are stored. */
import { isRecord, type RenderContext, type ToolResult } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { counted } from "../rendering.js";

/** Appends the tool's notes to those on the arguments. */
export function withToolNotes(about: RenderContext, result: ToolResult<unknown>): RenderContext {
  const notes = isRecord(result.details) ? result.details.notes : undefined;
  if (!Array.isArray(notes)) return about;
  const reported = notes.filter((note): note is string => typeof note === "string");
  return { ...about, notes: [...about.notes, ...reported] };
}

/** Where the replaced bytes are stored, or that they were not, as a sentence; nothing where there were none. @param what - The bytes that were not stored, with their verb. */
export function replacedBytes(result: ToolResult<unknown>, what?: string): readonly string[] {
  const backup = isRecord(result.details) ? result.details.backup : undefined;
  if (!isRecord(backup)) return [];
  const { artifact, bytes, sizeBytes, maxBytes } = backup;
  const size = typeof sizeBytes === "number" ? `, ${counted(sizeBytes, "byte")},` : "";
  if (typeof artifact === "string") {
    const name = `artifact:${showControls(artifact)}`;
    if (typeof bytes !== "number" || typeof sizeBytes !== "number" || bytes === sizeBytes)
      return [`Old content: ${name}.`];
    return [`Old content, first and last ${bytes} of ${counted(sizeBytes, "byte")}: ${name}.`];
  }
  if (backup.kept !== false) return [];
  const why =
    typeof maxBytes === "number"
      ? `the limit for a replaced file is ${counted(maxBytes, "byte")}`
      : "the session's artifact storage is full";
  return [`${what ?? `The old content${size} was`} not stored and cannot be restored: ${why}.`];
}
