/** The port to the files of a memory backend. */
import {
  type Digest,
  DOING,
  decodeStrict,
  type Expect,
  type Fs,
  type FsChild,
  type FsEntryInfo,
  type Io,
  intoItself,
  maxChildren,
  maxReadBytes,
  notAFile,
  type ReplaceResult,
  rangeStart,
  refusedBy,
  staleFile,
  tooLarge,
} from "../../kernel/index.js";
import { wholeNumber } from "../../text/index.js";
import { type FileNode, FileTree, infoOf, type Spot, type TreeNode, versionOf } from "./file-tree.js";
import { fileAt, missingAt, nodeAt, parentAt } from "./spot-node.js";
import type { TreeGuard } from "./tree-guard.js";

const CHUNK_BYTES = 64 * 1024;

export class MemoryFs implements Fs {
  readonly #guard: TreeGuard;
  readonly #digest: Digest;

  constructor(guard: TreeGuard, digest: Digest) {
    this.#guard = guard;
    this.#digest = digest;
  }

  async readText(path: string, io?: Io): Promise<string> {
    return decodeStrict(await this.#bytesOf(path, io), path);
  }

  async readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array> {
    const bytes = await this.#bytesOf(path, io);
    const maxBytes = maxReadBytes(io);
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
    return bytes.slice();
  }

  async readRange(path: string, offset: number, length: number, io?: Io) {
    const { bytes, version } = await this.#guard.act(DOING.reading, [touch(path, "read")], io, (spot) => {
      const node = fileAt(spot, DOING.reading, path);
      return { bytes: node.bytes, version: versionOf(node) };
    });
    const from = rangeStart(offset, bytes.length);
    return { bytes: bytes.slice(from, from + wholeNumber(length)), size: bytes.length, version };
  }

  async *openRead(path: string, io?: Io & { readonly offset?: number }): AsyncIterable<Uint8Array> {
    const bytes = await this.#bytesOf(path, io);
    for (let at = wholeNumber(io?.offset ?? 0); at < bytes.length; at += CHUNK_BYTES) {
      this.#guard.requireRunning(DOING.reading, path, io);
      yield bytes.slice(at, at + CHUNK_BYTES);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(path: string, data: Uint8Array, expect: Expect, io?: Io): Promise<ReplaceResult> {
    const bytes = data.slice();
    const after = await this.#digest(bytes);
    const isExclusive = expect === "absent";
    const goal = { path, access: isExclusive ? "create" : "write", followLast: !isExclusive } as const;
    for (;;) {
      const seen = await this.#guard.act(DOING.writing, [goal], io, (spot) => oldBytes(spot, path, expect));
      const before = seen === null ? null : await this.#digest(seen);
      requireHash(path, expect, before);
      // Hashing took its time: act only if the bytes are still the hashed ones.
      const done = await this.#guard.act(DOING.writing, [goal], io, (spot): ReplaceResult | null => {
        if (oldBytes(spot, path, expect) !== seen) return null;
        return { before, after, ...this.#put(spot, path, bytes) };
      });
      if (done !== null) return done;
    }
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    const self = { path, access: "read", followLast: false } as const;
    return this.#guard.act(DOING.looking, [self], io, (spot) => this.#tell(nodeAt(spot, DOING.looking, path), path));
  }

  async readDir(path: string, io?: Io & { readonly limit?: number }): Promise<{ children: FsChild[]; more: boolean }> {
    return this.#guard.act(DOING.listing, [touch(path, "read")], io, (spot) => {
      const node = nodeAt(spot, DOING.listing, path);
      if (node.kind !== "directory") throw refusedBy("ENOTDIR", DOING.listing, path);
      const names = [...node.children.keys()].sort(byCodeUnits);
      const shown = names.slice(0, maxChildren(io));
      const folder = FileTree.pathOf(spot) === "/" ? "" : FileTree.pathOf(spot);
      const children = shown.map((name) => ({
        name,
        ...this.#tell(node.children.get(name) as TreeNode, `${folder}/${name}`),
      }));
      return { children, more: names.length > shown.length };
    });
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    const { tree } = this.#guard;
    await this.#guard.act(DOING.making, [{ path, access: "create", followLast: recursive }], io, (spot) => {
      if (spot.isBlocked) throw refusedBy("ENOTDIR", DOING.making, path);
      if (spot.node !== undefined) {
        if (recursive && spot.node.kind === "directory") return;
        throw refusedBy("EEXIST", DOING.making, path);
      }
      if (recursive && spot.isDangling) throw refusedBy("EEXIST", DOING.making, path);
      if (recursive) tree.makeFolders(FileTree.pathOf(spot));
      else tree.attach(parentAt(spot, DOING.making, path), spot.name, tree.newDirectory());
    });
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const goal = { path, access: "delete", followLast: false } as const;
    await this.#guard.act(DOING.removing, [goal], io, (spot) => {
      if (spot.node === undefined) {
        if (options.ignoreMissing) return;
        throw missingAt(spot, DOING.removing, path);
      }
      const parent = parentAt(spot, DOING.removing, path);
      if (spot.node.kind === "directory") {
        if (options.recursive) this.#guard.requireTree(spot.real, "delete");
        else if (spot.node.children.size > 0) throw refusedBy("ENOTEMPTY", DOING.removing, path);
      }
      this.#guard.tree.detach(parent, spot.name);
    });
  }

  async rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void> {
    const source = { path: from, access: "delete", followLast: false } as const;
    const goal = { path: to, access: options.replace ? "write" : "create", followLast: false } as const;
    const { tree } = this.#guard;
    await this.#guard.act(DOING.moving, [source, goal], io, (old, next) => {
      const node = nodeAt(old, DOING.moving, from);
      const parent = parentAt(next, DOING.moving, to);
      const oldParent = parentAt(old, DOING.moving, from);
      if (node.kind === "directory") {
        this.#guard.requireTree(old.real, "delete");
        if (FileTree.pathOf(next).startsWith(`${old.real}/`)) throw intoItself(DOING.moving[0], from, to);
      }
      if (FileTree.pathOf(next) === old.real) return;
      if (next.node !== undefined) requireReplaceable(node, next.node, to, options.replace);
      // Two names of one file: both stay, as POSIX has it.
      if (next.node === node) return;
      tree.detach(oldParent, old.name);
      tree.attach(parent, next.name, node);
    });
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      return await this.#guard.act(DOING.looking, [touch(path, "read")], io, (spot) => spot.node !== undefined);
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io) {
    return Promise.all(
      paths.map((path) =>
        this.#guard.act(DOING.resolving, [touch(path, "read")], io, (spot) => ({
          real: spot.real,
          missing: spot.missing.join("/"),
          kind: spot.node === undefined ? ("absent" as const) : spot.node.kind,
        })),
      ),
    );
  }

  async #bytesOf(path: string, io: Io | undefined): Promise<Uint8Array> {
    return this.#guard.act(DOING.reading, [touch(path, "read")], io, (spot) => fileAt(spot, DOING.reading, path).bytes);
  }

  /** A node as its folder shows it: a link with its target, and with what it leads to where the grant reaches. */
  #tell(node: TreeNode, path: string): FsEntryInfo {
    if (node.kind !== "link") return infoOf(node);
    const own = { ...infoOf(node), target: node.target };
    const followed = this.#follow(path);
    return followed === undefined ? own : { ...infoOf(followed), target: node.target };
  }

  #follow(path: string): TreeNode | undefined {
    try {
      const spot = this.#guard.tree.walk(path, true, DOING.looking);
      return this.#guard.reaches(path, FileTree.pathOf(spot)) ? spot.node : undefined;
    } catch {
      return undefined; // A loop leads nowhere.
    }
  }

  #put(spot: Spot, path: string, bytes: Uint8Array): { created: boolean; inPlace: boolean } {
    const { tree } = this.#guard;
    const old = spot.node as FileNode | undefined;
    const parent = parentAt(spot, DOING.writing, path);
    if (old === undefined) {
      tree.attach(parent, spot.name, tree.newFile(bytes));
      return { created: true, inPlace: false };
    }
    if (old.names > 1) {
      tree.setBytes(old, bytes);
      return { created: false, inPlace: true };
    }
    tree.attach(parent, spot.name, tree.newFile(bytes, old.mode));
    return { created: false, inPlace: false };
  }
}

function touch(path: string, access: "read") {
  return { path, access, followLast: true } as const;
}

/** The bytes that a write would replace, null when there are none; refuses what cannot be written or is not as expected. */
function oldBytes(spot: Spot, path: string, expect: Expect): Uint8Array | null {
  if (spot.node === undefined) {
    parentAt(spot, DOING.writing, path);
    if (expect === "any" || expect === "absent") return null;
    throw staleFile(path, "gone", { expected: expect, found: "absent" });
  }
  if (expect === "absent") throw staleFile(path, "present", { expected: "absent", found: spot.node.kind });
  const node = fileAt(spot, DOING.writing, path);
  if (expect !== "any" && "version" in expect && expect.version !== versionOf(node)) {
    throw staleFile(path, "changed", { expected: expect.version, found: versionOf(node) });
  }
  return node.bytes;
}

function requireHash(path: string, expect: Expect, found: string | null): void {
  if (typeof expect === "string" || !("sha256" in expect)) return;
  const expected = expect.sha256.toLowerCase();
  if (expected !== found) throw staleFile(path, "changed", { expected, found });
}

function requireReplaceable(node: TreeNode, old: TreeNode, path: string, replace: boolean): void {
  if (!replace) throw refusedBy("EEXIST", DOING.moving, path);
  if (old.kind !== "directory") {
    if (node.kind === "directory") throw refusedBy("ENOTDIR", DOING.moving, path);
    return;
  }
  if (node.kind !== "directory") throw notAFile(DOING.moving[0], path, "directory");
  if (old.children.size > 0) throw refusedBy("ENOTEMPTY", DOING.moving, path);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
