/** Backups of the bytes that a call replaces or deletes, and how its result reports them. */
import {
  type ErrorCode,
  fail,
  HaftError,
  type Provenance,
  type ToolContext,
  type ToolResult,
  type Truncation,
} from "../../kernel/index.js";
import type { FileRequest } from "./file-failure.js";
import { quoted } from "./path-input.js";

/** The stored bytes; `bytes` is less than `sizeBytes` where the session had no room for all. */
export interface ContentBackup {
  readonly artifact: string;
  readonly bytes: number;
  readonly sizeBytes: number;
}

/** Replaced bytes that were not stored: over `maxBytes`, or without it, because the session had no space left. */
interface BackupSkipped {
  readonly kept: false;
  readonly sizeBytes: number;
  readonly maxBytes?: number;
}

/** A backup, and how to discard it when nothing is replaced or deleted after all. */
interface StoredBackup<Kept = ContentBackup> {
  readonly backup: Kept;
  discard(): Promise<void>;
}

/** Stores bytes that are about to be replaced or deleted as an artifact; nothing for an empty file. */
export async function backUp(
  ctx: Pick<ToolContext, "artifacts">,
  provenance: Provenance,
  bytes: Uint8Array,
  what = `the replaced bytes of ${provenance.ref}`,
): Promise<StoredBackup | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({ what, provenance, exact: true });
  const discard = async (): Promise<void> => {
    // An unneeded artifact is no reason for the call to fail.
    await writer.discard?.().catch(() => {});
  };
  try {
    await writer.write(bytes);
    const { keptBytes } = await writer.end();
    return { backup: { artifact: writer.id, bytes: keptBytes, sizeBytes: bytes.length }, discard };
  } catch (thrown) {
    await discard();
    throw thrown;
  }
}

/** For a file over `maxBytes`, which is not stored. */
export function backupSkipped(sizeBytes: number, maxBytes: number): StoredBackup<BackupSkipped> {
  return { backup: { kept: false, sizeBytes, maxBytes }, discard: async () => {} };
}

/**
 * Refuses to replace or delete a file that does not fit the session's artifact storage.
 *
 * @param next - What to do instead.
 */
export function refuseTooLargeToBackUp(
  { verb, givenPath }: Pick<FileRequest, "verb" | "givenPath">,
  { path, sizeBytes, keptBytes }: { readonly path: string; readonly sizeBytes: number; readonly keptBytes: number },
  next: string,
): ToolResult<never> {
  const why = `the session's artifact storage has room for ${keptBytes} of the ${sizeBytes} bytes of ${quoted(path)}`;
  const message = `Did not ${verb} ${quoted(givenPath)}: ${why}. ${next}, which makes no backup.`;
  return fail("FS_TOO_LARGE", message, { details: { path, sizeBytes, maxBytes: keptBytes } });
}

/** Errors after which the file is unchanged. */
const UNTOUCHED: readonly string[] = [
  "FS_STALE",
  "FS_PERMISSION",
  "FS_READ_ONLY",
  "FS_NO_SPACE",
  "FS_TOO_LARGE",
  "STORE_UNWRITABLE",
] satisfies readonly ErrorCode[];

/**
 * Replaces, and discards the backup where nothing was replaced. After any other failure it remains, and the error has it as
 * `details.backup`: a write in place may be incomplete.
 */
export async function withBackup<T>(
  kept: StoredBackup<ContentBackup | BackupSkipped> | undefined,
  replace: () => Promise<T>,
): Promise<T> {
  try {
    return await replace();
  } catch (thrown) {
    if (kept === undefined || !HaftError.is(thrown)) throw thrown;
    if (!UNTOUCHED.includes(thrown.code)) throw withBackupDetail(thrown, kept.backup);
    await kept.discard();
    throw thrown;
  }
}

function withBackupDetail(cause: HaftError, backup: ContentBackup | BackupSkipped): HaftError {
  const { code, message, hint } = cause;
  const details = { ...cause.details, backup };
  return new HaftError(code, message, { cause, details, ...(hint === undefined ? {} : { hint }) });
}

/** The parts of a result that report replaced bytes; nothing where there were none. */
export function backupParts(
  givenPath: string,
  backup: ContentBackup | BackupSkipped | undefined,
): {
  readonly truncations: readonly Truncation[];
  readonly details?: { readonly backup: ContentBackup | BackupSkipped };
} {
  if (backup === undefined) return { truncations: [] };
  const reported =
    "kept" in backup || backup.bytes > 0 ? backup : ({ kept: false, sizeBytes: backup.sizeBytes } as const);
  return { truncations: [truncationOf(givenPath, reported)], details: { backup: reported } };
}

/** As a truncation of the result. */
function truncationOf(givenPath: string, backup: ContentBackup | BackupSkipped): Truncation {
  const { sizeBytes: producedBytes } = backup;
  const what = `the replaced bytes of ${givenPath}`;
  if ("kept" in backup) {
    const why =
      backup.maxBytes === undefined ? "the session's artifact storage is full" : "a file of this size is not backed up";
    return { what, producedBytes, keptBytes: 0, next: `They cannot be restored: ${why}.` };
  }
  const { artifact, bytes: keptBytes } = backup;
  return { what, producedBytes, keptBytes, artifact, next: `\`read\` "artifact:${artifact}" to see them.` };
}
