import {
  type Claim,
  type ClaimContext,
  fail,
  isWithin,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { asciiJson, baseName, firstDifference, hasLookAlikes, parentOf } from "../../text/index.js";
import { nearPaths, siblings } from "./near-names.js";
import { quoted } from "./path-input.js";

/** Look-alike names that are listed. */
const MAX_NAMED = 3;

/** The directory of a path inside the workspace, so that a failure can suggest similar names. */
export function siblingClaims(path: string, context: Pick<ClaimContext, "workspace" | "cwd">): readonly Claim[] {
  const parent = parentOf(path);
  const isOurs = path !== "/" && (isWithin(context.workspace, parent) || isWithin(context.cwd, parent));
  return isOurs ? [{ kind: "file", path: parent, access: ["read"], scope: "self", optional: "if-allowed" }] : [];
}

/** The same for a call that only needs it for look-alike names. */
export function lookAlikeClaims(path: string, context: Pick<ClaimContext, "workspace" | "cwd">): readonly Claim[] {
  return hasLookAlikes(baseName(path)) ? siblingClaims(path, context) : [];
}

/** Adds similar paths to a failure for a missing file; any other failure is unchanged. */
export async function withNearPaths(
  failure: ToolResult<never>,
  absolute: string,
  givenPath: string,
  ctx: ToolContext,
): Promise<ToolResult<never>> {
  if (failure.code !== "FS_NOT_FOUND") return failure;
  const { near, lookAlikes: alike, isDangling } = await nearPaths(ctx, absolute, givenPath);
  if (isDangling) return danglingSymlink(failure, absolute, ctx);
  if (near.length === 0) return failure;
  const message =
    alike.length > 0 ? lookAlikes(absolute, givenPath, alike) : `Did you mean ${near.map(quoted).join(", ")}?`;
  return { ...failure, message: `${failure.message} ${message}`, details: { ...(failure.details as object), near } };
}

/** The reason after the last `: ` of the message is replaced. */
async function danglingSymlink(
  failure: ToolResult<never>,
  absolute: string,
  ctx: ToolContext,
): Promise<ToolResult<never>> {
  const info = await ctx.fs.stat(absolute).catch(() => undefined);
  const target = info?.target === undefined ? "" : ` to ${quoted(info.target)}`;
  const message = (failure.message ?? "").replace(
    /: no such [^:]*$/,
    `: it is a dangling symlink${target}. Use another path, or restore its target.`,
  );
  return { ...failure, message, details: { ...(failure.details as object), isDangling: true } };
}

/** Refuses a new file whose name looks the same as an existing one. */
export async function refuseLookAlike(
  ctx: ToolContext,
  verb: string,
  absolute: string,
  givenPath: string,
): Promise<ToolResult<never> | undefined> {
  if (!hasLookAlikes(baseName(absolute))) return undefined;
  const { near, lookAlikes: alike } = await nearPaths(ctx, absolute, givenPath);
  if (alike.length === 0) return undefined;
  const why = `there is no such file, and a new one would look the same as an existing one. ${lookAlikes(absolute, givenPath, alike)}`;
  return fail("FS_NOT_FOUND", `Did not ${verb} ${quoted(givenPath)}: ${why}`, { details: { path: givenPath, near } });
}

/** How the names differ, and how to send them: a model cannot copy invisible differences from a listing. */
function lookAlikes(absolute: string, givenPath: string, names: readonly string[]): string {
  const first = names[0]!;
  const { column, there, here } = firstDifference(first, baseName(absolute)) ?? { column: 1 };
  const where = `character ${column} of its name is ${there ?? "missing"}, not ${here ?? "the end"}`;
  const paths = names.slice(0, MAX_NAMED).map((name) => asciiJson(siblings(givenPath, name)));
  return `A path that looks the same exists: ${where}. Send the path as the JSON string ${paths.join(" or ")}.`;
}
