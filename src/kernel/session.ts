/** One conversation: what lives longer than a call and shorter than a host. */
import type { Artifacts } from "./services.js";

/** What is remembered of a file that was read. `mtimeMs` is whole milliseconds. */
export interface ReadStateRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** SHA-256 of the real bytes as hex; absent when the file was over 8 MiB. */
  readonly contentHash?: string;
  readonly readAt: number;
}

/** What a session remembers of the files that it has read, by backend and real path. A `Map` fits. */
export interface ReadState {
  get(key: string): ReadStateRecord | undefined;
  set(key: string, record: ReadStateRecord): unknown;
  has(key: string): boolean;
}

/** How much of a job's output a session was shown, in bytes of each stream. */
export interface OutputSeen {
  /** Tells the job from a later one with the same id. Absent: not known, and nothing that a later process may rely on. */
  readonly startedMs?: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** What a session was shown of each job's output, by backend and job id. A `Map` fits. */
export interface OutputsSeen {
  get(key: string): OutputSeen | undefined;
  set(key: string, seen: OutputSeen): unknown;
}

/** Jobs whose output a session remembers to have been shown; output of a forgotten one is shown again. */
export const MAX_OUTPUTS_SEEN = 500;

/** Files that a session remembers to have read; the one read longest ago counts as unread again. */
export const MAX_READ_RECORDS = 10_000;

/** Links that a session remembers; one that was forgotten is met again by the port that follows it. */
export const MAX_KNOWN_SYMLINKS = 10_000;

/** The name under which a host hands in its own read-state; the same word as in the seeds' bag. */
export const READ_STATE_HANDLE_KEY = "readState";

/** The bag of optional host handles. The only one defined is `readState`; absent, the seed's gate is off. */
export interface Framework {
  readonly readState?: ReadState;
}

export const TODO_STATUSES = ["pending", "active", "done", "cancelled"] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One item of a todo list. Ids are unique within a list. */
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

/** One conversation's state. It is the same object for all calls of the conversation. */
export interface Session {
  /** Unguessable, or a name that a user gave. */
  readonly id: string;
  /** Who it belongs to, where a host tells its clients apart; jobs that outlive a session are shared by its owner's sessions only. */
  readonly owner?: string;
  /** The working directory on a backend. */
  cwd(backend: string): string | undefined;
  setCwd(backend: string, path: string): void;
  readonly readState: ReadState;
  readonly todo: TodoList;
  readonly artifacts: Artifacts;
  /** Absent: each read of a job shows its output from the beginning. */
  readonly outputsSeen?: OutputsSeen;
  /** What tools remember only to answer faster, by a name of their own; bounded by them, lost at any time. Absent: nothing is stored. */
  readonly caches?: Map<string, unknown>;
  /** Paths that turned out to lead elsewhere; such a path is resolved before the next decision on it. May forget. */
  readonly symlinks: Set<string>;
}
