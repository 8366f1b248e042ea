/** What stands where a path leads, or the error that says why nothing fitting does. */
import { type Doing, type HaftError, notAFile, refusedBy } from "../../kernel/index.js";
import type { DirectoryNode, FileNode, Spot, TreeNode } from "./file-tree.js";

/** The error for a spot where nothing is. */
export function missingAt(spot: Spot, doing: Doing, path: string): HaftError {
  return refusedBy(spot.isBlocked ? "ENOTDIR" : "ENOENT", doing, path);
}

/** @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY` */
export function nodeAt(spot: Spot, doing: Doing, path: string): TreeNode {
  if (spot.node === undefined) throw missingAt(spot, doing, path);
  return spot.node;
}

/** @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY`, `FS_NOT_A_FILE` */
export function fileAt(spot: Spot, doing: Doing, path: string): FileNode {
  const node = nodeAt(spot, doing, path);
  if (node.kind === "file") return node;
  throw notAFile(doing[0], path, node.kind === "other" ? node.what : node.kind);
}

/** The folder that holds, or would hold, what the path names. @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY` */
export function parentAt(spot: Spot, doing: Doing, path: string): DirectoryNode {
  if (spot.parent === undefined) throw missingAt(spot, doing, path);
  return spot.parent;
}
