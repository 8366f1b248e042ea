/** A session that goes on in another process: its todo list, read-state and working directories on disk. */
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
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
  type TodoItem,
} from "../../kernel/index.js";
import { ARTIFACT_QUOTA_BYTES, fileArtifacts } from "./file-artifacts.js";
import { fileName, fileStore } from "./file-store.js";
import { readIfThere } from "./replace-file.js";
import type { StateFolder } from "./state-folder.js";

/** A session that nothing used for this long has ended: its folder is removed when another session opens. */
export const SESSION_IDLE_MS = 24 * 60 * 60 * 1000;
const TOUCH_EVERY_MS = 60_000;

export interface FileSessionOptions {
  readonly state: StateFolder;
  /** The name that two processes share the session by. */
  readonly id: string;
  readonly locks: Locks;
  /** Nobody comes back to it: `close` removes all it has kept. Default false. */
  readonly isTemporary?: boolean;
  /** Bytes that its artifacts may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
}

export interface FileSession extends Session {
  /** Writes down what was read and where, and ends open artifacts. Idempotent. A session that is not closed forgets what it has read. */
  close(): Promise<void>;
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
  const { state, id, locks, isTemporary = false, quotaBytes = ARTIFACT_QUOTA_BYTES } = options;
  const place = ["sessions", fileName(id)];
  const folder = join(state.path, ...place);
  removeIdleSessions(join(state.path, "sessions"), Date.now());
  const documents = fileStore(state, place, locks);
  const artifacts = fileArtifacts(state, [...place, "artifacts"], { quotaBytes });
  const remembered = readRemembered(join(folder, "memory.json"));
  const cwds = new Map(Object.entries(remembered.cwd ?? {}));
  const savedLinks = new Set(remembered.links ?? []);
  const links = new BoundedSet(MAX_KNOWN_LINKS, savedLinks);
  const readState = new RememberedReads(remembered.read ?? {});
  const newCwds = new Map<string, string>();
  let touchedMs = 0;

  /** Keeps the folder from being taken for idle; a folder that is not there yet needs no touch. */
  const touch = (): void => {
    const now = new Date();
    if (now.getTime() - touchedMs < TOUCH_EVERY_MS || !existsSync(folder)) return;
    touchedMs = now.getTime();
    utimesSync(folder, now, now);
  };
  touch();

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
      create(about) {
        touch();
        return artifacts.create(about);
      },
    },
    cwd: (backend) => cwds.get(backend),
    setCwd(backend, path) {
      cwds.set(backend, path);
      newCwds.set(backend, path);
    },
    todo: {
      async read() {
        touch();
        return ((await documents.get("todo")) ?? []) as readonly TodoItem[];
      },
      async replace(items) {
        await documents.update("todo", () => items);
        touch();
      },
    },
    async close() {
      await artifacts.close();
      if (!isTemporary) await save();
      else if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
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

function removeIdleSessions(sessions: string, nowMs: number): void {
  for (const name of namesIn(sessions)) {
    const folder = join(sessions, name);
    try {
      if (nowMs - statSync(folder).mtimeMs > SESSION_IDLE_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another process removed it first, or the state folder is read-only: the first call that has to write tells it.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
