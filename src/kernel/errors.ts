/**
 * The one error class that ports, stores and configuration throw. Tool failures are results, never throws; what a port
 * throws inside a tool becomes such a result in the pipeline.
 */

/** Every code that Haft reports, with what `details` carries. The tool of a third party may fail with a code of its own, in capitals. */
export const ERROR_CODES = [
  "FS_NOT_FOUND", // { path }
  "FS_EXISTS", // { path }
  "FS_NOT_A_FILE", // { path, kind: "directory" | "fifo" | "socket" | "device" | "link" }
  "FS_NOT_A_DIRECTORY", // { path }
  "FS_NOT_EMPTY", // { path }
  "FS_PERMISSION", // { path }
  "FS_BAD_PATH", // { path, why }
  "FS_LINK_LOOP", // { path }
  "FS_NOT_TEXT", // { path, offset? }
  "FS_TOO_LARGE", // { path, sizeBytes, maxBytes }
  "FS_STALE", // { path, expected?, found?, region? }
  "FS_NOT_READ", // { path, sizeBytes, modifiedMs, sha256 }
  "FS_NO_SPACE", // { path, why? }
  "FS_READ_ONLY", // { path }
  "FS_CROSS_DEVICE", // { path } of a move
  "FS_IO", // { path, system }
  "EDIT_NOT_FOUND", // { nearest }
  "EDIT_AMBIGUOUS", // { lines, count }
  "EDIT_IDENTICAL",
  "EDIT_EMPTY",
  "EDIT_NO_CHANGE",
  "EDIT_OVERLAP", // { edits }
  "SHELL_TIMEOUT", // { timeoutMs }
  "SHELL_CANCELLED",
  "SHELL_SIGNALLED", // { signal }
  "SHELL_EXIT", // { exitCode }
  "SHELL_OUTPUT_LIMIT",
  "SHELL_SPAWN", // { system }
  "JOB_UNKNOWN", // { id }
  "JOB_INPUT_CLOSED", // { id }
  "SCHEDULE_UNKNOWN", // { id }
  "SCHEDULE_AMBIGUOUS", // { id, ids } several have this name
  "TERMINAL_PANE_GONE", // { pane }
  "TERMINAL_NOT_OWNED", // { pane }
  "TERMINAL_BUSY", // { pane, command } its shell does not wait for a command
  "TERMINAL_KEY", // { key } no such key
  "SEARCH_PATTERN", // { pattern, why }
  "SEARCH_UNSUPPORTED", // { pattern, feature }
  "WEB_UNREACHABLE", // { url, why?, system? } no connection, or one that broke; why as a clause
  "WEB_TIMEOUT", // { url, timeoutMs }
  "WEB_REDIRECTS", // { url, redirects }
  "WEB_STATUS", // { url, status }
  "WEB_UNREADABLE", // { url, why } a body that cannot be decoded or shown
  "WEB_SEARCH_BLOCKED", // { provider }
  "WEB_SEARCH_FAILED", // { provider, status?, why }
  "POLICY_DENIED", // { rule, claim?, deniedBy?: "approver" }
  "POLICY_APPROVAL_REQUIRED", // { token? }
  "POLICY_RATE_LIMITED",
  "BACKEND_UNAVAILABLE", // { backend, reason?, why?, began? } why as a clause; reason: its kind, of a backend that knows kinds
  "BACKEND_UNSUPPORTED", // { backend, feature }
  "MEDIA_UNREADABLE", // { why, problem }, a MediaFault and it as a clause
  "ARTIFACT_UNKNOWN", // { id }
  "ARTIFACT_EVICTED", // { id }
  "CONFIG_INVALID",
  "CONFIG_MISSING_PACKAGE", // { package }
  "STORE_CONFLICT", // { path, reason } where it is a file or database
  "STORE_CLOSED",
  "STORE_UNWRITABLE", // { path, reason? } the reason as a clause
  "STORE_INVALID", // { key, why } a key or value that cannot be stored
  "STORE_NEWER", // { path, known } what a newer version has written, and the newest format that this one knows
  "REGISTRY_UNKNOWN_TOOL", // { name }
  "REGISTRY_UNKNOWN_COLLECTION", // { name }
  "REGISTRY_INVALID_TOOL", // { name, why }
  "CALL_INVALID", // { parameter?, missing?, problem }
  "CALL_UNKNOWN_TOOL", // { name, nearest }
  "CALL_CANCELLED", // { path?, began? } began "unknown": of a change that may have happened
  "CALL_TIMEOUT", // { deadlineMs, path?, began? }
  "CALL_ABANDONED",
  "CALL_REVOKED", // a port was used after its call had settled
  "CALL_UNCLAIMED", // { claim } a port was used for something that the call never claimed
  "CALL_THREW",
  "CALL_MALFORMED", // { why } what a tool claimed or returned is not what the contract says
  "TODO_INVALID", // { index, why }
] as const;

/** A code of `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[number];

const MARK = Symbol.for("haft.error");

/** What the caller may attach to an error. */
export interface HaftErrorOptions {
  /** What to do next, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The measured facts behind the message; see `ERROR_CODES` for the fields of each code. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A fault with a code. Recognise it with `HaftError.is`, which works across copies of the package, not with `instanceof`.
 * `message` is for the reader who must act: what did not happen, why, what to do; it never holds a stack or a secret.
 */
export class HaftError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: HaftErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = Object.freeze({ ...options.details });
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Whether `value` is a HaftError, of this copy of the package or another; with `code`, of that code. */
  static is(value: unknown, code?: ErrorCode): value is HaftError {
    if (typeof value !== "object" || value === null || !(MARK in value)) return false;
    return code === undefined || (value as unknown as HaftError).code === code;
  }
}
Object.defineProperty(HaftError.prototype, "name", { value: "HaftError", configurable: true, writable: true });
// A tool gets errors, and from them the class by which the kernel recognizes others.
Object.freeze(HaftError);
Object.freeze(HaftError.prototype);

/** Characters of a thrown object that are shown as JSON. */
const SHOWN_JSON = 500;

/** The message of anything thrown: its own, else its text or JSON. Never a stack, and never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    const { message } = thrown as { readonly message?: unknown };
    if (typeof message === "string" && message !== "") return message;
    const text = String(thrown);
    return text === "[object Object]" ? JSON.stringify(thrown).slice(0, SHOWN_JSON) : text;
  } catch {
    return "it threw a value without a message";
  }
}

const GONE = {
  evicted: ["ARTIFACT_EVICTED", "it was evicted for newer artifacts. Run the command again"],
  unknown: ["ARTIFACT_UNKNOWN", "this session has no such artifact. Check the id"],
} as const;

/** The error for an artifact that is not there to be exported, in the words of every store. */
export function artifactFault(id: string, found: keyof typeof GONE): HaftError {
  const [code, why] = GONE[found];
  return new HaftError(code, `Did not export "${id}": ${why}.`, { details: { id } });
}

/** For a promise where none belongs: its rejection is ignored, because an unhandled one would end the process. */
export function ignoreRejection(value: unknown): void {
  Promise.resolve(value).catch(() => {});
}

/** Calls a listener of the host and ignores what it throws. */
export function callSafely(listener: () => void): void {
  try {
    listener();
  } catch {}
}
