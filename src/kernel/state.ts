/**
 * The state ports of a host: documents, sessions and approvals. A host opens one `State`; tools never get it, because a tool
 * that holds approvals could approve itself.
 *
 * Contract for implementers: every promise rejects with a `HaftError`. Operations cannot be cancelled; each reads or writes one
 * small document, and waits at most 10 s for another process that is changing the same one. Proved by the cases `state:*` of
 * `haft/testing`.
 */
import type { Memories } from "./memories.js";
import type { Json } from "./result.js";
import type { RunFilter, Schedule, ScheduleContent, ScheduleRun, Schedules } from "./schedules.js";
import type { ApprovalRequest } from "./services.js";

/** One stored document. */
export interface StoredDocument {
  readonly key: string;
  readonly value: Json;
  /** Random, and different after each write, also when a document was deleted and created again. */
  readonly version: string;
}

/** Which documents `list` returns. */
export interface DocumentQuery {
  /** Only keys that begin with it. */
  readonly prefix?: string;
  /** Only keys after it, in the order of the list. */
  readonly after?: string;
  /** At most so many documents. Default: all. */
  readonly limit?: number;
}

/**
 * JSON documents by key, in one collection. Keys are 1 to 1,024 bytes of UTF-8 without NUL and lone surrogates; a value has at
 * most 1 MiB of JSON text and 128 levels. Values come back exactly as they were stored, NUL, lone surrogates and members named
 * `__proto__` included; members that are undefined are omitted. Each read returns a copy.
 */
export interface Documents {
  /**
   * Undefined when there is no such document.
   * @throws `STORE_INVALID` for a key that cannot be stored, `STORE_CONFLICT` when what is stored is damaged, `STORE_CLOSED`.
   */
  get(key: string): Promise<StoredDocument | undefined>;
  /**
   * Reads, changes and writes a document as one step; no update of another process is lost. Returns what is stored now.
   *
   * @param change - Synchronous and pure: it may run again when another writer was faster. It gets undefined where there is no
   *   document, and may compare `version` with one that it has seen. Returning undefined deletes the document. What it throws
   *   rejects the update, and nothing is written.
   * @throws `STORE_INVALID` for a key or value that cannot be stored, `STORE_CONFLICT` when what is stored is damaged or another
   *   process changes it for 10 s, `STORE_UNWRITABLE`, `STORE_NEWER`, and `STORE_CLOSED` after `close` and when the session of
   *   the documents has ended.
   */
  update(
    key: string,
    change: (old: Json | undefined, version: string | undefined) => Json | undefined,
  ): Promise<StoredDocument | undefined>;
  /**
   * The documents in the order of their keys, compared as UTF-8 bytes. A document that is written meanwhile appears as it was or
   * as it is; one that is deleted or created meanwhile may be missing.
   * @throws As `get`.
   */
  list(query?: DocumentQuery): AsyncIterable<StoredDocument>;
}

/** One session as it is stored. */
export interface SessionInfo {
  readonly id: string;
  /** Random. A session that was ended and opened again under the same id has another one. */
  readonly version: string;
  /** The client it belongs to, where the host distinguishes clients. */
  readonly owner?: string;
  /** No client can return to it by its id. */
  readonly isTemporary: boolean;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Milliseconds since the epoch: the last `touch`, to the minute. */
  readonly usedMs: number;
}

/** The sessions of a host. */
export interface Sessions {
  /**
   * The session of this id, created if it does not exist. `about` counts only then: the caller compares `owner` itself. One that
   * was not used for `SESSION_IDLE_MS` has ended, unless the store knows that a process has it open.
   * @throws `STORE_INVALID` for an id that cannot be a document key, `STORE_CONFLICT`, `STORE_UNWRITABLE`, `STORE_CLOSED`.
   */
  open(id: string, about?: { readonly owner?: string; readonly isTemporary?: boolean }): Promise<SessionInfo>;
  /** Notes that the session was used. False when there is none. @throws `STORE_CLOSED` */
  touch(id: string): Promise<boolean>;
  /** In the order of their ids, compared as UTF-8 bytes. @throws `STORE_CLOSED` */
  list(filter?: { readonly owner?: string }): AsyncIterable<SessionInfo>;
  /**
   * Deletes a session with its documents and what was approved for it; writes to its documents are then refused. False when
   * there is none. With `version`, only the session of this version, and not a later one of the same id.
   * @throws `STORE_UNWRITABLE`, `STORE_CLOSED`
   */
  end(id: string, version?: string): Promise<boolean>;
}

/** What an approval is bound to: a call that differs in any of it is not the approved one. */
export interface ApprovedCall {
  readonly tool: string;
  readonly session: string;
  /** SHA-256 of the arguments, as hex. */
  readonly digest: string;
  /** SHA-256, as hex, of the target, its machine, the workspace and the claims, real paths among them, and what its tool depends on. */
  readonly touches: string;
  /** When the user was asked, by the clock of the state, for a call that counts from then. */
  readonly askedMs?: number;
}

/** A request that was put off, and what was decided on it since. */
export interface StoredApproval {
  readonly request: ApprovalRequest;
  readonly call: ApprovedCall;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Absent while it is pending. */
  readonly decision?: ApprovalDecision;
}

/**
 * `granted` names the user or system that allowed the call, `denied` is the reason as a sentence. With a `scope`, the approved call
 * makes the grant remembered when it runs.
 */
export type ApprovalDecision =
  | { readonly granted: string; readonly scope?: "session" | "project" }
  | { readonly denied: string };

/** What became of the token of a call that is sent again. */
export type TakenApproval =
  | { readonly state: "granted"; readonly by: string; readonly scope?: "session" | "project" }
  | { readonly state: "denied"; readonly reason: string }
  | { readonly state: "pending"; readonly request: ApprovalRequest }
  /** It never existed, was used, or has expired. */
  | { readonly state: "unknown" }
  /** The tool, the session or the arguments differ from the approved ones. */
  | { readonly state: "different-call" }
  /** The same call would touch something else than was approved. */
  | { readonly state: "different-place" };

/**
 * For how long something is remembered: until a session ends, or for all sessions that work in one project. The text of a project
 * is the target, ":" and the real path of the workspace on it.
 */
export type ApprovalScope = ApprovedSession | { readonly project: string };

/** A session; with `version`, only until it ends, and not a later one of the same id. */
export interface ApprovedSession {
  readonly session: string;
  readonly version?: string;
}

/** The approvals of a host, shared by all processes that use the same state. */
export interface Approvals {
  /**
   * Stores a request that waits for a decision, for at most 7 days.
   * @throws `STORE_CONFLICT` when 1,000 requests are stored, 50 of them for the session, or the token is in use, `STORE_UNWRITABLE`, `STORE_CLOSED`.
   */
  add(one: Pick<StoredApproval, "request" | "call">): Promise<void>;
  /** Undefined when the token is unknown, was used or has expired. */
  get(token: string): Promise<StoredApproval | undefined>;
  /**
   * Grants a pending request, or denies one that is pending or granted and was not used yet: a denial stands.
   * @returns Whether the decision holds now; false for any other request.
   * @throws `STORE_INVALID` for a decision without a text, `STORE_UNWRITABLE`, `STORE_CLOSED`.
   */
  decide(token: string, decision: ApprovalDecision): Promise<boolean>;
  /** The oldest first; at most 1,000. `pending`: only those with no decision, or only the others. */
  list(filter?: { readonly session?: string; readonly pending?: boolean }): Promise<readonly StoredApproval[]>;
  /**
   * What was decided on the token of a call that is sent again. A granted or denied one is deleted in the same step: of several
   * callers in any process exactly one gets it. Anything but the approved call leaves it as it is.
   * @throws `STORE_CONFLICT`, `STORE_UNWRITABLE`, `STORE_CLOSED`: the call must then not run.
   */
  take(token: string, call: ApprovedCall): Promise<TakenApproval>;
  /**
   * Remembers that `by` allowed these keys, SHA-256 digests of the keys of a decision. At most 1,000 keys a scope; the oldest is forgotten first.
   * @throws `STORE_INVALID` for a project that cannot be a document key, `STORE_CONFLICT`, `STORE_UNWRITABLE`; `STORE_CLOSED`, also
   *   for a session that has ended.
   */
  remember(scope: ApprovalScope, keys: readonly string[], by: string): Promise<void>;
  /** Whether each of these keys, digests as for `remember`, is remembered for the session or the project. False for no keys. @throws As `get` of documents. */
  remembered(scopes: ApprovedSession & { readonly project: string }, keys: readonly string[]): Promise<boolean>;
}

/** All state of a host that other processes may share. A store deletes sessions that were idle for `SESSION_IDLE_MS` when it chooses. */
export interface State {
  /** Whether other processes may change it at any time, so that it is read again for each call. */
  readonly shared: boolean;
  /** Directories of this machine in which it is stored, absolute: file tools reach none of them. Default: none. */
  readonly directories?: readonly string[];
  /** The documents of a collection, of the host or of one session. The same ones for the same names. Opening creates nothing. */
  documents(collection: string, session?: SessionInfo): Documents;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  /** The entries of a namespace: "default", or the owner of the sessions. Absent: this store has no full-text search. */
  memories?(namespace: string): Memories;
  /** Absent: this store cannot claim runs. */
  readonly schedules?: Schedules;
  /** Why nothing can be stored at present, as a clause; undefined when it can. Stores nothing. */
  problem(): Promise<string | undefined>;
  /** Everything is refused with `STORE_CLOSED` from then on; what runs ends as if it were not closed. Idempotent. */
  close(): Promise<void>;
}

/** The state that a call may use. All of it is refused with `CALL_UNCLAIMED` beyond the `state` claims of the call. */
export interface CallState {
  /** The documents of one collection of the host. `list` needs a claim of the whole collection. */
  documents(collection: string): Documents;
  /**
   * What is remembered for the owner of the session, under claims of the collection "memories": "read", and "write" for `store`,
   * `forget` and `purge`. @throws `BACKEND_UNSUPPORTED` where the state has none.
   */
  readonly memories: CallMemories;
  /**
   * The schedules of the owner of the session on the target and workspace of the call, under claims of the collection "schedules".
   * Others do not exist here.
   * @throws `BACKEND_UNSUPPORTED` where the state has none.
   */
  readonly schedules: CallSchedules;
}

/** Memories as a call uses them: secrets are taken out of what is stored, and embeddings are made where the host can. */
export interface CallMemories extends Memories {
  /** Why an embedding is missing that the host should have made for this call, as a clause. */
  readonly embeddingProblem: string | undefined;
}

/** What a call says about a schedule; the kernel adds whose it is, where it runs, and what was approved. */
export type CallSchedule = Omit<
  ScheduleContent,
  "owner" | "session" | "autonomy" | "approvedBy" | "target" | "workspace"
>;

/** What a call can do with schedules: everything but running them. */
export interface CallSchedules extends Pick<Schedules, "get" | "list" | "now" | "hosts"> {
  /** As of `Schedules`, on the target of the call. @throws `CALL_UNCLAIMED` also where the call has not claimed the command in its directory. */
  add(content: CallSchedule, nextMs: number | undefined): Promise<Schedule>;
  /**
   * As of `Schedules`. A new command or directory must be claimed as for `add`, and then runs as this call may. Where the command is
   * not claimed, every change but one of the name, and but disabling, ends its approval, and it runs at the stricter level of its own
   * and this call's.
   */
  update(
    id: string,
    change: (old: Schedule) => (CallSchedule & { readonly nextMs?: number }) | undefined,
  ): Promise<Schedule | undefined>;
  /** As of `Schedules`. @throws `POLICY_DENIED` for one with a less strict level than the call, and one that the user approved for its times. */
  trigger(id: string): Promise<ScheduleRun | undefined>;
  runs(filter?: Omit<RunFilter, "of">): Promise<readonly ScheduleRun[]>;
  lastRuns(): Promise<readonly ScheduleRun[]>;
  /** When the user was asked about the call, by the clock of `now`: times that count from the call count from then. Absent: no user was. */
  readonly askedMs?: number;
}
