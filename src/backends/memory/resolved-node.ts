/** Returns the node at a path, or throws the matching error. */
import { type FsOperation, type HaftError, notAFile, operationFault } from "../../kernel/index.js";
import type { DirectoryNode, FileNode, ResolvedNode, TreeNode } from "./file-tree.js";

/** The error for a missing path. */
export function missingAt(resolved: ResolvedNode, operation: FsOperation, path: string): HaftError {
  return operationFault(resolved.isBlocked ? "ENOTDIR" : "ENOENT", operation, path);
}

/** @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY` */
export function nodeAt(resolved: ResolvedNode, operation: FsOperation, path: string): TreeNode {
  if (resolved.node === undefined) throw missingAt(resolved, operation, path);
  return resolved.node;
}

/** @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY`, `FS_NOT_A_FILE` */
export function fileAt(resolved: ResolvedNode, operation: FsOperation, path: string): FileNode {
  const node = nodeAt(resolved, operation, path);
  if (node.kind === "file") return node;
  throw notAFile(operation[0], path, node.kind === "other" ? node.what : node.kind);
}

/** The parent directory of the path. @throws `FS_NOT_FOUND`, `FS_NOT_A_DIRECTORY` */
export function parentAt(resolved: ResolvedNode, operation: FsOperation, path: string): DirectoryNode {
  if (resolved.parent === undefined) throw missingAt(resolved, operation, path);
  return resolved.parent;
}
