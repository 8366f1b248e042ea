import {
  type Claim,
  type ClaimContext,
  defineTool,
  type FileChange,
  fail,
  ok,
  type ToolContext,
  type ToolResult,
  withMissingPart,
} from "../../kernel/index.js";
import { decodeText, detectEol, detectTextForm, isBinary, renderUnifiedDiff } from "../../text/index.js";
import { backUp, backupParts, backupSkipped, withBackup } from "../shared/backup.js";
import { fileFailure, refuseKind } from "../shared/file-failure.js";
import { lookAlikeClaims, refuseLookAlike } from "../shared/near-failure.js";
import { expectedOf, type OldFile, oldFile, refuseReplacedSymlink } from "../shared/old-file.js";
import { makeParents, parentClaims, refusedParents } from "../shared/parent-directories.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { type FilePlace, factsOf, recordChange, refuseByGate } from "../shared/read-state.js";
import { refuseText } from "../shared/redaction-placeholder.js";
import { refuseNewFileTrailingSlash, refuseTrailingSlash } from "../shared/trailing-slash.js";
import { refuseUnexpanded } from "../shared/unexpanded-path.js";
import { WRITE_LIMITS, type WriteData, type WriteInput, type WriteLimits, writeSchema } from "./contract.js";

const EOL_NAMES = { lf: "LF", crlf: "CRLF", cr: "CR", mixed: "mixed", none: "no" } as const;

/** A larger old file is not compared for a preview. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/**
 * Creates a file or replaces all of it with exactly `content`. All or nothing: every reader sees the old or the new bytes.
 * The old bytes, up to `maxBackupBytes`, are stored as an artifact that `details.backup` names; for more, or where the session has no
 * room for them, it reports that they were not stored.
 *
 * Fails with `FS_NOT_READ` or `FS_STALE` (size, time and SHA-256 in `details`) when an existing file that is not empty was
 * not read in this session, or changed since, unless `expect` names its content; with `FS_STALE` when `expect` does not match.
 */
export const writeTool = defineTool({
  name: "write",
  description:
    "Create or replace a whole file with exactly `content` (UTF-8), creating parent directories. An existing non-empty file must have been read before, or match `expect`.",
  input: writeSchema,
  effect: "write",
  limits: WRITE_LIMITS,
  annotations: { title: "Write", destructive: true, idempotent: true },
  claims: (input: WriteInput, context) => refuseInput(input) ?? claimsOf(input, context),
  run: runWrite,
  preview: previewWrite,
});

/** The file, and each parent that may have to be created; outside the workspace none is. */
function claimsOf(input: WriteInput, context: ClaimContext<WriteLimits>): readonly Claim[] {
  const path = context.resolve(input.path);
  const directories = context.limits.parents ? parentClaims(path, context) : [];
  const own: Claim = { kind: "file", path, access: ["read", "write", "create"], scope: "self" };
  return [own, ...directories, ...lookAlikeClaims(path, context)];
}

function refuseInput(input: WriteInput): ToolResult<never> | undefined {
  const { path, content, expect } = input;
  const bad = refusePath(path, "write") ?? refuseText(content, "content", "write", path);
  if (bad !== undefined || expect === undefined || expect === "absent" || /^[0-9a-f]{64}$/i.test(expect)) return bad;
  const problem = '`expect` must be the 64 hex digits of a SHA-256, or "absent"';
  return fail("CALL_INVALID", `Did not write ${quoted(path)}: ${problem}.`, {
    details: { parameter: "expect", problem },
  });
}

async function runWrite(input: WriteInput, ctx: ToolContext<WriteLimits>): Promise<ToolResult<WriteData>> {
  const absolute = ctx.resolve(input.path);
  const asked = { verb: "write", givenPath: input.path, absolute };
  try {
    return await ctx.lock(absolute, {}, async ([found = { real: absolute, missing: "" }]) =>
      replaceFile(input, ctx, { absolute, real: withMissingPart(found) }, found.missing),
    );
  } catch (thrown) {
    return fileFailure(thrown, asked);
  }
}

async function replaceFile(
  input: WriteInput,
  ctx: ToolContext<WriteLimits>,
  place: FilePlace,
  missing: string,
): Promise<ToolResult<WriteData>> {
  const { absolute } = place;
  const lacksDirectory = missing.includes("/");
  const bytes = new TextEncoder().encode(input.content);
  const old = await oldFile(ctx, absolute);
  if (old !== undefined) {
    const bad =
      refuseKind(old.info.kind, { verb: "write", givenPath: input.path, absolute }) ??
      refuseReplacedSymlink(old, { verb: "write", givenPath: input.path });
    if (bad !== undefined) return bad;
  }
  // It is a file or does not exist.
  const asked = { verb: "write", givenPath: input.path };
  const misspelt =
    old === undefined
      ? (refuseNewFileTrailingSlash(asked) ?? refuseUnexpanded(input.path, "write"))
      : refuseTrailingSlash("file", asked);
  if (misspelt !== undefined) return misspelt;
  const alike = old === undefined ? await refuseLookAlike(ctx, "write", absolute, input.path) : undefined;
  const refusal = alike ?? refuseByExpect(input, old) ?? refuseUnread(input, ctx, place, old);
  if (refusal !== undefined) return refusal;
  if (lacksDirectory && ctx.limits.parents) {
    const why = refusedParents(absolute, missing, ctx);
    if (why !== undefined)
      return fail("FS_NOT_FOUND", `Did not write ${quoted(input.path)}: ${why}.`, { details: { path: input.path } });
    await makeParents(ctx, absolute, missing);
  }
  const isChange = old?.bytes !== undefined && old.sha256 !== (await ctx.digest(bytes));
  const provenance = fileProvenance(ctx, absolute, input.path);
  const backup = isChange ? await backUp(ctx, provenance, old.bytes) : undefined;
  const done = await withBackup(backup, () => ctx.fs.replaceAtomic(absolute, bytes, expectedOf(old)));
  await recordChange(ctx, place, done.after);
  const differs = old?.bytes === undefined ? [] : await whatDiffers(old.bytes, bytes, input.content);
  const data: WriteData = {
    path: input.path,
    created: done.created,
    bytes: bytes.length,
    ...(done.before === null ? {} : { beforeHash: done.before }),
    afterHash: done.after,
    ...(done.inPlace ? { inPlace: true } : {}),
    ...(differs.length === 0 ? {} : { differs }),
  };
  const isLost = old !== undefined && old.bytes === undefined && done.before !== done.after;
  const lost = isLost ? backupSkipped(old.info.size, ctx.limits.maxBackupBytes) : undefined;
  return ok(data, {
    structured: { path: input.path, created: data.created, bytes: data.bytes, afterHash: data.afterHash },
    provenance,
    ...backupParts(input.path, (backup ?? lost)?.backup),
  });
}

function refuseByExpect(input: WriteInput, old: OldFile | undefined): ToolResult<never> | undefined {
  const expected = input.expect?.toLowerCase();
  if (expected === undefined) return undefined;
  const found = old === undefined ? "absent" : old.sha256;
  if (expected === found) return undefined;
  const why =
    old === undefined
      ? "the file does not exist. Omit `expect` to create it"
      : expected === "absent"
        ? "the file already exists. Read it first, or choose another path"
        : found === undefined
          ? `it has ${old.info.size} bytes, too many to compare with \`expect\`. Omit \`expect\``
          : "its content does not match `expect`. Read it again, then repeat the call";
  return fail("FS_STALE", `Did not write ${quoted(input.path)}: ${why}.`, {
    details: { path: input.path, expected, found: found ?? null, ...(old === undefined ? {} : factsOf(old)) },
  });
}

/** `expect` replaces the read that the gate asks for. */
function refuseUnread(
  input: WriteInput,
  ctx: ToolContext<WriteLimits>,
  place: FilePlace,
  old: OldFile | undefined,
): ToolResult<never> | undefined {
  if (old === undefined || input.expect !== undefined) return undefined;
  // The gate `handle` applies to every existing file, as in the imitated system; the others let an empty one be replaced.
  if (old.info.size === 0 && ctx.limits.gate !== "handle") return undefined;
  return refuseByGate(ctx, "write", place, old, input.path);
}

/** What the new content does not preserve of the old file, in words; nothing for binary files. */
async function whatDiffers(old: Uint8Array, bytes: Uint8Array, content: string): Promise<readonly string[]> {
  if (old.length === 0 || bytes.length === 0) return [];
  const form = await detectTextForm(old);
  const isMarked = content.startsWith("\ufeff");
  const differs: string[] = [];
  if (form.bomBytes > 0 && !isMarked) differs.push("its BOM");
  if (form.encoding !== "utf-8") differs.push(`its encoding (${form.encoding}; the new file is utf-8)`);
  const before = detectEol(decodeText(old, form.encoding).text);
  const after = detectEol(content);
  if (before !== after && before !== "none" && after !== "none")
    differs.push(`its line endings (${EOL_NAMES[before]}; the new file has ${EOL_NAMES[after]})`);
  return differs;
}

/** What changes in the file, all of it where there is none; undefined where the old file is binary or too large to compare. */
async function previewWrite(input: WriteInput, ctx: ToolContext<WriteLimits>): Promise<FileChange | undefined> {
  const path = ctx.resolve(input.path);
  const old = await oldFile(ctx, path);
  if (old !== undefined && old.bytes === undefined) return undefined;
  const before = await previewText(old?.bytes ?? new Uint8Array());
  if (before === undefined) return undefined;
  const after = input.content;
  return { path, before, after, diff: renderUnifiedDiff(before, after) };
}

async function previewText(bytes: Uint8Array): Promise<string | undefined> {
  if (bytes.length > MAX_COMPARED_BYTES) return undefined;
  const form = await detectTextForm(bytes);
  return isBinary(bytes, form) ? undefined : decodeText(bytes, form.encoding).text;
}
