/**
 * Normalizes a POSIX path as a string: removes repeated slashes, `.`, and `name/..`; symlinks are not resolved.
 *
 * A `..` that has nothing before it stays in a relative path and vanishes at the root. No trailing slash, except that
 * the root is `/`; an empty path is `.`.
 */
export function normalizePath(path: string): string {
  const isAbsolute = path.startsWith("/");
  // Most paths are normal, and are not split for it.
  if (isAbsolute && !path.includes("//") && !path.includes("/.") && !path.endsWith("/")) return path;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.length > 0 && names[names.length - 1] !== "..") names.pop();
    else if (!isAbsolute) names.push("..");
  }
  const joined = names.join("/");
  return isAbsolute ? `/${joined}` : joined === "" ? "." : joined;
}

/**
 * `path` as seen from the directory `base`, normalized. A leading slash of `path` has no meaning here: see
 * {@link resolvePath}.
 */
export function joinPath(base: string, path: string): string {
  return normalizePath(base === "" ? path : `${base}/${path}`);
}

/**
 * The absolute, normalized path that `path` names in the directory `cwd`. It holds no `..`.
 *
 * An absolute `path` ignores `cwd`; `~` and `~/x` are in `home` if it is given. `~name` is an ordinary name.
 *
 * @param cwd - An absolute directory; a relative one is taken from the root.
 */
export function resolvePath(cwd: string, path: string, home?: string): string {
  if (path.startsWith("/")) return normalizePath(path);
  if (home !== undefined && isInHome(path)) return normalizePath(`/${home}${path.slice(1)}`);
  return normalizePath(cwd.startsWith("/") ? `${cwd}/${path}` : `/${cwd}/${path}`);
}

/** `~` and `~/x` in the directory `home`; any other path as it is. For what comes from where no shell expands it. */
export function expandHome(path: string, home: string): string {
  return isInHome(path) ? `${home}${path.slice(1)}` : path;
}

/** A relative path that every tool and shell accepts: one that could be taken for an artifact or the home directory begins with `./`. */
export function asRelative(path: string): string {
  return path.startsWith("artifact:") || path.startsWith("~") ? `./${path}` : path;
}

function isInHome(path: string): boolean {
  return path === "~" || path.startsWith("~/");
}

/**
 * The end of `path` by which it can only name a directory: its last slash, with a `.` or `..` after it; all of `.` and `..`.
 * Undefined where a file may be meant.
 */
export function trailingSlash(path: string): string | undefined {
  return /(?:^|\/)\.{0,2}$/.exec(path)?.[0];
}

/** `path` without the slashes and the `/.` at its end, which normalizing drops; `..` stays, and so does the root. */
export function withoutTrailingSlash(path: string): string {
  let end = path.length;
  while (end > 1 && (path[end - 1] === "/" || path.slice(end - 2, end) === "/.")) end--;
  return path.slice(0, end);
}

/** The directory that holds `path`: `/` for the root itself, `.` for a bare name, `..` for `.`. */
export function parentOf(path: string): string {
  return joinPath(path, "..");
}

/** What `name` is in a normalized directory; the directory itself if it is "". Unlike `joinPath`, nothing in `name` is resolved. */
export function childPath(directory: string, name: string): string {
  if (name === "") return directory;
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/**
 * Resolves `rest` in the directory `real`, where its first name is missing. What does not exist is not a symlink, so each `..`
 * removes one missing name, or leads to the parent directory if none is left.
 *
 * @param real - An absolute, normalized directory, symlinks followed.
 */
export function walkMissing(real: string, rest: string): { readonly real: string; readonly missing: string } {
  let directory = real;
  const missing: string[] = [];
  for (const name of rest.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") missing.push(name);
    else if (missing.pop() === undefined) directory = parentOf(directory);
  }
  return { real: directory, missing: missing.join("/") };
}

/** The last name of `path` after normalizing; empty for the root. */
export function baseName(path: string): string {
  const normal = normalizePath(path);
  return normal.slice(normal.lastIndexOf("/") + 1);
}

/**
 * `path` relative to the directory `root`, or `undefined` when it is not inside. The root itself gives an empty string.
 *
 * Both are normalized first and must be of one kind: two absolute paths, or two relative to the same directory.
 */
export function relativeInside(root: string, path: string): string | undefined {
  const base = normalizePath(root);
  const normal = normalizePath(path);
  if (normal === base) return "";
  if (base === ".") return normal.startsWith("/") || isAbove(normal) ? undefined : normal;
  const prefix = base === "/" ? "/" : `${base}/`;
  if (!normal.startsWith(prefix)) return undefined;
  const rest = normal.slice(prefix.length);
  return isAbove(rest) ? undefined : rest;
}

function isAbove(relative: string): boolean {
  return relative === ".." || relative.startsWith("../");
}
