/** A failed call in the default dialect: the sentence of the tool, the facts behind it, and the reader's next step. */
import type { RenderContext, Rendered, ToolResult } from "../../kernel/index.js";
import { cutHead, showControls, stripControls } from "../../text/index.js";
import { type Failure, failureOf, isRecord, numberDetail, textDetail } from "../failure.js";
import { gutter, numberLines } from "../line-gutter.js";
import { counted, saying } from "../rendering.js";
import { withNotes } from "./notes.js";

/** Places that a failed edit shows. */
export const MAX_NEAREST_SHOWN = 3;
/** Line numbers that an ambiguous edit lists. */
export const MAX_LINES_LISTED = 20;
/** Bytes of the changed region that a stale edit shows. */
export const MAX_REGION_BYTES = 4_096;

export function renderFailure(result: ToolResult<unknown>, about: RenderContext): Rendered {
  const failure = failureOf(result);
  const facts = FACTS[failure.code]?.(failure) ?? [];
  const step = NEXT_STEPS[failure.code];
  const lines = [stripControls(failure.message).text, ...facts];
  if (step !== undefined && !step.isSaidBy.test(failure.message)) lines.push(step.text);
  return saying(withNotes(lines.join("\n"), about));
}

/** What the details of a code add to its sentence, unless the sentence says it already. */
const FACTS: Readonly<Record<string, (failure: Failure) => readonly string[]>> = {
  EDIT_NOT_FOUND: nearestPlaces,
  EDIT_AMBIGUOUS: ambiguousLines,
  FS_NOT_READ: unreadFile,
  FS_STALE: staleRegion,
};

/** The step that follows a code when the sentence does not end in one. `isSaidBy` knows it by a word that only the step has. */
const NEXT_STEPS: Readonly<Record<string, { readonly text: string; readonly isSaidBy: RegExp }>> = {
  EDIT_NOT_FOUND: {
    text: "Copy the text of the file exactly, without line numbers, or read the place again.",
    isSaidBy: /\b[Cc]opy\b|\b[Rr]ead\b/,
  },
  EDIT_AMBIGUOUS: {
    text: "Add surrounding lines to `oldText` until it is unique, or set `replaceAll`.",
    isSaidBy: /replaceAll|surrounding/,
  },
  EDIT_IDENTICAL: { text: "Send a `newText` that differs from `oldText`.", isSaidBy: /\bSend\b|\b[Cc]hange\b/ },
  EDIT_EMPTY: {
    text: "Give the text to be replaced as `oldText`; `write` makes a new file.",
    isSaidBy: /`write`|Give/,
  },
  EDIT_NO_CHANGE: { text: "The file already reads as wanted; nothing is left to do here.", isSaidBy: /already/ },
  EDIT_OVERLAP: { text: "Join the edits that overlap into one.", isSaidBy: /\b[Jj]oin|[Mm]erge|one edit/ },
  FS_NOT_READ: { text: "Read it first, or send its hash as `expect`.", isSaidBy: /`expect`|\bRead it\b/ },
  FS_STALE: { text: "Read it again, then repeat the call.", isSaidBy: /\b[Rr]ead\b/ },
  FS_NOT_FOUND: {
    text: 'Check the spelling; `grep` with `mode` "files" shows what is there.',
    isSaidBy: /`|[Cc]heck|[Dd]id you mean|[Nn]earest/,
  },
  FS_NOT_A_FILE: { text: "Name a file.", isSaidBy: /[Nn]ame|`/ },
  SEARCH_PATTERN: { text: "Correct the pattern, or set `literal` to search for it as text.", isSaidBy: /`literal`/ },
  SEARCH_UNSUPPORTED: { text: "Write the pattern without it.", isSaidBy: /without/ },
};

function nearestPlaces(failure: Failure): readonly string[] {
  const { nearest } = failure.details;
  if (!Array.isArray(nearest)) return [];
  const places = nearest.filter(isRecord).slice(0, MAX_NEAREST_SHOWN);
  const shown = places.flatMap((place) => {
    const line = typeof place.line === "number" ? place.line : 0;
    const text = typeof place.text === "string" ? place.text : "";
    const differs = typeof place.differs === "string" ? `: ${showControls(place.differs)}` : "";
    if (text === "" || failure.message.includes(text)) return [];
    return [
      `Near line ${line}${differs}`,
      ...numberLines(text, line).map((one) => gutter(one.number) + stripControls(one.text).text),
    ];
  });
  return shown;
}

function ambiguousLines(failure: Failure): readonly string[] {
  const { lines } = failure.details;
  if (!Array.isArray(lines)) return [];
  const numbers = lines.filter((line): line is number => typeof line === "number");
  const listed = numbers.slice(0, MAX_LINES_LISTED).join(", ");
  if (listed === "" || failure.message.includes(listed)) return [];
  const more = numbers.length > MAX_LINES_LISTED ? ` and ${numbers.length - MAX_LINES_LISTED} more` : "";
  return [`It begins on lines ${listed}${more}.`];
}

function unreadFile(failure: Failure): readonly string[] {
  const sha256 = textDetail(failure, "sha256");
  const sizeBytes = numberDetail(failure, "sizeBytes");
  const modifiedMs = numberDetail(failure, "modifiedMs");
  if (sha256 === undefined || failure.message.includes(sha256)) return [];
  const size = sizeBytes === undefined ? "" : `${counted(sizeBytes, "byte")}, `;
  const time = modifiedMs === undefined ? "" : `changed ${isoTime(modifiedMs)}, `;
  return [`It has ${size}${time}sha256 ${sha256}. To replace it unseen, send that hash as \`expect\`.`];
}

function staleRegion(failure: Failure): readonly string[] {
  const { region } = failure.details;
  const text =
    typeof region === "string" ? region : isRecord(region) && typeof region.text === "string" ? region.text : "";
  if (text === "" || failure.message.includes(text)) return [];
  const start = isRecord(region) ? (region.line ?? region.startLine) : undefined;
  const cut = cutHead(text, MAX_REGION_BYTES);
  const lines = numberLines(cut.text, typeof start === "number" ? start : 1);
  const rows = lines.map((one) => (typeof start === "number" ? gutter(one.number) : "") + stripControls(one.text).text);
  const rest = cut.droppedBytes === 0 ? [] : [`(${counted(cut.droppedBytes, "more byte")})`];
  return ["The place now reads:", ...rows, ...rest];
}

/** ISO time to the second, or the bare number where it is no date. */
function isoTime(ms: number): string {
  const isDate = Math.abs(ms) <= 8.64e15;
  return isDate ? `${new Date(ms).toISOString().slice(0, 19)}Z` : `${ms} ms`;
}
