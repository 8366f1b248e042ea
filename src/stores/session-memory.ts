/** What a session remembers from call to call: working directories, files read, output shown, symlinks met. One document. */
import {
  BoundedMap,
  BoundedSet,
  isRecord,
  type Json,
  MAX_KNOWN_SYMLINKS,
  MAX_OUTPUTS_SEEN,
  MAX_READ_RECORDS,
  type OutputSeen,
  type ReadStateRecord,
} from "../kernel/index.js";
import { isTimestampMs } from "./timestamp.js";

/** The latest entries of a kind that are stored, so that reading them at each call stays cheap. */
export const MAX_STORED_ENTRIES = 500;
/** The most UTF-16 units of the stored text. A document has at most 1 MiB of UTF-8. */
const MAX_STORED_LENGTH = 256 * 1024;

/** The content of the document. */
interface Remembered {
  readonly cwd: Readonly<Record<string, string>>;
  readonly read: Readonly<Record<string, ReadStateRecord>>;
  readonly outputs: Readonly<Record<string, OutputSeen>>;
  readonly symlinks: readonly string[];
}

/** What was changed here and is not stored yet. */
interface Changes {
  readonly cwd: ReadonlyMap<string, string>;
  readonly read: ReadonlyMap<string, ReadStateRecord>;
  readonly outputs: ReadonlyMap<string, OutputSeen>;
  readonly symlinks: ReadonlySet<string>;
}

/** All of it in this process. More is remembered here than is stored: what is forgotten is read, shown or resolved again. */
export class SessionMemory {
  readonly readState = new Tracked<ReadStateRecord>(MAX_READ_RECORDS, isSameContent);
  readonly outputsSeen = new Tracked<OutputSeen>(MAX_OUTPUTS_SEEN);
  readonly symlinks = new TrackedSet(MAX_KNOWN_SYMLINKS);
  readonly #cwds = new Tracked<string>(Number.POSITIVE_INFINITY);

  cwd(target: string): string | undefined {
    return this.#cwds.get(target);
  }

  setCwd(target: string, path: string): void {
    this.#cwds.set(target, path);
  }

  /** Takes over what is stored, except where it was changed here since. Invalid entries are ignored. */
  load(document: Json | undefined): void {
    const { cwd, read, outputs, symlinks } = remembered(document);
    this.#cwds.load(cwd);
    this.readState.load(read);
    this.outputsSeen.load(outputs);
    this.symlinks.load(symlinks);
  }

  get isChanged(): boolean {
    return [this.#cwds, this.readState, this.outputsSeen, this.symlinks].some(({ changed }) => changed.size > 0);
  }

  /** What is to be stored; from then on only later changes are. `restore` if it could not be stored. */
  takeChanges(): Changes {
    return {
      cwd: this.#cwds.takeChanges(),
      read: this.readState.takeChanges(),
      outputs: this.outputsSeen.takeChanges(),
      symlinks: this.symlinks.takeChanges(),
    };
  }

  restore({ cwd, read, outputs, symlinks }: Changes): void {
    this.#cwds.restore(cwd);
    this.readState.restore(read);
    this.outputsSeen.restore(outputs);
    this.symlinks.restore(symlinks);
  }
}

/** The document with these changes, within its limits. Pure. */
export function withChanges(old: Json | undefined, changes: Changes): Json {
  const before = remembered(old);
  const all: Remembered = {
    cwd: { ...before.cwd, ...Object.fromEntries(changes.cwd) },
    read: entriesOf({ ...before.read, ...Object.fromEntries(changes.read) }, isReadRecord),
    outputs: Object.fromEntries(
      new BoundedMap(MAX_OUTPUTS_SEEN, [...Object.entries(before.outputs), ...changes.outputs]),
    ),
    symlinks: [...new BoundedSet(MAX_KNOWN_SYMLINKS, [...before.symlinks, ...changes.symlinks])],
  };
  return latestOf(all, MAX_STORED_ENTRIES) as unknown as Json;
}

function latestOf({ cwd, read, outputs, symlinks }: Remembered, count: number): Remembered {
  const byAge = Object.entries(read).sort(([, one], [, other]) => one.readAt - other.readAt);
  const latest = {
    cwd,
    read: Object.fromEntries(lastOf(byAge, count)),
    outputs: Object.fromEntries(lastOf(Object.entries(outputs), count)),
    symlinks: lastOf(symlinks, count),
  };
  if (count === 0 || JSON.stringify(latest).length <= MAX_STORED_LENGTH) return latest;
  return latestOf(latest, Math.floor(count / 2));
}

const lastOf = <T>(list: readonly T[], count: number): readonly T[] => list.slice(Math.max(0, list.length - count));

/** The valid entries of a document. */
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

/** Reading a file again that has not changed is nothing to store. */
function isSameContent(one: ReadStateRecord, other: ReadStateRecord): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.contentHash === other.contentHash;
}

/** Entries by key, and those among them that are not stored yet. */
class Tracked<Value> {
  readonly #max: number;
  readonly #all: BoundedMap<string, Value>;
  readonly #isSame: (one: Value, other: Value) => boolean;
  changed: BoundedMap<string, Value>;

  constructor(max: number, isSame: (one: Value, other: Value) => boolean = (one, other) => one === other) {
    this.#max = max;
    this.#all = new BoundedMap(max);
    this.#isSame = isSame;
    this.changed = new BoundedMap(max);
  }

  get(key: string): Value | undefined {
    return this.#all.get(key);
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  set(key: string, value: Value): void {
    const before = this.#all.get(key);
    this.#all.set(key, value);
    if (before === undefined || this.changed.has(key) || !this.#isSame(before, value)) this.changed.set(key, value);
  }

  load(entries: Readonly<Record<string, Value>>): void {
    for (const [key, value] of Object.entries(entries)) if (!this.changed.has(key)) this.#all.set(key, value);
  }

  takeChanges(): ReadonlyMap<string, Value> {
    const taken = this.changed;
    this.changed = new BoundedMap(this.#max);
    return taken;
  }

  restore(changes: ReadonlyMap<string, Value>): void {
    this.changed = new BoundedMap(this.#max, [...changes, ...this.changed]);
  }
}

class TrackedSet extends BoundedSet<string> {
  changed = new Set<string>();

  override add(value: string): this {
    if (!this.has(value)) this.changed.add(value);
    return super.add(value);
  }

  load(values: readonly string[]): void {
    for (const value of values) super.add(value);
  }

  takeChanges(): ReadonlySet<string> {
    const taken = this.changed;
    this.changed = new Set();
    return taken;
  }

  restore(changes: ReadonlySet<string>): void {
    this.changed = new Set([...changes, ...this.changed]);
  }
}
