import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  ok,
  type PathChange,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { byteSize, withoutTrailingSlash } from "../../text/index.js";
import { backUp, refuseTooLargeToBackUp } from "../shared/backup.js";
import { fileFailure } from "../shared/file-failure.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { refuseProtectedDirectory } from "../shared/protected-directories.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";
import { DELETE_LIMITS, type DeleteData, type DeleteInput, type DeleteLimits, deleteSchema } from "./contract.js";
import { changedEntry, collectTree, type TreeEntry, treeEntryKind } from "./removed-tree.js";

/**
 * Deletes a file, a symlink itself, an empty directory, or with `recursive` a directory and its contents. Each file is stored
 * as an artifact before; a call over `DELETE_LIMITS` deletes nothing.
 *
 * Fails with `FS_NOT_EMPTY`, `FS_TOO_LARGE`, `FS_STALE` where something changed meanwhile, `FS_NOT_FOUND` (near names in `details.near`), and `FS_BAD_PATH` for the root, the
 * workspace, the working directory, home, and what contains them. After a system error some entries may be gone; their
 * backups are in `details.kept`.
 */
export const deleteTool = defineTool({
  name: "delete",
  description: `Delete a file, symlink or directory (with contents if \`recursive\`). File contents are stored as artifacts; at most ${DELETE_LIMITS.maxEntries} entries and ${byteSize(DELETE_LIMITS.maxBytes)} in total.`,
  input: deleteSchema,
  effect: "write",
  limits: DELETE_LIMITS,
  annotations: { title: "Delete", destructive: true },
  claims: (input: DeleteInput, context) => refuseInput(input, context) ?? claimsOf(input, context),
  run: runDelete,
  preview: previewDelete,
});

function refuseInput({ path }: DeleteInput, context: ClaimContext<DeleteLimits>): ToolResult<never> | undefined {
  return refusePath(path, "delete") ?? refuseProtectedDirectory(context.resolve(path), "delete", path, context);
}

function claimsOf({ path, recursive }: DeleteInput, context: ClaimContext<DeleteLimits>): readonly Claim[] {
  const absolute = context.resolve(path);
  const scope = recursive === true ? "tree" : "self";
  return [{ kind: "file", path: absolute, access: ["read", "delete"], scope }, ...siblingClaims(absolute, context)];
}

async function runDelete(input: DeleteInput, ctx: ToolContext<DeleteLimits>): Promise<ToolResult<DeleteData>> {
  const absolute = ctx.resolve(input.path);
  const asked = { verb: "delete", givenPath: input.path, absolute, noun: "file or directory" };
  try {
    const info = await ctx.fs.stat(absolute);
    const misspelt = refuseTrailingSlash(info.kind, asked);
    if (misspelt !== undefined) return misspelt;
    const isTree = treeEntryKind(info) === "directory" && input.recursive === true;
    return await ctx.lock(absolute, { follow: false }, async ([found]) => {
      const real = found?.real ?? absolute;
      const ground = isTree ? refuseProtectedDirectory(real, "delete", input.path, await ctx.realPlace()) : undefined;
      return ground ?? deleteOne(input, ctx, absolute);
    });
  } catch (thrown) {
    return withNearPaths(fileFailure(thrown, asked), absolute, input.path, ctx);
  }
}

async function deleteOne(
  input: DeleteInput,
  ctx: ToolContext<DeleteLimits>,
  absolute: string,
): Promise<ToolResult<DeleteData>> {
  const info = await ctx.fs.stat(absolute);
  const top: TreeEntry = { givenPath: withoutTrailingSlash(input.path), absolute, kind: treeEntryKind(info), info };
  if (top.kind === "directory" && input.recursive !== true) {
    const { children } = await ctx.fs.readDir(absolute, { limit: 1 });
    if (children.length > 0) return notEmpty(input.path);
  }
  const isTree = top.kind === "directory" && input.recursive === true;
  const tree = isTree ? await collectTree(ctx, top) : { entries: [top] };
  if (!("entries" in tree)) return tree;
  const { entries } = tree;
  const sizeBytes = entries.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.info.size : 0), 0);
  if (sizeBytes > ctx.limits.maxBytes) return refuseSize(input.path, sizeBytes, ctx.limits.maxBytes);
  const kept = await backUpFiles(ctx, entries, input.path);
  if (!("files" in kept)) return kept;
  const other = top.kind === "directory" && !isTree ? undefined : await changedEntry(ctx, top, entries);
  if (other !== undefined) {
    await kept.discard();
    return refuseChanged(input.path, other);
  }
  try {
    await ctx.fs.rm(absolute, { recursive: isTree, ignoreMissing: false });
  } catch (thrown) {
    return partlyDeleted(fileFailure(thrown, { verb: "delete", givenPath: input.path, absolute }), top, kept.files);
  }
  const count = (kind: TreeEntry["kind"]) => entries.filter((entry) => entry !== top && entry.kind === kind).length;
  const data: DeleteData = {
    path: input.path,
    kind: top.kind,
    sizeBytes,
    inside: { files: count("file"), directories: count("directory"), symlinks: count("link"), others: count("other") },
    ...(info.target === undefined ? {} : { target: info.target }),
    kept: kept.files,
  };
  return ok(data, {
    structured: { path: data.path, kind: data.kind, sizeBytes, inside: data.inside, artifacts: kept.files.length },
    provenance: fileProvenance(ctx, absolute, input.path),
    truncations: kept.files.map(({ path, artifact, sizeBytes: bytes }) => ({
      what: `the deleted bytes of ${path}`,
      producedBytes: bytes,
      keptBytes: bytes,
      artifact,
    })),
  });
}

/** What would be deleted; undefined where the call would fail. Contents over the limits are not counted. */
async function previewDelete(input: DeleteInput, ctx: ToolContext<DeleteLimits>): Promise<PathChange | undefined> {
  const path = ctx.resolve(input.path);
  const info = await ctx.fs.stat(path);
  const entry = treeEntryKind(info);
  const change = { kind: "delete", path, entry } as const;
  if (entry !== "directory") return entry === "file" ? { ...change, sizeBytes: info.size } : change;
  if (input.recursive !== true) {
    const { children } = await ctx.fs.readDir(path, { limit: 1 });
    return children.length > 0 ? undefined : { ...change, sizeBytes: 0, inside: { files: 0, directories: 0 } };
  }
  const tree = await collectTree(ctx, { givenPath: input.path, absolute: path, kind: entry, info });
  if (!("entries" in tree)) return change;
  const [, ...entries] = tree.entries;
  const directories = entries.filter((one) => one.kind === "directory").length;
  const sizeBytes = entries.reduce((sum, one) => sum + (one.kind === "file" ? one.info.size : 0), 0);
  return { ...change, sizeBytes, inside: { files: entries.length - directories, directories } };
}

/** Stores each file that is not empty as an artifact before anything is deleted; on failure none is kept. */
async function backUpFiles(
  ctx: ToolContext<DeleteLimits>,
  entries: readonly TreeEntry[],
  path: string,
): Promise<{ readonly files: DeleteData["kept"]; discard(): Promise<void> } | ToolResult<never>> {
  const files: DeleteData["kept"][number][] = [];
  const keepers: { discard(): Promise<void> }[] = [];
  const discardAll = async (): Promise<void> => {
    for (const { discard } of keepers) await discard();
  };
  const refuse = async (failure: ToolResult<never>): Promise<ToolResult<never>> => {
    await discardAll();
    return failure;
  };
  let left = ctx.limits.maxBytes;
  for (const { givenPath, absolute, kind } of entries) {
    if (kind !== "file") continue;
    try {
      const bytes = await ctx.fs.readBytes(absolute, { maxBytes: left });
      left -= bytes.length;
      const provenance = fileProvenance(ctx, absolute, givenPath);
      const kept = await backUp(ctx, provenance, bytes, `the deleted bytes of ${givenPath}`);
      if (kept === undefined) continue;
      keepers.push(kept);
      const { backup } = kept;
      if (backup.bytes < bytes.length)
        return refuse(refuseUnkept(path, { path: givenPath, sizeBytes: backup.sizeBytes, keptBytes: backup.bytes }));
      files.push({ path: givenPath, artifact: backup.artifact, sizeBytes: bytes.length });
    } catch (thrown) {
      return refuse(fileFailure(thrown, { verb: "delete", givenPath, absolute }));
    }
  }
  // The last artifacts may have evicted the first.
  for (const { path: givenPath, artifact, sizeBytes } of files)
    if (typeof (await ctx.artifacts.read(artifact, 0, 0)) === "string")
      return refuse(refuseUnkept(path, { path: givenPath, sizeBytes, keptBytes: 0 }));
  return { files, discard: discardAll };
}

function refuseChanged(path: string, givenPath: string): ToolResult<never> {
  const why = `${quoted(givenPath)} was changed, created or removed during the backup`;
  const message = `Did not delete ${quoted(path)}: ${why}. Nothing was deleted; check it again, then repeat the call.`;
  return fail("FS_STALE", message, { details: { path, changed: givenPath } });
}

function refuseUnkept(path: string, file: Parameters<typeof refuseTooLargeToBackUp>[1]): ToolResult<never> {
  return refuseTooLargeToBackUp({ verb: "delete", givenPath: path }, file, "Delete less at once, or use a command");
}

function notEmpty(path: string): ToolResult<never> {
  const message = `Did not delete ${quoted(path)}: it is a directory that is not empty. Set \`recursive\` to delete it and its contents.`;
  return fail("FS_NOT_EMPTY", message, { details: { path } });
}

function refuseSize(path: string, sizeBytes: number, maxBytes: number): ToolResult<never> {
  const why = `it has ${sizeBytes} bytes, and at most ${maxBytes} are backed up by one call`;
  const message = `Did not delete ${quoted(path)}: ${why}. Delete parts of it, or use a command, which makes no backup.`;
  return fail("FS_TOO_LARGE", message, { details: { path, sizeBytes, maxBytes } });
}

/** A directory that could not be deleted may have lost some entries. */
function partlyDeleted(failure: ToolResult<never>, top: TreeEntry, kept: DeleteData["kept"]): ToolResult<never> {
  if (top.kind !== "directory" || kept.length === 0) return failure;
  const reported = kept.map(({ path, artifact }) => `${quoted(path)} as artifact:${artifact}`).join(", ");
  const message = `${failure.message} Some of it may already be deleted; backups: ${reported}.`;
  return { ...failure, message, details: { ...(failure.details as object), kept } };
}
