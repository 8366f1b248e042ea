import {
  type Claim,
  type ClaimContext,
  defineTool,
  type FsChild,
  HaftError,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { fileFailure } from "../shared/file-failure.js";
import { refuseLimit } from "../shared/limit-input.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { LS_LIMITS, type LsData, type LsEntry, type LsInput, type LsLimits, lsSchema } from "./contract.js";

/** Entries read of one directory; of a larger one only the first by name. */
const MAX_STATTED = 200_000;

/**
 * Lists the immediate children of a directory: kind, size and name, symlinks with their target. Directories come
 * first. Names that begin with a dot are counted but omitted unless `showHidden`. The count is exact up to
 * `MAX_STATTED` entries, whatever the limit of rows.
 *
 * Fails with `FS_NOT_FOUND` (near names in `details.near`), `FS_NOT_A_DIRECTORY` and `FS_PERMISSION`.
 */
export const lsTool = defineTool({
  name: "ls",
  description: "List a directory: kind, bytes and name of each entry, directories first.",
  input: lsSchema,
  effect: "read",
  limits: LS_LIMITS,
  annotations: { title: "List", idempotent: true },
  claims: (input: LsInput, context) => refuseInput(input) ?? claimsOf(input, context),
  run: runLs,
});

function refuseInput(input: LsInput): ToolResult<never> | undefined {
  return refusePath(input.path ?? ".", "list") ?? refuseLimit(input.limit, "list", input.path ?? ".");
}

function claimsOf(input: LsInput, context: ClaimContext<LsLimits>): readonly Claim[] {
  const path = context.resolve(input.path ?? ".");
  return [{ kind: "file", path, access: ["read"], scope: "self" }, ...siblingClaims(path, context)];
}

async function runLs(input: LsInput, ctx: ToolContext<LsLimits>): Promise<ToolResult<LsData>> {
  const givenPath = input.path ?? ".";
  const absolute = ctx.resolve(givenPath);
  const asked = { verb: "list", givenPath, absolute, noun: "directory" };
  try {
    const { children, more } = await ctx.fs.readDir(absolute, { limit: MAX_STATTED });
    const data = dataOf(children, more, input, ctx.limits);
    const { path, total, hidden } = data;
    return ok(data, {
      structured: { path, shown: data.entries.length, total, more, hidden },
      provenance: fileProvenance(ctx, absolute, givenPath),
    });
  } catch (thrown) {
    if (HaftError.is(thrown, "FS_NOT_A_DIRECTORY")) return notADirectory(thrown, asked, ctx);
    return withNearPaths(fileFailure(thrown, asked), absolute, givenPath, ctx);
  }
}

/** The file may be the path itself or a part of it. */
async function notADirectory(
  thrown: HaftError,
  asked: Parameters<typeof fileFailure>[1],
  ctx: ToolContext<LsLimits>,
): Promise<ToolResult<never>> {
  const failure = fileFailure(thrown, asked);
  const info = await ctx.fs.stat(asked.absolute).catch(() => undefined);
  if (info === undefined) return failure;
  const what =
    info.kind === "file" ? "a file, not a directory. Use `read` for its content" : "not a directory. Name a directory";
  return { ...failure, message: `Did not list ${quoted(asked.givenPath)}: it is ${what}.` };
}

function dataOf(children: readonly FsChild[], more: boolean, input: LsInput, limits: LsLimits): LsData {
  const isShown = ({ name }: FsChild) => input.showHidden === true || !name.startsWith(".");
  const listed = children.filter(isShown).map((child) => ({ child, folded: child.name.toLowerCase() }));
  // Names arrive in code-unit order, and the sort is stable.
  listed.sort((one, other) => rankOf(one.child) - rankOf(other.child) || compared(one.folded, other.folded));
  const limit = Math.min(input.limit ?? limits.defaultEntries, limits.maxEntries);
  return {
    path: input.path ?? ".",
    entries: listed.slice(0, limit).map(({ child }) => entryOf(child)),
    total: listed.length,
    more,
    limit,
    hidden: children.length - listed.length,
  };
}

function rankOf({ kind }: FsChild): number {
  return kind === "directory" ? 0 : 1;
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function entryOf({ name, kind, size, target }: FsChild): LsEntry {
  const error = name.includes("\uFFFD") ? "unnamed" : kind === "link" ? "unreached" : undefined;
  return {
    name,
    kind,
    sizeBytes: kind === "file" ? size : 0,
    ...(target === undefined ? {} : { target }),
    ...(error === undefined ? {} : { error }),
  };
}
