/** A file system in memory: nodes with identity, links of both kinds, modes and times. Synchronous, so each step is atomic. */
import { DOING, type Doing, type EntryKind, refusedBy } from "../../kernel/index.js";
import { walkMissing } from "../../text/index.js";

interface NodeBase {
  /** Stays with the node under every name. */
  readonly identity: number;
  mode: number;
  modifiedMs: number;
  /** Counts changes of content, names below, or mode. */
  changes: number;
}
export interface FileNode extends NodeBase {
  readonly kind: "file";
  /** Replaced, never changed in place: who holds it holds a snapshot. */
  bytes: Uint8Array;
  /** How many names it has. */
  names: number;
}
export interface DirectoryNode extends NodeBase {
  readonly kind: "directory";
  readonly children: Map<string, TreeNode>;
}
export interface LinkNode extends NodeBase {
  readonly kind: "link";
  readonly target: string;
}
export interface SpecialNode extends NodeBase {
  readonly kind: "other";
  readonly what: "fifo" | "device" | "socket";
}
export type TreeNode = FileNode | DirectoryNode | LinkNode | SpecialNode;

/** Where a path leads. */
export interface Spot {
  /** The real path of the longest part that exists. */
  readonly real: string;
  /** The names behind it that do not exist; empty when all does. */
  readonly missing: readonly string[];
  /** What stands at the end; absent when something is missing. */
  readonly node?: TreeNode;
  /** The folder that holds, or would hold, the last name; the root holds itself. Absent when more than that name is missing. */
  readonly parent?: DirectoryNode;
  /** The last name in `parent`. */
  readonly name: string;
  /** A part before the last is not a folder, so nothing can stand here. */
  readonly isBlocked: boolean;
  /** A link was followed to where nothing is. */
  readonly isDangling: boolean;
}

const MAX_LINKS = 40;
const PERMISSION_BITS = 0o7777;

export class FileTree {
  readonly root: DirectoryNode;
  /** Throws once nobody may touch the tree any more. */
  readonly requireOpen: () => void;
  readonly #now: () => number;
  #identities = 0;

  constructor(now: () => number, requireOpen: () => void = () => {}) {
    this.requireOpen = requireOpen;
    this.#now = now;
    this.root = { ...this.#base(0o755), kind: "directory", children: new Map() };
  }

  /** The real path a spot stands for, its missing names included. */
  static pathOf(spot: Spot): string {
    return spot.missing.length === 0 ? spot.real : `${spot.real === "/" ? "" : spot.real}/${spot.missing.join("/")}`;
  }

  /** Follows `path` through all links; the last one only when `followLast`. @throws `FS_LINK_LOOP` */
  walk(path: string, followLast: boolean, doing: Doing): Spot {
    const todo = path.split("/").reverse();
    const names: string[] = [];
    const folders: DirectoryNode[] = [this.root];
    let links = 0;
    while (todo.length > 0) {
      const name = todo.pop() as string;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        names.pop();
        if (folders.length > 1) folders.pop();
        continue;
      }
      const folder = folders[folders.length - 1] as DirectoryNode;
      const node = folder.children.get(name);
      const isLast = todo.every((rest) => rest === "" || rest === ".");
      if (node === undefined) return missingSpot(names, name, todo, isLast ? folder : undefined, links > 0);
      if (node.kind === "link" && (followLast || !isLast)) {
        links += 1;
        if (links > MAX_LINKS) throw refusedBy("ELOOP", doing, path);
        if (node.target.startsWith("/")) {
          names.length = 0;
          folders.length = 1;
        }
        todo.push(...node.target.split("/").reverse());
        continue;
      }
      if (isLast)
        return {
          real: `/${[...names, name].join("/")}`,
          missing: [],
          node,
          parent: folder,
          name,
          isBlocked: false,
          isDangling: false,
        };
      if (node.kind !== "directory") {
        return { ...missingFrom([...names, name], todo.reverse()), isBlocked: true, isDangling: false };
      }
      names.push(name);
      folders.push(node);
    }
    const node = folders[folders.length - 1] as DirectoryNode;
    const parent = folders[Math.max(0, folders.length - 2)] as DirectoryNode;
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

  newLink(target: string): LinkNode {
    return { ...this.#base(0o777), kind: "link", target };
  }

  newSpecial(what: SpecialNode["what"]): SpecialNode {
    return { ...this.#base(0o644), kind: "other", what };
  }

  /** Puts a node under a name, in place of what stands there. */
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

  /** Makes a folder with all that are missing above it; what is there stays. For setting up, not for ports. */
  makeFolders(path: string): DirectoryNode {
    const spot = this.walk(path, true, DOING.making);
    if (spot.node?.kind === "directory") return spot.node;
    if (spot.node !== undefined || spot.isBlocked) throw refusedBy("ENOTDIR", DOING.making, path);
    let folder = this.walk(spot.real, true, DOING.making).node as DirectoryNode;
    for (const name of spot.missing) {
      const next = this.newDirectory();
      this.attach(folder, name, next);
      folder = next;
    }
    return folder;
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

/** What ports tell of a node itself, no link followed. */
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
    version: versionOf(node),
  };
}

export function versionOf(node: TreeNode): string {
  return `${node.identity}.${node.changes}`;
}

function missingSpot(
  names: readonly string[],
  name: string,
  todo: readonly string[],
  parent: DirectoryNode | undefined,
  viaLink: boolean,
): Spot {
  const spot = { ...missingFrom(names, [name, ...[...todo].reverse()]), isBlocked: false, isDangling: viaLink };
  return parent === undefined ? spot : { ...spot, parent };
}

function missingFrom(names: readonly string[], rest: readonly string[]): Pick<Spot, "real" | "missing" | "name"> {
  const { real, missing } = walkMissing(`/${names.join("/")}`, rest.join("/"));
  const left = missing === "" ? [] : missing.split("/");
  return { real, missing: left, name: left.at(-1) ?? "" };
}
