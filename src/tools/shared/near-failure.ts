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

/** Names that look alike and are all spelled out. */
const MAX_NAMED = 3;

/** The folder of a path, where the workspace holds it, so that a misspelt name can be answered with the right one. */
export function siblingClaims(path: string, context: Pick<ClaimContext, "workspace" | "cwd">): readonly Claim[] {
  const parent = parentOf(path);
  const isOurs = path !== "/" && (isWithin(context.workspace, parent) || isWithin(context.cwd, parent));
  return isOurs ? [{ kind: "file", path: parent, access: ["read"], scope: "self", optional: "if-allowed" }] : [];
}

/** The same for a call that only looks there for a name that is easily taken for this one. */
export function lookAlikeClaims(path: string, context: Pick<ClaimContext, "workspace" | "cwd">): readonly Claim[] {
  return hasLookAlikes(baseName(path)) ? siblingClaims(path, context) : [];
}

/** A failure for what is not there, with the paths beside it that may have been meant; any other failure as it is. */
export async function withNearPaths(
  failure: ToolResult<never>,
  absolute: string,
  givenPath: string,
  ctx: ToolContext,
): Promise<ToolResult<never>> {
  if (failure.code !== "FS_NOT_FOUND") return failure;
  const { near, lookAlikes: alike } = await nearPaths(ctx, absolute, givenPath);
  if (near.length === 0) return failure;
  const message =
    alike.length > 0 ? lookAlikes(absolute, givenPath, alike) : `Did you mean ${near.map(quoted).join(", ")}?`;
  return { ...failure, message: `${failure.message} ${message}`, details: { ...(failure.details as object), near } };
}

/** The refusal of a new file whose name is easily taken for one that exists; undefined where there is none such. */
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

/** How the names differ from the one asked for, and how to send them: what looks alike cannot be copied from a listing. */
function lookAlikes(absolute: string, givenPath: string, names: readonly string[]): string {
  const first = names[0]!;
  const { column, there, here } = firstDifference(first, baseName(absolute)) ?? { column: 1 };
  const where = `character ${column} of its name is ${there ?? "missing"}, not ${here ?? "the end"}`;
  const paths = names.slice(0, MAX_NAMED).map((name) => asciiJson(siblings(givenPath, name)));
  return `A path that looks the same exists: ${where}. Send the path as the JSON string ${paths.join(" or ")}.`;
}
