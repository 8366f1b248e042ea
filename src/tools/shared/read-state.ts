/** What a session has seen of a file, and whether it may change the file without reading it first. */
import { type FsEntryInfo, fail, type ReadStateRecord, type ToolContext, type ToolResult } from "../../kernel/index.js";
import type { Gate } from "../write/contract.js";
import { quoted } from "./path-input.js";

/** Larger files are recorded by size and time alone. */
export const MAX_HASHED_BYTES = 8 * 1024 * 1024;

/** A file of a call: its path as claimed, and its real path. */
export interface FilePlace {
  readonly absolute: string;
  readonly real: string;
}

/** What is known of a file now. */
export interface FileNow {
  readonly info: Pick<FsEntryInfo, "size" | "modifiedMs">;
  /** SHA-256 of its bytes as hex, where they were read. */
  readonly sha256?: string | undefined;
}

/** Records that the session has seen this content, also in the handle of the host. */
export function recordReadState(ctx: ToolContext, place: FilePlace, now: FileNow): void {
  const isHashed = now.sha256 !== undefined && now.info.size <= MAX_HASHED_BYTES;
  const record: ReadStateRecord = {
    mtimeMs: Math.floor(now.info.modifiedMs),
    size: now.info.size,
    ...(isHashed ? { contentHash: now.sha256 } : {}),
    readAt: ctx.clock.now(),
  };
  ctx.session.readState.set(place.real, record);
  ctx.framework.readState?.set(place.absolute, record);
}

/** The same after a change by this call, which succeeded even if the file cannot be read again. */
export async function recordChange(ctx: ToolContext, place: FilePlace, sha256: string): Promise<void> {
  const info = await ctx.fs.stat(place.absolute).catch(() => undefined);
  if (info !== undefined) recordReadState(ctx, place, { info, sha256 });
}

type Freshness = "unread" | "stale" | "fresh";

/** Whether the session has seen what the file holds now. The content decides where it is known, else size and time. */
export function freshness(ctx: ToolContext, place: FilePlace, now: FileNow): Freshness {
  const record = ctx.session.readState.get(place.real);
  if (record === undefined) return "unread";
  if (record.contentHash !== undefined && now.sha256 !== undefined)
    return record.contentHash === now.sha256 ? "fresh" : "stale";
  return isUntouched(record, now) ? "fresh" : "stale";
}

/** Refuses to change an existing file that the gate requires to have been read, with what is known of it in `details`. */
export function refuseByGate(
  ctx: ToolContext<{ readonly gate: Gate }>,
  action: "write" | "edit",
  place: FilePlace,
  now: FileNow,
  givenPath: string,
  verb: string = action,
): ToolResult<never> | undefined {
  const verdict = passGate(ctx, action, place, now);
  if (verdict === "fresh") return undefined;
  const details = { path: givenPath, ...factsOf(now) };
  const start = `Did not ${verb} ${quoted(givenPath)}: it has`;
  return verdict === "unread"
    ? fail("FS_NOT_READ", `${start} not been read in this session.`, { details })
    : fail("FS_STALE", `${start} changed since it was read.`, { details });
}

/**
 * `handle` imitates another system: it uses the handle of the host, is open without one, and refuses after a change of time or size
 * alone, as well as after one of the content.
 */
function passGate(
  ctx: ToolContext<{ readonly gate: Gate }>,
  action: "write" | "edit",
  place: FilePlace,
  now: FileNow,
): Freshness {
  const { gate } = ctx.limits;
  if (gate === "off" || (gate === "write" && action === "edit")) return "fresh";
  if (gate !== "handle") return freshness(ctx, place, now);
  const handle = ctx.framework.readState;
  if (handle === undefined) return "fresh";
  const record = handle.get(place.absolute);
  if (record === undefined) return "unread";
  const isSame = record.contentHash === undefined || now.sha256 === undefined || record.contentHash === now.sha256;
  return isSame && isUntouched(record, now) ? "fresh" : "stale";
}

function isUntouched(record: ReadStateRecord, now: FileNow): boolean {
  return record.size === now.info.size && Math.floor(record.mtimeMs) === Math.floor(now.info.modifiedMs);
}

/** Size, time and hash of a file, for the details of a failure. */
export function factsOf({ info, sha256 }: FileNow): Readonly<Record<string, unknown>> {
  return { sizeBytes: info.size, modifiedMs: info.modifiedMs, ...(sha256 === undefined ? {} : { sha256 }) };
}
