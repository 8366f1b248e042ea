import {
  type Claim,
  type DeleteData,
  type DeleteInput,
  type DeleteLimits,
  defineTool,
  fail,
  type Look,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { withoutFolderEnd } from "../../text/index.js";
import { fileFailure } from "../file-failure.js";
import { refuseAsFolder } from "../folder-spelling.js";
import { besideClaims, withNearPaths } from "../near-failure.js";
import { fileProvenance, quoted, refusePath } from "../path-input.js";
import { refuseGround } from "./ground-folders.js";
import { keepOldBytes } from "./journal.js";
import { changedEntry, collectTree, kindOf, type TreeEntry } from "./removed-tree.js";

export const DELETE_LIMITS: DeleteLimits = { maxEntries: 200, maxBytes: 64 * 1024 * 1024 };

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    recursive: { type: "boolean", description: "A folder with all in it" },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/**
 * Deletes a file, a link itself, an empty folder, or with `recursive` a folder and all in it. What the files hold is kept
 * before, each as an artifact; so at most 200 entries of together 64 MiB are deleted by a call, and above that nothing is.
 *
 * Fails with `FS_NOT_EMPTY`, `FS_TOO_LARGE`, `FS_STALE` where something of it was written meanwhile, `FS_NOT_FOUND` (near names in `details.near`), and `FS_BAD_PATH` for the root, the
 * workspace, the working folder, home, and what holds them. When the system fails half-way some entries may be gone; what
 * they held is kept then too, as `details.kept` tells.
 */
export const deleteTool = defineTool({
  name: "delete",
  description: `Delete a file, link or folder, keeping what it held as artifacts. At most ${DELETE_LIMITS.maxEntries} entries and 64 MiB.`,
  input: SCHEMA,
  effect: "act",
  limits: DELETE_LIMITS,
  annotations: { title: "Delete", destructive: true },
  claims: (input: DeleteInput, look) => refuseInput(input, look) ?? claimsOf(input, look),
  run: runDelete,
});

function refuseInput({ path }: DeleteInput, look: Look<DeleteLimits>): ToolResult<never> | undefined {
  return refusePath(path, "delete") ?? refuseGround(look.resolve(path), "delete", path, look);
}

function claimsOf({ path, recursive }: DeleteInput, look: Look<DeleteLimits>): readonly Claim[] {
  const absolute = look.resolve(path);
  const scope = recursive === true ? "tree" : "self";
  return [{ kind: "file", path: absolute, access: ["read", "delete"], scope }, ...besideClaims(absolute, look)];
}

async function runDelete(input: DeleteInput, ctx: ToolContext<DeleteLimits>): Promise<ToolResult<DeleteData>> {
  const absolute = ctx.resolve(input.path);
  const asked = { verb: "delete", spelled: input.path, absolute, noun: "file or folder" };
  try {
    const info = await ctx.fs.stat(absolute);
    const misspelt = refuseAsFolder(info.kind, asked);
    if (misspelt !== undefined) return misspelt;
    const kind = kindOf(info);
    const [found] = kind === "link" ? [] : await ctx.fs.resolve([absolute]);
    const real = found?.real ?? absolute;
    const isTree = kind === "directory" && input.recursive === true;
    const ground = isTree ? refuseGround(real, "delete", input.path, await ctx.realPlace()) : undefined;
    return ground ?? (await ctx.lock(real, {}, () => deleteOne(input, ctx, absolute)));
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
  const top: TreeEntry = { spelled: withoutFolderEnd(input.path), absolute, kind: kindOf(info), info };
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
  const kept = await keepFiles(ctx, entries, input.path);
  if (!("files" in kept)) return kept;
  const other = top.kind === "directory" && !isTree ? undefined : await changedEntry(ctx, top, entries);
  if (other !== undefined) {
    await kept.giveUp();
    return refuseChanged(input.path, other);
  }
  try {
    await ctx.fs.rm(absolute, { recursive: isTree, ignoreMissing: false });
  } catch (thrown) {
    return halfWay(fileFailure(thrown, { verb: "delete", spelled: input.path, absolute }), top, kept.files);
  }
  const count = (kind: TreeEntry["kind"]) => entries.filter((entry) => entry !== top && entry.kind === kind).length;
  const data: DeleteData = {
    path: input.path,
    kind: top.kind,
    sizeBytes,
    inside: { files: count("file"), folders: count("directory"), links: count("link"), others: count("other") },
    ...(info.target === undefined ? {} : { target: info.target }),
    kept: kept.files,
  };
  return ok(data, {
    structured: { path: data.path, kind: data.kind, sizeBytes, inside: data.inside, artifacts: kept.files.length },
    provenance: fileProvenance(ctx, absolute, input.path),
    cuts: kept.files.map(({ path, artifact, sizeBytes: bytes }) => ({
      what: `the deleted bytes of ${path}`,
      producedBytes: bytes,
      keptBytes: bytes,
      artifact,
    })),
  });
}

/** The bytes of each file that is not empty as an artifact, all of them before anything is deleted; else nothing is kept. */
async function keepFiles(
  ctx: ToolContext<DeleteLimits>,
  entries: readonly TreeEntry[],
  path: string,
): Promise<{ readonly files: DeleteData["kept"]; giveUp(): Promise<void> } | ToolResult<never>> {
  const files: DeleteData["kept"][number][] = [];
  const keepers: { giveUp(): Promise<void> }[] = [];
  const giveUpAll = async (): Promise<void> => {
    for (const { giveUp } of keepers) await giveUp();
  };
  const refuse = async (failure: ToolResult<never>): Promise<ToolResult<never>> => {
    await giveUpAll();
    return failure;
  };
  let left = ctx.limits.maxBytes;
  for (const { spelled, absolute, kind } of entries) {
    if (kind !== "file") continue;
    try {
      const bytes = await ctx.fs.readBytes(absolute, { maxBytes: left });
      left -= bytes.length;
      const provenance = fileProvenance(ctx, absolute, spelled);
      const kept = await keepOldBytes(ctx, provenance, bytes, `the deleted bytes of ${spelled}`);
      if (kept === undefined) continue;
      keepers.push(kept);
      const { journal } = kept;
      if (journal.bytes < bytes.length) return refuse(refuseUnkept(path, spelled, bytes.length, journal.bytes));
      files.push({ path: spelled, artifact: journal.artifact, sizeBytes: bytes.length });
    } catch (thrown) {
      return refuse(fileFailure(thrown, { verb: "delete", spelled, absolute }));
    }
  }
  // A session keeps so much and no more: the last ones may have pushed out the first.
  for (const { path: spelled, artifact, sizeBytes } of files)
    if (typeof (await ctx.artifacts.read(artifact, 0, 0)) === "string")
      return refuse(refuseUnkept(path, spelled, sizeBytes, 0));
  return { files, giveUp: giveUpAll };
}

function refuseChanged(path: string, spelled: string): ToolResult<never> {
  const why = `${quoted(spelled)} was changed, made or taken away while what is to be deleted was being kept`;
  const message = `Did not delete ${quoted(path)}: ${why}. Nothing was deleted; look at it again, then repeat the call.`;
  return fail("FS_STALE", message, { details: { path, changed: spelled } });
}

function refuseUnkept(path: string, spelled: string, sizeBytes: number, keptBytes: number): ToolResult<never> {
  const why = `of the ${sizeBytes} bytes of ${quoted(spelled)} this session has room for ${keptBytes} among its artifacts`;
  const message = `Did not delete ${quoted(path)}: ${why}. Delete less at once, or use a command, which keeps nothing.`;
  return fail("FS_TOO_LARGE", message, { details: { path, sizeBytes, maxBytes: keptBytes } });
}

function notEmpty(path: string): ToolResult<never> {
  const message = `Did not delete ${quoted(path)}: it is a folder that is not empty. Set \`recursive\` to delete it with all in it.`;
  return fail("FS_NOT_EMPTY", message, { details: { path } });
}

function refuseSize(path: string, sizeBytes: number, maxBytes: number): ToolResult<never> {
  const why = `it holds ${sizeBytes} bytes, and at most ${maxBytes} are kept of what a call deletes`;
  const message = `Did not delete ${quoted(path)}: ${why}. Delete parts of it, or use a command, which keeps nothing.`;
  return fail("FS_TOO_LARGE", message, { details: { path, sizeBytes, maxBytes } });
}

/** A folder that could not be deleted may lack some of what it held. */
function halfWay(failure: ToolResult<never>, top: TreeEntry, kept: DeleteData["kept"]): ToolResult<never> {
  if (top.kind !== "directory" || kept.length === 0) return failure;
  const told = kept.map(({ path, artifact }) => `${quoted(path)} as artifact:${artifact}`).join(", ");
  const message = `${failure.message} Some of it may be gone; what it held is kept: ${told}.`;
  return { ...failure, message, details: { ...(failure.details as object), kept } };
}
