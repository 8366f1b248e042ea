/** The service ports of a host: clock, ids, policy, approvals, audit, artifacts, locks. */
import type { Autonomy } from "./autonomy.js";
import type { Approval, Claim, CommandStart, Decision } from "./claims.js";
import type { EntryKind, Fs, Io } from "./fs.js";
import type { CallStatus, Json, Provenance, ToolErrorCode } from "./result.js";
import type { MissedRuns } from "./schedules.js";
import type { SourceTarget } from "./target.js";

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the epoch. Jumps when the time of the machine is set. */
  now(): number;
  /** Milliseconds since any moment, which only grow: deadlines are measured with it. Default: `now`, for clocks that never jump. */
  elapsed?(): number;
  /**
   * Calls back once after `ms`; the returned function cancels the timer. A pending timer keeps the process alive, so that a
   * call always settles. The kernel and the backends pass at most 2,147,483,647 ms, the maximum of `setTimeout`.
   */
  timer(ms: number, done: () => void): () => void;
}

/** Fresh identifiers. */
export interface Ids {
  /** An unguessable id of at most 40 characters from a-z, 0-9 and "-", prefixed with `kind`. */
  next(kind: string): string;
}

/** The description of a call that policy receives. */
export interface PolicyCall {
  readonly callId: string;
  readonly tool: string;
  readonly effect: "none" | "read" | "write";
  /** The name of the target: "local", "posix:dash". */
  readonly target: string;
  /** What the target is, such as "posix:dash", where that is not its name, which the user chooses. */
  readonly spec?: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** The workspace of the target. */
  readonly workspace: string;
  readonly home: string;
  /** The level in force for this call: the stricter one of its session's and its target's, else that of the host. */
  readonly autonomy: Autonomy;
  /** That level is the target's and not that of the session. */
  readonly isLevelOfTarget?: true;
  /** Whether commands on the target run in a sandbox. */
  readonly sandboxed: boolean;
  /** As `Backend.privatePaths`. */
  readonly privatePaths?: readonly string[];
  /** As `Backend.commandLanguage`. Absent: commands are those of `sh`. */
  readonly commandLanguage?: string;
  /**
   * Where untrusted content comes from that the model was shown in this session: the web, other servers, panes, files outside the
   * workspace. Each source once, the first 20. Empty: none.
   */
  readonly taint: readonly Provenance[];
  /**
   * URLs that earlier results have shown or that the session has fetched, normalized and without a fragment: the latest 5,000 of at
   * most 2,048 characters. Only `decide` is given them; in an approval request they are absent.
   */
  readonly shownUrls?: ReadonlySet<string>;
  /** What the lookups of the policy found. Absent as long as none was made. */
  readonly files?: PolicyFiles;
}

/** Decides on the claims of a call. Synchronous and pure: no I/O, no clock. For several claims the strictest decision wins. */
export interface Policy {
  readonly name: string;
  decide(claims: readonly Claim[], call: PolicyCall): Decision;
  /**
   * What it has to know about the files of the target before it decides: asked after each decision, and decided again with what was
   * found, at most three times. Without this method, or where it returns undefined, claims are judged as they are written.
   */
  lookup?(claims: readonly Claim[], call: PolicyCall): PolicyLookup | undefined;
}

/** At most `MAX_LOOKUP_PATHS` paths, and as many searches; of more, nothing is known. */
export interface PolicyLookup {
  /** Absolute paths to resolve. */
  readonly paths: readonly string[];
  readonly searches: readonly PolicySearch[];
}

/** Finds the symlinks, and the entries with certain names, among the matches of a glob or in a whole tree. */
export interface PolicySearch {
  /** What the answer is stored under. */
  readonly id: string;
  /** An absolute directory. */
  readonly path: string;
  /** Selects entries as a shell does, relative to `path`. Absent: everything below it. */
  readonly glob?: string;
  /** Globs of names that are reported, as in `Grant.exceptNames`. */
  readonly names: readonly string[];
  /** False: in a git repository, what ignore files name is left out. */
  readonly includeIgnored: boolean;
}

/** What was found on the target. A path or an id that is missing is not known. */
export interface PolicyFiles {
  /** Real paths, with the part that does not exist. */
  readonly real: ReadonlyMap<string, string>;
  readonly found: ReadonlyMap<string, readonly PolicyFound[]>;
}

/** `real` differs from `path` for a symlink. */
export interface PolicyFound {
  readonly path: string;
  readonly real: string;
  /** "link" for every symlink. */
  readonly kind: EntryKind;
}

/** A file, a directory or a symlink itself that would be deleted or moved, or a file that would be copied. Paths are absolute. */
export interface PathChange {
  readonly kind: "delete" | "move" | "copy";
  readonly path: string;
  readonly entry: EntryKind;
  /** Of a file, or of all files in a directory. Absent: not known. */
  readonly sizeBytes?: number;
  /** What a directory contains, at any depth. Absent: it is not a directory, or its contents were not counted. */
  readonly inside?: { readonly files: number; readonly directories: number };
  /** Where a "move" or "copy" puts it. */
  readonly to?: string;
  /** What it replaces there. Absent: nothing. */
  readonly replaces?: EntryKind;
}

/** A schedule that a call would store, as a user reads it. */
export interface SchedulePreview {
  readonly kind: "schedule";
  /** `every day at 09:00, Europe/Berlin` */
  readonly when: string;
  /** When it would be due next, at most three: `Monday 2026-11-30 09:00:00+01:00 Europe/Berlin`. Empty: once, as `when` says. */
  readonly next: readonly string[];
  readonly name?: string;
  readonly missed: MissedRuns;
}

/** What a call would do, to be shown to a user. Texts are redacted and truncated to 32 KiB; `isTruncated` then says so. */
export type ApprovalPreview =
  /** Of a built-in tool that changes a file: the change as a unified diff. `path` is absolute. */
  | { readonly kind: "diff"; readonly path: string; readonly diff: string; readonly isTruncated: boolean }
  /** Of a built-in tool that deletes or moves something. */
  | PathChange
  /** `directory` is the real path in which the command starts; the rest is as in its claim. With `schedule`, it starts at these times. */
  | ({
      readonly kind: "command";
      readonly directory: string;
      readonly isTruncated: boolean;
      readonly schedule?: Omit<SchedulePreview, "kind">;
    } & Omit<CommandStart, "cwd">)
  /** A tool of another MCP server. */
  | { readonly kind: "server"; readonly server: string; readonly tool: string; readonly arguments: Json };

/** A request for approval: the call, its claims, and why approval is needed. Its texts are redacted. */
export interface ApprovalRequest {
  readonly token: string;
  /**
   * A digest of all that the call would touch: its claims, and where its paths lead on which target. Equal digests: an answer to one
   * request fits the other. Absent in requests that earlier versions have stored.
   */
  readonly touches?: string;
  readonly call: PolicyCall;
  /** The other target, which the call reads from: the claims there name it. Absent: there is none. */
  readonly source?: SourceTarget;
  readonly claims: readonly Claim[];
  readonly rule: string;
  readonly risk: Decision["risk"];
  readonly reason: string;
  /** The rules that would end the question, as `haft policy allow` takes them: "npm test". Absent: no rules do. */
  readonly suggestedRules?: readonly string[];
  /** A grant for the session or the project is remembered, for calls that the policy counts as the same. Absent: any grant holds once. */
  readonly canRemember?: true;
  /** With `canRemember`: what would run without a question then, such as "npm test *, in this directory". Absent: the policy does not say. */
  readonly rememberedText?: readonly string[];
  /**
   * How much of the preview, or of the arguments where there is none, the redactor has replaced, and on how many lines; then only
   * this call can be allowed. Absent: nothing.
   */
  readonly hidden?: { readonly characters: number; readonly lines: number };
  /** As the model sent them, after corrections; long texts replaced by their sizes where all exceed 32 KiB. */
  readonly arguments: Json;
  /** Texts of `arguments` are replaced by their sizes, so that they do not show all that the call does. Absent: they are whole. */
  readonly hasShortenedArguments?: true;
  /** Absent where there is nothing to show, the call claims several commands or tools of servers, or it took longer than 5 seconds. */
  readonly preview?: ApprovalPreview;
}

/** Asks a user for approval, or decides on their behalf. A rejection or a timeout denies the call. */
export interface Approver {
  ask(request: ApprovalRequest, io: Io): Promise<Approval>;
  /** How a user can decide on a request that is pending, as a sentence that the model reads. */
  pendingHint?(token: string): string | undefined;
}

/** The audit entry written before a call runs. */
export interface AuditBegin {
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The name of the call's target. */
  readonly backend: string;
  /** What the target is, such as "posix:dash", where that is not its name. */
  readonly spec?: string;
  /** The other target, which the call reads from. Absent: there is none. */
  readonly source?: SourceTarget;
  /** The target's workspace; empty where it is known only once the target is open. */
  readonly workspace: string;
  /** SHA-256 of the input as the model sent it, as hex. */
  readonly inputDigest: string;
  /** The input, redacted and truncated to 4,096 bytes. */
  readonly input: string;
}

/**
 * What became of the question about a call. "pending": it was stored and waits for a decision. "remembered": an earlier approval
 * holds. "no-approver": no user could be asked. "invalid": its token was unknown, used, or for another call.
 */
export type AuditedApproval =
  | "granted"
  | "denied"
  | "timeout"
  | "cancelled"
  | "pending"
  | "remembered"
  | "no-approver"
  | "invalid";

/** The audit entry written when a call ends. */
export interface AuditEnd {
  /** "late-value-dropped" is a second entry, for a tool that settled after its call had been abandoned. */
  readonly status: CallStatus | "late-value-dropped";
  readonly code?: ToolErrorCode;
  readonly rule?: string;
  readonly effect?: Decision["effect"];
  readonly approver?: string | null;
  readonly risk?: Decision["risk"];
  /** What came of a question about the call; absent where none was asked. */
  readonly approval?: AuditedApproval;
  /** What the approval allows without a question from then on, as the policy words it; absent where it holds for this call only. */
  readonly remembered?: { readonly scope: "session" | "project"; readonly text: readonly string[] };
  /**
   * Those of the call, and for each address that its requests could connect to, those of redirects too, a "network" with `address`.
   * Each text in them is redacted and truncated to 4,096 bytes.
   */
  readonly claims?: readonly Claim[];
  readonly tookMs: number;
  readonly truncations?: number;
  readonly note?: string;
}

/**
 * Records a begin and an end entry for every call. `begin` rejects or throws when the entry could not be stored; the call then
 * does not run. Both methods may be synchronous.
 */
export interface Audit {
  begin(entry: AuditBegin): string | Promise<string>;
  /**
   * A rejection, or no answer within 6 seconds, does not change the outcome of the call. Also called for cancelled calls.
   */
  end(id: string, entry: AuditEnd): void | Promise<void>;
}

/** The metadata of a stored output. */
export interface ArtifactInfo {
  readonly id: string;
  readonly what: string;
  readonly producedBytes: number;
  readonly keptBytes: number;
  readonly createdMs: number;
  readonly provenance?: Provenance;
  /** The canonical name of the tool whose call stored it. */
  readonly tool?: string;
}

/** Writes one artifact. */
export interface ArtifactWriter {
  readonly id: string;
  /** Never rejects because of size: bytes beyond the limit are counted but not stored. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<{ readonly producedBytes: number; readonly keptBytes: number }>;
  /** Deletes the artifact, even after `end`; its id is then unknown. Without this method it stays. */
  discard?(): Promise<void>;
}

/** A part of an artifact. `gap`: bytes `from` to `to` of the produced stream were not stored. */
export type ArtifactPart = {
  readonly bytes: Uint8Array;
  readonly keptBytes: number;
  readonly producedBytes: number;
  readonly gap?: readonly [from: number, to: number];
};

/**
 * Stores outputs that did not fit an answer. Each keeps its beginning and its end and counts the bytes between. A session
 * has a quota and evicts the oldest first. Offsets count produced bytes.
 */
export interface Artifacts {
  /** @throws `STORE_UNWRITABLE`; so does the writer's `write`, which rejects with `STORE_CLOSED` after `end`. */
  create(
    about: Pick<ArtifactInfo, "what" | "provenance" | "tool"> & {
      /** True stores the bytes as they are, secrets too: to restore a file. Reading them redacts. */
      readonly exact?: boolean;
    },
  ): Promise<ArtifactWriter>;
  /**
   * Returns up to `length` bytes from `offset`. Inside the gap it returns no bytes, and `gap` gives its range.
   * @throws `STORE_CONFLICT` when the stored data is damaged.
   */
  read(id: string, offset: number, length: number): Promise<ArtifactPart | "evicted" | "unknown">;
  list(): Promise<readonly ArtifactInfo[]>;
  /**
   * Copies the stored bytes to a file of a backend and replaces an existing file.
   * @throws `ARTIFACT_EVICTED`, `ARTIFACT_UNKNOWN`; and the rejections of `fs.replaceAtomic`, such as `CALL_CANCELLED`.
   */
  export(id: string, fs: Fs, path: string): Promise<{ readonly bytes: number }>;
}

/** Mutual exclusion by key, within this process and between processes that share the state directory. Waiting observes `io`. */
export interface Locks {
  /**
   * Runs `body` while holding the lock for `key`, and settles as `body` does. Without `timeoutMs` it waits without a limit.
   * `signal` and `timeoutMs` do not interrupt `body` once the lock is held.
   * @throws `CALL_CANCELLED` when `signal` fires while waiting, `STORE_CONFLICT` when `timeoutMs` passes while waiting,
   *   `STORE_UNWRITABLE` when the lock cannot be written.
   */
  hold<T>(key: string, io: Io, body: () => Promise<T>): Promise<T>;
}

/** Attributes uncaught errors of timers and streams to the call whose tool started them. */
export interface Faults {
  /** Runs `body`. Errors thrown later by work that it started are passed to `onFault` until the returned promise settles. */
  watch<T>(body: () => Promise<T>, onFault: (thrown: unknown) => void): Promise<T>;
}

/** Replaces secrets in text before it reaches a model, an event, an artifact or the audit log. */
export interface Redactor {
  redact(text: string): string;
  /**
   * For output that arrives in parts: how many characters at the end of `text` may be the beginning of a secret. They wait for the
   * next part. Without this method an incomplete line waits, up to 4 KiB of it.
   */
  incompleteLength?(text: string): number;
}

/** SHA-256 as hex; injected, and possibly asynchronous, so that the kernel needs no Node.js module. */
export type Digest = (bytes: Uint8Array | string) => Promise<string> | string;
