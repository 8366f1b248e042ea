/** What a host holds: a toolkit and its conversations. */
import type {
  Approvals,
  Autonomy,
  Dialect,
  HostContext,
  HostServices,
  Session,
  SessionEnd,
  StartedTerminal,
  ToolBox,
  ToolRegistry,
} from "../kernel/index.js";
import type { ChangedCalls } from "./changed-calls.js";
import type { OwnedBox } from "./owned-box.js";
import type { ToolkitSchedules } from "./schedules/schedule-runner.js";
import type { EndedAfterKill } from "./target-set.js";
import type { UndoReport, UndoRequest } from "./undo.js";

/** Collections of the default dialect; other dialects, and hosts, have others. */
export type CollectionName = "all" | "read-only" | "coding";

/** One conversation of a toolkit. */
export interface ToolkitSession<Tools extends object = object> extends AsyncDisposable {
  readonly id: string;
  readonly session: Session;
  /** The level in force: its own, else that of the toolkit. */
  readonly autonomy: Autonomy;
  /**
   * Sets the level of this session, such as "readonly" while a model plans; without a level, that of the toolkit holds again. It is in
   * force at once, also for calls that wait for an approval. It is kept in memory: a named session that another process opens has the level of that toolkit.
   *
   * @throws `CONFIG_INVALID` for an unknown level.
   */
  setAutonomy(level: Autonomy | undefined): void;
  /** A box whose calls belong to this session. Default "all". @throws `REGISTRY_UNKNOWN_COLLECTION` */
  box(collection?: CollectionName | (string & {})): ToolBox<Tools>;
  /** The context of one dispatch, as a box's factory makes it; `cwd`, absolute, takes the workspace's place. Opens nothing. */
  context(cwd?: string): Promise<HostContext>;
  /**
   * Stops what its calls left running, except jobs of the host and those to be kept, and saves the state of the session;
   * one without a name leaves nothing behind. Later calls of its boxes are refused with `STORE_CLOSED`. Idempotent.
   */
  close(): Promise<SessionEnd>;
  /** Closes it and removes all that it has kept, a name or not. Idempotent. */
  end(): Promise<SessionEnd>;
  /** Milliseconds since the epoch: when the last call of its boxes ended, or when it was opened; undefined while one runs. */
  idleSinceMs(): number | undefined;
  /** Whether it was ended from elsewhere, such as by `haft sessions end`. What it had kept is gone. */
  isGone(): boolean;
}

/**
 * Everything that one host shares: tools, backends, state, and the conversations that use them. `Tools` is what the tools
 * return, by name, where the names are known when the program is compiled.
 */
export interface Toolkit<Tools extends object = object> extends AsyncDisposable {
  readonly registry: ToolRegistry;
  readonly dialect: Dialect;
  readonly host: HostServices;
  /**
   * Requests that wait for a user, of all processes that use the same state directory: `approvals.decide(token, { granted: "ada" })`,
   * then the same call again with `resume: token`.
   */
  readonly approvals: Approvals;
  /** Commands that are run at times. The tools `cron_*` store them, and run none. */
  readonly schedules: ToolkitSchedules;
  /**
   * The conversation of this name, the same object each time; without a name, a new one.
   *
   * @param options.owner - Who it belongs to, where a host has several clients: jobs that outlive their session are reported to
   *   sessions of the same owner only. Default: no owner, and all sessions without an owner share them.
   * @param options.stateOwner - Whose memories and schedules its calls use, where that is not the owner: a name that stays when
   *   credentials change, or null for those of sessions without an owner.
   */
  session(
    id?: string,
    options?: { readonly owner?: string; readonly stateOwner?: string | null },
  ): ToolkitSession<Tools>;
  /** A box with a session of its own, or the one that the toolkit was made with. Default "all". @throws `REGISTRY_UNKNOWN_COLLECTION` */
  box(collection?: CollectionName | (string & {})): OwnedBox<Tools>;
  /**
   * Starts the terminal of the default target, which it opens. Empty without a terminal.
   *
   * @throws Why it cannot be opened; the next call tries again.
   */
  startTerminal(): Promise<StartedTerminal>;
  /** The conversations that are open. */
  sessions(): readonly ToolkitSession<Tools>[];
  /** Calls that changed files through their file port, of all processes that use the same state directory. */
  changes(): Promise<ChangedCalls>;
  /**
   * Puts back what the calls replaced, deleted or moved, all of it or nothing: where a file has changed since, the report has the
   * conflicts. It is audited, and undoing the undo redoes the calls. What commands changed is not undone.
   *
   * @param request - Default: the last call in this workspace that is not undone.
   * @throws `CALL_INVALID` where there is nothing to undo, `BACKEND_UNAVAILABLE`, and `FS_*` where a step failed after others.
   */
  undo(request?: UndoRequest): Promise<UndoReport>;
  /**
   * What was ended here after an earlier host was killed, and files that it left half-written. Each is reported once, and only
   * once a call has opened the backends; a half-written file again by each later toolkit until it is restored.
   */
  takeReports(): Promise<readonly EndedAfterKill[]>;
  /** Ends every background command that was started here, whatever its lifetime, and forgets it with its output. */
  forgetJobs(): Promise<void>;
  /**
   * Closes sessions and backends, with what calls left running; `left` names what could not be ended, and a target without an answer
   * within 10 seconds. Rejects only after all of it; `details.left` of the error names the same then. Idempotent.
   */
  close(): Promise<{ readonly left: readonly string[] }>;
}
