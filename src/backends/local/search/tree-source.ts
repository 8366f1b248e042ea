import { closeSync, type Dirent, promises, readdirSync } from "node:fs";
import { isRuleAbove, type SearchSource, type SourceChild } from "../../../engines/search/index.js";
import { type Binding, type EntryKind, FS_OPERATIONS, notUtf8Name } from "../../../kernel/index.js";
import { Deadline } from "../fs/deadline.js";
import { localFsFault, notFound, systemCode } from "../fs/faults.js";
import { kindOf, PathResolver, type PinnedPath, type Refusal } from "../fs/path-resolver.js";
import { type GuardMode, openAnchor, openDirectoryIn, type PinnedDirectoryHandle } from "../fs/pinned-directory.js";
import { chunksOf, type OpenFile, openFile } from "../fs/read.js";
import { requireTree } from "./search-root.js";

const [READ] = FS_OPERATIONS.read;
const [LIST] = FS_OPERATIONS.list;
/** A directory up to this size is listed synchronously, which is faster than a thread of the pool. */
const AT_ONCE_BYTES = 64 * 1024;
/** Milliseconds of synchronous listing before yielding to the event loop. */
const TURN_MS = 5;

/**
 * The local file tree for the shared search engine: every path is authorized by its real path and pinned.
 * Operations reject with `CALL_UNCLAIMED`, `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED` and `FS_*`.
 */
export class TreeSource implements SearchSource {
  readonly mode: GuardMode;
  /** Authorizes paths by the grant of the call. Still works after the call has ended, because its end record is written then. */
  readonly finder: PathResolver;
  readonly #binding: Binding;
  readonly #free: PathResolver;
  readonly #root: string;
  readonly #deadline = new Deadline(FS_OPERATIONS.search, "/", undefined, () => {});
  readonly #held = new PinnedDirectories();
  #turnEnds = 0;

  /** @param root - The root of the search, as requested. */
  constructor(mode: GuardMode, binding: Binding, root: string, refusal?: Refusal) {
    this.mode = mode;
    this.#binding = binding;
    this.#root = root;
    const call = { ...binding.call, signal: new AbortController().signal };
    this.finder = new PathResolver(mode, { grant: binding.grant, call }, undefined, refusal);
    this.#free = new PathResolver(mode, undefined);
  }

  stat(path: string, follow: boolean): ReturnType<SearchSource["stat"]> {
    const options = { operation: FS_OPERATIONS.search, access: "read", follow } as const;
    return this.#finderFor(path).with(path, options, ({ info }) => {
      if (info === undefined) throw notFound(FS_OPERATIONS.search[0], path, "stat");
      return { kind: kindOf(info), size: info.isFile() ? Number(info.size) : 0 };
    });
  }

  async readDir(path: string): Promise<readonly SourceChild[]> {
    await this.#giveTurn();
    const above = this.#held.above(path);
    if (above !== undefined) return this.#listBelow(above, path);
    return this.finder.with(path, { operation: FS_OPERATIONS.list, access: "read" }, async (resolved) => {
      requireName(resolved, LIST);
      requireTree(this.#binding, path);
      return this.#list(openAnchor(resolved.path, this.mode), path);
    });
  }

  /** Closes its pinned directories. */
  close(): void {
    this.#held.close();
  }

  /** Paths below the root were authorized with it, because symlinks are not followed. */
  #listBelow(above: PinnedDirectoryHandle, path: string): Promise<readonly SourceChild[]> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    try {
      return this.#list(openDirectoryIn(above, name, this.mode), path);
    } catch (thrown) {
      const isUnnamed = systemCode(thrown) === "ENOENT" && name.includes("\uFFFD");
      throw isUnnamed ? notUtf8Name(LIST, path) : localFsFault(thrown, LIST, path);
    }
  }

  /** The children of a directory, which stays pinned. */
  async #list(directory: PinnedDirectoryHandle, path: string): Promise<readonly SourceChild[]> {
    try {
      const children = await listed(directory);
      this.#held.pin(path, directory);
      return children;
    } catch (thrown) {
      directory.close();
      throw localFsFault(thrown, LIST, path);
    }
  }

  async *openRead(path: string): AsyncGenerator<Uint8Array, void> {
    const file = await this.open(path);
    try {
      yield* chunksOf(file, 0, this.#deadline, true);
    } catch (thrown) {
      throw localFsFault(thrown, READ, path);
    } finally {
      closeSync(file.descriptor);
    }
  }

  /** Opens a regular file. The caller closes its descriptor. */
  open(path: string): Promise<OpenFile> {
    const follow = !isRuleAbove(this.#root, path);
    return this.#finderFor(path).with(path, { operation: FS_OPERATIONS.read, access: "read", follow }, (resolved) => {
      requireName(resolved, READ);
      return openFile(resolved, READ);
    });
  }

  async #giveTurn(): Promise<void> {
    if (performance.now() < this.#turnEnds) return;
    await new Promise(setImmediate);
    this.#turnEnds = performance.now() + TURN_MS;
  }

  #finderFor(path: string): PathResolver {
    return isRuleAbove(this.#root, path) ? this.#free : this.finder;
  }
}

/** A name that is not UTF-8 was listed with replacement characters, so it does not name the file. */
function requireName(resolved: PinnedPath, did: string): void {
  if (resolved.info !== undefined || !resolved.name.includes("\uFFFD")) return;
  throw notUtf8Name(did, resolved.asked);
}

async function listed(directory: PinnedDirectoryHandle): Promise<readonly SourceChild[]> {
  const path = directory.at("");
  const isSmall = directory.sizeBytes() <= AT_ONCE_BYTES;
  const entries = isSmall
    ? readdirSync(path, { withFileTypes: true })
    : await promises.readdir(path, { withFileTypes: true });
  return entries.map(childOf);
}

function childOf(entry: Dirent): SourceChild {
  return { name: entry.name, kind: kindOfEntry(entry) };
}

function kindOfEntry(entry: Dirent): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

interface Entered {
  readonly path: string;
  readonly directory: PinnedDirectoryHandle;
}

/**
 * The pinned directories from the root of a walk down to the last listed one. Each is opened through its parent, so that no
 * part of its path is looked up again and no symlink swapped in meanwhile is followed.
 */
class PinnedDirectories {
  readonly #entered: Entered[] = [];
  #isClosed = false;

  /** The pinned parent of a path; undefined if it is not pinned. Directories that the walk has left are closed. */
  above(path: string): PinnedDirectoryHandle | undefined {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!this.#entered.some((one) => one.path === parent)) return undefined;
    while (this.#entered.at(-1)!.path !== parent) this.#entered.pop()!.directory.close();
    return this.#entered.at(-1)!.directory;
  }

  /** Pins a directory until the walk has left it or all are closed. */
  pin(path: string, directory: PinnedDirectoryHandle): void {
    if (this.#isClosed) directory.close();
    else this.#entered.push({ path, directory });
  }

  close(): void {
    this.#isClosed = true;
    for (const { directory } of this.#entered.splice(0)) directory.close();
  }
}
