/** The port to the files of a memory backend. */
import {
  type Digest,
  decodeStrict,
  type Expect,
  FS_OPERATIONS,
  type Fs,
  type FsChild,
  type FsEntryInfo,
  gatherChunks,
  type Io,
  intoItself,
  maxChildren,
  maxReadBytes,
  notAFile,
  operationFault,
  type ReplaceResult,
  rangeStart,
  sealPort,
  staleFile,
  tooLarge,
} from "../../kernel/index.js";
import { wholeNumber } from "../../text/index.js";
import { type FileNode, FileTree, infoOf, nodeVersionOf, type ResolvedNode, type TreeNode } from "./file-tree.js";
import { fileAt, missingAt, nodeAt, parentAt } from "./resolved-node.js";
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
    const { bytes, version } = await this.#guard.run(FS_OPERATIONS.read, [touch(path, "read")], io, (resolved) => {
      const node = fileAt(resolved, FS_OPERATIONS.read, path);
      return { bytes: node.bytes, version: nodeVersionOf(node) };
    });
    const from = rangeStart(offset, bytes.length);
    return { bytes: bytes.slice(from, from + wholeNumber(length)), size: bytes.length, version };
  }

  async *openRead(path: string, io?: Io & { readonly offset?: number }): AsyncIterable<Uint8Array> {
    const bytes = await this.#bytesOf(path, io);
    for (let at = wholeNumber(io?.offset ?? 0); at < bytes.length; at += CHUNK_BYTES) {
      this.#guard.requireRunning(FS_OPERATIONS.read, path, io);
      yield bytes.slice(at, at + CHUNK_BYTES);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(
    path: string,
    data: Uint8Array,
    expect: Expect,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    const bytes = data.slice();
    const after = await this.#digest(bytes);
    const isExclusive = expect === "absent";
    const destination = { path, access: isExclusive ? "create" : "write", followLast: !isExclusive } as const;
    for (;;) {
      const seen = await this.#guard.run(FS_OPERATIONS.write, [destination], io, (resolved) =>
        oldBytes(resolved, path, expect),
      );
      const before = seen === null ? null : await this.#digest(seen);
      requireHash(path, expect, before);
      // Hashing took its time: act only if the bytes are still the hashed ones.
      const done = await this.#guard.run(FS_OPERATIONS.write, [destination], io, (resolved): ReplaceResult | null => {
        if (oldBytes(resolved, path, expect) !== seen) return null;
        return { before, after, ...this.#put(resolved, path, bytes, io?.mode) };
      });
      if (done !== null) return done;
    }
  }

  async replaceFrom(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    expect: Exclude<Expect, "any">,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    return this.replaceAtomic(path, await gatherChunks(path, chunks), expect, io);
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    const self = { path, access: "read", followLast: false } as const;
    return this.#guard.run(FS_OPERATIONS.stat, [self], io, (resolved) =>
      this.#reportChange(nodeAt(resolved, FS_OPERATIONS.stat, path), path),
    );
  }

  async readDir(path: string, io?: Io & { readonly limit?: number }): Promise<{ children: FsChild[]; more: boolean }> {
    return this.#guard.run(FS_OPERATIONS.list, [touch(path, "read")], io, (resolved) => {
      const node = nodeAt(resolved, FS_OPERATIONS.list, path);
      if (node.kind !== "directory") throw operationFault("ENOTDIR", FS_OPERATIONS.list, path);
      const names = [...node.children.keys()].sort(byCodeUnits);
      const shown = names.slice(0, maxChildren(io));
      const directory = FileTree.pathOf(resolved) === "/" ? "" : FileTree.pathOf(resolved);
      const children = shown.map((name) => ({
        name,
        ...this.#reportChange(node.children.get(name) as TreeNode, `${directory}/${name}`),
      }));
      return { children, more: names.length > shown.length };
    });
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    const { tree } = this.#guard;
    await this.#guard.run(FS_OPERATIONS.mkdir, [{ path, access: "create", followLast: recursive }], io, (resolved) => {
      if (resolved.isBlocked) throw operationFault("ENOTDIR", FS_OPERATIONS.mkdir, path);
      if (resolved.node !== undefined) {
        if (recursive && resolved.node.kind === "directory") return;
        throw operationFault("EEXIST", FS_OPERATIONS.mkdir, path);
      }
      if (recursive && resolved.isDangling) throw operationFault("EEXIST", FS_OPERATIONS.mkdir, path);
      if (recursive) tree.makeDirectories(FileTree.pathOf(resolved));
      else tree.attach(parentAt(resolved, FS_OPERATIONS.mkdir, path), resolved.name, tree.newDirectory());
    });
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const destination = { path, access: "delete", followLast: false } as const;
    await this.#guard.run(FS_OPERATIONS.remove, [destination], io, (resolved) => {
      if (resolved.node === undefined) {
        if (options.ignoreMissing) return;
        throw missingAt(resolved, FS_OPERATIONS.remove, path);
      }
      const parent = parentAt(resolved, FS_OPERATIONS.remove, path);
      if (resolved.node.kind === "directory") {
        if (options.recursive) this.#guard.requireTree(resolved.real, "delete");
        else if (resolved.node.children.size > 0) throw operationFault("ENOTEMPTY", FS_OPERATIONS.remove, path);
      }
      this.#guard.tree.detach(parent, resolved.name);
    });
  }

  async rename(from: string, to: string, { replace }: { readonly replace: boolean }, io?: Io): Promise<void> {
    const source = { path: from, access: "delete", followLast: false } as const;
    const destination = { path: to, access: replace ? "write" : "create", followLast: false } as const;
    const { tree } = this.#guard;
    await this.#guard.run(FS_OPERATIONS.rename, [source, destination], io, (old, next) => {
      const node = nodeAt(old, FS_OPERATIONS.rename, from);
      const parent = parentAt(next, FS_OPERATIONS.rename, to);
      const oldParent = parentAt(old, FS_OPERATIONS.rename, from);
      if (node.kind === "directory") {
        this.#guard.requireTree(old.real, "delete");
        if (FileTree.pathOf(next).startsWith(`${old.real}/`)) throw intoItself(FS_OPERATIONS.rename[0], from, to);
      }
      if (FileTree.pathOf(next) === old.real) return;
      if (next.node !== undefined) requireReplaceable(node, next.node, to, replace);
      // Two names of one file: both stay, as POSIX has it.
      if (next.node === node) return;
      tree.detach(oldParent, old.name);
      tree.attach(parent, next.name, node);
    });
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      return await this.#guard.run(
        FS_OPERATIONS.stat,
        [touch(path, "read")],
        io,
        (resolved) => resolved.node !== undefined,
      );
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io) {
    return Promise.all(
      paths.map((path) =>
        this.#guard.run(FS_OPERATIONS.resolve, [touch(path, "read")], io, (resolved) => ({
          real: resolved.real,
          missing: resolved.missing.join("/"),
          kind: resolved.node === undefined ? ("absent" as const) : resolved.node.kind,
        })),
      ),
    );
  }

  async #bytesOf(path: string, io: Io | undefined): Promise<Uint8Array> {
    return this.#guard.run(
      FS_OPERATIONS.read,
      [touch(path, "read")],
      io,
      (resolved) => fileAt(resolved, FS_OPERATIONS.read, path).bytes,
    );
  }

  /** A node as its directory shows it: a symlink with its target, and with what it leads to where the grant reaches. */
  #reportChange(node: TreeNode, path: string): FsEntryInfo {
    if (node.kind !== "link") return infoOf(node);
    const own = { ...infoOf(node), target: node.target };
    const followed = this.#follow(path);
    return followed === undefined ? own : { ...infoOf(followed), target: node.target };
  }

  #follow(path: string): TreeNode | undefined {
    try {
      const resolved = this.#guard.tree.walk(path, true, FS_OPERATIONS.stat);
      return this.#guard.reaches(path, FileTree.pathOf(resolved)) ? resolved.node : undefined;
    } catch {
      return undefined; // A symlink loop, or a dangling symlink.
    }
  }

  #put(
    resolved: ResolvedNode,
    path: string,
    bytes: Uint8Array,
    mode: number | undefined,
  ): { created: boolean; inPlace: boolean } {
    const { tree } = this.#guard;
    const old = resolved.node as FileNode | undefined;
    const parent = parentAt(resolved, FS_OPERATIONS.write, path);
    if (old === undefined) {
      tree.attach(parent, resolved.name, tree.newFile(bytes, mode));
      return { created: true, inPlace: false };
    }
    if (old.names > 1) {
      tree.setBytes(old, bytes);
      return { created: false, inPlace: true };
    }
    tree.attach(parent, resolved.name, tree.newFile(bytes, old.mode));
    return { created: false, inPlace: false };
  }
}

sealPort(MemoryFs);

function touch(path: string, access: "read") {
  return { path, access, followLast: true } as const;
}

/** The bytes that a write would replace, null when there are none; refuses what cannot be written or is not as expected. */
function oldBytes(resolved: ResolvedNode, path: string, expect: Expect): Uint8Array | null {
  if (resolved.node === undefined) {
    parentAt(resolved, FS_OPERATIONS.write, path);
    if (expect === "any" || expect === "absent") return null;
    throw staleFile(path, "gone", { expected: expect, found: "absent" });
  }
  if (expect === "absent") throw staleFile(path, "present", { expected: "absent", found: resolved.node.kind });
  const node = fileAt(resolved, FS_OPERATIONS.write, path);
  if (expect !== "any" && "version" in expect && expect.version !== nodeVersionOf(node)) {
    throw staleFile(path, "changed", { expected: expect.version, found: nodeVersionOf(node) });
  }
  return node.bytes;
}

function requireHash(path: string, expect: Expect, found: string | null): void {
  if (typeof expect === "string" || !("sha256" in expect)) return;
  const expected = expect.sha256.toLowerCase();
  if (expected !== found) throw staleFile(path, "changed", { expected, found });
}

function requireReplaceable(node: TreeNode, old: TreeNode, path: string, replace: boolean): void {
  if (!replace) throw operationFault("EEXIST", FS_OPERATIONS.rename, path);
  if (old.kind !== "directory") {
    if (node.kind === "directory") throw operationFault("ENOTDIR", FS_OPERATIONS.rename, path);
    return;
  }
  if (node.kind !== "directory") throw notAFile(FS_OPERATIONS.rename[0], path, "directory");
  if (old.children.size > 0) throw operationFault("ENOTEMPTY", FS_OPERATIONS.rename, path);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
