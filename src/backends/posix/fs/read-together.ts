/** Small files of one directory that are read or looked at in one turn go in two requests, however many they are. */
import type { FsEntryInfo } from "../../../kernel/index.js";
import { baseName, parentOf } from "../../../text/index.js";
import type { BulkPool } from "../channel/bulk-pool.js";
import type { Frame } from "../channel/frames.js";
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
    if (name === "" || (parent === "/" ? `/${name}` : `${parent}/${name}`) !== path) return Promise.resolve(undefined);
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

  /** Serves what was asked for meanwhile, until there is no more. */
  async #serve(path: string, directory: Directory): Promise<void> {
    while (directory.wishes.size > 0) {
      const wishes = [...directory.wishes].slice(0, MAX_NAMES);
      for (const [name] of wishes) directory.wishes.delete(name);
      const found = new Map<string, Promise<PlainFile | undefined>>();
      if (wishes.length > 1) await this.#read(path, new Map(wishes), found).catch(() => {});
      for (const [name, { resolve }] of wishes) {
        const file = found.get(name) ?? Promise.resolve(undefined);
        for (const one of resolve) void file.then(one, () => one(undefined));
      }
      await Promise.allSettled(found.values());
    }
    directory.isBusy = false;
    this.#directories.delete(path);
  }

  async #read(
    path: string,
    wishes: ReadonlyMap<string, Wish>,
    found: Map<string, Promise<PlainFile | undefined>>,
  ): Promise<void> {
    const names = [...wishes.keys()];
    const [first] = wishes.values();
    if (first === undefined) return;
    const { signal } = first.deadline;
    const frame = await this.#bulk.request("infos", [path, "", "no", ...names.map((name) => `./${name}`)], { signal });
    const infos = frame.words[0] === "list" ? plainEntries(frame) : undefined;
    // A missing file has no line, and then it is unknown which line is about which file.
    if (infos?.size !== names.length) return;
    const sizes = new Map<string, number>();
    for (const [name, info] of infos) {
      if (info.kind === "link") continue;
      if (!wishes.get(name)?.needsBytes) found.set(name, Promise.resolve({ info }));
      else if (info.kind === "file" && info.size > 0) sizes.set(name, info.size);
    }
    for (const batch of batchesOf(sizes)) {
      if (batch.length < 2) continue;
      const answer = this.#bulk.request("gather", gatherWords(path, "", batch), { signal });
      const contents = answer.then((one: Frame) => contentsOf(one, batch));
      for (const name of batch)
        found.set(
          name,
          contents.then((all) => all?.get(name)),
        );
    }
  }
}
