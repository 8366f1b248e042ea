import {
  type Claim,
  type ClaimContext,
  defineTool,
  type FsEntryInfo,
  fail,
  HaftError,
  isWithin,
  ok,
  type PathChange,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { byteSize, parentOf } from "../../text/index.js";
import { backUp, backupParts, refuseTooLargeToBackUp } from "../shared/backup.js";
import { fileFailure, undefinedIfMissing } from "../shared/file-failure.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { makeParents, parentClaims, refusedParents } from "../shared/parent-directories.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { refuseProtectedDirectory } from "../shared/protected-directories.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";
import { MOVE_LIMITS, type MoveData, type MoveInput, type MoveLimits, moveSchema } from "./contract.js";
import { refuseDestination } from "./move-refusals.js";

/**
 * Moves or renames a file, a directory with its contents, or a symlink itself, atomically. Missing parents of `to` are created
 * inside the workspace. An existing `to` is only replaced with `overwrite`, and only a file or a symlink; the bytes of
 * a replaced file, at most `maxReplacedBytes`, are stored before as an artifact that `details.backup` names.
 *
 * Fails with `FS_EXISTS`, `FS_NOT_FOUND` (near names in `details.near`), `FS_TOO_LARGE` for a replaced file over the bound,
 * `FS_STALE` where that file was written meanwhile, and
 * `FS_BAD_PATH` for the root, the workspace, home, and a directory into itself, and `FS_CROSS_DEVICE` for another file system.
 */
export const moveTool = defineTool({
  name: "move",
  description: `Move or rename a file, directory or symlink, creating parent directories of \`to\`. Replaces nothing unless \`overwrite\`, and then only a file of at most ${byteSize(MOVE_LIMITS.maxReplacedBytes)}, which is stored as an artifact.`,
  input: moveSchema,
  effect: "write",
  limits: MOVE_LIMITS,
  annotations: { title: "Move", destructive: true },
  claims: (input: MoveInput, context) => refuseInput(input, context) ?? claimsOf(input, context),
  run: runMove,
  preview: previewMove,
});

function refuseInput({ from, to }: MoveInput, context: ClaimContext<MoveLimits>): ToolResult<never> | undefined {
  const bad = refusePath(from, "move") ?? refusePath(to, "move anything to");
  if (bad !== undefined) return bad;
  const [source, destination] = [context.resolve(from), context.resolve(to)];
  const refusal = refuseProtectedDirectory(source, "move", from, context);
  if (refusal !== undefined || !isWithin(source, destination)) return refusal;
  const why =
    source === destination ? "`to` is the same path. Name another one" : "`to` is inside it. Choose a path outside";
  return fail("FS_BAD_PATH", `Did not move ${quoted(from)}: ${why}.`, { details: { path: from, to } });
}

function claimsOf({ from, to, overwrite }: MoveInput, context: ClaimContext<MoveLimits>): readonly Claim[] {
  const [source, destination] = [context.resolve(from), context.resolve(to)];
  return [
    { kind: "file", path: source, access: ["read", "delete"], scope: "tree", movedTo: destination },
    { kind: "file", path: destination, access: ["read", overwrite === true ? "write" : "create"], scope: "tree" },
    ...parentClaims(destination, context),
    ...siblingClaims(source, context),
  ];
}

async function runMove(input: MoveInput, ctx: ToolContext<MoveLimits>): Promise<ToolResult<MoveData>> {
  const { from, to } = input;
  const source = ctx.resolve(from);
  const destination = ctx.resolve(to);
  try {
    const info = await ctx.fs.stat(source);
    const misspelt = refuseTrailingSlash(info.kind, { verb: "move", givenPath: from });
    if (misspelt !== undefined) return misspelt;
    const isDirectory = info.kind === "directory" && info.target === undefined;
    return await ctx.lock([source, destination], { follow: false }, async ([was, next]) => {
      const refusal =
        isDirectory && was !== undefined
          ? refuseProtectedDirectory(was.real, "move", from, await ctx.realPlace())
          : undefined;
      return refusal ?? moveOnce(input, ctx, { source, destination, info, missing: next?.missing ?? "" });
    });
  } catch (thrown) {
    const isGoal = HaftError.is(thrown) && thrown.details.path === destination;
    const asked = isGoal
      ? { verb: "move anything to", givenPath: to, absolute: destination }
      : { verb: "move", givenPath: from, absolute: source, noun: "file or directory" };
    const failure = fileFailure(thrown, asked);
    return isGoal ? failure : withNearPaths(failure, source, from, ctx);
  }
}

/** What would be moved; undefined where it is not known, or the call would fail. */
async function previewMove(
  { from, to, overwrite }: MoveInput,
  ctx: ToolContext<MoveLimits>,
): Promise<PathChange | undefined> {
  const [path, destination] = [ctx.resolve(from), ctx.resolve(to)];
  const kindOf = (info: FsEntryInfo) => (info.target === undefined ? info.kind : "link");
  const info = await ctx.fs.stat(path);
  const old = await ctx.fs.stat(destination).catch(undefinedIfMissing);
  if (old !== undefined && overwrite !== true) return undefined;
  const entry = kindOf(info);
  return {
    kind: "move",
    path,
    to: destination,
    entry,
    ...(entry === "file" ? { sizeBytes: info.size } : {}),
    ...(old === undefined ? {} : { replaces: kindOf(old) }),
  };
}

interface Move {
  readonly source: string;
  readonly destination: string;
  readonly info: FsEntryInfo;
  /** The missing part of the destination path. */
  readonly missing: string;
}

async function moveOnce(
  input: MoveInput,
  ctx: ToolContext<MoveLimits>,
  { source, destination, info, missing }: Move,
): Promise<ToolResult<MoveData>> {
  const { from, to } = input;
  const old = await ctx.fs.stat(destination).catch(undefinedIfMissing);
  const refusal = await refuseDestination(input, ctx, { destination, info, old });
  if (refusal !== undefined) return refusal;
  if (missing.includes("/")) {
    const why = refusedParents(destination, missing, ctx);
    if (why !== undefined)
      return fail("FS_NOT_FOUND", `Did not move anything to ${quoted(to)}: ${why}.`, { details: { path: to } });
    await makeParents(ctx, destination, missing);
  }
  const isReplacedFile = old?.kind === "file" && old.target === undefined;
  const maxBytes = ctx.limits.maxReplacedBytes;
  const provenance = fileProvenance(ctx, destination, to);
  const kept = isReplacedFile
    ? await backUp(ctx, provenance, await ctx.fs.readBytes(destination, { maxBytes }))
    : undefined;
  if (kept !== undefined && kept.backup.bytes < kept.backup.sizeBytes) {
    await kept.discard();
    const { bytes: keptBytes, sizeBytes } = kept.backup;
    const request = { verb: "move", givenPath: from };
    return refuseTooLargeToBackUp(request, { path: to, sizeBytes, keptBytes }, "Use a command to replace it");
  }
  // Keeping takes its time, and it does not have what was written meanwhile.
  if (isReplacedFile && (await ctx.fs.stat(destination).catch(undefinedIfMissing))?.version !== old.version) {
    await kept?.discard();
    const why = `${quoted(to)} was changed during the backup`;
    const message = `Did not move ${quoted(from)}: ${why}. Nothing was moved; check it again, then repeat the call.`;
    return fail("FS_STALE", message, { details: { path: to } });
  }
  await ctx.fs.rename(source, destination, { replace: old !== undefined });
  if (old !== undefined && (await ctx.fs.exists(source))) {
    const why = `it and ${quoted(to)} are hard links to the same file; neither was changed. Delete the one you do not need`;
    return fail("FS_EXISTS", `Did not move ${quoted(from)}: ${why}.`, { details: { path: to } });
  }
  const data: MoveData = {
    from,
    to,
    kind: info.target === undefined ? info.kind : "link",
    sizeBytes: info.kind === "file" && info.target === undefined ? info.size : 0,
    ...(info.target === undefined ? {} : { target: info.target }),
    targetChanges: info.target?.startsWith("/") === false && parentOf(source) !== parentOf(destination),
    replaced: old !== undefined,
    ...(old?.target === undefined ? {} : { replacedTarget: old.target }),
  };
  const { targetChanges: _, target: __, replacedTarget: ___, ...structured } = data;
  return ok(data, {
    structured,
    provenance,
    ...backupParts(to, kept?.backup),
  });
}
