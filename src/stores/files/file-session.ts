/** A session that goes on in another process: its todo list, read-state and working directories on disk. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  BoundedMap,
  BoundedSet,
  type Locks,
  MAX_KNOWN_LINKS,
  MAX_READ_RECORDS,
  type ReadState,
  type ReadStateRecord,
  type Session,
  TODO_STATUSES,
  type TodoItem,
} from "../../kernel/index.js";
import { ARTIFACT_QUOTA_BYTES, fileArtifacts } from "./file-artifacts.js";
import { fileName, fileStore } from "./file-store.js";
import { readIfThere } from "./replace-file.js";
import { SessionMark } from "./session-mark.js";
import type { StateFolder } from "./state-folder.js";

export interface FileSessionOptions {
  readonly state: StateFolder;
  /** The name that two processes share the session by. */
  readonly id: string;
  readonly locks: Locks;
  /** Nobody comes back to it: `close` removes all it has kept. Default false. */
  readonly isTemporary?: boolean;
  /** Bytes that its artifacts may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

export interface FileSession extends Session {
  /** A call of it has ended: from now on it is idle. */
  touch(): void;
  /** Whether somebody ended it since it was opened here. What it has kept is then gone. */
  isGone(): boolean;
  /** Writes down what was read and where, and ends open artifacts. Idempotent. A session that is not closed forgets what it has read. */
  close(): Promise<void>;
  /** Closes it and removes all that it has kept. Idempotent. */
  end(): Promise<void>;
}

/** What `memory.json` of a session holds. */
interface Remembered {
  readonly cwd?: Readonly<Record<string, string>>;
  readonly read?: Readonly<Record<string, ReadStateRecord>>;
  readonly links?: readonly string[];
}

/**
 * The session `id` in `<state>/sessions`. Its todo list is one JSON file, replaced under its lock, so that two processes see
 * the same list; what it has read and where it stands is loaded here and merged back by `close`. Opening makes nothing.
 */
export function createFileSession(options: FileSessionOptions): FileSession {
  const { state, id, locks, isTemporary = false, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const place = ["sessions", fileName(id)];
  const folder = join(state.path, ...place);
  const mark = new SessionMark(folder, { id, isTemporary }, now);
  const documents = fileStore(state, place, locks);
  const artifacts = fileArtifacts(state, [...place, "artifacts"], { quotaBytes, now });
  const remembered = readRemembered(join(folder, "memory.json"));
  const cwds = new Map(Object.entries(remembered.cwd ?? {}));
  const savedLinks = new Set(remembered.links ?? []);
  const links = new BoundedSet(MAX_KNOWN_LINKS, savedLinks);
  const readState = new RememberedReads(remembered.read ?? {});
  const newCwds = new Map<string, string>();
  mark.touch();

  const save = async (): Promise<void> => {
    const newLinks = [...links].filter((link) => !savedLinks.has(link));
    if (newCwds.size === 0 && readState.changed.size === 0 && newLinks.length === 0) return;
    await documents.update("memory", (old) => {
      const before = (old ?? {}) as Remembered;
      return {
        cwd: { ...before.cwd, ...Object.fromEntries(newCwds) },
        read: latestReads({ ...before.read, ...Object.fromEntries(readState.changed) }),
        links: [...new BoundedSet(MAX_KNOWN_LINKS, [...(before.links ?? []), ...newLinks])],
      } satisfies Remembered;
    });
    newCwds.clear();
    readState.changed.clear();
    for (const link of newLinks) savedLinks.add(link);
  };

  return {
    id,
    readState,
    caches: new Map(),
    links,
    artifacts: {
      ...artifacts,
      async create(about) {
        const writer = await artifacts.create(about);
        mark.kept();
        return writer;
      },
    },
    cwd: (backend) => cwds.get(backend),
    setCwd(backend, path) {
      cwds.set(backend, path);
      newCwds.set(backend, path);
    },
    todo: {
      async read() {
        mark.touch();
        return todoItems(await documents.get("todo"));
      },
      async replace(items) {
        await documents.update("todo", () => items);
        mark.kept();
      },
    },
    touch: () => mark.touch(),
    isGone: () => mark.isGone(),
    async close() {
      if (isTemporary || mark.isGone()) return end();
      await artifacts.close();
      try {
        await save();
        mark.kept();
      } finally {
        mark.release();
      }
    },
    end,
  };

  async function end(): Promise<void> {
    await artifacts.close().catch(() => {});
    if (existsSync(folder) && !mark.isTaken()) rmSync(folder, { recursive: true, force: true });
  }
}

/** What somebody else has written into the file is no item, and lets the list be read and set all the same. */
function todoItems(document: unknown): readonly TodoItem[] {
  return Array.isArray(document) ? document.filter(isTodoItem) : [];
}

function isTodoItem(value: unknown): value is TodoItem {
  const { id, text, status } = (value ?? {}) as Partial<TodoItem>;
  return typeof id === "string" && typeof text === "string" && TODO_STATUSES.some((known) => known === status);
}

function readRemembered(path: string): Remembered {
  try {
    return JSON.parse(readIfThere(path) ?? "{}") as Remembered;
  } catch {
    // Nothing remembered is the safe reading: what counts as unread is asked for again before it is overwritten.
    return {};
  }
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
