/** The result of successful edits, and a backup of the old file where the diff omits removed text. */
import { CR_SYMBOL, type EditDiff, type EditPlan } from "../../engines/edit/index.js";
import { ok, type Provenance, type ToolContext, type ToolResult, type Truncation } from "../../kernel/index.js";
import type { TextForm } from "../../text/index.js";
import {
  type BackupSkipped,
  backUp,
  backupParts,
  backupSkipped,
  type ContentBackup,
  type StoredBackup,
} from "../shared/backup.js";
import { fileProvenance } from "../shared/path-input.js";
import type { FilePlace, freshness } from "../shared/read-state.js";
import type { EditData, EditInput, EditLimits } from "./contract.js";

/** Ranges that the structured part of a result lists; the count has the rest. */
const MAX_STRUCTURED_RANGES = 50;

/** Removed text that the diff does not show exists nowhere else, so the old file is stored then. */
export async function keepUnshown(
  input: EditInput,
  ctx: ToolContext<EditLimits>,
  place: FilePlace,
  bytes: Uint8Array,
  { showsRemoved }: EditDiff,
): Promise<StoredBackup<ContentBackup | BackupSkipped> | undefined> {
  if (showsRemoved) return undefined;
  const { maxBackupBytes: maxBytes } = ctx.limits;
  if (bytes.length > maxBytes) return backupSkipped(bytes.length, maxBytes);
  return backUp(ctx, fileProvenance(ctx, place.absolute, input.path), bytes);
}

interface Applied {
  readonly plan: Extract<EditPlan, { kind: "applied" }>;
  readonly form: TextForm;
  readonly shown: EditDiff;
  readonly backup: ContentBackup | BackupSkipped | undefined;
  readonly hashes: readonly [before: string, after: string];
  readonly seen: ReturnType<typeof freshness>;
  readonly inPlace: boolean;
  readonly provenance: Provenance;
}

/** The result of edits that were made. */
export function edited(
  input: EditInput,
  { plan, form, shown, backup, hashes, seen, inPlace, provenance }: Applied,
): ToolResult<EditData> {
  const { diff, added, removed } = shown;
  const facts = {
    path: input.path,
    replacements: plan.ranges.length,
    strategy: plan.stage,
    beforeHash: hashes[0],
    afterHash: hashes[1],
    added,
    removed,
    merged: seen === "stale",
    reindented: plan.reindented,
    eolConverted: plan.eolConverted,
    ...(inPlace ? { inPlace } : {}),
  };
  const { truncations: cuts, details } = backupParts(input.path, backup);
  const notes = [...notesOf(plan, shown), ...guessNote(input, form)];
  return ok(
    { ...facts, ranges: plan.ranges, diff },
    {
      structured: { ...facts, ranges: plan.ranges.slice(0, MAX_STRUCTURED_RANGES) },
      truncations: [...diffCuts(input.path, shown, backup), ...cuts],
      provenance,
      ...(details === undefined && notes.length === 0
        ? {}
        : { details: { ...(details as object | undefined), ...(notes.length === 0 ? {} : { notes }) } }),
    },
  );
}

/** Notes on how the file was matched and how to read the diff. */
function notesOf({ byEndings }: Applied["plan"], { showsReturns }: EditDiff): readonly string[] {
  const notes: string[] = [];
  if (byEndings)
    notes.push("The file has mixed line endings; `oldText` was matched with exactly its own line endings.");
  if (showsReturns) notes.push(`In the diff ${CR_SYMBOL} is a carriage return: a line ending in it ends in CRLF.`);
  return notes;
}

/** With a guessed encoding, non-ASCII characters may have been written wrongly. */
function guessNote({ edits }: EditInput, { encoding, confident }: TextForm): readonly string[] {
  const hasOther = edits.some(({ newText }) => /[^\x00-\x7f]/.test(newText));
  if (confident || encoding === "utf-8" || !hasOther) return [];
  return [`The encoding ${encoding} is guessed, and \`newText\` was written in it.`];
}

function diffCuts(
  path: string,
  { producedBytes, keptBytes, showsRemoved }: EditDiff,
  backup: ContentBackup | BackupSkipped | undefined,
): readonly Truncation[] {
  if (producedBytes <= keptBytes) return [];
  return [{ what: `diff of ${path}`, producedBytes, keptBytes, next: showsRemoved ? READ_FILE : whereRemoved(backup) }];
}

const READ_FILE = "Read the file to see the rest of the added text.";

function whereRemoved(backup: ContentBackup | BackupSkipped | undefined): string {
  if (backup === undefined || "kept" in backup || backup.bytes === 0)
    return `${READ_FILE} Removed text beyond the diff was not stored.`;
  const { artifact, bytes, sizeBytes } = backup;
  const part = bytes === sizeBytes ? "the old file" : `the first and last part of the old file, ${bytes} bytes`;
  return `${READ_FILE} The removed text is in artifact:${artifact}: ${part}.`;
}
