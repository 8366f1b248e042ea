/** The whole port to files over eight operations. Slower than a port of its own, and a replacement is not atomic. */
import { wholeNumber } from "../../text/index.js";
import type { Expect, Fs, FsChild, FsEntryInfo, Io, ReplaceResult, ResolvedPath } from "../fs.js";
import { DOING, refusedBy } from "../fs-doing.js";
import { intoItself, notAFile, staleFile, systemFault, tooLarge } from "../fs-faults.js";
import { DEFAULT_MAX_READ_BYTES, maxChildren, maxReadBytes, rangeStart } from "../port-defaults.js";
import type { Digest } from "../services.js";
import { decodeStrict } from "../strict-text.js";
import { askCore, unsupported } from "./core-faults.js";
import type { CoreGuard, CoreStat } from "./core-guard.js";
import type { WriteTurns } from "./write-turns.js";

const CHUNK_BYTES = 64 * 1024;
/** Children that are looked at together. */
const STAT_BATCH = 16;

export class CorePortFs implements Fs {
  readonly #guard: CoreGuard;
  readonly #digest: Digest;
  readonly #turns: WriteTurns;

  constructor(guard: CoreGuard, digest: Digest, turns: WriteTurns) {
    this.#guard = guard;
    this.#digest = digest;
    this.#turns = turns;
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
      this.#guard.requireRunning(DOING.reading, path, io);
      yield bytes.slice(at, at + CHUNK_BYTES);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(path: string, data: Uint8Array, expect: Expect, io?: Io): Promise<ReplaceResult> {
    const bytes = new Uint8Array(data);
    await this.#guard.check(DOING.writing, path, expect === "absent" ? "create" : "write", expect !== "absent", io);
    return this.#turns.take(path, async () => {
      const old = await this.#guard.statOrMissing(path);
      if (old === undefined) await this.#requireParent(DOING.writing[0], path);
      else if (!old.isSymlink || old.isFile) requireFile(old, DOING.writing[0], path);
      const before = old?.isFile === true ? await this.#hashOf(path, old) : null;
      this.#requireExpected(path, expect, old, before);
      this.#guard.requireRunning(DOING.writing, path, io);
      await askCore(DOING.writing[0], path, () => this.#guard.core.fs.writeFile(path, bytes));
      this.#turns.changed(path);
      return { before, after: await this.#digest(bytes), created: old === undefined, inPlace: old !== undefined };
    });
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    await this.#guard.check(DOING.looking, path, "read", false, io);
    return this.#tell(path, await this.#statAt(DOING.looking[0], path));
  }

  async readDir(path: string, io?: Io & { readonly limit?: number }) {
    await this.#guard.check(DOING.listing, path, "read", true, io);
    const info = await this.#statAt(DOING.listing[0], path);
    if (!info.isDirectory) throw refusedBy("ENOTDIR", DOING.listing, path);
    const entries = await askCore(DOING.listing[0], path, () => this.#guard.core.fs.readDir(path));
    const names = entries.map((entry) => entry.name).sort((a, b) => (a < b ? -1 : 1));
    const shown = names.slice(0, maxChildren(io));
    const children: FsChild[] = [];
    for (let at = 0; at < shown.length; at += STAT_BATCH) {
      this.#guard.requireRunning(DOING.listing, path, io);
      const batch = shown.slice(at, at + STAT_BATCH).map((name) => this.#child(path, name));
      children.push(...(await Promise.all(batch)).filter((child) => child !== undefined));
    }
    return { children, more: names.length > shown.length };
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    await this.#guard.check(DOING.making, path, "create", recursive, io);
    const old = await this.#guard.statOrMissing(path);
    if (old !== undefined) {
      if (recursive && old.isDirectory) return;
      throw refusedBy("EEXIST", DOING.making, path);
    }
    if (recursive) await this.#requireFoldersAbove(DOING.making[0], path);
    else await this.#requireParent(DOING.making[0], path);
    await askCore(DOING.making[0], path, () => this.#guard.core.fs.mkdir(path, recursive));
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    await this.#guard.check(DOING.removing, path, "delete", false, io);
    const old = await this.#guard.statOrMissing(path);
    if (old === undefined && options.ignoreMissing) return;
    if (old === undefined) throw refusedBy("ENOENT", DOING.removing, path);
    await this.#remove(path, old, options.recursive);
  }

  async rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void> {
    await this.#guard.check(DOING.moving, from, "delete", false, io);
    await this.#guard.check(DOING.moving, to, options.replace ? "write" : "create", false, io);
    const source = await this.#statAt(DOING.moving[0], from);
    if (from === to) return;
    if (source.isSymlink)
      throw unsupported(this.#guard.core.name, "way to move a link", "Make the file anew and remove the link.");
    await this.#requireParent(DOING.moving[0], to);
    if (source.isDirectory) {
      this.#guard.requireTree(from, "delete");
      if (to.startsWith(`${from}/`)) throw intoItself(DOING.moving[0], from, to);
    }
    const goal = await this.#guard.statOrMissing(to);
    if (goal !== undefined) await this.#makeWay(source, goal, to, options.replace);
    await this.#copy(from, to, source, io);
    await this.#remove(from, source, true);
    this.#turns.changed(to);
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      await this.#guard.check(DOING.looking, path, "read", true, io);
      return await this.#guard.core.fs.exists(path);
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]> {
    const answers: ResolvedPath[] = [];
    for (const path of paths) {
      await this.#guard.check(DOING.resolving, path, "read", true, io);
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
    const kind = missing.length > 0 || info === undefined ? "absent" : kindOf(info);
    return { real, missing: missing.join("/"), kind };
  }

  async #readFile(path: string, io: Io | undefined, maxBytes: number): Promise<{ bytes: Uint8Array; version: string }> {
    await this.#guard.check(DOING.reading, path, "read", true, io);
    const info = await this.#statAt(DOING.reading[0], path);
    requireFile(info, DOING.reading[0], path);
    if (info.size > maxBytes) throw tooLarge(path, info.size, maxBytes);
    const bytes = await askCore(DOING.reading[0], path, () => this.#guard.core.fs.readBytes(path));
    return { bytes, version: this.#versionOf(path, info) };
  }

  async #statAt(did: string, path: string): Promise<CoreStat> {
    const info = await this.#guard.statOrMissing(path);
    if (info !== undefined) return info;
    await this.#requireFoldersAbove(did, path);
    throw systemFault("ENOENT", did, path);
  }

  /** Tells a path below a file apart from one that is missing. */
  async #requireFoldersAbove(did: string, path: string): Promise<void> {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const info = await this.#guard.statOrMissing(path.slice(0, end));
      if (info === undefined) continue;
      if (!info.isDirectory) throw systemFault("ENOTDIR", did, path);
      return;
    }
  }

  async #requireParent(did: string, path: string): Promise<void> {
    await this.#requireFoldersAbove(did, path);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if ((await this.#guard.statOrMissing(parent)) === undefined) throw systemFault("ENOENT", did, path);
  }

  async #hashOf(path: string, info: CoreStat): Promise<string | null> {
    if (info.size > DEFAULT_MAX_READ_BYTES) return null;
    return this.#digest(await askCore(DOING.writing[0], path, () => this.#guard.core.fs.readBytes(path)));
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

  async #child(folder: string, name: string): Promise<FsChild | undefined> {
    const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
    const info = await this.#guard.statOrMissing(path);
    return info === undefined ? undefined : { name, ...(await this.#tell(path, info)) };
  }

  async #tell(path: string, info: CoreStat): Promise<FsEntryInfo> {
    const plain: FsEntryInfo = {
      kind: kindOf(info),
      size: info.isFile ? info.size : 0,
      modifiedMs: Math.trunc(info.modifiedMs),
      // Not told by the core: what a new file and a new folder usually have.
      mode: info.isDirectory ? 0o755 : 0o644,
      version: this.#versionOf(path, info),
    };
    if (!info.isSymlink) return plain;
    const target = (await this.#guard.core.follow(path)) ?? "";
    return (await this.#guard.reaches(path)) ? { ...plain, target } : { ...plain, kind: "link", size: 0, target };
  }

  #versionOf(path: string, info: CoreStat): string {
    return `${Math.trunc(info.modifiedMs)}.${info.size}.${this.#turns.countOf(path)}`;
  }

  async #remove(path: string, info: CoreStat, recursive: boolean): Promise<void> {
    const isFolder = info.isDirectory && !info.isSymlink;
    if (isFolder && recursive) this.#guard.requireTree(path, "delete");
    if (isFolder && !recursive) {
      const held = await askCore(DOING.removing[0], path, () => this.#guard.core.fs.readDir(path));
      if (held.length > 0) throw refusedBy("ENOTEMPTY", DOING.removing, path);
    }
    await askCore(DOING.removing[0], path, () =>
      this.#guard.core.fs.rm(path, { recursive: isFolder, ignoreMissing: false }),
    );
    this.#turns.changed(path);
  }

  async #makeWay(source: CoreStat, goal: CoreStat, path: string, replace: boolean): Promise<void> {
    if (!replace) throw refusedBy("EEXIST", DOING.moving, path);
    if (goal.isDirectory && !source.isDirectory) throw notAFile(DOING.moving[0], path, "directory");
    if (!goal.isDirectory && source.isDirectory) throw refusedBy("ENOTDIR", DOING.moving, path);
    if (goal.isDirectory || goal.isSymlink) await this.#remove(path, goal, false);
  }

  async #copy(from: string, to: string, info: CoreStat, io: Io | undefined): Promise<void> {
    this.#guard.requireRunning(DOING.moving, from, io);
    const { fs } = this.#guard.core;
    if (!info.isDirectory) {
      requireFile(info, DOING.moving[0], from);
      await askCore(DOING.moving[0], from, async () => fs.writeFile(to, await fs.readBytes(from)));
      return;
    }
    await askCore(DOING.moving[0], from, () => fs.mkdir(to, true));
    for (const { name } of await askCore(DOING.moving[0], from, () => fs.readDir(from))) {
      const child = await this.#statAt(DOING.moving[0], `${from}/${name}`);
      if (child.isSymlink)
        throw unsupported(this.#guard.core.name, "way to move a link", `Remove "${from}/${name}" first.`);
      await this.#copy(`${from}/${name}`, `${to}/${name}`, child, io);
    }
  }
}

export function kindOf(info: CoreStat): "file" | "directory" | "link" | "other" {
  if (info.isDirectory) return "directory";
  if (info.isFile) return "file";
  return info.isSymlink ? "link" : "other";
}

function requireFile(info: CoreStat, did: string, path: string): void {
  if (info.isFile) return;
  if (info.isSymlink && !info.isDirectory) throw systemFault("ENOENT", did, path);
  if (info.isDirectory) throw notAFile(did, path, "directory");
  // A core does not tell devices, sockets and FIFOs apart.
  throw notAFile(did, path, "device", "no regular file");
}
