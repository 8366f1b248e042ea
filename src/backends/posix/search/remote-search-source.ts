/** A remote file tree for the shared search engine, transferred in as few requests as possible. */

import { globFilter, IGNORE_FILES, isRuleAbove, type SearchSource } from "../../../engines/search/index.js";
import {
  type Binding,
  covers,
  FS_OPERATIONS,
  HaftError,
  isWithin,
  notUtf8Name,
  type WalkQuery,
} from "../../../kernel/index.js";
import { baseName, childPath, parentOf } from "../../../text/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { OperationDeadline } from "../fs/deadline.js";
import { readEntryLine } from "../fs/entry-line.js";
import { remoteFsFault } from "../fs/faults.js";
import { fits, gatherAll, isSmall } from "../fs/gather.js";
import { FsGuard } from "../fs/guard.js";
import { type DirectoryListing, listWithStats, readStat } from "../fs/listing.js";
import { closeFile, openRemoteFile, readParts, readRemotePart } from "../fs/read.js";

/**
 * Bytes of files that our own engine reads over the line in one search, at most; files beyond are counted. The lines that ripgrep found,
 * and ignore files, are not limited by it.
 */
const MAX_TRANSFER_BYTES = 64 * 1024 * 1024;

/** A directory that is being searched; its files in the order in which they are read. */
interface Directory {
  readonly path: string;
  readonly files: readonly DirectoryListing[];
  /** Contents that were transferred together with other files. */
  readonly held: Map<string, Uint8Array>;
}

export class RemoteSearchSource implements SearchSource {
  readonly #guarded: FsGuard;
  readonly #free: FsGuard;
  readonly #bound: Binding;
  readonly #deadline: OperationDeadline;
  readonly #root: string;
  readonly #literal: string;
  readonly #isIncluded: (path: string) => boolean;
  #directory: Directory | undefined;
  readonly #directories = new Map<string, Directory>();
  #transferredBytes = 0;
  /** Files that were not searched because of the transfer limit. */
  unmoved = 0;

  /** @param literal - Text that every matching file contains, if the remote side can search for it; else "". */
  constructor(guard: FsGuard, bound: Binding, deadline: OperationDeadline, query: WalkQuery, literal: string) {
    this.#guarded = guard;
    this.#free = new FsGuard(guard.bulk);
    this.#bound = bound;
    this.#deadline = deadline;
    this.#root = query.root;
    this.#literal = literal;
    this.#isIncluded = globFilter(query);
  }

  async stat(path: string, follow: boolean): ReturnType<SearchSource["stat"]> {
    const guard = isRuleAbove(this.#root, path) ? this.#free : this.#guarded;
    const frame = await guard.run(this.#deadline, {
      fsOperation: FS_OPERATIONS.stat,
      operation: follow ? "about" : "stat",
      touches: [{ path, access: "read" }],
      words: ([allowed = ""]) => [path, allowed],
    });
    const { kind, size } = follow ? readEntryLine(new TextDecoder().decode(frame.bytes)) : readStat(frame, () => false);
    return { kind, size };
  }

  async readDir(path: string): ReturnType<SearchSource["readDir"]> {
    const children = await hasUsableName(path, () => listWithStats(this.#guarded, this.#deadline, path, this.#literal));
    if (!this.#guarded.coversTree({ path, access: "read" }, "skipped"))
      throw remoteFsFault("unclaimed", "", FS_OPERATIONS.list, path);
    const files = children
      .filter((child) => child.kind === "file")
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    // The engine returns to a directory after its subdirectories.
    this.#directories.set(path, { path, files, held: new Map() });
    return children;
  }

  async *openRead(path: string): AsyncGenerator<Uint8Array, void> {
    const name = baseName(path);
    const isAbove = isRuleAbove(this.#root, path);
    const isRule = isAbove || path.endsWith("/.git/info/exclude") || IGNORE_FILES.some((one) => one === name);
    const directory = this.#enter(parentOf(path));
    if (!isRule && directory?.files.find((file) => file.name === name)?.mayContain === false) return;
    const held = directory?.held.get(name) ?? (isRule ? undefined : await this.#gather(directory, name));
    if (held !== undefined) {
      directory?.held.delete(name);
      if (held.length > 0) yield held;
      return;
    }
    const guard = isAbove ? this.#free : this.#guarded;
    if (!isRule) this.#requireTransferBudget(path);
    const file = openRemoteFile(path);
    let isOver = false;
    try {
      const first = await hasUsableName(path, () => readRemotePart(guard, this.#deadline, file, 0, BLOCK_BYTES));
      this.#transferredBytes += first.bytes.length;
      if (first.bytes.length > 0) yield first.bytes;
      for await (const { bytes } of readParts(guard, this.#deadline, file, first.bytes.length, first)) {
        this.#requireTransferBudget(path);
        this.#transferredBytes += bytes.length;
        yield bytes;
      }
      isOver = true;
    } finally {
      if (!isOver) closeFile(guard, file);
    }
  }

  /**
   * The bytes, by path, of the small files among those below the root that the grant covers, in whatever directories they are; see
   * `gatherAll` for what is left out. Only where the root is not a symlink: no directory below it, which must not be one either, is then
   * elsewhere.
   * @param sizes - In bytes, by path.
   */
  async readTogether(sizes: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Uint8Array>> {
    const root = this.#root;
    if (!this.#guarded.isPlain({ path: root, access: "read" })) return new Map();
    const prefix = root === "/" ? root : `${root}/`;
    const below = new Map<string, number>();
    for (const [path, size] of sizes)
      if (covers(this.#bound.grant, path, "read")) below.set(path.slice(prefix.length), size);
    const read = await gatherAll(this.#guarded, this.#deadline, root, below);
    return new Map([...read].map(([name, bytes]) => [childPath(root, name), bytes]));
  }

  /** The directory that is being read; directories that are done are dropped. */
  #enter(path: string): Directory | undefined {
    if (this.#directory?.path === path) return this.#directory;
    for (const known of this.#directories.keys()) if (!isWithin(known, path)) this.#directories.delete(known);
    this.#directory = this.#directories.get(path);
    return this.#directory;
  }

  /** Reads a small file together with those that follow it. @returns Its bytes, or undefined when it has to be read alone. */
  async #gather(directory: Directory | undefined, name: string): Promise<Uint8Array | undefined> {
    if (directory === undefined || this.#transferredBytes >= MAX_TRANSFER_BYTES) return undefined;
    const { path } = directory;
    if (!this.#guarded.isPlain({ path, access: "read" })) return undefined;
    const batch = this.#batch(directory, name);
    if (batch.length < 2) return undefined;
    // A file that has changed since the listing is read alone.
    const sizes = new Map(batch.map((file) => [file.name, file.size]));
    const contents = await gatherAll(this.#guarded, this.#deadline, path, sizes);
    for (const [held, bytes] of contents) {
      directory.held.set(held, bytes);
      this.#transferredBytes += bytes.length;
    }
    return contents.get(name);
  }

  /** The file and the small ones after it that the grant covers. */
  #batch({ path, files }: Directory, name: string): readonly DirectoryListing[] {
    const batch: DirectoryListing[] = [];
    let bytes = 0;
    for (const file of files.slice(files.findIndex((one) => one.name === name))) {
      const place = childPath(path, file.name);
      const isFirst = file.name === name;
      if (!isFirst && (!file.mayContain || !this.#isIncluded(place))) continue;
      if (!isSmall(file.size) || !covers(this.#bound.grant, place, "read")) {
        if (isFirst) return [];
        continue;
      }
      if (!fits(batch.length, bytes, file.size)) break;
      batch.push(file);
      bytes += file.size;
    }
    return bytes === 0 ? [] : batch;
  }

  #requireTransferBudget(path: string): void {
    if (this.#transferredBytes < MAX_TRANSFER_BYTES) return;
    this.unmoved += 1;
    throw new HaftError(
      "FS_TOO_LARGE",
      `Did not search "${path}": ${MAX_TRANSFER_BYTES} bytes have been transferred already.`,
      {
        details: { path },
      },
    );
  }
}

/** A name that is not UTF-8 was listed with replacement characters, so it does not name the file. */
async function hasUsableName<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!HaftError.is(thrown, "FS_NOT_FOUND") || !baseName(path).includes("\uFFFD")) throw thrown;
    throw notUtf8Name(FS_OPERATIONS.read[0], path);
  }
}
