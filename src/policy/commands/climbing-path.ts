/** Paths with `..`, which mean something else where a name before it is a symlink. */
import { compileGlob, parentOf, relativeInside, resolvePath } from "../../text/index.js";

/**
 * The directories that the `..` of a path leave. The directory `start` and those above it are real and do not count.
 *
 * @param directory - An absolute directory, from which the path is seen.
 */
export function leftDirectories(directory: string, path: string, start: string): string[] {
  const left = new Set<string>();
  let place = path.startsWith("/") ? "/" : directory;
  for (const name of path.split("/")) {
    if (name === "..") {
      if (relativeInside(place, start) === undefined) left.add(place);
      place = parentOf(place);
    } else if (name !== "" && name !== ".") place = resolvePath(place, name);
  }
  return [...left];
}

/** Whether a glob may lead to a directory above: by `..` after a name that it matches, or by matching `..`. */
export function mayClimb(glob: string): boolean {
  return glob.split("/").some((name) => {
    if (name === "..") return true;
    if (!name.startsWith(".") || !/[*?[]/.test(name)) return false;
    const compiled = compileGlob(name);
    return !compiled.ok || compiled.matches("..");
  });
}
