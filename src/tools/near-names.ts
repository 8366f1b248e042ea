import type { ToolContext } from "../kernel/index.js";
import { baseName, nearestNames, parentOf } from "../text/index.js";

const MAX_LISTED = 5_000;

/** The paths beside a missing one that it may have meant, in the model's way of spelling; empty when the folder cannot be listed. */
export async function nearPaths(ctx: ToolContext, absolute: string, spelled: string): Promise<readonly string[]> {
  try {
    const { children } = await ctx.fs.readDir(parentOf(absolute), { limit: MAX_LISTED });
    const wanted = baseName(absolute);
    // A name that is there and still was not found is a link that leads nowhere.
    const others = children.map(({ name }) => name).filter((name) => name !== wanted);
    const names = nearestNames(wanted, others);
    const slash = spelled.lastIndexOf("/");
    const folder = slash === -1 ? "" : spelled.slice(0, slash + 1);
    return names.map((name) => (folder === "" ? name : `${folder}${name}`));
  } catch {
    // The call was not granted the folder, or it is missing too: then there is nothing to offer.
    return [];
  }
}
