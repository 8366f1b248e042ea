import { closeSync, lstatSync, readlinkSync } from "node:fs";
import {
  type Binding,
  DOING,
  type Doing,
  decodeStrict,
  type Expect,
  type Fs,
  type FsChild,
  type FsEntryInfo,
  HaftError,
  type Io,
  maxChildren,
  maxReadBytes,
  type ReplaceResult,
  type ResolvedPath,
  rangeStart,
  requirePath,
  UNNAMEABLE,
} from "../../kernel/index.js";
import { wholeNumber } from "../../text/index.js";
import { type GuardMode, openAnchorItself } from "./fs-anchor.js";
import { createAttributeCopy } from "./fs-attributes.js";
import { fsFault, notFound, Patience } from "./fs-faults.js";
import { CHUNK_BYTES, chunksOf, openFile, readAt, readWhole } from "./fs-read.js";
import { CameMeanwhile, type ReplaceTools, replaceAt } from "./fs-replace.js";
import { childPath, entryInfo, type FindOptions, resolveReal, type Spot, SpotFinder } from "./fs-spot.js";
import { makeFolder, makeFolders, move, removeOne, removeTree, sortedNames } from "./fs-tree.js";
import { TempFiles } from "./fs-write.js";
import { Backups } from "./in-place-backup.js";

/** Children told in one go; between two of them the operation can end. */
const CHILDREN_PER_STEP = 500;
/** How often a file is found anew that others make and remove meanwhile. */
const REPLACE_ATTEMPTS = 5;

/** With these a call has ended; any other fault is about the place. */
const ENDED: ReadonlySet<string> = new Set(["CALL_REVOKED", "CALL_CANCELLED", "CALL_TIMEOUT", "BACKEND_UNAVAILABLE"]);

/** What all file ports of one backend share. */
export interface LocalFsTools extends ReplaceTools {
  readonly mode: GuardMode;
  /** Throws once the backend is closed. */
  readonly requireOpen: () => void;
}

/** @param stateDir - Where the old bytes of files are kept while they are overwritten in place; absent: beside the file. */
export function localFsTools(mode: GuardMode, stateDir?: string, requireOpen: () => void = () => {}): LocalFsTools {
  return {
    mode,
    requireOpen,
    temps: new TempFiles(),
    copyAttributes: createAttributeCopy(),
    backups: new Backups(stateDir),
  };
}

/**
 * The files of this machine. Every operation holds the folder that it works in, judges where that really is, and acts
 * through it: between the two no swapped link comes in (`guard: "pinned"`). Metadata and small reads are done at once, on
 * the thread that asks; large reads, writes and flushes on Node's threads.
 */
export class LocalFs implements Fs {
  readonly #tools: LocalFsTools;
  readonly #finder: SpotFinder;

  /** @param binding - Absent for the backend's own port, which nothing guards. */
  constructor(tools: LocalFsTools, binding?: Binding) {
    this.#tools = tools;
    this.#finder = new SpotFinder(tools.mode, binding, tools.requireOpen);
  }

  async readText(path: string, io?: Io): Promise<string> {
    return decodeStrict(await this.readBytes(path, io), path);
  }

  async readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array> {
    const patience = this.#patience(DOING.reading, path, io);
    return this.#reading(path, async (file) => readWhole(file, path, maxReadBytes(io), patience));
  }

  async readRange(
    path: string,
    offset: number,
    length: number,
    io?: Io,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly version: string }> {
    const patience = this.#patience(DOING.reading, path, io);
    return this.#reading(path, async (file) => {
      const size = Number(file.info.size);
      const from = rangeStart(offset, size);
      // A file of /proc tells size 0 whatever it holds.
      const available = size === 0 ? CHUNK_BYTES : Math.max(0, size - from);
      const bytes = await readAt(file.descriptor, from, Math.min(wholeNumber(length), available), patience);
      return { bytes, size, version: entryInfo(file.info).version };
    });
  }

  async *openRead(
    path: string,
    io?: Io & { readonly offset?: number; readonly isScan?: boolean },
  ): AsyncGenerator<Uint8Array, void> {
    const patience = this.#patience(DOING.reading, path, io);
    const file = await this.#finder.with(path, { doing: DOING.reading, access: "read" }, (spot) =>
      openFile(spot, DOING.reading[0]),
    );
    try {
      yield* chunksOf(file, wholeNumber(io?.offset ?? 0), patience, io?.isScan === true);
    } catch (thrown) {
      throw fsFault(thrown, DOING.reading[0], path);
    } finally {
      closeSync(file.descriptor);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(path: string, data: Uint8Array, expect: Expect, io?: Io): Promise<ReplaceResult> {
    const patience = this.#patience(DOING.writing, path, io);
    const doing = DOING.writing;
    const options: FindOptions =
      expect === "absent"
        ? { doing, access: "create", follow: false }
        : { doing, access: "create", accessIfThere: "write" };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#finder.with(path, options, (spot) => replaceAt(spot, data, expect, this.#tools, patience));
      } catch (thrown) {
        if (!(thrown instanceof CameMeanwhile)) throw thrown;
        if (attempt === REPLACE_ATTEMPTS) {
          throw new HaftError("FS_STALE", `Did not ${doing[0]} "${path}": others keep replacing it. Try again.`, {
            details: { path },
          });
        }
      }
    }
  }

  async stat(path: string, io?: Io): Promise<FsEntryInfo> {
    this.#patience(DOING.looking, path, io);
    return this.#finder.with(path, { doing: DOING.looking, access: "read", follow: false }, (spot) =>
      this.#infoOf(spot),
    );
  }

  async readDir(
    path: string,
    io?: Io & { readonly limit?: number },
  ): Promise<{ readonly children: FsChild[]; readonly more: boolean }> {
    const patience = this.#patience(DOING.listing, path, io);
    const limit = maxChildren(io);
    return this.#finder.with(path, { doing: DOING.listing, access: "read" }, async (spot) => {
      if (spot.info === undefined) throw notFound(DOING.listing[0], path, "scandir");
      const folder = openAnchorItself(spot.path, this.#finder.mode);
      try {
        const names = await sortedNames(folder);
        const children: FsChild[] = [];
        for (const name of names.slice(0, limit)) {
          if (children.length % CHILDREN_PER_STEP === CHILDREN_PER_STEP - 1) {
            await new Promise(setImmediate);
            patience.check();
          }
          const info = await this.#childInfo(path, folder.at(name), name);
          if (info !== undefined) children.push({ name, ...info });
        }
        return { children, more: names.length > limit };
      } finally {
        folder.close();
      }
    });
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    const patience = this.#patience(DOING.making, path, io);
    const doing = DOING.making;
    if (!recursive) return this.#finder.with(path, { doing, access: "create", follow: false }, makeFolder);
    requirePath(doing, path);
    this.#finder.requireCovered(path, "create");
    await makeFolders(path, this.#finder, patience);
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const patience = this.#patience(DOING.removing, path, io);
    try {
      await this.#finder.with(path, { doing: DOING.removing, access: "delete", follow: false }, async (spot) => {
        if (spot.info === undefined) throw notFound(DOING.removing[0], path, "rm");
        if (!options.recursive || !spot.info.isDirectory()) return removeOne(spot);
        this.#finder.requireWhole(path, spot.real, "delete");
        await removeTree(spot, this.#finder.mode, patience, () =>
          this.#finder.requireCovered(childPath(path, "*"), "delete"),
        );
      });
    } catch (thrown) {
      const isMissing = HaftError.is(thrown, "FS_NOT_FOUND") || HaftError.is(thrown, "FS_NOT_A_DIRECTORY");
      if (!options.ignoreMissing || !isMissing) throw thrown;
    }
  }

  async rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void> {
    const patience = this.#patience(DOING.moving, from, io);
    const access = options.replace ? "write" : "create";
    requirePath(DOING.moving, to);
    this.#finder.requireCovered(from, "delete");
    this.#finder.requireCovered(to, access);
    await this.#finder.with(from, { doing: DOING.moving, access: "delete", follow: false }, async (source) => {
      if (source.info?.isDirectory()) this.#finder.requireWhole(from, source.real, "delete");
      await this.#finder.with(to, { doing: DOING.moving, access, follow: false }, (target) => {
        patience.check();
        move(source, target, options.replace, this.#finder.mode);
      });
    });
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      this.#patience(DOING.looking, path, io);
      return await this.#finder.with(path, { doing: DOING.looking, access: "read" }, (spot) => spot.info !== undefined);
    } catch {
      return false;
    }
  }

  async resolve(paths: readonly string[], io?: Io): Promise<ResolvedPath[]> {
    const patience = this.#patience(DOING.resolving, paths[0] ?? "/", io);
    return paths.map((path) => {
      patience.check();
      requirePath(DOING.resolving, path);
      this.#finder.requireAnyCovered(path);
      try {
        return resolveReal(path, this.#finder);
      } catch (thrown) {
        throw fsFault(thrown, DOING.resolving[0], path);
      }
    });
  }

  #patience(doing: Doing, path: string, io: Io | undefined): Patience {
    return new Patience(doing, path, io, () => this.#finder.requireLive());
  }

  async #reading<T>(path: string, use: (file: ReturnType<typeof openFile>) => Promise<T>): Promise<T> {
    return this.#finder.with(path, { doing: DOING.reading, access: "read" }, async (spot) => {
      const file = openFile(spot, DOING.reading[0]);
      try {
        return await use(file);
      } finally {
        closeSync(file.descriptor);
      }
    });
  }

  /** What stat tells of a place whose link, if it is one, has not been followed. */
  async #infoOf(spot: Spot): Promise<FsEntryInfo> {
    if (spot.info === undefined) throw notFound(DOING.looking[0], spot.asked, "stat");
    if (!spot.info.isSymbolicLink()) return entryInfo(spot.info);
    const target = readlinkSync(spot.path);
    const own = entryInfo(spot.info, target);
    return this.#targetInfo(spot.asked, target, own);
  }

  async #targetInfo(path: string, target: string, own: FsEntryInfo): Promise<FsEntryInfo> {
    try {
      return await this.#finder.with(path, { doing: DOING.looking, access: "read" }, (spot) =>
        spot.info === undefined ? own : entryInfo(spot.info, target),
      );
    } catch (thrown) {
      // It leads nowhere, round in a ring, or where this call may not look: the link itself is all there is to tell.
      if (HaftError.is(thrown) && !ENDED.has(thrown.code)) return own;
      throw thrown;
    }
  }

  /** Undefined for a child that has gone meanwhile. */
  async #childInfo(folder: string, path: string, name: string): Promise<FsEntryInfo | undefined> {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (info === undefined) return name.includes("\uFFFD") ? UNNAMEABLE : undefined;
    if (!info.isSymbolicLink()) return entryInfo(info);
    const target = readlinkSync(path);
    return this.#targetInfo(childPath(folder, name), target, entryInfo(info, target));
  }
}
