/** The port to a machine, real or imagined: where files lie and commands run. */
import type { Decision, Grant, Place } from "./claims.js";
import type { Fs, Io } from "./fs.js";
import type { Search } from "./search.js";
import type { SessionEnd } from "./session-jobs.js";
import type { Shell } from "./shell.js";
import type { Terminal } from "./terminal.js";

/** The call that a set of ports is bound to. */
export interface BoundCall {
  readonly id: string;
  /** Fires when the call is cancelled, timed out or settled: running operations end. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Identifies the session; survivors and jobs belong to it. */
  readonly sessionId: string;
  /** Whose session it is, where a host tells its clients apart: jobs of one owner are not told to another. */
  readonly owner?: string;
  /** Where relative ignore rules begin: the workspace root. */
  readonly workspace?: string;
  /**
   * Asked before acting where the real place differs from the asked one and the grant does not cover it: allow continues, deny rejects with
   * `POLICY_DENIED`, ask rejects with `POLICY_APPROVAL_REQUIRED`.
   */
  authorizeRealPath(asked: string, real: Place): Promise<Decision>;
  /**
   * As `moved`, for a command of the grant whose directory `cwd` really is `real`. Asked before the command starts, which then
   * happens in exactly that directory or not at all.
   */
  commandAt(command: string, cwd: string, real: string): Promise<Decision>;
}

/** What ports are bound to. A backend's own unguarded ports have none. */
export interface Binding {
  readonly grant: Grant;
  readonly call: BoundCall;
}

/** What a call touches its backend through; each port enforces the grant it was bound with. */
export interface Ports {
  readonly fs: Fs;
  readonly shell: Shell;
  readonly search: Search;
  readonly terminal?: Terminal | undefined;
}

/** What a backend can do beyond the contract's core; absent means false. These tell it, and never a backend's name. */
export interface BackendFlags {
  /** Commands are real processes with ids, groups and signals of a kernel. */
  readonly processes?: boolean;
  /** Signals are distinguished from exit statuses over 128. */
  readonly signals?: boolean;
  /** Links, hard links, modes and FIFOs exist. */
  readonly symlinks?: boolean;
  /** `spawn` and `attach` work. */
  readonly jobs?: boolean;
  /** A command can be detached from its call: `ShellOptions.detach`. */
  readonly detach?: boolean;
  readonly terminal?: boolean;
}

/** One machine as Haft sees it. Third parties implement it, or make one of a core with `completeBackend`. */
export interface Backend {
  /** The target it was opened with, for users: "local", "memory", "posix:dash". */
  readonly name: string;
  readonly flags: BackendFlags;
  /** "pinned": checked and acted on in one step. "checked": checked, then acted on; a swap in between can win. */
  readonly guard: "pinned" | "checked";
  /** The home directory, for `~`. */
  readonly home: string;
  /** The directory that relative paths start from unless the session says otherwise. */
  readonly cwd: string;
  /** The real path of `cwd` when the backend was opened: policy sees places in it under the name that the host gave it. Default: `cwd`. */
  readonly realCwd?: string;
  /**
   * The ports of one call. They refuse everything outside the grant, and everything once `call.signal` has fired.
   * @throws `BACKEND_UNAVAILABLE` once the backend is closed.
   */
  bind(grant: Grant, call: BoundCall): Ports;
  /** Unguarded, for the kernel and the host only. */
  readonly root: { readonly fs: Fs; readonly shell: Shell };
  state(): "open" | "reconnecting" | "closed";
  /**
   * Ends the jobs whose lifetime is "session" that calls of this session have started, and what survived its commands: TERM,
   * 3 s, KILL. The session may continue with others. Idempotent. Absent on a backend without jobs; `SessionJobs` does it.
   *
   * @param options.forgets - What is stored of its jobs that have ended is removed, too: nobody comes back to the session.
   */
  endSession?(sessionId: string, options?: { readonly forgets?: boolean }): Promise<SessionEnd>;
  /**
   * Idempotent. Ends what runs, except jobs whose lifetime is "keep"; `left` names what could not be ended. From now on
   * every operation of `root`, and of ports bound before, rejects with `BACKEND_UNAVAILABLE` (`exists` may say false).
   */
  close(io?: Io): Promise<{ readonly left: readonly string[] }>;
}
