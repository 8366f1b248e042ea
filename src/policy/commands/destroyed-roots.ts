/** Whether the target of a command that deletes a tree is, or contains, a directory that must not vanish as a whole. */
import { compileGlob, parentOf, relativeInside, resolvePath } from "../../text/index.js";
import type { ExpandedWord } from "./expanded-word.js";

/** A last name that matches everything, or everything hidden: `*`, `.*`, `.??*`, `[!.]*`. */
const MATCHES_ALL = /^(\.|\[[!^]?\.\])*[*?.]*[*?][*?.]*$|^\.?\[[!^][^\]]*\]\*$/;

/**
 * The protected paths that a tree target reaches as a whole: `/`, the roots, the home directory, and what contains them.
 *
 * An unknown part of the target counts as empty, unless it cannot be: `"$X"/*` is `/*` if `X` is not set.
 *
 * @param directories - The directories of which one is the current one.
 */
export function destroyedRoots(
  word: ExpandedWord,
  directories: readonly string[],
  protectedPaths: readonly string[],
): string[] {
  const { value, pattern, isGlob, isUnresolved, isNonEmpty } = word;
  if (word.isPartial === true || (isUnresolved && (isNonEmpty || value === ""))) return [];
  const lost = new Set<string>();
  for (const directory of directories) {
    const path = resolvePath(directory, isGlob ? pattern : value);
    const slash = path.lastIndexOf("/");
    const isAll = isGlob && MATCHES_ALL.test(path.slice(slash + 1));
    const target = isAll ? parentOf(path) : path;
    for (const one of ["/", ...protectedPaths]) {
      if (isGlob && !isAll ? matchesOrContains(path, one) : relativeInside(target, one) !== undefined) lost.add(one);
    }
  }
  return [...lost];
}

/** Whether the glob matches `path` or a directory above it. */
function matchesOrContains(glob: string, path: string): boolean {
  const compiled = compileGlob(glob, { matchBase: false });
  if (!compiled.ok) return true;
  for (let one = path; one !== "/"; one = parentOf(one)) if (compiled.matches(one.slice(1))) return true;
  return false;
}
