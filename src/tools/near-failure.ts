import { type Claim, fail, isWithin, type Look, type ToolContext, type ToolResult } from "../kernel/index.js";
import { asciiJson, baseName, firstDifference, hasLookAlikes, parentOf } from "../text/index.js";
import { besides, nearPaths } from "./near-names.js";
import { quoted } from "./path-input.js";

/** Names that look alike and are all spelled out. */
const MAX_NAMED = 3;

/** The folder of a path, where the workspace holds it, so that a misspelt name can be answered with the right one. */
export function besideClaims(path: string, look: Pick<Look, "workspace" | "cwd">): readonly Claim[] {
  const parent = parentOf(path);
  const isOurs = path !== "/" && (isWithin(look.workspace, parent) || isWithin(look.cwd, parent));
  return isOurs ? [{ kind: "file", path: parent, access: ["read"], scope: "self", optional: "if-allowed" }] : [];
}

/** The same for a call that only looks there for a name that is easily taken for this one. */
export function lookAlikeClaims(path: string, look: Pick<Look, "workspace" | "cwd">): readonly Claim[] {
  return hasLookAlikes(baseName(path)) ? besideClaims(path, look) : [];
}

/** A failure for what is not there, with the paths beside it that may have been meant; any other failure as it is. */
export async function withNearPaths(
  failure: ToolResult<never>,
  absolute: string,
  spelled: string,
  ctx: ToolContext,
): Promise<ToolResult<never>> {
  if (failure.code !== "FS_NOT_FOUND") return failure;
  const { near, alike } = await nearPaths(ctx, absolute, spelled);
  if (near.length === 0) return failure;
  const told = alike.length > 0 ? lookAlikes(absolute, spelled, alike) : `Near it are ${near.map(quoted).join(", ")}.`;
  return { ...failure, message: `${failure.message} ${told}`, details: { ...(failure.details as object), near } };
}

/** The refusal of a new file whose name is easily taken for one that exists; undefined where there is none such. */
export async function refuseLookAlike(
  ctx: ToolContext,
  verb: string,
  absolute: string,
  spelled: string,
): Promise<ToolResult<never> | undefined> {
  if (!hasLookAlikes(baseName(absolute))) return undefined;
  const { near, alike } = await nearPaths(ctx, absolute, spelled);
  if (alike.length === 0) return undefined;
  const why = `there is no such file, and a new one would look like one that exists. ${lookAlikes(absolute, spelled, alike)}`;
  return fail("FS_NOT_FOUND", `Did not ${verb} ${quoted(spelled)}: ${why}`, { details: { path: spelled, near } });
}

/** How the names differ from the one asked for, and how to send them: what looks alike cannot be copied from a listing. */
function lookAlikes(absolute: string, spelled: string, names: readonly string[]): string {
  const first = names[0]!;
  const { column, there, here } = firstDifference(first, baseName(absolute)) ?? { column: 1 };
  const where = `character ${column} of its name is ${there ?? "missing"}, not ${here ?? "the end"}`;
  const paths = names.slice(0, MAX_NAMED).map((name) => asciiJson(besides(spelled, name)));
  return `One that looks alike exists: ${where}. Send the path as the JSON string ${paths.join(" or ")}.`;
}
