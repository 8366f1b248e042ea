/** Refusals of a move, by what exists at its source and destination. */
import { type FsEntryInfo, fail, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { baseName, trailingSlash } from "../../text/index.js";
import { quoted } from "../shared/path-input.js";
import { inDirectory, refuseMoveToTrailingSlash, refuseTrailingSlash } from "../shared/trailing-slash.js";
import { refuseUnexpanded } from "../shared/unexpanded-path.js";
import type { MoveInput, MoveLimits } from "./contract.js";

/** The source, and what exists at the destination. */
interface Ends {
  readonly destination: string;
  readonly info: FsEntryInfo;
  readonly old: FsEntryInfo | undefined;
}

/** Refuses a destination that exists or has an invalid spelling. */
export async function refuseDestination(
  input: MoveInput,
  ctx: ToolContext<MoveLimits>,
  { destination, info, old }: Ends,
): Promise<ToolResult<never> | undefined> {
  const { from, to } = input;
  const isDirectory = info.kind === "directory" && info.target === undefined;
  if (old === undefined) {
    const misspelt = isDirectory ? undefined : refuseMoveToTrailingSlash(from, to, baseName(from));
    return misspelt ?? refuseUnexpanded(to, "move anything to");
  }
  if (trailingSlash(to) !== undefined) {
    // With a trailing slash, a symlink to a directory means that directory.
    const [place] = await ctx.fs.resolve([destination]);
    if (place?.kind === "directory") return refuseDirectory(from, to);
    return refuseTrailingSlash("file", { verb: "move anything to", givenPath: to });
  }
  return refuseTaken(input, isDirectory, old, ctx.limits);
}

function refuseDirectory(from: string, to: string): ToolResult<never> {
  const inside = quoted(inDirectory(to, baseName(from)));
  return refuseExisting(
    from,
    to,
    `${quoted(to)} is a directory. To move it into that directory, send ${inside} as \`to\``,
  );
}

function refuseExisting(from: string, to: string, why: string): ToolResult<never> {
  return fail("FS_EXISTS", `Did not move ${quoted(from)}: ${why}.`, { details: { path: to } });
}

/** Why the existing destination is not replaced. */
function refuseTaken(
  { from, to, overwrite }: MoveInput,
  isDirectory: boolean,
  old: FsEntryInfo,
  { maxReplacedBytes: maxBytes }: MoveLimits,
): ToolResult<never> | undefined {
  const refused = (why: string) => refuseExisting(from, to, why);
  const isSymlink = old.target !== undefined;
  if (!isSymlink && old.kind === "directory") return refuseDirectory(from, to);
  if (overwrite !== true)
    return refused(`${quoted(to)} already exists. Choose another name, or set \`overwrite\` to replace it`);
  if (isDirectory)
    return refused(`a directory cannot replace ${quoted(to)}, which is not a directory. Choose another name`);
  if (!isSymlink && old.kind === "other")
    return refused(`${quoted(to)} is a FIFO, a socket or a device, which cannot be replaced. Choose another name`);
  if (isSymlink || old.size <= maxBytes) return undefined;
  const details = { path: to, sizeBytes: old.size, maxBytes };
  const why = `${quoted(to)} has ${old.size} bytes, and at most ${maxBytes} of a replaced file are backed up`;
  return fail("FS_TOO_LARGE", `Did not move ${quoted(from)}: ${why}. Use a command to replace it.`, { details });
}
