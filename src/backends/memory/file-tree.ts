/** A file system in memory: nodes with identity, links of both kinds, modes and times. Synchronous, so each step is atomic. */
import { type EntryKind, FS_OPERATIONS, type FsOperation, MAX_SYMLINKS, operationFault } from "../../kernel/index.js";
import { walkMissing } from "../../text/index.js";

interface NodeBase {
  /** The same under every name of the node. */
  readonly identity: number;
  mode: number;
  modifiedMs: number;
  /** Counts changes of content, names below, or mode. */
  changes: number;
}
export interface FileNode extends NodeBase {
  readonly kind: "file";
  /** Replaced, never changed in place, so a reference is a snapshot. */
  bytes: Uint8Array;
  /** Number of hard links. */
  names: number;
}
export interface DirectoryNode extends NodeBase {
  readonly kind: "directory";
  readonly children: Map<string, TreeNode>;
}
interface SymlinkNode extends NodeBase {
  readonly kind: "link";
  readonly target: string;
}
interface SpecialNode extends NodeBase {
  readonly kind: "other";
  readonly what: "fifo" | "device" | "socket";
}
export type TreeNode = FileNode | DirectoryNode | SymlinkNode | SpecialNode;

/** The result of resolving a path. */
export interface ResolvedNode {
  /** The real path of the longest part that exists. */
  readonly real: string;
  /** The missing names after it; empty if the path exists. */
  readonly missing: readonly string[];
  /** The node at the path; absent if a name is missing. */
  readonly node?: TreeNode;
  /** The parent directory of the last name; the root is its own parent. Absent if more than the last name is missing. */
  readonly parent?: DirectoryNode;
  /** The last name in `parent`. */
  readonly name: string;
  /** A component before the last is not a directory. */
  readonly isBlocked: boolean;
  /** A dangling symlink was followed. */
  readonly isDangling: boolean;
}

const PERMISSION_BITS = 0o7777;

export class FileTree {
  readonly root: DirectoryNode;
  /** Throws once the backend is closed. */
  readonly requireOpen: () => void;
  readonly #now: () => number;
  #identities = 0;

  constructor(now: () => number, requireOpen: () => void = () => {}) {
    this.requireOpen = requireOpen;
    this.#now = now;
    this.root = { ...this.#base(0o755), kind: "directory", children: new Map() };
  }

  /** The real path, including missing names. */
  static pathOf(resolved: ResolvedNode): string {
    return resolved.missing.length === 0
      ? resolved.real
      : `${resolved.real === "/" ? "" : resolved.real}/${resolved.missing.join("/")}`;
  }

  /** Follows `path` through all symlinks; the last one only when `followLast`. @throws `FS_LINK_LOOP` */
  walk(path: string, followLast: boolean, operation: FsOperation): ResolvedNode {
    const todo = path.split("/").reverse();
    const names: string[] = [];
    const directories: DirectoryNode[] = [this.root];
    let symlinks = 0;
    while (todo.length > 0) {
      const name = todo.pop() as string;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        names.pop();
        if (directories.length > 1) directories.pop();
        continue;
      }
      const directory = directories[directories.length - 1] as DirectoryNode;
      const node = directory.children.get(name);
      const isLast = todo.every((rest) => rest === "" || rest === ".");
      if (node === undefined) return missingNode(names, name, todo, isLast ? directory : undefined, symlinks > 0);
      if (node.kind === "link" && (followLast || !isLast)) {
        symlinks += 1;
        if (symlinks > MAX_SYMLINKS) throw operationFault("ELOOP", operation, path);
        if (node.target.startsWith("/")) {
          names.length = 0;
          directories.length = 1;
        }
        todo.push(...node.target.split("/").reverse());
        continue;
      }
      if (isLast)
        return {
          real: `/${[...names, name].join("/")}`,
          missing: [],
          node,
          parent: directory,
          name,
          isBlocked: false,
          isDangling: false,
        };
      if (node.kind !== "directory") {
        return { ...missingFrom([...names, name], todo.reverse()), isBlocked: true, isDangling: false };
      }
      names.push(name);
      directories.push(node);
    }
    const node = directories[directories.length - 1] as DirectoryNode;
    const parent = directories[Math.max(0, directories.length - 2)] as DirectoryNode;
    return {
      real: `/${names.join("/")}`,
      missing: [],
      node,
      parent,
      name: names.at(-1) ?? "",
      isBlocked: false,
      isDangling: false,
    };
  }

  newFile(bytes: Uint8Array, mode = 0o644): FileNode {
    return { ...this.#base(mode), kind: "file", bytes, names: 0 };
  }

  newDirectory(): DirectoryNode {
    return { ...this.#base(0o755), kind: "directory", children: new Map() };
  }

  newSymlink(target: string): SymlinkNode {
    return { ...this.#base(0o777), kind: "link", target };
  }

  newSpecial(what: SpecialNode["what"]): SpecialNode {
    return { ...this.#base(0o644), kind: "other", what };
  }

  /** Adds a node under a name, replacing any existing one. */
  attach(parent: DirectoryNode, name: string, node: TreeNode): void {
    const old = parent.children.get(name);
    if (old === node) return;
    if (old?.kind === "file") old.names -= 1;
    if (node.kind === "file") node.names += 1;
    parent.children.set(name, node);
    this.touch(parent);
  }

  detach(parent: DirectoryNode, name: string): void {
    const old = parent.children.get(name);
    if (old === undefined) return;
    if (old.kind === "file") old.names -= 1;
    parent.children.delete(name);
    this.touch(parent);
  }

  setBytes(node: FileNode, bytes: Uint8Array): void {
    node.bytes = bytes;
    this.touch(node);
  }

  setMode(node: TreeNode, mode: number): void {
    node.mode = mode & PERMISSION_BITS;
    node.changes += 1;
  }

  /** Creates a directory and its missing parents; existing ones stay. For setup, not for ports. */
  makeDirectories(path: string): DirectoryNode {
    const resolved = this.walk(path, true, FS_OPERATIONS.mkdir);
    if (resolved.node?.kind === "directory") return resolved.node;
    if (resolved.node !== undefined || resolved.isBlocked) throw operationFault("ENOTDIR", FS_OPERATIONS.mkdir, path);
    let directory = this.walk(resolved.real, true, FS_OPERATIONS.mkdir).node as DirectoryNode;
    for (const name of resolved.missing) {
      const next = this.newDirectory();
      this.attach(directory, name, next);
      directory = next;
    }
    return directory;
  }

  touch(node: TreeNode): void {
    node.modifiedMs = Math.trunc(this.#now());
    node.changes += 1;
  }

  #base(mode: number): NodeBase {
    this.#identities += 1;
    return { identity: this.#identities, mode, modifiedMs: Math.trunc(this.#now()), changes: 0 };
  }
}

/** What ports report of a node itself; symlinks are not followed. */
export function infoOf(node: TreeNode): {
  kind: EntryKind;
  size: number;
  modifiedMs: number;
  mode: number;
  version: string;
} {
  return {
    kind: node.kind,
    size: node.kind === "file" ? node.bytes.length : 0,
    modifiedMs: node.modifiedMs,
    mode: node.mode,
    version: nodeVersionOf(node),
  };
}

export function nodeVersionOf(node: TreeNode): string {
  return `${node.identity}.${node.changes}`;
}

function missingNode(
  names: readonly string[],
  name: string,
  todo: readonly string[],
  parent: DirectoryNode | undefined,
  viaSymlink: boolean,
): ResolvedNode {
  const resolved = { ...missingFrom(names, [name, ...[...todo].reverse()]), isBlocked: false, isDangling: viaSymlink };
  return parent === undefined ? resolved : { ...resolved, parent };
}

function missingFrom(
  names: readonly string[],
  rest: readonly string[],
): Pick<ResolvedNode, "real" | "missing" | "name"> {
  const { real, missing } = walkMissing(`/${names.join("/")}`, rest.join("/"));
  const left = missing === "" ? [] : missing.split("/");
  return { real, missing: left, name: left.at(-1) ?? "" };
}
