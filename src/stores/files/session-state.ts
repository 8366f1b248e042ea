/** A session that continues in another process: its todo list, read-state and working directories on disk. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Locks, type Session, SessionTrust, TODO_STATUSES, type TodoItem } from "../../kernel/index.js";
import { ARTIFACT_QUOTA_BYTES, fileArtifacts } from "./file-artifacts.js";
import { fileName, fileStore } from "./file-store.js";
import { SessionMemory } from "./session-memory.js";
import { SessionRecord } from "./session-record.js";
import type { StateDirectory } from "./state-directory.js";

export interface FileSessionOptions {
  readonly state: StateDirectory;
  /** The name that two processes share the session by. */
  readonly id: string;
  readonly locks: Locks;
  /** It cannot be resumed: `close` deletes everything stored for it. Default false. */
  readonly isTemporary?: boolean;
  /** Bytes that its artifacts may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

export interface FileSession extends Session {
  /** A call has ended; the idle time starts again. */
  touch(): void;
  /** Whether another process ended it since it was opened here, which deleted everything it had stored. */
  isGone(): boolean;
  /** Saves the read-state and working directories, and ends open artifacts. Idempotent. Without it the read-state is lost. */
  close(): Promise<void>;
  /** Closes it and deletes everything stored for it. Idempotent. */
  end(): Promise<void>;
}

/**
 * The session `id` in `<state>/sessions`. Its todo list is one JSON file, replaced under its lock, so that two processes see
 * the same list; its read-state and working directories are loaded here and merged back by `close`. Opening creates no files.
 */
export function createFileSession(options: FileSessionOptions): FileSession {
  const { state, id, locks, isTemporary = false, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const place = ["sessions", fileName(id)];
  const directory = join(state.path, ...place);
  const record = new SessionRecord(directory, { id, isTemporary }, now);
  const documents = fileStore(state, place, locks, { damaged: "set-aside" });
  const artifacts = fileArtifacts(state, [...place, "artifacts"], { quotaBytes, now });
  const memory = new SessionMemory(directory);
  const { readState, outputsSeen, symlinks } = memory;
  record.touch();

  return {
    id,
    version: () => record.version(),
    readState,
    outputsSeen,
    caches: new Map(),
    symlinks,
    trust: new SessionTrust(),
    artifacts: {
      ...artifacts,
      async create(about) {
        record.requireLive("the artifact");
        const writer = await artifacts.create(about);
        record.kept();
        return writer;
      },
    },
    cwd: (backend) => memory.cwd(backend),
    setCwd: (backend, path) => memory.setCwd(backend, path),
    todo: {
      async read() {
        record.touch();
        return todoItems(await documents.get("todo"));
      },
      async replace(items) {
        await documents.update("todo", () => {
          record.requireLive("the todo list");
          return items;
        });
        record.kept();
      },
    },
    touch: () => record.touch(),
    isGone: () => record.isGone(),
    async close() {
      if (isTemporary || record.isGone()) return end();
      await artifacts.close();
      try {
        await memory.save(documents);
        record.kept();
      } finally {
        record.release();
      }
    },
    end,
  };

  async function end(): Promise<void> {
    await artifacts.close().catch(() => {});
    if (existsSync(directory) && !record.isTaken()) rmSync(directory, { recursive: true, force: true });
  }
}

/** Ignores what is not a todo item, so that a file edited by something else can still be read and replaced. */
function todoItems(document: unknown): readonly TodoItem[] {
  return Array.isArray(document) ? document.filter(isTodoItem) : [];
}

function isTodoItem(value: unknown): value is TodoItem {
  const { id, text, status } = (value ?? {}) as Partial<TodoItem>;
  return typeof id === "string" && typeof text === "string" && TODO_STATUSES.some((known) => known === status);
}
