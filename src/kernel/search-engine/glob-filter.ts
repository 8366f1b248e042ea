import { compileGlob } from "../../text/index.js";
import { HaftError } from "../errors.js";
import type { WalkQuery } from "../search.js";

/**
 * Whether a path below the root is wanted. Everything is without a glob; a root that is a file always is. A `!` in front of
 * the glob leaves out what it matches, a folder with all below it; a slash at the end of such a glob stands for folders only.
 * @throws `SEARCH_PATTERN` for a glob that is none.
 */
export function globFilter(query: Pick<WalkQuery, "root" | "glob" | "ignoreGlobCase">): (path: string) => boolean {
  const { root, glob } = query;
  if (glob === undefined) return () => true;
  const ignoreCase = query.ignoreGlobCase ?? false;
  const at = root === "/" ? 1 : root.length + 1;
  const leavesOut = glob.startsWith("!");
  const [body, foldersOnly] = leavesOut && /[^/]\/+$/.test(glob) ? [glob.replace(/\/+$/, ""), true] : [glob, false];
  const compiled = compileGlob(leavesOut ? body.slice(1) : body, { ignoreCase });
  if (!compiled.ok)
    throw new HaftError("SEARCH_PATTERN", compiled.error, { details: { pattern: glob, why: compiled.error } });
  if (!leavesOut) return (path) => path === root || compiled.matches(path.slice(at));
  return (path) => {
    if (path === root) return true;
    const below = path.slice(at);
    for (let end = below.indexOf("/"); end !== -1; end = below.indexOf("/", end + 1)) {
      if (compiled.matches(below.slice(0, end))) return false;
    }
    return foldersOnly || !compiled.matches(below);
  };
}
