import type { ToolContext } from "../../kernel/index.js";
import { baseName, foldLookAlikes, nearestNames, parentOf, withoutTrailingSlash } from "../../text/index.js";

const MAX_LISTED = 5_000;

interface NearPaths {
  /** Similar paths in the same directory, as the model would spell them. */
  readonly near: readonly string[];
  /** The names that differ from the missing one only in characters that look alike. */
  readonly lookAlikes: readonly string[];
  /** The missing name exists, but as a symlink whose target is missing. */
  readonly isDangling: boolean;
}

/** Similar names beside a missing path; nothing when the directory cannot be listed. */
export async function nearPaths(ctx: ToolContext, absolute: string, givenPath: string): Promise<NearPaths> {
  try {
    const { children } = await ctx.fs.readDir(parentOf(absolute), { limit: MAX_LISTED });
    const missingName = baseName(absolute);
    // A name that exists but was not found is a dangling symlink.
    const others = children.map(({ name }) => name).filter((name) => name !== missingName);
    const folded = foldLookAlikes(missingName);
    const alike = others.filter((name) => foldLookAlikes(name) === folded);
    const near = nearestNames(missingName, others).map((name) => siblings(givenPath, name));
    return { near, lookAlikes: alike, isDangling: children.some(({ name }) => name === missingName) };
  } catch {
    // The directory is missing or not granted: nothing to suggest.
    return { near: [], lookAlikes: [], isDangling: false };
  }
}

/** `name` in the directory of a path, in the way that the path is spelled. */
export function siblings(givenPath: string, name: string): string {
  const path = withoutTrailingSlash(givenPath);
  return path.slice(0, path.lastIndexOf("/") + 1) + name;
}
