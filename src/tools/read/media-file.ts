/** Images and PDFs: their detection, size limits and failures. */
import { type FsEntryInfo, fail, HaftError, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { looksBinary } from "../../text/index.js";
import type { FileRequest } from "../shared/file-failure.js";
import { quoted } from "../shared/path-input.js";
import type { ReadInput, ReadLimits } from "./contract.js";
import { mediaTypeOf } from "./media-type.js";

/** The largest image or document that is opened. */
export const MAX_MEDIA_BYTES = 52_428_800;
/** Milliseconds that reading one may take, and those reserved for the rest of the call. */
const MAX_MEDIA_MS = 20_000;
const ANSWER_MS = 2_000;

export const PDF = "application/pdf";
const IMAGES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An image or document to be shown. */
export interface MediaFile {
  readonly asked: FileRequest;
  readonly info: FsEntryInfo;
  /** The beginning, or all. */
  readonly head: Uint8Array;
  /** All of it; undefined if it has more than `MAX_MEDIA_BYTES`. */
  readonly bytes: Uint8Array | undefined;
  readonly mime: string;
}

/** Without what only a file has. */
export type MediaBytes = Omit<MediaFile, "info"> & { readonly info: Pick<FsEntryInfo, "size"> };

/**
 * The media type of an image or document by its first bytes, whatever its name; undefined for any other file, and where
 * the dialect or the caller wants its text. A document may be all text; an image must not be.
 */
export function shownMedia(input: ReadInput, limits: ReadLimits, head: Uint8Array): string | undefined {
  if (limits.media !== true || input.encoding !== undefined) return undefined;
  const mime = mediaTypeOf(head);
  if (mime === PDF) return mime;
  return IMAGES.includes(mime) && looksBinary(head) ? mime : undefined;
}

/** All bytes of the version that was examined. Undefined if it is too large. @throws `FS_STALE` */
export async function wholeMedia(
  ctx: ToolContext,
  absolute: string,
  info: FsEntryInfo,
): Promise<Uint8Array | undefined> {
  if (info.size > MAX_MEDIA_BYTES) return undefined;
  const { bytes, version } = await ctx.fs.readRange(absolute, 0, info.size);
  if (bytes.length !== info.size || version !== info.version)
    throw new HaftError("FS_STALE", "It changed while it was read.");
  return bytes;
}

/** The time that one file may take. */
export function mediaIo(ctx: ToolContext) {
  const left = ctx.deadline - ctx.clock.now() - ANSWER_MS;
  return { signal: ctx.signal, timeoutMs: Math.max(1, Math.min(MAX_MEDIA_MS, left)) };
}

/** The name of the missing package; undefined for any other error. */
export function missingPackage(thrown: unknown): string | undefined {
  if (!HaftError.is(thrown, "CONFIG_MISSING_PACKAGE")) return undefined;
  return String(thrown.details.package);
}

/** Whether the file was not examined, so that a retry may succeed. */
export function isUnread(thrown: unknown): boolean {
  return HaftError.is(thrown) && (thrown.details.why === "busy" || thrown.details.why === "unstarted");
}

/** The failure of a file that could not be decoded. Rethrows any other error. */
export function unreadable(thrown: unknown, { asked, mime, info }: MediaBytes, next: string): ToolResult<never> {
  if (!HaftError.is(thrown, "MEDIA_UNREADABLE")) throw thrown;
  const { why, problem } = thrown.details;
  const what = `as ${mime} (${info.size} bytes)`;
  // If the file was not examined, another copy does not help.
  const after = isUnread(thrown) ? "" : ` ${next}`;
  const message = `Did not read ${quoted(asked.givenPath)} ${what}: ${String(problem)}.${after}`;
  return fail("MEDIA_UNREADABLE", message, { details: { path: asked.givenPath, mime, why } });
}
