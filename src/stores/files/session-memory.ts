/** What a session has read, where it stands and which links it has met: `memory.json` of its folder. */
import { join } from "node:path";
import {
  BoundedMap,
  BoundedSet,
  isRecord,
  MAX_KNOWN_LINKS,
  MAX_READ_RECORDS,
  type ReadState,
  type ReadStateRecord,
  type Store,
} from "../../kernel/index.js";
import { isMoment } from "./moment.js";
import { readIfThere } from "./replace-file.js";

const KEY = "memory";

/** What the file holds. */
interface Remembered {
  readonly cwd: Readonly<Record<string, string>>;
  readonly read: Readonly<Record<string, ReadStateRecord>>;
  readonly links: readonly string[];
}

/** Loaded when it is made; `save` merges what is new into what other processes have saved meanwhile. */
export class SessionMemory {
  readonly readState: ReadState;
  readonly links: BoundedSet<string>;
  readonly #reads: RememberedReads;
  readonly #cwds: Map<string, string>;
  readonly #newCwds = new Map<string, string>();
  readonly #savedLinks: Set<string>;

  constructor(folder: string) {
    const { cwd, read, links } = readRemembered(join(folder, `${KEY}.json`));
    this.#reads = new RememberedReads(read);
    this.readState = this.#reads;
    this.#cwds = new Map(Object.entries(cwd));
    this.#savedLinks = new Set(links);
    this.links = new BoundedSet(MAX_KNOWN_LINKS, links);
  }

  cwd(backend: string): string | undefined {
    return this.#cwds.get(backend);
  }

  setCwd(backend: string, path: string): void {
    this.#cwds.set(backend, path);
    this.#newCwds.set(backend, path);
  }

  /** @throws What `Store.update` does; what is new is then still to be saved. */
  async save(documents: Store): Promise<void> {
    const newLinks = [...this.links].filter((link) => !this.#savedLinks.has(link));
    const { changed } = this.#reads;
    if (this.#newCwds.size === 0 && changed.size === 0 && newLinks.length === 0) return;
    await documents.update(KEY, (old) => {
      const before = remembered(old);
      return {
        cwd: { ...before.cwd, ...Object.fromEntries(this.#newCwds) },
        read: latestReads({ ...before.read, ...Object.fromEntries(changed) }),
        links: [...new BoundedSet(MAX_KNOWN_LINKS, [...before.links, ...newLinks])],
      } satisfies Remembered;
    });
    this.#newCwds.clear();
    changed.clear();
    for (const link of newLinks) this.#savedLinks.add(link);
  }
}

function readRemembered(path: string): Remembered {
  try {
    return remembered(JSON.parse(readIfThere(path) ?? "{}"));
  } catch {
    // Nothing remembered is the safe reading: what counts as unread is asked for again before it is overwritten.
    return remembered(undefined);
  }
}

/** What of a document is as it was written; the rest counts as not remembered. */
function remembered(document: unknown): Remembered {
  const { cwd, read, links } = isRecord(document) ? document : {};
  return {
    cwd: entriesOf(cwd, (path) => typeof path === "string"),
    read: entriesOf(read, isReadRecord),
    links: Array.isArray(links) ? links.filter((link) => typeof link === "string") : [],
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
  return isMoment(mtimeMs) && typeof size === "number" && isMoment(readAt) && isHashed;
}

/** The records that were made last, oldest first, as far as a session remembers. */
function latestReads(records: Readonly<Record<string, ReadStateRecord>>): Readonly<Record<string, ReadStateRecord>> {
  const byAge = Object.entries(records).sort(([, one], [, other]) => one.readAt - other.readAt);
  return Object.fromEntries(byAge.slice(-MAX_READ_RECORDS));
}

class RememberedReads implements ReadState {
  readonly #records: Map<string, ReadStateRecord>;
  readonly changed = new BoundedMap<string, ReadStateRecord>(MAX_READ_RECORDS);

  constructor(records: Readonly<Record<string, ReadStateRecord>>) {
    this.#records = new BoundedMap(MAX_READ_RECORDS, Object.entries(records));
  }

  get(key: string): ReadStateRecord | undefined {
    return this.#records.get(key);
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  set(key: string, record: ReadStateRecord): void {
    this.#records.set(key, record);
    this.changed.set(key, record);
  }
}
