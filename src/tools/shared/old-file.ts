/** What is at a path where a call writes a file. */
import { type Expect, type FsEntryInfo, fail, type ToolContext, type ToolResult } from "../../kernel/index.js";
import type { WriteLimits } from "../write/contract.js";
import { type FileRequest, undefinedIfMissing } from "./file-failure.js";
import { quoted } from "./path-input.js";

/** The file that a call would replace. */
export interface OldFile {
  readonly info: FsEntryInfo;
  /** Absent if it is too large. */
  readonly bytes?: Uint8Array;
  readonly sha256?: string;
}

/**
 * The existing file. Only a missing file is undefined; any other error refuses the write.
 * @param isReplaced - False: the call refuses a file that exists, so that its bytes are not read.
 */
export async function oldFile(
  ctx: ToolContext<Pick<WriteLimits, "maxBackupBytes">>,
  path: string,
  isReplaced = true,
): Promise<OldFile | undefined> {
  const info = await ctx.fs.stat(path).catch(undefinedIfMissing);
  if (info === undefined || info.kind === "directory" || info.kind === "other") return info && { info };
  const { maxBackupBytes: maxBytes } = ctx.limits;
  if (info.size > maxBytes || (!isReplaced && info.kind === "file")) return { info };
  const bytes = await ctx.fs.readBytes(path, { maxBytes }).catch(undefinedIfMissing);
  if (bytes === undefined) return info.kind === "link" ? { info } : undefined;
  return { info: { ...info, size: bytes.length }, bytes, sha256: await ctx.digest(bytes) };
}

/** A dangling symlink cannot be replaced as a file, and its name is in use. */
export function refuseReplacedSymlink(
  { info, bytes }: OldFile,
  { verb, givenPath: path }: Pick<FileRequest, "verb" | "givenPath">,
): ToolResult<never> | undefined {
  if (info.kind !== "link" || bytes !== undefined) return undefined;
  const target = info.target === undefined ? "" : ` to ${quoted(info.target)}`;
  const why = `it is a dangling symlink${target}. Write to that path, or remove the symlink first`;
  return fail("FS_NOT_FOUND", `Did not ${verb} ${quoted(path)}: ${why}.`, { details: { path } });
}

/** What the file must still be when it is replaced. */
export function expectedOf(old: OldFile | undefined): Exclude<Expect, "any"> {
  if (old === undefined) return "absent";
  return old.sha256 === undefined ? { version: old.info.version } : { sha256: old.sha256 };
}
