/** The machine port: file system, shell and search of one real or in-memory machine. */
import type { Decision, Grant, Place } from "./claims.js";
import { isRecord } from "./coerce.js";
import type { Fs, Io } from "./fs.js";
import type { Search } from "./search.js";
import type { SessionEnd } from "./session-jobs.js";
import type { Shell } from "./shell.js";
import type { StartedTerminal, Terminal } from "./terminal.js";

/** The call that a set of ports is bound to. */
export interface BoundCall {
  readonly id: string;
  /** Fires when the call is cancelled, timed out or settled: running operations end. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** The session that owns the jobs and surviving processes of this call. */
  readonly sessionId: string;
  /** The owner of the session, when the host distinguishes clients. Jobs of one owner are hidden from others. */
  readonly owner?: string;
  /** The workspace root, where relative ignore rules begin. */
  readonly workspace?: string;
  /**
   * Called before an operation whose real path differs from the requested path and is not covered by the grant. "allow"
   * continues, "deny" rejects with `POLICY_DENIED`, "ask" rejects with `POLICY_APPROVAL_REQUIRED`.
   */
  authorizeRealPath(asked: string, real: Place): Promise<Decision>;
  /**
   * The same for a granted command whose `cwd` resolves to `real`. Called before the command starts; the command then starts
   * in exactly that directory or not at all.
   */
  authorizeDirectory(command: string, cwd: string, real: string): Promise<Decision>;
  /** How many bytes at the end of a job's output may be the beginning of a secret. Absent: nothing is redacted. */
  incompleteSecretBytes?(bytes: Uint8Array): number;
}

/** The grant and call that ports are bound to. A backend's unguarded ports have none. */
export interface Binding {
  readonly grant: Grant;
  readonly call: BoundCall;
}

/** The ports through which a call uses its backend. Each port enforces the grant it is bound to. */
export interface Ports {
  readonly fs: Fs;
  readonly shell: Shell;
  readonly search: Search;
  readonly terminal?: Terminal | undefined;
}

/** Optional features of a backend; absent means false. Code checks these flags, never a backend's name. */
export interface BackendFlags {
  /** Commands are operating-system processes with ids, process groups and signals. */
  readonly processes?: boolean;
  /** Signals are distinguished from exit statuses over 128. */
  readonly signals?: boolean;
  /** Symlinks, hard links, file modes and FIFOs exist. */
  readonly symlinks?: boolean;
  /** `spawn` and `attach` work. */
  readonly jobs?: boolean;
  /** A command can be detached from its call: `ShellOptions.detach`. */
  readonly detach?: boolean;
  readonly terminal?: boolean;
  /** Commands run in a sandbox, which confines what they can reach. */
  readonly sandbox?: boolean;
}

/** One machine. Third parties pass a minimal core to `completeBackend`, whose ports make all checks of grants. */
export interface Backend {
  /** The target it was opened with, for users: "local", "memory", "posix:dash". */
  readonly name: string;
  /**
   * The machine whose files these are. Locks of paths, and what a session has read, are shared by backends of one machine. "local"
   * is this machine; a backend whose files no other backend reaches has a machine of its own.
   */
  readonly machine: string;
  readonly flags: BackendFlags;
  /** The language of its commands, such as "cmd". Absent: that of `sh`. The policy reads no other, and asks about each such command. */
  readonly commandLanguage?: string;
  /** Absolute paths that are the sandbox's own for its commands, such as "/tmp". They may be used like the workspace. Default: none. */
  readonly privatePaths?: readonly string[];
  /** "pinned": check and operation are one step. "checked": the operation follows the check, so a path swapped in between can escape it. */
  readonly guard: "pinned" | "checked";
  /** The home directory, for `~`. */
  readonly home: string;
  /** The directory that relative paths start from unless the session says otherwise. */
  readonly cwd: string;
  /** The real path of `cwd` when the backend was opened. Policy sees paths below it under `cwd`. Default: `cwd`. */
  readonly realCwd?: string;
  /**
   * Returns the ports of one call. They reject every operation outside the grant, and every operation after `call.signal` fires.
   * @throws `BACKEND_UNAVAILABLE` once the backend is closed.
   */
  bind(grant: Grant, call: BoundCall): Ports;
  /** Unguarded ports, for the kernel and the host only. */
  readonly root: { readonly fs: Fs; readonly shell: Shell };
  state(): "open" | "reconnecting" | "closed";
  /**
   * Starts the terminal, if it does not run yet. Absent on a backend without one.
   *
   * @throws `BACKEND_UNAVAILABLE`, `BACKEND_UNSUPPORTED` when the terminal cannot be started.
   */
  startTerminal?(): Promise<StartedTerminal>;
  /**
   * Stops the jobs with lifetime "session" that this session started, and the processes that survived its commands: SIGTERM,
   * then SIGKILL after 3 seconds. The session stays usable. Idempotent. Absent on a backend without jobs.
   *
   * @param options.forgets - Also deletes the stored output of finished jobs, for a session that will not be resumed.
   */
  endSession?(sessionId: string, options?: { readonly forgets?: boolean }): Promise<SessionEnd>;
  /**
   * Stops everything that runs, except jobs with lifetime "keep"; `left` names what could not be stopped. Afterwards every
   * operation of `root` and of bound ports rejects with `BACKEND_UNAVAILABLE` (`exists` may return false). Idempotent.
   */
  close(io?: Io): Promise<{ readonly left: readonly string[] }>;
}

/** Whether an opener returned a backend at all: one in JavaScript may return nothing. */
export function isBackend(value: unknown): value is Backend {
  return isRecord(value) && typeof value.bind === "function" && typeof value.state === "function";
}
