/** The context of a call: the host's view, and the narrower view of a tool. */

import type { Autonomy } from "./autonomy.js";
import type { BackendFlags } from "./backend.js";
import type { Claim } from "./claims.js";
import type { Dialect } from "./dialect.js";
import type { Fs, Io, ResolvedPath } from "./fs.js";
import type { CallHttp, Http } from "./http.js";
import type { Media } from "./media.js";
import type { OutputBudget } from "./output.js";
import type { ToolResult } from "./result.js";
import type { Search } from "./search.js";
import type {
  Approver,
  Artifacts,
  Audit,
  Clock,
  Digest,
  Faults,
  Ids,
  Locks,
  Policy,
  PolicyCall,
  Redactor,
} from "./services.js";
import type { CallSession, Framework, Session, SessionView } from "./session.js";
import type { Shell } from "./shell.js";
import type { CallState, State } from "./state.js";
import type { Target } from "./target.js";
import type { Terminal } from "./terminal.js";
import type { CallEvent, ToolEvent } from "./tool-event.js";
import type { UndoLog } from "./undo-log.js";

/** Hooks of a host: before claims are stated (may change the input) and around the run (the input is frozen). */
export interface Hooks {
  beforeClaims?(call: { readonly tool: string; readonly input: unknown }): unknown;
  aroundRun?(
    call: { readonly tool: string; readonly input: unknown },
    run: () => Promise<ToolResult>,
  ): Promise<ToolResult>;
}

/** Limits the rate of writing calls: reserves before a call, and counts it only if it succeeded. */
export interface RateLimit {
  reserve(call: {
    readonly tool: string;
    readonly sessionId: string;
    readonly effect: PolicyCall["effect"];
  }):
    | { readonly allowed: true; settle(succeeded: boolean): void }
    | { readonly allowed: false; readonly reason: string };
}

/**
 * Paths of one machine that no call reaches through its ports, each with all below it, whatever the policy allows. A command
 * that is allowed can still reach them.
 */
export interface ProtectedPaths {
  /** As `Backend.machine`. */
  readonly machine: string;
  /** Absolute and normalized: as configured, and without symlinks. */
  readonly paths: readonly string[];
  /** The rule and the reason of a denial. The reason is a clause after the path. */
  readonly rule: string;
  readonly reason: string;
  /** What the model can do instead. */
  readonly next?: string;
}

/** Makes the embeddings of texts, one each in their order. Called with what is remembered and searched for, without secrets. */
export type Embed = (texts: readonly string[]) => PromiseLike<readonly (readonly number[])[]>;

/** The services of a host: one set for the process. */
export interface HostServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly policy: Policy;
  /** The level of sessions that have none of their own. Default "supervised". */
  readonly autonomy?: Autonomy;
  /** Absent: an "ask" decision denies the call. */
  readonly approver?: Approver;
  /** Not for tools: what a tool may keep goes through its own ports. */
  readonly state: State;
  readonly audit: Audit;
  readonly locks: Locks;
  /** Records what calls change in files, for `undo`. Absent: nothing is recorded. */
  readonly undoLog?: UndoLog;
  readonly redactor?: Redactor;
  /** Absent: memories are found by words only. */
  readonly embed?: Embed;
  readonly faults?: Faults;
  /**
   * Whether a tool is built in. The calls of such a tool are not watched by `faults`, which has a cost, and its `preview` may read
   * the files that it claims before the call is approved. Absent: none is.
   */
  readonly isOwnTool?: (tool: { readonly body: object }) => boolean;
  /** What `ctx.http` of a call is bound to. Absent: its `fetch` throws `BACKEND_UNSUPPORTED`. */
  readonly http?: Http;
  /** Absent: images are passed on unchanged or not at all, and documents are not read. */
  readonly media?: Media;
  /** Texts of untrusted origin are enclosed in `<untrusted>` for the model. Default false. */
  readonly fenceUntrusted?: boolean;
  readonly hooks?: Hooks;
  readonly rate?: RateLimit;
  /** Absent: none. */
  readonly protectedPaths?: ProtectedPaths;
  /** Milliseconds to wait for an approval. Default 120,000; the call's deadline is paused meanwhile. */
  readonly approvalTimeoutMs?: number;
  /** The next context number; unique and rising for this host. */
  nextContextId(): number;
}

/** What a context factory returns, once per dispatch. Its ports are unguarded and for the host; tools get their own. */
export interface HostContext {
  readonly contextId: number;
  readonly session: Session;
  readonly host: HostServices;
  /** Where calls run that do not choose with `on`. */
  readonly target: Target;
  /** The targets a call may choose from with `on`, by the name it uses. Absent or one: `on` is not advertised. */
  readonly targets?: Readonly<Record<string, Target>>;
  /** Absolute, on `target`; where a model's relative paths start. Undefined where it is known only once `target` is open. */
  readonly cwd: string | undefined;
  /** The directory of `target` that ignore rules and policy count as the workspace. Undefined as `cwd`. */
  readonly workspace: string | undefined;
  /** The unguarded port of `target`; the first operation opens it. */
  readonly fs: Fs;
  /** The unguarded port of `target`; the first operation opens it. */
  readonly shell: Shell;
  /** Cancels the call when it fires; if it has already fired, the call ends as "cancelled" before anything runs. */
  readonly signal: AbortSignal;
  /** The maximum size of a result for the model. */
  readonly budget: OutputBudget;
  readonly framework: Framework;
  /** How results are rendered if the tool has no presenter. */
  readonly dialect?: Dialect;
  readonly onEvent?: (event: CallEvent) => void;
  /** Asked instead of the host's approver. */
  readonly approver?: Approver;
  /** Its calls end with this error before anything runs; they are audited. Absent: they run. */
  readonly problem?: unknown;
  /** The same context, the same id, another signal. */
  withCancel(signal: AbortSignal): HostContext;
}

/** The read-only view that `claims` gets. */
export interface ClaimContext<Limits = unknown> {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  /** `name` is that of the target. */
  readonly backend: {
    readonly name: string;
    readonly flags: BackendFlags;
    /** The names of the targets with a terminal that calls can choose. Default: none. */
    readonly terminals?: readonly string[];
  };
  readonly limits: Limits;
  readonly session: SessionView;
  /** The host's clock. A state that several hosts share can have another: see `Schedules.now`. */
  readonly clock: Pick<Clock, "now">;
  /** Undefined where the call reads from its own target. */
  readonly source?: SourcePlace | undefined;
  /** A model's path made absolute by string work; `~` is the backend's home. */
  resolve(path: string): string;
}

/** The source target of a call (see `ToolSpec.sourceParameter`): its name, its directories, and how a path is meant there. */
export interface SourcePlace extends Pick<ClaimContext, "cwd" | "home" | "workspace" | "resolve"> {
  readonly target: string;
}

/** How paths are locked. */
export interface LockOptions extends Io {
  /** False locks the entry of the directory: a symlink itself, and not what it leads to. Default true. */
  readonly follow?: boolean;
}

/** A locked path. `kind` is known where the path was followed. */
export type LockedPath = Pick<ResolvedPath, "real" | "missing"> & Partial<Pick<ResolvedPath, "kind">>;

/** The claims of a call, or the failure that ends it before it is judged. */
export type ClaimsOutcome = readonly Claim[] | ToolResult<never>;

/** What `run` gets beside its input. The ports are bound to this call's grant and refuse everything once it has settled. */
export interface ToolContext<Limits = unknown> extends Omit<ClaimContext<Limits>, "session" | "source"> {
  readonly session: CallSession;
  /** As that of `ClaimContext`, with the files that the call claimed there, which can be read. */
  readonly source?: (SourcePlace & { readonly fs: Fs }) | undefined;
  readonly contextId: number;
  readonly callId: string;
  readonly budget: OutputBudget;
  readonly framework: Framework;
  /** The first access to `fs`, `shell` or `search` binds the backend, and throws `BACKEND_UNAVAILABLE` if it was closed. */
  readonly fs: Fs;
  readonly shell: Shell;
  readonly search: Search;
  /** Undefined if the backend has none. */
  readonly terminal?: Terminal | undefined;
  /** It makes only requests that the call claimed, and throws `BACKEND_UNSUPPORTED` where the host has none. */
  readonly http: CallHttp;
  /** Undefined where the host has none. */
  readonly media?: Media | undefined;
  /** Documents that outlive the session, those of the call's `state` claims. */
  readonly state: CallState;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly artifacts: Artifacts;
  /**
   * `workspace` and `cwd` without symlinks, and `home`: directories that a tool must not delete, by any path. Needs no claim, so
   * that they are known even if the policy hides them; throws if they cannot be resolved.
   */
  realPlace(): Promise<Pick<ClaimContext, "workspace" | "cwd" | "home">>;
  /** Fires on cancel and at the deadline. Port operations observe it themselves, so a tool rarely needs it. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /**
   * Runs `body` while no other call, of this process or another, holds the lock of these paths on this machine. Paths are
   * absolute and claimed, with any access; locked is the real path, which `body` gets in the same order. Several are locked in
   * an order that cannot deadlock. The end of the call ends the wait.
   *
   * @throws `CALL_UNCLAIMED`; `POLICY_DENIED` or `POLICY_APPROVAL_REQUIRED` for the real path; and as `Locks.hold` does.
   */
  lock<T>(
    paths: string | readonly string[],
    options: LockOptions,
    body: (places: readonly LockedPath[]) => Promise<T>,
  ): Promise<T>;
  /** Reports an event to the host; errors of the listener are ignored. Does nothing once the signal has fired or the call has settled. */
  emit(event: ToolEvent): void;
}
