/** The smaller ports of a host: time, ids, policy, approvals, audit, artifacts, locks. */
import type { Approval, Claim, Decision } from "./claims.js";
import type { Fs, Io } from "./fs.js";
import type { Provenance } from "./result.js";

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls back once after `ms`; the returned function cancels it. A pending timer keeps the process alive, so that a call
   * always settles. The kernel and the backends ask for at most 2,147,483,647 ms: a longer one never fires with many clocks.
   */
  timer(ms: number, done: () => void): () => void;
}

/** Fresh identifiers. */
export interface Ids {
  /** Not guessable; at most 40 characters of a-z, 0-9 and "-". `kind` is its prefix. */
  next(kind: string): string;
}

/** What policy is reported about a call. */
export interface PolicyCall {
  readonly callId: string;
  readonly tool: string;
  readonly effect: "none" | "read" | "write";
  readonly backend: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly home: string;
}

/** Claims in, decision out. Pure: no I/O, no clock. Several claims: the strictest wins. */
export interface Policy {
  readonly name: string;
  decide(claims: readonly Claim[], call: PolicyCall): Decision;
}

/** What a user is asked to approve: the call, its claims, and why approval is needed. */
export interface ApprovalRequest {
  readonly token: string;
  readonly call: PolicyCall;
  readonly claims: readonly Claim[];
  readonly rule: string;
  readonly risk: Decision["risk"];
  readonly reason: string;
}

/** Asks a user, or decides for one. A rejection or a timeout denies the call. */
export interface Approver {
  ask(request: ApprovalRequest, io: Io): Promise<Approval>;
}

/** The audit entry of a call before it runs. */
export interface AuditBegin {
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The backend that calls go to unless they choose another, and the directory on it that they work in. */
  readonly backend: string;
  readonly workspace: string;
  /** SHA-256 of the input as the model sent it, hex. */
  readonly inputDigest: string;
  /** The input, redacted and truncated to 4 KiB. */
  readonly input: string;
}

/** The audit entry of how a call ended. */
export interface AuditEnd {
  readonly status: string;
  readonly code?: string;
  readonly rule?: string;
  readonly effect?: string;
  readonly approver?: string | null;
  /** The backend that the call was aimed at. */
  readonly backend?: string;
  /** With their texts redacted and each truncated to 4 KiB. */
  readonly claims?: readonly Claim[];
  readonly tookMs: number;
  readonly truncations?: number;
  readonly note?: string;
}

/**
 * Every call has a begin and an end entry, however it ends. `begin` rejects, or throws, when the entry could not be kept: the
 * call then does not run. Both may answer at once where nothing has to be waited for.
 */
export interface Audit {
  begin(entry: AuditBegin): string | Promise<string>;
  /**
   * A rejection, and an answer that does not come within 6 s, costs the record only: the call's outcome is what it was.
   * Outlives a cancelled call: its end is written down too.
   */
  end(id: string, entry: AuditEnd): void | Promise<void>;
}

/** What is known of a kept output. */
export interface ArtifactInfo {
  readonly id: string;
  readonly what: string;
  readonly producedBytes: number;
  readonly keptBytes: number;
  readonly createdMs: number;
  readonly provenance?: Provenance;
  /** The tool whose call has kept it, by Haft's own name of it. */
  readonly tool?: string;
}

/** Writes one artifact. */
export interface ArtifactWriter {
  readonly id: string;
  /** Never rejects for size: bytes beyond the limit are counted. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<{ readonly producedBytes: number; readonly keptBytes: number }>;
  /** Gives up what was written, also after `end`: the artifact is then unknown. Optional; without it what was written stays. */
  discard?(): Promise<void>;
}

/** `gap`: bytes `from` to `to` of the produced stream were not kept. */
export type ArtifactPart = {
  readonly bytes: Uint8Array;
  readonly keptBytes: number;
  readonly producedBytes: number;
  readonly gap?: readonly [from: number, to: number];
};

/**
 * Outputs that did not fit an answer. Each keeps the first and last 32 MiB and counts the gap; a session keeps 256 MiB,
 * oldest evicted first. Offsets count produced bytes.
 */
export interface Artifacts {
  /** @throws `STORE_UNWRITABLE`; the writer's `write` rejects with it too, and with `STORE_CLOSED` after its `end`. */
  create(about: Pick<ArtifactInfo, "what" | "provenance" | "tool">): Promise<ArtifactWriter>;
  /**
   * At most `length` bytes from `offset`; inside the gap no bytes come and `gap` tells where it ends.
   * @throws `STORE_CONFLICT` where what is stored is damaged.
   */
  read(id: string, offset: number, length: number): Promise<ArtifactPart | "evicted" | "unknown">;
  list(): Promise<readonly ArtifactInfo[]>;
  /**
   * Copies the kept bytes to a file of a backend, which replaces what stands there.
   * @throws `ARTIFACT_EVICTED`, `ARTIFACT_UNKNOWN`; whatever `fs.replaceAtomic` rejects with, `CALL_CANCELLED` among it.
   */
  export(id: string, fs: Fs, path: string): Promise<{ readonly bytes: number }>;
}

/** Mutual exclusion by key, in this process and between processes that share the state directory. Never waits past `io`. */
export interface Locks {
  /**
   * Runs `body` while nobody else holds `key`, and settles as it does. Without `timeoutMs` it waits as long as it takes; once it
   * holds the lock neither limit ends `body`.
   * @throws `CALL_CANCELLED` when `signal` fires while it waits, `STORE_CONFLICT` when `timeoutMs` is over before, and
   *   `STORE_UNWRITABLE` where the lock cannot be written down.
   */
  hold<T>(key: string, io: Io, body: () => Promise<T>): Promise<T>;
}

/** Whole JSON documents by key, replaced under their lock. */
export interface Store {
  /** Undefined when there is none. @throws `STORE_CONFLICT` where what is stored is no valid JSON. */
  get(key: string): Promise<unknown>;
  /**
   * Reads, changes and writes as one step; cannot be cancelled. Returning undefined deletes.
   * @throws `STORE_CONFLICT` as `get` does, `STORE_UNWRITABLE`; what `change` throws, and nothing is written then.
   */
  update(key: string, change: (old: unknown) => unknown): Promise<void>;
}

/** Attributes uncaught faults of timers and streams to the call whose tool started them. */
export interface Faults {
  /** Runs `body`; a fault thrown later from what it started reaches `onFault`, until the returned promise settles. */
  watch<T>(body: () => Promise<T>, onFault: (thrown: unknown) => void): Promise<T>;
}

/** Removes secrets from text before it reaches a model or the audit log. */
export interface Redactor {
  redact(text: string): string;
}

/** SHA-256 as hex; may be asynchronous, so that the kernel needs no Node built-in. */
export type Digest = (bytes: Uint8Array | string) => Promise<string> | string;

/** The model port of the agent loop; here so that adapters and hosts agree on it. */
export interface Model {
  chat(messages: readonly unknown[], tools: readonly unknown[], signal: AbortSignal): Promise<unknown>;
}

/** The web port. A host that has none gives its tools none. */
export interface Http {
  fetch(url: string, options?: { readonly method?: string; readonly signal?: AbortSignal }): Promise<never>;
}
