import { type Claim, isWithin, type Look, type ToolContext, type ToolResult } from "../kernel/index.js";
import { parentOf } from "../text/index.js";
import { nearPaths } from "./near-names.js";
import { quoted } from "./path-input.js";

/** The folder of a path, where the workspace holds it, so that a misspelt name can be answered with the right one. */
export function besideClaims(path: string, look: Pick<Look, "workspace" | "cwd">): readonly Claim[] {
  const parent = parentOf(path);
  const isOurs = path !== "/" && (isWithin(look.workspace, parent) || isWithin(look.cwd, parent));
  return isOurs ? [{ kind: "file", path: parent, access: ["read"], scope: "self", optional: true }] : [];
}

/** A failure for what is not there, with the paths beside it that may have been meant; any other failure as it is. */
export async function withNearPaths(
  failure: ToolResult<never>,
  absolute: string,
  spelled: string,
  ctx: ToolContext,
): Promise<ToolResult<never>> {
  if (failure.code !== "FS_NOT_FOUND") return failure;
  const near = await nearPaths(ctx, absolute, spelled);
  if (near.length === 0) return failure;
  const message = `${failure.message} Near it are ${near.map(quoted).join(", ")}.`;
  return { ...failure, message, details: { ...(failure.details as object), near } };
}
