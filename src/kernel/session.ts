/** The state of one conversation: outlives a call, ends before the host. */
import type { Artifacts } from "./services.js";
import type { SessionTrust } from "./session-trust.js";

/** The version of a file when it was last read. `mtimeMs` is in whole milliseconds. */
export interface ReadStateRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** SHA-256 of the file as hex; absent for files over 8 MiB. */
  readonly contentHash?: string;
  readonly readAt: number;
}

/** The files that a session has read, keyed by machine and real path. A `Map` can be used. */
export interface ReadState {
  get(key: string): ReadStateRecord | undefined;
  set(key: string, record: ReadStateRecord): unknown;
  has(key: string): boolean;
}

/** How many bytes of each output stream of a job the session has been shown. */
export interface OutputSeen {
  /** Distinguishes the job from a later one with the same id. Absent when unknown; such an entry is valid in this process only. */
  readonly startedMs?: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** How much of each job's output a session was shown, keyed by target and job id. A `Map` can be used. */
export interface OutputsSeen {
  get(key: string): OutputSeen | undefined;
  set(key: string, seen: OutputSeen): unknown;
}

/** Jobs whose output position a session remembers; output of older ones is shown from the start again. */
export const MAX_OUTPUTS_SEEN = 500;

/** Files that a session remembers as read; beyond that, the least recently read one counts as unread. */
export const MAX_READ_RECORDS = 10_000;

/** A session ends when it has run no call for this long. Its state is then deleted, after a later call of any session. */
export const SESSION_IDLE_MS = 24 * 60 * 60 * 1000;

/** Symlinks that a session remembers; a port that follows a forgotten one reports it again. */
export const MAX_KNOWN_SYMLINKS = 10_000;

/** The key under which a host supplies its own read state. */
export const READ_STATE_HANDLE_KEY = "readState";

/** Optional host handles. Without `readState`, a dialect's read-before-write check is off. */
export interface Framework {
  readonly readState?: ReadState;
}

export const TODO_STATUSES = ["pending", "active", "done", "cancelled"] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One item of a todo list. Ids are unique within the list. */
export interface TodoItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

/** The todo list of one session. */
export interface TodoList {
  read(): Promise<readonly TodoItem[]>;
  replace(items: readonly TodoItem[]): Promise<void>;
}

/** The state of one conversation; the same object for all its calls. */
export interface Session {
  /** Unguessable, or a name chosen by a user. */
  readonly id: string;
  /** The owner, when the host distinguishes clients. Jobs that outlive a session are visible only to sessions of the same owner. */
  readonly owner?: string;
  /** Whose memories and schedules its calls use; null: those of sessions without an owner. Default: the owner. */
  readonly stateOwner?: string | null;
  /** What distinguishes it from another session of the same id, before or after it; undefined while nothing is stored of it. */
  version(): string | undefined;
  /** The working directory on a target, by its name. */
  cwd(target: string): string | undefined;
  setCwd(target: string, path: string): void;
  readonly readState: ReadState;
  readonly todo: TodoList;
  readonly artifacts: Artifacts;
  readonly outputsSeen: OutputsSeen;
  /** Caches of tools, by the body of the tool. Entries may disappear at any time. */
  readonly caches: Map<object, Map<string, unknown>>;
  /** Paths known to pass through a symlink; these are resolved before policy decides on them. Entries may be evicted. */
  readonly symlinks: Set<string>;
  /** What policy knows of it: `new SessionTrust()`. Not for tools. */
  readonly trust: SessionTrust;
}

/** What `claims` sees of the session: it can be read, not changed. */
export interface SessionView {
  readonly id: string;
  /** The working directory on a target, by its name. */
  cwd(target: string): string | undefined;
  readonly todo: Pick<TodoList, "read">;
  readonly artifacts: Pick<Artifacts, "read" | "list">;
}

/** A cache of one tool, by a name that the tool chooses. The tool limits its size; entries may disappear at any time. */
export interface ToolCache {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
}

/**
 * The session as `run` reaches it. The todo list, the tool's own cache and new artifacts need no claim; the rest is refused
 * with `CALL_UNCLAIMED` unless the call claimed what it is about. All of it rejects once the call has ended.
 */
export interface CallSession extends SessionView {
  /** Sets the working directory of later calls on this target. Needs the claim of a command in that directory. */
  setCwd(path: string): void;
  readonly todo: TodoList;
  readonly artifacts: Artifacts;
  /** By the real path on this machine. `set` needs a claim of the file. */
  readonly readState: ReadState;
  /** By the id of the job on this target. `set` needs a claim of the job or of a command. */
  readonly outputsSeen: OutputsSeen;
  readonly cache: ToolCache;
}
