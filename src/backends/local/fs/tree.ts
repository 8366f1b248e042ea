/** Lists, creates, removes and moves entries, each through a pinned directory. */
import {
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  promises,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { FS_OPERATIONS, intoItself, operationFault } from "../../../kernel/index.js";
import type { Deadline } from "./deadline.js";
import { localFsFault, notFound, systemCode } from "./faults.js";
import type { PathResolver, PinnedPath } from "./path-resolver.js";
import { type DirectoryAnchor, type GuardMode, openAnchor, openAnchorItself } from "./pinned-directory.js";

/** Names between two checks of the deadline. */
const NAMES_PER_STEP = 500;

/** Error codes of opening a directory that, or whose parent, does not exist. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

/** The names in a directory, in code-unit order. */
export async function sortedNames(anchor: DirectoryAnchor): Promise<string[]> {
  const names = await promises.readdir(anchor.at(""));
  return names.sort((one, other) => (one < other ? -1 : 1));
}

/** Makes one directory. @throws EEXIST, ENOENT. */
export function makeDirectory(resolved: PinnedPath): void {
  mkdirSync(resolved.path, 0o777);
}

/**
 * Creates a directory and its missing parents. Each is created in its pinned parent, so a symlink that takes the
 * place of one meanwhile is not followed unauthorized.
 */
export async function makeDirectories(path: string, finder: PathResolver, deadline: Deadline): Promise<void> {
  const missing: string[] = [];
  let anchor: DirectoryAnchor | undefined;
  let existing = path;
  try {
    while (anchor === undefined) {
      try {
        anchor = openAnchor(existing, finder.mode);
      } catch (thrown) {
        // A file or a dangling symlink is in the way, too; `mkdir` reports which.
        if (!IN_THE_WAY.has(systemCode(thrown) ?? "") || existing === "/") throw thrown;
        const slash = existing.lastIndexOf("/");
        missing.unshift(existing.slice(slash + 1));
        existing = existing.slice(0, slash) || "/";
      }
    }
    for (let index = 0; index < missing.length; index++) {
      const above: DirectoryAnchor = anchor;
      const name = missing[index]!;
      deadline.check();
      const real = [above.real === "/" ? "" : above.real, ...missing.slice(index)].join("/");
      await finder.requireReal(path, real, "create");
      finder.requireReach(FS_OPERATIONS.mkdir, path, real, "create");
      try {
        mkdirSync(above.at(name), 0o777);
      } catch (thrown) {
        if (systemCode(thrown) !== "EEXIST") throw thrown;
      }
      const info = lstatSync(above.at(name));
      if (!info.isDirectory()) {
        const isInTheWay = index < missing.length - 1 && !info.isSymbolicLink();
        throw operationFault(isInTheWay ? "ENOTDIR" : "EEXIST", FS_OPERATIONS.mkdir, path);
      }
      anchor = openAnchorItself(above.at(name), finder.mode);
      above.close();
    }
    if (missing.length === 0) await finder.requireReal(path, anchor.real, "create");
  } catch (thrown) {
    throw localFsFault(thrown, FS_OPERATIONS.mkdir[0], path);
  } finally {
    anchor?.close();
  }
}

/** Removes an entry; a directory only if it is empty. Symlinks are not followed. */
export function removeOne(resolved: PinnedPath): void {
  if (resolved.info?.isDirectory()) rmdirSync(resolved.path);
  else unlinkSync(resolved.path);
}

/**
 * Removes a directory recursively. No symlink is followed: each directory is opened through its pinned parent.
 * @param beforeInside - Called before the first child is removed; throws to prevent it.
 */
export async function removeTree(
  resolved: PinnedPath,
  mode: GuardMode,
  deadline: Deadline,
  beforeInside: () => void,
): Promise<void> {
  await emptyDirectory(resolved.path, mode, deadline, beforeInside);
  rmdirSync(resolved.path);
}

async function emptyDirectory(
  path: string,
  mode: GuardMode,
  deadline: Deadline,
  beforeInside: () => void,
): Promise<void> {
  const directory = openAnchorItself(path, mode);
  try {
    const names = await promises.readdir(directory.at(""));
    if (names.length > 0) beforeInside();
    let done = 0;
    for (const name of names) {
      if (done++ % NAMES_PER_STEP === 0) deadline.check();
      const child = directory.at(name);
      const info = lstatSync(child, { throwIfNoEntry: false });
      if (info === undefined) continue;
      if (!info.isDirectory()) unlinkSync(child);
      else {
        await emptyDirectory(child, mode, deadline, beforeInside);
        rmdirSync(child);
      }
    }
  } finally {
    directory.close();
  }
}

/** Moves an entry. Without `replace` it fails if the new name exists, also if it was created meanwhile. */
export function move(from: PinnedPath, to: PinnedPath, replace: boolean, mode: GuardMode): void {
  if (from.info === undefined) throw notFound(FS_OPERATIONS.rename[0], from.asked, "rename");
  if (to.real === from.real) return;
  if (to.real.startsWith(`${from.real}/`)) throw intoItself(FS_OPERATIONS.rename[0], from.asked, to.asked);
  if (replace) renameSync(from.path, to.path);
  else if (from.info.isDirectory()) moveDirectoryToFreeName(from, to);
  else moveToFreeName(from, to, mode);
}

function moveDirectoryToFreeName(from: PinnedPath, to: PinnedPath): void {
  // Rename replaces an empty directory, and creating that first fails if the name exists.
  mkdirSync(to.path);
  try {
    renameSync(from.path, to.path);
  } catch (thrown) {
    rmdirSync(to.path);
    throw thrown;
  }
}

/** Creates a hard link first, which fails if the name exists; where hard links are not permitted, an earlier check has to do. */
function moveToFreeName(from: PinnedPath, to: PinnedPath, mode: GuardMode): void {
  try {
    // Linux hard-links the symlink itself, other systems its target.
    if (mode === "checked" && from.info!.isSymbolicLink()) recreateSymlink(from, to);
    else linkSync(from.path, to.path);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST" || to.info !== undefined) throw thrown;
    renameSync(from.path, to.path);
    return;
  }
  orUndo(to, () => unlinkSync(from.path));
}

/** The same symlink under the other name, with the owner and the times of the old one. */
function recreateSymlink(from: PinnedPath, to: PinnedPath): void {
  const { uid, gid, atimeNs, mtimeNs } = from.info!;
  symlinkSync(readlinkSync(from.path, "buffer"), to.path);
  orUndo(to, () => {
    const made = lstatSync(to.path, { bigint: true });
    if (made.uid !== uid || made.gid !== gid) lchownSync(to.path, Number(uid), Number(gid));
    lutimesSync(to.path, secondsOf(atimeNs), secondsOf(mtimeNs));
  });
}

/** Half a microsecond is added, so that rounding never yields the previous millisecond. */
function secondsOf(timeNs: bigint): number {
  return (Number(timeNs / 1000n) + 0.5) / 1e6;
}

/** Removes the new name when `act` fails, unless the old name is gone: then the new one may be the last. */
function orUndo(made: PinnedPath, act: () => void): void {
  try {
    act();
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return;
    unlinkSync(made.path);
    throw thrown;
  }
}
