/** A failed call in the default dialect: the sentence of the tool, its facts, and the next step. */
import { isRecord, type RenderContext, type Rendered, type ToolResult } from "../../kernel/index.js";
import { showControls, stripControls, truncateToHead } from "../../text/index.js";
import { ambiguousLines } from "../ambiguous-lines.js";
import { entryOf, type Failure, failureOf, numberDetail, textDetail } from "../failure.js";
import { gutter, type NumberedLine, numberLines } from "../line-gutter.js";
import { counted, textResult } from "../rendering.js";
import { withNotes } from "./notes.js";
import { replacedBytes } from "./tool-notes.js";

/** Places that a failed edit shows. */
const MAX_NEAREST_SHOWN = 3;
/** Bytes of the changed region that a stale edit shows. */
const MAX_REGION_BYTES = 4_096;

/**
 * @param hashParameter - The parameter for the hash of an unread file, if the tool has one. Without it the hash
 *   is omitted.
 */
export function renderHaftFailure(result: ToolResult<unknown>, about: RenderContext, hashParameter?: string): Rendered {
  const failure = failureOf(result);
  const facts = entryOf(FACTS, failure.code)?.(failure) ?? [];
  const hash = hashParameter === undefined ? [] : fileFacts(failure);
  const orHash =
    hash.length === 0 ? "" : ` Or pass that hash as \`${hashParameter}\` to replace it without reading it.`;
  const isDirectory = failure.code === "FS_NOT_A_FILE" && failure.details.kind === "directory";
  const step = isDirectory ? DIRECTORY_STEP : entryOf(NEXT_STEPS, failure.code);
  const lines = [stripControls(failure.message).text, ...hash, ...facts, ...replacedBytes(result)];
  if (step !== undefined && !hasNextStep(failure.message)) lines.push(step + orHash);
  return textResult(withNotes(lines.join("\n"), about));
}

/** What the details of a code add to its message. */
const FACTS: Readonly<Record<string, (failure: Failure) => readonly string[]>> = {
  EDIT_NOT_FOUND: nearestPlaces,
  EDIT_AMBIGUOUS: ambiguousLines,
  FS_STALE: staleRegion,
};

/** The next step by code, for a message of one sentence. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  EDIT_NOT_FOUND: "Copy the text exactly as in the file, without line numbers, or read that part again.",
  EDIT_AMBIGUOUS: "Add surrounding lines to `oldText` until it is unique, or set `replaceAll`.",
  EDIT_IDENTICAL: "Send a `newText` that differs from `oldText`.",
  EDIT_EMPTY: "Set `oldText` to the text to replace, or use `write` to create a file.",
  EDIT_NO_CHANGE: "No edit is needed.",
  EDIT_OVERLAP: "Merge the overlapping edits into one.",
  FS_NOT_READ: "Read it first, then repeat the call.",
  FS_STALE: "Read it again, then repeat the call.",
  FS_NOT_FOUND: "Check the spelling, or use `ls` or `find`.",
  FS_NOT_A_FILE: "Name a regular file.",
  FS_NOT_TEXT: "Use a command to inspect the bytes.",
  FS_PERMISSION: "Use another path; only the user can change permissions.",
  SEARCH_PATTERN: "Correct the pattern, or set `literal` to search for it as text.",
  SEARCH_UNSUPPORTED: "Rewrite the pattern without it.",
};

const DIRECTORY_STEP = "Name a regular file; use `ls` for a directory.";

/** Whether the message has a second sentence outside quotes, which is the next step. */
function hasNextStep(message: string): boolean {
  return /[.!?]\s+\S/.test(message.replace(/"[^"\n]*"|`[^`\n]*`/g, "_"));
}

function nearestPlaces(failure: Failure): readonly string[] {
  const { nearest } = failure.details;
  if (!Array.isArray(nearest)) return [];
  return nearest
    .filter(isRecord)
    .slice(0, MAX_NEAREST_SHOWN)
    .flatMap(({ line, text, differs }) => {
      const first = typeof line === "number" ? line : 0;
      const rows = numberLines(typeof text === "string" ? text : "", first);
      return rows.length === 0 ? [] : [nearness(first, differs), ...rows.map(numbered)];
    });
}

/** Does not repeat the line number. */
function nearness(line: number, differs: unknown): string {
  if (typeof differs !== "string" || differs === "") return `Near line ${line}:`;
  const own = `on line ${line}, `;
  return `Near line ${line}: ${showControls(differs.startsWith(own) ? differs.slice(own.length) : differs)}`;
}

function numbered(line: NumberedLine): string {
  return gutter(line.number) + stripControls(line.text).text;
}

/** Size, time and hash of a file that was not read, or changed since. */
function fileFacts(failure: Failure): readonly string[] {
  const sha256 = textDetail(failure, "sha256");
  const sizeBytes = numberDetail(failure, "sizeBytes");
  const modifiedMs = numberDetail(failure, "modifiedMs");
  if (sha256 === undefined || failure.message.includes(sha256)) return [];
  const size = sizeBytes === undefined ? "" : `${counted(sizeBytes, "byte")}, `;
  const time = modifiedMs === undefined ? "" : `modified ${isoTime(modifiedMs)}, `;
  return [`The file: ${size}${time}sha256 ${sha256}.`];
}

function staleRegion(failure: Failure): readonly string[] {
  const { region } = failure.details;
  const text =
    typeof region === "string" ? region : isRecord(region) && typeof region.text === "string" ? region.text : "";
  if (text === "") return [];
  const start = isRecord(region) ? (region.line ?? region.startLine) : undefined;
  const truncation = truncateToHead(text, MAX_REGION_BYTES);
  const lines = numberLines(truncation.text, typeof start === "number" ? start : 1);
  const rows = lines.map((one) => (typeof start === "number" ? numbered(one) : stripControls(one.text).text));
  const rest = truncation.omittedBytes === 0 ? [] : [`(${counted(truncation.omittedBytes, "more byte")})`];
  return ["The current content there:", ...rows, ...rest];
}

/** ISO time to the second, or the number if it is out of range. */
function isoTime(ms: number): string {
  const isDate = Math.abs(ms) <= 8.64e15;
  return isDate ? `${new Date(ms).toISOString().slice(0, 19)}Z` : `${ms} ms`;
}
