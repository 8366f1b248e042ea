/** The read-state of a session, the output it was shown, its working directory and known symlinks: `memory.json` in its directory. */
import { join } from "node:path";
import {
  BoundedMap,
  BoundedSet,
  isRecord,
  MAX_KNOWN_SYMLINKS,
  MAX_OUTPUTS_SEEN,
  MAX_READ_RECORDS,
  type OutputSeen,
  type ReadStateRecord,
} from "../../kernel/index.js";
import type { Store } from "./file-store.js";
import { readIfThere } from "./replace-state-file.js";
import { isTimestampMs } from "./timestamp.js";

const KEY = "memory";

/** The content of the file. */
interface Remembered {
  readonly cwd: Readonly<Record<string, string>>;
  readonly read: Readonly<Record<string, ReadStateRecord>>;
  readonly outputs: Readonly<Record<string, OutputSeen>>;
  readonly symlinks: readonly string[];
}

/** Loaded on construction; `save` merges new entries into what other processes have saved meanwhile. */
export class SessionMemory {
  readonly readState: Remembering<ReadStateRecord>;
  readonly outputsSeen: Remembering<OutputSeen>;
  readonly symlinks: BoundedSet<string>;
  readonly #cwds: Map<string, string>;
  readonly #newCwds = new Map<string, string>();
  readonly #savedSymlinks: Set<string>;

  constructor(directory: string) {
    const { cwd, read, outputs, symlinks } = readRemembered(join(directory, `${KEY}.json`));
    this.readState = new Remembering(MAX_READ_RECORDS, read);
    this.outputsSeen = new Remembering(MAX_OUTPUTS_SEEN, outputs);
    this.#cwds = new Map(Object.entries(cwd));
    this.#savedSymlinks = new Set(symlinks);
    this.symlinks = new BoundedSet(MAX_KNOWN_SYMLINKS, symlinks);
  }

  cwd(backend: string): string | undefined {
    return this.#cwds.get(backend);
  }

  setCwd(backend: string, path: string): void {
    this.#cwds.set(backend, path);
    this.#newCwds.set(backend, path);
  }

  /** @throws the errors of `Store.update`; the new entries are then kept for the next `save`. */
  async save(documents: Store): Promise<void> {
    const newSymlinks = [...this.symlinks].filter((symlink) => !this.#savedSymlinks.has(symlink));
    const [reads, outputs] = [this.readState.changed, this.outputsSeen.changed];
    if (this.#newCwds.size + reads.size + outputs.size + newSymlinks.length === 0) return;
    await documents.update(KEY, (old) => {
      const before = remembered(old);
      return {
        cwd: { ...before.cwd, ...Object.fromEntries(this.#newCwds) },
        read: latestReads({ ...before.read, ...Object.fromEntries(reads) }),
        outputs: Object.fromEntries(new BoundedMap(MAX_OUTPUTS_SEEN, [...Object.entries(before.outputs), ...outputs])),
        symlinks: [...new BoundedSet(MAX_KNOWN_SYMLINKS, [...before.symlinks, ...newSymlinks])],
      } satisfies Remembered;
    });
    this.#newCwds.clear();
    reads.clear();
    outputs.clear();
    for (const symlink of newSymlinks) this.#savedSymlinks.add(symlink);
  }
}

function readRemembered(path: string): Remembered {
  try {
    return remembered(JSON.parse(readIfThere(path) ?? "{}"));
  } catch {
    // An empty memory is safe: a file that counts as unread has to be read again before it is overwritten.
    return remembered(undefined);
  }
}

/** The valid entries of a document; the rest is ignored. */
function remembered(document: unknown): Remembered {
  const { cwd, read, outputs, symlinks } = isRecord(document) ? document : {};
  return {
    cwd: entriesOf(cwd, (path) => typeof path === "string"),
    read: entriesOf(read, isReadRecord),
    outputs: entriesOf(outputs, isOutputSeen),
    symlinks: Array.isArray(symlinks) ? symlinks.filter((symlink) => typeof symlink === "string") : [],
  };
}

function entriesOf<Value>(value: unknown, isSound: (one: unknown) => one is Value): Readonly<Record<string, Value>> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, Value] => isSound(entry[1])));
}

function isReadRecord(value: unknown): value is ReadStateRecord {
  if (!isRecord(value)) return false;
  const { mtimeMs, size, readAt, contentHash } = value;
  const isHashed = contentHash === undefined || typeof contentHash === "string";
  return isTimestampMs(mtimeMs) && typeof size === "number" && isTimestampMs(readAt) && isHashed;
}

function isOutputSeen(value: unknown): value is OutputSeen {
  if (!isRecord(value)) return false;
  const isPlace = (bytes: unknown) => Number.isSafeInteger(bytes) && Number(bytes) >= 0;
  return isTimestampMs(value.startedMs) && isPlace(value.stdout) && isPlace(value.stderr);
}

/** The latest records, oldest first, up to the limit of a session. */
function latestReads(records: Readonly<Record<string, ReadStateRecord>>): Readonly<Record<string, ReadStateRecord>> {
  const byAge = Object.entries(records).sort(([, one], [, other]) => one.readAt - other.readAt);
  return Object.fromEntries(byAge.slice(-MAX_READ_RECORDS));
}

/** The loaded entries, and those that are not saved yet. */
class Remembering<Value> {
  readonly #all: BoundedMap<string, Value>;
  readonly changed: BoundedMap<string, Value>;

  constructor(max: number, loaded: Readonly<Record<string, Value>>) {
    this.#all = new BoundedMap(max, Object.entries(loaded));
    this.changed = new BoundedMap(max);
  }

  get(key: string): Value | undefined {
    return this.#all.get(key);
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  set(key: string, value: Value): void {
    this.#all.set(key, value);
    this.changed.set(key, value);
  }
}
