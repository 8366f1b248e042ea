import { closeSync, lstatSync, readlinkSync } from "node:fs";
import {
  type Binding,
  decodeStrict,
  type Expect,
  FS_OPERATIONS,
  type Fs,
  type FsChild,
  type FsEntryInfo,
  type FsOperation,
  HaftError,
  type Io,
  maxChildren,
  maxReadBytes,
  type ReplaceResult,
  type ResolvedPath,
  rangeStart,
  requirePath,
  sealPort,
  UNNAMEABLE,
} from "../../../kernel/index.js";
import { childPath, wholeNumber } from "../../../text/index.js";
import { createAttributeCopy } from "./attributes.js";
import { Deadline } from "./deadline.js";
import { localFsFault, notFound } from "./faults.js";
import { Backups } from "./in-place-backup.js";
import {
  entryInfo,
  type FindOptions,
  PathResolver,
  type PinnedPath,
  type Refusal,
  resolveReal,
} from "./path-resolver.js";
import { type GuardMode, openAnchorItself } from "./pinned-directory.js";
import { CHUNK_BYTES, chunksOf, openFile, readAt, readWhole } from "./read.js";
import { ConcurrentlyCreated, type ReplaceTools, replaceAt } from "./replace.js";
import { makeDirectories, makeDirectory, move, removeOne, removeTree, sortedNames } from "./tree.js";
import { TempFiles } from "./write.js";

/** Children between two checks of the deadline. */
const CHILDREN_PER_STEP = 500;
/** How often a write is retried while other processes create and remove the file. */
const REPLACE_ATTEMPTS = 5;

/** Error codes of a call that has ended; other errors are about the path. */
const ENDED: ReadonlySet<string> = new Set(["CALL_REVOKED", "CALL_CANCELLED", "CALL_TIMEOUT", "BACKEND_UNAVAILABLE"]);

/** What all file ports of one backend share. */
interface LocalFsTools extends ReplaceTools {
  readonly mode: GuardMode;
  /** Throws once the backend is closed. */
  readonly requireOpen: () => void;
  /** Applies to the ports of calls. */
  readonly refusal?: Refusal | undefined;
}

/** @param stateDir - Where backups of files are stored while they are overwritten in place. Default: beside the file. */
export function localFsTools(
  mode: GuardMode,
  stateDir?: string,
  requireOpen: () => void = () => {},
  refusal?: Refusal,
): LocalFsTools {
  return {
    mode,
    requireOpen,
    refusal,
    temps: new TempFiles(),
    copyAttributes: createAttributeCopy(),
    backups: new Backups(stateDir),
  };
}

/**
 * The files of this machine. Every operation pins its directory, authorizes the real path, and works
 * through it: a symlink swapped in between has no effect (`guard: "pinned"`). Metadata and small reads are done at once, on
 * large reads, writes and flushes run on Node's thread pool.
 */
export class LocalFs implements Fs {
  readonly #tools: LocalFsTools;
  readonly #finder: PathResolver;

  /** @param binding - Absent for the backend's own, unguarded port. */
  constructor(tools: LocalFsTools, binding?: Binding) {
    this.#tools = tools;
    const refusal = binding === undefined ? undefined : tools.refusal;
    this.#finder = new PathResolver(tools.mode, binding, tools.requireOpen, refusal);
  }

  async readText(path: string, io?: Io): Promise<string> {
    return decodeStrict(await this.readBytes(path, io), path);
  }

  async readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array> {
    const deadline = this.#deadline(FS_OPERATIONS.read, path, io);
    return this.#reading(path, async (file) => readWhole(file, path, maxReadBytes(io), deadline));
  }

  async readRange(
    path: string,
    offset: number,
    length: number,
    io?: Io,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly version: string }> {
    const deadline = this.#deadline(FS_OPERATIONS.read, path, io);
    return this.#reading(path, async (file) => {
      const size = Number(file.info.size);
      const from = rangeStart(offset, size);
      // Files in /proc report size 0.
      const available = size === 0 ? CHUNK_BYTES : Math.max(0, size - from);
      const bytes = await readAt(file.descriptor, from, Math.min(wholeNumber(length), available), deadline);
      return { bytes, size, version: entryInfo(file.info).version };
    });
  }

  async *openRead(
    path: string,
    io?: Io & { readonly offset?: number; readonly isScan?: boolean },
  ): AsyncGenerator<Uint8Array, void> {
    const deadline = this.#deadline(FS_OPERATIONS.read, path, io);
    const file = await this.#finder.with(path, { operation: FS_OPERATIONS.read, access: "read" }, (resolved) =>
      openFile(resolved, FS_OPERATIONS.read[0]),
    );
    try {
      yield* chunksOf(file, wholeNumber(io?.offset ?? 0), deadline, io?.isScan === true);
    } catch (thrown) {
      throw localFsFault(thrown, FS_OPERATIONS.read[0], path);
    } finally {
      closeSync(file.descriptor);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  replaceAtomic(
    path: string,
    data: Uint8Array,
    expect: Expect,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    return this.#replace(path, data, expect, io);
  }

  replaceFrom(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    expect: Exclude<Expect, "any">,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    return this.#replace(path, chunks, expect, io);
  }

  async #replace(
    path: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    expect: Expect,
    io: (Io & { readonly mode?: number }) | undefined,
  ): Promise<ReplaceResult> {
    const deadline = this.#deadline(FS_OPERATIONS.write, path, io);
    const operation = FS_OPERATIONS.write;
    const options: FindOptions =
      expect === "absent"
        ? { operation, access: "create", follow: false }
        : { operation, access: "create", accessIfThere: "write" };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#finder.with(path, options, (resolved) =>
          replaceAt(resolved, data, expect, this.#tools, deadline, io?.mode),
        );
      } catch (thrown) {
        if (!(thrown instanceof ConcurrentlyCreated)) throw thrown;
        if (attempt === REPLACE_ATTEMPTS) {
          throw new HaftError(
            "FS_STALE",
            `Did not ${operation[0]} "${path}": other processes keep replacing it. Try again.`,
            {
              details: { path },
            },
          );
        }
      }
    }
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    this.#deadline(FS_OPERATIONS.stat, path, io);
    return this.#finder.with(path, { operation: FS_OPERATIONS.stat, access: "read", follow: false }, (resolved) =>
      this.#infoOf(resolved),
    );
  }

  async readDir(
    path: string,
    io?: Io & { readonly limit?: number },
  ): Promise<{ readonly children: FsChild[]; readonly more: boolean }> {
    const deadline = this.#deadline(FS_OPERATIONS.list, path, io);
    const limit = maxChildren(io);
    return this.#finder.with(path, { operation: FS_OPERATIONS.list, access: "read" }, async (resolved) => {
      if (resolved.info === undefined) throw notFound(FS_OPERATIONS.list[0], path, "scandir");
      const directory = openAnchorItself(resolved.path, this.#finder.mode);
      try {
        const names = await sortedNames(directory);
        const children: FsChild[] = [];
        for (const name of names.slice(0, limit)) {
          if (children.length % CHILDREN_PER_STEP === CHILDREN_PER_STEP - 1) {
            await new Promise(setImmediate);
            deadline.check();
          }
          const info = await this.#childInfo(path, directory.at(name), name);
          if (info !== undefined) children.push({ name, ...info });
        }
        return { children, more: names.length > limit };
      } finally {
        directory.close();
      }
    });
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    const deadline = this.#deadline(FS_OPERATIONS.mkdir, path, io);
    const operation = FS_OPERATIONS.mkdir;
    if (!recursive) return this.#finder.with(path, { operation, access: "create", follow: false }, makeDirectory);
    requirePath(operation, path);
    this.#finder.requireCovered(path, "create");
    await makeDirectories(path, this.#finder, deadline);
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const deadline = this.#deadline(FS_OPERATIONS.remove, path, io);
    try {
      await this.#finder.with(
        path,
        { operation: FS_OPERATIONS.remove, access: "delete", follow: false },
        async (resolved) => {
          if (resolved.info === undefined) throw notFound(FS_OPERATIONS.remove[0], path, "rm");
          if (!options.recursive || !resolved.info.isDirectory()) return removeOne(resolved);
          this.#finder.requireNothingExcepted(path, resolved.real, "delete");
          await removeTree(resolved, this.#finder.mode, deadline, () =>
            this.#finder.requireCovered(childPath(path, "*"), "delete"),
          );
        },
      );
    } catch (thrown) {
      const isMissing = HaftError.is(thrown, "FS_NOT_FOUND") || HaftError.is(thrown, "FS_NOT_A_DIRECTORY");
      if (!options.ignoreMissing || !isMissing) throw thrown;
    }
  }

  async rename(from: string, to: string, { replace }: { readonly replace: boolean }, io?: Io): Promise<void> {
    const deadline = this.#deadline(FS_OPERATIONS.rename, from, io);
    const access = replace ? "write" : "create";
    requirePath(FS_OPERATIONS.rename, to);
    this.#finder.requireCovered(from, "delete");
    this.#finder.requireCovered(to, access);
    await this.#finder.with(
      from,
      { operation: FS_OPERATIONS.rename, access: "delete", follow: false },
      async (source) => {
        if (source.info?.isDirectory()) this.#finder.requireNothingExcepted(from, source.real, "delete");
        await this.#finder.with(to, { operation: FS_OPERATIONS.rename, access, follow: false }, (target) => {
          // A protected path that does not exist yet would be inside what is moved there.
          this.#finder.requireNothingExcepted(to, target.real, access);
          deadline.check();
          move(source, target, replace, this.#finder.mode);
        });
      },
    );
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      this.#deadline(FS_OPERATIONS.stat, path, io);
      return await this.#finder.with(
        path,
        { operation: FS_OPERATIONS.stat, access: "read" },
        (resolved) => resolved.info !== undefined,
      );
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]> {
    const deadline = this.#deadline(FS_OPERATIONS.resolve, paths[0] ?? "/", io);
    return paths.map((path) => {
      deadline.check();
      requirePath(FS_OPERATIONS.resolve, path);
      this.#finder.requireAnyCovered(path);
      try {
        return resolveReal(path, this.#finder);
      } catch (thrown) {
        throw localFsFault(thrown, FS_OPERATIONS.resolve[0], path);
      }
    });
  }

  #deadline(operation: FsOperation, path: string, io: Io | undefined): Deadline {
    return new Deadline(operation, path, io, () => this.#finder.requireLive());
  }

  async #reading<T>(path: string, use: (file: ReturnType<typeof openFile>) => Promise<T>): Promise<T> {
    return this.#finder.with(path, { operation: FS_OPERATIONS.read, access: "read" }, async (resolved) => {
      const file = openFile(resolved, FS_OPERATIONS.read[0]);
      try {
        return await use(file);
      } finally {
        closeSync(file.descriptor);
      }
    });
  }

  /** The stat of a path whose last symlink was not followed. */
  async #infoOf(resolved: PinnedPath): Promise<FsEntryInfo> {
    if (resolved.info === undefined) throw notFound(FS_OPERATIONS.stat[0], resolved.asked, "stat");
    if (!resolved.info.isSymbolicLink()) return entryInfo(resolved.info);
    const target = readlinkSync(resolved.path);
    const own = entryInfo(resolved.info, target);
    return this.#targetInfo(resolved.asked, target, own);
  }

  async #targetInfo(path: string, target: string, own: FsEntryInfo): Promise<FsEntryInfo> {
    try {
      return await this.#finder.with(path, { operation: FS_OPERATIONS.stat, access: "read" }, (resolved) =>
        resolved.info === undefined ? own : entryInfo(resolved.info, target),
      );
    } catch (thrown) {
      // The symlink is dangling, a loop, or leads to where this call may not read: report the symlink itself.
      if (HaftError.is(thrown) && !ENDED.has(thrown.code)) return own;
      throw thrown;
    }
  }

  /** Undefined for a child that was removed meanwhile. */
  async #childInfo(directory: string, path: string, name: string): Promise<FsEntryInfo | undefined> {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (info === undefined) return name.includes("\uFFFD") ? UNNAMEABLE : undefined;
    if (!info.isSymbolicLink()) return entryInfo(info);
    const target = readlinkSync(path);
    return this.#targetInfo(childPath(directory, name), target, entryInfo(info, target));
  }
}

sealPort(LocalFs);
