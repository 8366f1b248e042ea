/** The bytes that a call replaces or deletes: how they are kept before, and how its answer tells of them. */
import {
  type Cut,
  type ErrorCode,
  HaftError,
  type Provenance,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";

/** The largest file whose bytes are kept before it is replaced: as much as an artifact holds whole. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Where the bytes that a call replaced or deleted are kept; fewer than there were where the session had no room for all. */
export interface Journal {
  readonly artifact: string;
  readonly bytes: number;
  readonly sizeBytes: number;
}

/** Replaced bytes that are gone. `maxBytes` is the bound that they were over; without it the session had no room for them. */
export interface Unkept {
  readonly kept: false;
  readonly sizeBytes: number;
  readonly maxBytes?: number;
}

/** What was kept, with the way to give it up when nothing is replaced or deleted after all. */
export interface KeptBytes<Kept = Journal> {
  readonly journal: Kept;
  giveUp(): Promise<void>;
}

/** Keeps the bytes that are about to be replaced or deleted as an artifact of the session; nothing for an empty file. */
export async function keepOldBytes(
  ctx: Pick<ToolContext, "artifacts">,
  provenance: Provenance,
  bytes: Uint8Array,
  what = `the replaced bytes of ${provenance.ref}`,
): Promise<KeptBytes | undefined> {
  if (bytes.length === 0) return undefined;
  const writer = await ctx.artifacts.create({ what, provenance });
  const giveUp = async (): Promise<void> => {
    // It is then an artifact that nobody needs, no reason for a call to fail.
    await writer.discard?.().catch(() => {});
  };
  try {
    await writer.write(bytes);
    const { keptBytes } = await writer.end();
    return { journal: { artifact: writer.id, bytes: keptBytes, sizeBytes: bytes.length }, giveUp };
  } catch (thrown) {
    await giveUp();
    throw thrown;
  }
}

/** The bytes of a file over `maxBytes`, which are not kept. */
export function unkept(sizeBytes: number, maxBytes: number): KeptBytes<Unkept> {
  return { journal: { kept: false, sizeBytes, maxBytes }, giveUp: async () => {} };
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
 * `details.journal`: a write in place may have ended half-way.
 */
export async function orGiveUp<T>(
  kept: KeptBytes<Journal | Unkept> | undefined,
  replace: () => Promise<T>,
): Promise<T> {
  try {
    return await replace();
  } catch (thrown) {
    if (kept === undefined || !HaftError.is(thrown)) throw thrown;
    if (!UNTOUCHED.includes(thrown.code)) throw naming(thrown, kept.journal);
    await kept.giveUp();
    throw thrown;
  }
}

function naming(cause: HaftError, journal: Journal | Unkept): HaftError {
  const { code, message, hint } = cause;
  const details = { ...cause.details, journal };
  return new HaftError(code, message, { cause, details, ...(hint === undefined ? {} : { hint }) });
}

/** Replaced bytes as the parts of a result that tell of them; nothing where there were none. */
export function journalled(
  spelled: string,
  journal: Journal | Unkept | undefined,
): { readonly cuts: readonly Cut[] } & Pick<ToolResult, "details"> {
  if (journal === undefined) return { cuts: [] };
  const told =
    "kept" in journal || journal.bytes > 0 ? journal : ({ kept: false, sizeBytes: journal.sizeBytes } as const);
  return { cuts: [cutOf(spelled, told)], details: { journal: told } };
}

/** As something that an answer does not show and that can be had, or not. */
function cutOf(spelled: string, journal: Journal | Unkept): Cut {
  const { sizeBytes: producedBytes } = journal;
  const what = `the replaced bytes of ${spelled}`;
  if ("kept" in journal) {
    const why = journal.maxBytes === undefined ? "the session has no room for them" : "a file of this size is not kept";
    return { what, producedBytes, keptBytes: 0, next: `They are gone; ${why}.` };
  }
  const { artifact, bytes: keptBytes } = journal;
  return { what, producedBytes, keptBytes, artifact, next: `\`read\` "artifact:${artifact}" to see them.` };
}
