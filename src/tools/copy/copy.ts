import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  ok,
  type PathChange,
  type ToolContext,
  type ToolResult,
  withMissingPart,
} from "../../kernel/index.js";
import { baseName } from "../../text/index.js";
import { backUp, backupParts, backupSkipped, withBackup } from "../shared/backup.js";
import { fileFailure, refuseKind, undefinedIfMissing } from "../shared/file-failure.js";
import { lookAlikeClaims, refuseLookAlike, siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { expectedOf, type OldFile, oldFile, refuseReplacedSymlink } from "../shared/old-file.js";
import { makeParents, parentClaims, refusedParents } from "../shared/parent-directories.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { type FilePlace, recordChange, refuseByGate } from "../shared/read-state.js";
import { inDirectory, refuseNewFileTrailingSlash, refuseTrailingSlash } from "../shared/trailing-slash.js";
import { refuseUnexpanded } from "../shared/unexpanded-path.js";
import type { WriteLimits } from "../write/contract.js";
import { COPY_LIMITS, COPY_TIMEOUT_MS, type CopyData, type CopyInput, copySchema } from "./contract.js";
import { SourceFile } from "./source-file.js";

const TO = "copy anything to";

/**
 * Copies the bytes of one file, from the source target of the call or within its own, in chunks: neither target nor this process
 * holds it as a whole. A reader of `to` sees the old file, none, or the whole new one, also where the copy is interrupted. An existing
 * `to` is replaced only with `overwrite`, after it was read as `write` asks for, and is backed up as there. A new file has the permission
 * bits of `from`, unless that is a symlink, without write for others than its owner.
 *
 * Fails with `FS_EXISTS`, `FS_NOT_FOUND`, `FS_NOT_A_FILE`, with `FS_NOT_READ` and `FS_STALE` as `write`, with `FS_STALE` where `from`
 * changes while it is copied, and with `BACKEND_UNAVAILABLE` where a target cannot be reached: then nothing is written.
 */
export const copyTool = defineTool({
  name: "copy",
  description:
    "Copy a file of any size, byte for byte: `from` on the target `fromOn`, `to` on `on`. Creates parent directories of `to`. Replaces a file only with `overwrite`, and only after it was read. At most 10 minutes.",
  input: copySchema,
  effect: "write",
  limits: COPY_LIMITS,
  deadlineMs: COPY_TIMEOUT_MS,
  annotations: { title: "Copy", destructive: true, openWorld: true },
  sourceParameter: { name: "fromOn", description: "Where `from` is. Default: as `on`." },
  claims: (input: CopyInput, context) => refuseInput(input, context) ?? claimsOf(input, context),
  run: runCopy,
  preview: previewCopy,
});

function refuseInput({ from, to }: CopyInput, context: ClaimContext<WriteLimits>): ToolResult<never> | undefined {
  const bad = refusePath(from, "copy") ?? refusePath(to, TO);
  if (bad !== undefined || context.source !== undefined || context.resolve(from) !== context.resolve(to)) return bad;
  return refuseSame(from);
}

function refuseSame(from: string): ToolResult<never> {
  const why = "`to` is the same file. Name another path, or another target with `fromOn`";
  return fail("FS_BAD_PATH", `Did not copy ${quoted(from)}: ${why}.`, { details: { path: from } });
}

/** As `write` for the copy; of a replaced file, the old bytes are read. */
function claimsOf({ from, to, overwrite }: CopyInput, context: ClaimContext<WriteLimits>): readonly Claim[] {
  const { source } = context;
  const [origin, path] = [(source ?? context).resolve(from), context.resolve(to)];
  const own = { kind: "file", path: origin, access: ["read"], scope: "self" } as const;
  return [
    source === undefined ? own : { ...own, target: source.target },
    { kind: "file", path, access: ["read", overwrite === true ? "write" : "create"], scope: "self" },
    ...(context.limits.parents ? parentClaims(path, context) : []),
    ...lookAlikeClaims(path, context),
    ...(source === undefined ? siblingClaims(origin, context) : []),
  ];
}

async function runCopy(input: CopyInput, ctx: ToolContext<WriteLimits>): Promise<ToolResult<CopyData>> {
  const file = new SourceFile(input.from, ctx);
  const bad = await file.inspect();
  if (bad !== undefined) return ctx.source === undefined ? withNearPaths(bad, file.path, input.from, ctx) : bad;
  const absolute = ctx.resolve(input.to);
  try {
    return await ctx.lock(absolute, {}, async ([found = { real: absolute, missing: "" }]) =>
      copyTo(file, input, ctx, { absolute, real: withMissingPart(found) }, found.missing),
    );
  } catch (thrown) {
    return file.failure ?? fileFailure(thrown, { verb: TO, givenPath: input.to, absolute });
  }
}

async function copyTo(
  file: SourceFile,
  input: CopyInput,
  ctx: ToolContext<WriteLimits>,
  place: FilePlace,
  missing: string,
): Promise<ToolResult<CopyData>> {
  const { from, to } = input;
  const { absolute } = place;
  if (ctx.source === undefined) {
    const [origin] = await ctx.fs.resolve([file.path]);
    if (origin?.real === place.real) return refuseSame(from);
  }
  const old = await oldFile(ctx, absolute, input.overwrite === true);
  const refusal = old === undefined ? await refuseNew(to, ctx, absolute) : refuseOld(input, ctx, place, old);
  if (refusal !== undefined) return refusal;
  if (missing.includes("/") && ctx.limits.parents) {
    const why = refusedParents(absolute, missing, ctx);
    if (why !== undefined)
      return fail("FS_NOT_FOUND", `Did not ${TO} ${quoted(to)}: ${why}.`, { details: { path: to } });
    await makeParents(ctx, absolute, missing);
  }
  const kept = old?.bytes === undefined ? undefined : await backUp(ctx, fileProvenance(ctx, absolute, to), old.bytes);
  const mode = file.mode === undefined ? {} : { mode: file.mode };
  const done = await withBackup(kept, async () => {
    try {
      return await ctx.fs.replaceFrom(absolute, file.chunks(), expectedOf(old), mode);
    } catch (thrown) {
      if (file.failure !== undefined) await kept?.discard();
      throw thrown;
    }
  });
  await recordChange(ctx, place, done.after);
  const data: CopyData = {
    from,
    to,
    ...(ctx.source === undefined ? {} : { source: ctx.source.target }),
    target: ctx.backend.name,
    sizeBytes: file.sizeBytes,
    sha256: done.after,
    created: done.created,
    ...(done.inPlace ? { inPlace: true } : {}),
  };
  const isSame = old?.sha256 === done.after;
  if (isSame) await kept?.discard();
  const isLost = old !== undefined && old.bytes === undefined;
  const lost = isLost ? backupSkipped(old.info.size, ctx.limits.maxBackupBytes) : undefined;
  return ok(data, {
    structured: { ...data },
    provenance: provenanceOf(file, ctx, absolute, to),
    ...backupParts(to, isSame ? undefined : (kept ?? lost)?.backup),
  });
}

/** What the copy holds may be from outside the workspace of the source: later, it is read as a file of this one. */
function provenanceOf(file: SourceFile, ctx: ToolContext, absolute: string, to: string) {
  const { givenPath, target } = file.asked;
  const ref = target === undefined ? givenPath : `${target}:${givenPath}`;
  const origin = fileProvenance(ctx.source ?? ctx, file.path, ref);
  return origin.from === "outside" ? origin : fileProvenance(ctx, absolute, to);
}

async function refuseNew(to: string, ctx: ToolContext, absolute: string): Promise<ToolResult<never> | undefined> {
  return (
    refuseNewFileTrailingSlash({ verb: TO, givenPath: to }) ??
    refuseUnexpanded(to, TO) ??
    (await refuseLookAlike(ctx, TO, absolute, to))
  );
}

function refuseOld(
  { from, to, overwrite }: CopyInput,
  ctx: ToolContext<WriteLimits>,
  place: FilePlace,
  old: OldFile,
): ToolResult<never> | undefined {
  const exists = (why: string) => fail("FS_EXISTS", `Did not ${TO} ${quoted(to)}: ${why}.`, { details: { path: to } });
  if (old.info.kind === "directory") {
    const inside = quoted(inDirectory(to, baseName(from)));
    return exists(`it is a directory. To copy the file into it, send ${inside} as \`to\``);
  }
  const asked = { verb: TO, givenPath: to, absolute: place.absolute };
  const bad =
    refuseKind(old.info.kind, asked) ?? refuseReplacedSymlink(old, asked) ?? refuseTrailingSlash("file", asked);
  if (bad !== undefined) return bad;
  if (overwrite !== true) return exists("it already exists. Choose another name, or set `overwrite` to replace it");
  const isOpen = old.info.size === 0 && ctx.limits.gate !== "handle";
  return isOpen ? undefined : refuseByGate(ctx, "write", place, old, to, TO);
}

/** What would be copied; undefined where the call would fail. */
async function previewCopy(input: CopyInput, ctx: ToolContext<WriteLimits>): Promise<PathChange | undefined> {
  const { source } = ctx;
  const [path, to] = [(source ?? ctx).resolve(input.from), ctx.resolve(input.to)];
  const info = await (source ?? ctx).fs.stat(path);
  const old = await ctx.fs.stat(to).catch(undefinedIfMissing);
  if (info.kind === "directory" || (old !== undefined && input.overwrite !== true)) return undefined;
  return {
    kind: "copy",
    path,
    to,
    entry: info.kind,
    ...(info.kind === "file" ? { sizeBytes: info.size } : {}),
    ...(old === undefined ? {} : { replaces: old.kind }),
  };
}
