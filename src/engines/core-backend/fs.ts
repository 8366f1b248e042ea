/** The whole port to files over seven operations. Slower than a port of its own, and a replacement is not atomic. */

import type { Digest, Expect, Fs, FsChild, FsEntryInfo, Io, ReplaceResult, ResolvedPath } from "../../kernel/index.js";
import {
  DEFAULT_MAX_READ_BYTES,
  decodeStrict,
  FS_OPERATIONS,
  gatherChunks,
  intoItself,
  maxChildren,
  maxReadBytes,
  notAFile,
  operationFault,
  rangeStart,
  sealPort,
  staleFile,
  systemFault,
  tooLarge,
} from "../../kernel/index.js";
import { wholeNumber } from "../../text/index.js";
import { askCore, unsupported } from "./faults.js";
import type { CoreGuard, CoreStat } from "./guard.js";
import type { WriteQueue } from "./write-queue.js";

const CHUNK_BYTES = 64 * 1024;
/** Children that are looked at together. */
const STAT_BATCH = 16;

export class CorePortFs implements Fs {
  readonly #guard: CoreGuard;
  readonly #digest: Digest;
  readonly #writeQueue: WriteQueue;

  constructor(guard: CoreGuard, digest: Digest, writeQueue: WriteQueue) {
    this.#guard = guard;
    this.#digest = digest;
    this.#writeQueue = writeQueue;
  }

  async readText(path: string, io?: Io): Promise<string> {
    return decodeStrict(await this.readBytes(path, io), path);
  }

  async readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array> {
    return (await this.#readFile(path, io, maxReadBytes(io))).bytes;
  }

  async readRange(path: string, offset: number, length: number, io?: Io) {
    const { bytes, version } = await this.#readFile(path, io, DEFAULT_MAX_READ_BYTES);
    const from = rangeStart(offset, bytes.length);
    return { bytes: bytes.slice(from, from + wholeNumber(length)), size: bytes.length, version };
  }

  async *openRead(path: string, io?: Io & { readonly offset?: number }): AsyncIterable<Uint8Array> {
    const { bytes } = await this.#readFile(path, io, DEFAULT_MAX_READ_BYTES);
    for (let at = wholeNumber(io?.offset ?? 0); at < bytes.length; at += CHUNK_BYTES) {
      this.#guard.requireRunning(FS_OPERATIONS.read, path, io);
      yield bytes.slice(at, at + CHUNK_BYTES);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(path: string, data: Uint8Array, expect: Expect, io?: Io): Promise<ReplaceResult> {
    const bytes = new Uint8Array(data);
    await this.#guard.check(
      FS_OPERATIONS.write,
      path,
      expect === "absent" ? "create" : "write",
      expect !== "absent",
      io,
    );
    return this.#writeQueue.take(path, async () => {
      const old = await this.#guard.statOrMissing(path);
      if (old === undefined) await this.#requireParent(FS_OPERATIONS.write[0], path);
      else if (!old.isSymlink || old.isFile) requireFile(old, FS_OPERATIONS.write[0], path);
      const before = old?.isFile === true ? await this.#hashOf(path, old) : null;
      this.#requireExpected(path, expect, old, before);
      this.#guard.requireRunning(FS_OPERATIONS.write, path, io);
      await askCore(FS_OPERATIONS.write[0], path, () => this.#guard.core.fs.writeFile(path, bytes));
      this.#writeQueue.changed(path);
      return { before, after: await this.#digest(bytes), created: old === undefined, inPlace: false };
    });
  }

  async replaceFrom(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    expect: Exclude<Expect, "any">,
    io?: Io,
  ): Promise<ReplaceResult> {
    return this.replaceAtomic(path, await gatherChunks(path, chunks), expect, io);
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    await this.#guard.check(FS_OPERATIONS.stat, path, "read", false, io);
    return this.#reportChange(path, await this.#statAt(FS_OPERATIONS.stat[0], path));
  }

  async readDir(path: string, io?: Io & { readonly limit?: number }) {
    await this.#guard.check(FS_OPERATIONS.list, path, "read", true, io);
    const info = await this.#statAt(FS_OPERATIONS.list[0], path);
    if (!info.isDirectory) throw operationFault("ENOTDIR", FS_OPERATIONS.list, path);
    const entries = await askCore(FS_OPERATIONS.list[0], path, () => this.#guard.core.fs.readDir(path));
    const names = entries.map((entry) => entry.name).sort((a, b) => (a < b ? -1 : 1));
    const shown = names.slice(0, maxChildren(io));
    const children: FsChild[] = [];
    for (let at = 0; at < shown.length; at += STAT_BATCH) {
      this.#guard.requireRunning(FS_OPERATIONS.list, path, io);
      const batch = shown.slice(at, at + STAT_BATCH).map((name) => this.#child(path, name));
      children.push(...(await Promise.all(batch)).filter((child) => child !== undefined));
    }
    return { children, more: names.length > shown.length };
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    await this.#guard.check(FS_OPERATIONS.mkdir, path, "create", recursive, io);
    const old = await this.#guard.statOrMissing(path);
    if (old !== undefined) {
      if (recursive && old.isDirectory) return;
      throw operationFault("EEXIST", FS_OPERATIONS.mkdir, path);
    }
    if (recursive) await this.#requireParentDirectories(FS_OPERATIONS.mkdir[0], path);
    else await this.#requireParent(FS_OPERATIONS.mkdir[0], path);
    await askCore(FS_OPERATIONS.mkdir[0], path, () => this.#guard.core.fs.mkdir(path, recursive));
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    await this.#guard.check(FS_OPERATIONS.remove, path, "delete", false, io);
    const old = await this.#guard.statOrMissing(path);
    if (old === undefined && options.ignoreMissing) return;
    if (old === undefined) throw operationFault("ENOENT", FS_OPERATIONS.remove, path);
    await this.#remove(path, old, options.recursive);
  }

  async rename(from: string, to: string, { replace }: { readonly replace: boolean }, io?: Io): Promise<void> {
    await this.#guard.check(FS_OPERATIONS.rename, from, "delete", false, io);
    await this.#guard.check(FS_OPERATIONS.rename, to, replace ? "write" : "create", false, io);
    const source = await this.#statAt(FS_OPERATIONS.rename[0], from);
    if (from === to) return;
    if (source.isSymlink)
      throw unsupported(
        this.#guard.core.name,
        "way to move a symlink",
        "Create the file again and remove the symlink.",
      );
    await this.#requireParent(FS_OPERATIONS.rename[0], to);
    if (source.isDirectory) {
      this.#guard.requireTree(from, "delete");
      if (to.startsWith(`${from}/`)) throw intoItself(FS_OPERATIONS.rename[0], from, to);
    }
    const destination = await this.#guard.statOrMissing(to);
    if (destination !== undefined) await this.#makeWay(source, destination, to, replace);
    await this.#copy(from, to, source, io);
    await this.#remove(from, source, true);
    this.#writeQueue.changed(to);
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      await this.#guard.check(FS_OPERATIONS.stat, path, "read", true, io);
      return await this.#guard.core.fs.exists(path);
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]> {
    const answers: ResolvedPath[] = [];
    for (const path of paths) {
      await this.#guard.check(FS_OPERATIONS.resolve, path, "read", true, io);
      answers.push(await this.#resolveOne(path));
    }
    return answers;
  }

  async #resolveOne(path: string): Promise<ResolvedPath> {
    const missing: string[] = [];
    let at = path;
    let info = await this.#guard.statOrMissing(at);
    while (info === undefined && at !== "/") {
      const end = at.lastIndexOf("/");
      missing.unshift(at.slice(end + 1));
      at = at.slice(0, end) || "/";
      info = await this.#guard.statOrMissing(at);
    }
    const real = (await this.#guard.core.follow(at)) ?? at;
    const kind = missing.length > 0 || info === undefined ? "absent" : coreKindOf(info);
    return { real, missing: missing.join("/"), kind };
  }

  async #readFile(path: string, io: Io | undefined, maxBytes: number): Promise<{ bytes: Uint8Array; version: string }> {
    await this.#guard.check(FS_OPERATIONS.read, path, "read", true, io);
    const info = await this.#statAt(FS_OPERATIONS.read[0], path);
    requireFile(info, FS_OPERATIONS.read[0], path);
    if (info.size > maxBytes) throw tooLarge(path, info.size, maxBytes);
    const bytes = await askCore(FS_OPERATIONS.read[0], path, () => this.#guard.core.fs.readBytes(path));
    return { bytes, version: this.#versionOf(path, info) };
  }

  async #statAt(did: string, path: string): Promise<CoreStat> {
    const info = await this.#guard.statOrMissing(path);
    if (info !== undefined) return info;
    await this.#requireParentDirectories(did, path);
    throw systemFault("ENOENT", did, path);
  }

  /** Distinguishes a path below a file from a missing one. */
  async #requireParentDirectories(did: string, path: string): Promise<void> {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const info = await this.#guard.statOrMissing(path.slice(0, end));
      if (info === undefined) continue;
      if (!info.isDirectory) throw systemFault("ENOTDIR", did, path);
      return;
    }
  }

  async #requireParent(did: string, path: string): Promise<void> {
    await this.#requireParentDirectories(did, path);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if ((await this.#guard.statOrMissing(parent)) === undefined) throw systemFault("ENOENT", did, path);
  }

  async #hashOf(path: string, info: CoreStat): Promise<string | null> {
    if (info.size > DEFAULT_MAX_READ_BYTES) return null;
    return this.#digest(await askCore(FS_OPERATIONS.write[0], path, () => this.#guard.core.fs.readBytes(path)));
  }

  #requireExpected(path: string, expect: Expect, old: CoreStat | undefined, before: string | null): void {
    if (expect === "any") return;
    const stale = (why: Parameters<typeof staleFile>[1]) => staleFile(path, why, { expected: expect, found: before });
    if (expect === "absent") {
      if (old !== undefined) throw stale("present");
      return;
    }
    if (old === undefined) throw stale("gone");
    const holds =
      "version" in expect ? expect.version === this.#versionOf(path, old) : expect.sha256.toLowerCase() === before;
    if (!holds) throw stale("changed");
  }

  async #child(directory: string, name: string): Promise<FsChild | undefined> {
    const path = directory === "/" ? `/${name}` : `${directory}/${name}`;
    const info = await this.#guard.statOrMissing(path);
    return info === undefined ? undefined : { name, ...(await this.#reportChange(path, info)) };
  }

  async #reportChange(path: string, info: CoreStat): Promise<FsEntryInfo> {
    const plain: FsEntryInfo = {
      kind: coreKindOf(info),
      size: info.isFile ? info.size : 0,
      modifiedMs: Math.trunc(info.modifiedMs),
      // The core does not report a mode: the usual one of a new file or directory.
      mode: info.isDirectory ? 0o755 : 0o644,
      version: this.#versionOf(path, info),
    };
    if (!info.isSymlink) return plain;
    const target = (await this.#guard.core.follow(path)) ?? "";
    return (await this.#guard.reaches(path)) ? { ...plain, target } : { ...plain, kind: "link", size: 0, target };
  }

  #versionOf(path: string, info: CoreStat): string {
    return `${Math.trunc(info.modifiedMs)}.${info.size}.${this.#writeQueue.countOf(path)}`;
  }

  async #remove(path: string, info: CoreStat, recursive: boolean): Promise<void> {
    const isDirectory = info.isDirectory && !info.isSymlink;
    if (isDirectory && recursive) this.#guard.requireTree(path, "delete");
    if (isDirectory && !recursive) {
      const held = await askCore(FS_OPERATIONS.remove[0], path, () => this.#guard.core.fs.readDir(path));
      if (held.length > 0) throw operationFault("ENOTEMPTY", FS_OPERATIONS.remove, path);
    }
    await askCore(FS_OPERATIONS.remove[0], path, () => this.#guard.core.fs.rm(path, { recursive: isDirectory }));
    this.#writeQueue.changed(path);
  }

  async #makeWay(source: CoreStat, destination: CoreStat, path: string, replace: boolean): Promise<void> {
    if (!replace) throw operationFault("EEXIST", FS_OPERATIONS.rename, path);
    if (destination.isDirectory && !source.isDirectory) throw notAFile(FS_OPERATIONS.rename[0], path, "directory");
    if (!destination.isDirectory && source.isDirectory) throw operationFault("ENOTDIR", FS_OPERATIONS.rename, path);
    if (destination.isDirectory || destination.isSymlink) await this.#remove(path, destination, false);
  }

  async #copy(from: string, to: string, info: CoreStat, io: Io | undefined): Promise<void> {
    this.#guard.requireRunning(FS_OPERATIONS.rename, from, io);
    const { fs } = this.#guard.core;
    if (!info.isDirectory) {
      requireFile(info, FS_OPERATIONS.rename[0], from);
      await askCore(FS_OPERATIONS.rename[0], from, async () => fs.writeFile(to, await fs.readBytes(from)));
      return;
    }
    const entries = await askCore(FS_OPERATIONS.rename[0], from, () => fs.readDir(from));
    await askCore(FS_OPERATIONS.rename[0], from, () => fs.mkdir(to, true));
    for (const { name } of entries) {
      const child = await this.#statAt(FS_OPERATIONS.rename[0], `${from}/${name}`);
      if (child.isSymlink)
        throw unsupported(this.#guard.core.name, "way to move a symlink", `Remove "${from}/${name}" first.`);
      await this.#copy(`${from}/${name}`, `${to}/${name}`, child, io);
    }
  }
}

sealPort(CorePortFs);

export function coreKindOf(info: CoreStat): "file" | "directory" | "link" | "other" {
  if (info.isDirectory) return "directory";
  if (info.isFile) return "file";
  return info.isSymlink ? "link" : "other";
}

function requireFile(info: CoreStat, did: string, path: string): void {
  if (info.isFile) return;
  if (info.isSymlink && !info.isDirectory) throw systemFault("ENOENT", did, path);
  if (info.isDirectory) throw notAFile(did, path, "directory");
  // A core does not distinguish devices, sockets and FIFOs.
  throw notAFile(did, path, "device", "not a regular file");
}
