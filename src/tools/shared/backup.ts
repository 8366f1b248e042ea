/** The bytes that a call replaces or deletes: how they are kept before, and how its answer tells of them. */
import {
  type ErrorCode,
  HaftError,
  type Provenance,
  type ToolContext,
  type ToolResult,
  type Truncation,
} from "../../kernel/index.js";

/** Where the bytes that a call replaced or deleted are kept; fewer than there were where the session had no room for all. */
export interface ContentBackup {
  readonly artifact: string;
  readonly bytes: number;
  readonly sizeBytes: number;
}

/** Replaced bytes that are gone. `maxBytes` is the bound that they were over; without it the session had no room for them. */
export interface BackupSkipped {
  readonly kept: false;
  readonly sizeBytes: number;
  readonly maxBytes?: number;
}

/** What was kept, with the way to give it up when nothing is replaced or deleted after all. */
export interface StoredBackup<Kept = ContentBackup> {
  readonly backup: Kept;
  discard(): Promise<void>;
}

/** Keeps the bytes that are about to be replaced or deleted as an artifact of the session; nothing for an empty file. */
export async function backUp(
  ctx: Pick<ToolContext, "artifacts">,
  provenance: Provenance,
  bytes: Uint8Array,
  what = `the replaced bytes of ${provenance.ref}`,
): Promise<StoredBackup | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({ what, provenance });
  const giveUp = async (): Promise<void> => {
    // It is then an artifact that nobody needs, no reason for a call to fail.
    await writer.discard?.().catch(() => {});
  };
  try {
    await writer.write(bytes);
    const { keptBytes } = await writer.end();
    return { backup: { artifact: writer.id, bytes: keptBytes, sizeBytes: bytes.length }, discard: giveUp };
  } catch (thrown) {
    await giveUp();
    throw thrown;
  }
}

/** The bytes of a file over `maxBytes`, which are not kept. */
export function backupSkipped(sizeBytes: number, maxBytes: number): StoredBackup<BackupSkipped> {
  return { backup: { kept: false, sizeBytes, maxBytes }, discard: async () => {} };
}

/** After these a file is as it was. */
const UNTOUCHED: readonly string[] = [
  "FS_STALE",
  "FS_PERMISSION",
  "FS_READ_ONLY",
  "FS_NO_SPACE",
  "FS_TOO_LARGE",
  "STORE_UNWRITABLE",
] satisfies readonly ErrorCode[];

/**
 * Replaces, and gives up what was kept where nothing was replaced. After any other failure it stays, and the error names it as
 * `details.backup`: a write in place may have ended half-way.
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

/** Replaced bytes as the parts of a result that tell of them; nothing where there were none. */
export function backupParts(
  givenPath: string,
  backup: ContentBackup | BackupSkipped | undefined,
): { readonly truncations: readonly Truncation[] } & Pick<ToolResult, "details"> {
  if (backup === undefined) return { truncations: [] };
  const reported =
    "kept" in backup || backup.bytes > 0 ? backup : ({ kept: false, sizeBytes: backup.sizeBytes } as const);
  return { truncations: [truncationOf(givenPath, reported)], details: { backup: reported } };
}

/** As something that an answer does not show and that can be had, or not. */
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
