/** Small files of one directory that are read or looked at in one turn go in a few requests, however many they are. */
import type { FsEntryInfo } from "../../../kernel/index.js";
import { baseName, childPath, parentOf } from "../../../text/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { BulkPool } from "../channel/bulk-pool.js";
import type { OperationDeadline } from "./deadline.js";
import { batchesOf, contentsOf, gatherWords } from "./gather.js";
import { plainEntries } from "./listing.js";

/** A file that is not a symlink, in a directory whose path has none. */
export interface PlainFile {
  readonly info: FsEntryInfo;
  /** All of it. Absent if only its entry was asked for. */
  readonly bytes?: Uint8Array;
}

interface Wish {
  /** Whether one of the callers needs the bytes. */
  needsBytes: boolean;
  /** Of its first caller: if it passes and the request hangs, all others ask alone. */
  readonly deadline: OperationDeadline;
  readonly resolve: ((file: PlainFile | undefined) => void)[];
}

interface Directory {
  wishes: Map<string, Wish>;
  isBusy: boolean;
}

/** Names in one request. */
const MAX_NAMES = 500;
/** Files in one request for their bytes before their sizes are known: the first ones are used while the next ones are read. */
const MAX_UNSEEN = 50;

/**
 * The remote side enters exactly the requested directory and reads regular files only: where a path has a symlink, and for
 * whatever is not a small file, the answer is undefined, and the caller asks alone, with its own guard. So callers with
 * different grants can be served together, each after its grant was compared with its path.
 */
export class TogetherReader {
  readonly #bulk: BulkPool;
  readonly #directories = new Map<string, Directory>();

  constructor(bulk: BulkPool) {
    this.#bulk = bulk;
  }

  /** Undefined if it has to be asked for alone. */
  ask(deadline: OperationDeadline, path: string, needsBytes: boolean): Promise<PlainFile | undefined> {
    const name = baseName(path);
    const parent = parentOf(path);
    if (!isNameIn(parent, name, path)) return Promise.resolve(undefined);
    const directory = this.#directories.get(parent) ?? { wishes: new Map(), isBusy: false };
    this.#directories.set(parent, directory);
    const wish = directory.wishes.get(name) ?? { needsBytes: false, deadline, resolve: [] };
    directory.wishes.set(name, wish);
    wish.needsBytes ||= needsBytes;
    const answer = new Promise<PlainFile | undefined>((resolve) => wish.resolve.push(resolve));
    if (!directory.isBusy) {
      directory.isBusy = true;
      setImmediate(() => void this.#serve(parent, directory));
    }
    return deadline.race(answer);
  }

  /** The same for a path that was asked for in this turn and whose request was not sent yet; undefined for any other. */
  join(deadline: OperationDeadline, path: string): Promise<PlainFile | undefined> | undefined {
    const name = baseName(path);
    const parent = parentOf(path);
    const wish = this.#directories.get(parent)?.wishes.get(name);
    if (wish === undefined || !isNameIn(parent, name, path)) return undefined;
    return deadline.race(new Promise<PlainFile | undefined>((resolve) => wish.resolve.push(resolve)));
  }

  /** Serves what was asked for meanwhile, until there is no more. */
  async #serve(path: string, directory: Directory): Promise<void> {
    while (directory.wishes.size > 0) {
      const wishes = [...directory.wishes].slice(0, MAX_NAMES);
      for (const [name] of wishes) directory.wishes.delete(name);
      const isUnseen = wishes.every(([, { needsBytes }]) => needsBytes);
      const requests = Math.ceil(wishes.length / (isUnseen ? MAX_UNSEEN : MAX_NAMES));
      const size = Math.ceil(wishes.length / requests);
      const parts = Array.from({ length: requests }, (_, index) => wishes.slice(index * size, (index + 1) * size));
      await Promise.all(parts.map((part) => this.#read(path, new Map(part), isUnseen)));
    }
    directory.isBusy = false;
    this.#directories.delete(path);
  }

  /** Answers each wish as soon as it can; those that are left have to be asked for alone. */
  async #read(path: string, wishes: ReadonlyMap<string, Wish>, isUnseen: boolean): Promise<void> {
    // One file alone costs less by itself.
    if (wishes.size > 1) await this.#readTogether(path, wishes, isUnseen).catch(() => {});
    for (const wish of wishes.values()) answer(wish, undefined);
  }

  async #readTogether(path: string, wishes: ReadonlyMap<string, Wish>, isUnseen: boolean): Promise<void> {
    const names = [...wishes.keys()];
    const [first] = wishes.values();
    if (first === undefined) return;
    const { signal } = first.deadline;
    const words = names.map((name) => `./${name}`);
    const frame = isUnseen
      ? await this.#bulk.request("small", [path, "", String(BLOCK_BYTES), ...words], { signal })
      : await this.#bulk.request("infos", [path, "", "no", ...words], { signal });
    for (const [name, file] of contentsOf(frame, names) ?? []) answer(wishes.get(name), file);
    const infos = frame.words[0] === "list" ? plainEntries(frame) : undefined;
    // A missing file has no line, and then it is unknown which line is about which file.
    if (infos?.size !== names.length) return;
    const sizes = new Map<string, number>();
    for (const [name, info] of infos) {
      if (info.kind === "link") continue;
      const wish = wishes.get(name);
      if (wish?.needsBytes === false) answer(wish, { info });
      else if (info.kind === "file" && info.size > 0) sizes.set(name, info.size);
    }
    const batches = [...batchesOf(sizes)].filter(({ length }) => length > 1);
    const together = new Set(batches.flat());
    for (const [name, wish] of wishes) if (!together.has(name)) answer(wish, undefined);
    const reads = batches.map(async (batch) => {
      const request = this.#bulk.request("gather", gatherWords(path, "", batch), { signal });
      const contents = await request.then((frame) => contentsOf(frame, batch)).catch(() => undefined);
      for (const name of batch) answer(wishes.get(name), contents?.get(name));
    });
    await Promise.all(reads);
  }
}

/** Not so for the root, nor for a path with a slash at its end. */
function isNameIn(parent: string, name: string, path: string): boolean {
  return name !== "" && childPath(parent, name) === path;
}

/** Only the first answer counts. */
function answer(wish: Wish | undefined, file: PlainFile | undefined): void {
  for (const resolve of wish?.resolve.splice(0) ?? []) resolve(file);
}
