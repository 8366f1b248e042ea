/** The errors of file operations: one table and one wording for all backends. */
import { hasLoneSurrogate, utf8Length } from "../text/index.js";
import { type ErrorCode, HaftError } from "./errors.js";

/** Our code, the words of the system, and what the reader learns and does next. */
type SystemRefusal = readonly [code: ErrorCode, system: string, why: string];

const NOT_PERMITTED = "permission denied. Use another path";

const RESOURCE_ERRORS = {
  EMFILE: [
    "this process has too many open files",
    "Try again with fewer calls at once, or raise the limit with `ulimit -n`",
  ],
  ENFILE: ["the system has too many open files", "Try again later"],
  EAGAIN: ["the system cannot start another process", "Try again later"],
  ENOMEM: ["the system is out of memory", "Try again later"],
} as const;

/** The temporary shortage that made the system refuse, if any: a clause, and the next step. */
export function shortageOf(thrown: unknown): { readonly why: string; readonly next: string } | undefined {
  const code = systemCode(thrown) ?? "";
  if (!Object.hasOwn(RESOURCE_ERRORS, code)) return undefined;
  const [why, next] = RESOURCE_ERRORS[code as keyof typeof RESOURCE_ERRORS];
  return { why, next };
}

/** The system's `code` of anything thrown, or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

const REFUSALS = {
  ENOENT: ["FS_NOT_FOUND", "no such file or directory", "it does not exist. Check the path"],
  EEXIST: ["FS_EXISTS", "file already exists", "it already exists. Choose another name"],
  EISDIR: ["FS_NOT_A_FILE", "illegal operation on a directory", "it is a directory. Name a regular file"],
  ENOTDIR: ["FS_NOT_A_DIRECTORY", "not a directory", "a parent of the path is not a directory. Check the path"],
  ENOTEMPTY: [
    "FS_NOT_EMPTY",
    "directory not empty",
    "the directory is not empty. Remove it recursively, or empty it first",
  ],
  EACCES: ["FS_PERMISSION", "permission denied", NOT_PERMITTED],
  EPERM: ["FS_PERMISSION", "operation not permitted", NOT_PERMITTED],
  ELOOP: ["FS_LINK_LOOP", "too many symbolic links encountered", "its symlinks form a loop. Name the file itself"],
  ENAMETOOLONG: ["FS_BAD_PATH", "name too long", "the path or a name in it is too long. Use a shorter one"],
  EINVAL: ["FS_BAD_PATH", "invalid argument", "the system rejects this path. Use another"],
  ENOSPC: ["FS_NO_SPACE", "no space left on device", "the disk is full. Free some space"],
  EDQUOT: ["FS_NO_SPACE", "disk quota exceeded", "the disk quota is exceeded. Free some space"],
  EFBIG: ["FS_TOO_LARGE", "file too large", "the file would be too large for the file system. Write less"],
  EXDEV: [
    "FS_CROSS_DEVICE",
    "cross-device link not permitted",
    "it is on another file system, and a move must be atomic. Copy it, then remove it",
  ],
  EMFILE: ["FS_IO", "too many open files", RESOURCE_ERRORS.EMFILE.join(". ")],
  ENFILE: ["FS_IO", "too many open files in system", RESOURCE_ERRORS.ENFILE.join(". ")],
  EROFS: ["FS_READ_ONLY", "read-only file system", "the file system is read-only. Use another path"],
} as const satisfies Readonly<Record<string, SystemRefusal>>;

/** A POSIX code of the table. */
export type Errno = keyof typeof REFUSALS;

/** Our code for a POSIX code ("ENOENT"); undefined for one without its own, which is `FS_IO`. */
export function systemRefusal(errno: string): SystemRefusal | undefined {
  return Object.hasOwn(REFUSALS, errno) ? REFUSALS[errno as Errno] : undefined;
}

/**
 * The error for a failed system call, real or emulated.
 *
 * @param did - What did not happen, as a verb: "read", "make the directory".
 * @param call - The system call that it would have been, for `details.system`; absent: that detail is omitted.
 */
export function systemFault(errno: Errno, did: string, path: string, call?: string): HaftError {
  const [code, system, why] = REFUSALS[errno];
  return new HaftError(code, `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...(call === undefined ? {} : { system: `${errno}: ${system}, ${call} '${path}'` }) },
  });
}

/**
 * The error about `path` for what a system call or a foreign operation threw. A HaftError is returned unchanged.
 *
 * @param said - `system`: the original message, for `details.system`. `otherwise`: the reason and the next step if the code is
 *   unknown.
 */
export function thrownFault(
  thrown: unknown,
  did: string,
  path: string,
  said: { readonly system: string; readonly otherwise: string },
): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const errno = systemCode(thrown) ?? "";
  const [code, , why] = systemRefusal(errno) ?? ["FS_IO", "", said.otherwise];
  const kind = code === "FS_NOT_A_FILE" ? { kind: "directory" } : {};
  const bad = errno === "ENAMETOOLONG" ? { why: whatIsTooLong(path) } : {};
  return new HaftError(code, `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...kind, ...bad, system: said.system },
    cause: thrown,
  });
}

const KIND_NAMES = {
  directory: "a directory",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
  link: "a symlink",
} as const;

/** A kind of entry that is not a regular file. */
export type SpecialFileKind = keyof typeof KIND_NAMES;

/** The error for what is not a regular file. `what` names it in the sentence; default: by its kind. */
export function notAFile(did: string, path: string, kind: SpecialFileKind, what: string = KIND_NAMES[kind]): HaftError {
  const system = kind === "directory" ? { system: "EISDIR: illegal operation on a directory, read" } : {};
  return new HaftError("FS_NOT_A_FILE", `Did not ${did} "${path}": it is ${what}. Name a regular file.`, {
    details: { path, kind, ...system },
  });
}

const STALE = {
  present: "it already exists",
  gone: "the file no longer exists",
  changed: "the file has changed since it was read",
} as const;

/** The error for a file that is not as the writer expects. */
export function staleFile(
  path: string,
  why: keyof typeof STALE,
  details: Readonly<Record<string, unknown>>,
): HaftError {
  return new HaftError("FS_STALE", `Did not write "${path}": ${STALE[why]}. Read it again before you write it.`, {
    details: { path, ...details },
  });
}

/** The error for a file that is larger than the reader takes. */
export function tooLarge(path: string, sizeBytes: number, maxBytes: number): HaftError {
  return new HaftError(
    "FS_TOO_LARGE",
    `Did not read "${path}": it has ${sizeBytes} bytes and the limit is ${maxBytes}. Read part of it.`,
    { details: { path, sizeBytes, maxBytes } },
  );
}

/** The error of an operation whose own signal has fired. */
export function cancelledOperation(did: string, path: string): HaftError {
  return new HaftError("CALL_CANCELLED", `Did not ${did} "${path}": the operation was cancelled.`, {
    details: { path },
  });
}

/** The error of an operation whose time limit has passed. */
export function outOfTime(limitMs: number): HaftError {
  const deadlineMs = Math.max(0, Math.round(limitMs));
  return new HaftError("CALL_TIMEOUT", `Stopped after ${deadlineMs} ms. Allow more time.`, {
    details: { deadlineMs },
  });
}

/** The error for an invalid path. `why` is a clause that may end with the next step; it is also in `details`. */
export function badPath(did: string, path: string, why: string): HaftError {
  const [reason = why] = why.split(". ");
  return new HaftError("FS_BAD_PATH", `Did not ${did} "${path.replaceAll("\0", "\\0")}": ${why}.`, {
    details: { path, why: reason },
  });
}

/** Rejects an object in place of a path: it could be another text each time it is read. */
export function requireText(did: string, path: unknown): asserts path is string {
  if (typeof path === "string") return;
  throw new HaftError("FS_BAD_PATH", `Did not ${did} anything: the path is not a string.`, {
    details: { path: typeof path, why: "not a string" },
  });
}

/** The error for a directory that would be moved below itself. */
export function intoItself(did: string, path: string, to: string): HaftError {
  return badPath(did, path, `"${to}" is inside it. Choose a target outside it`);
}

/** The error for a name that is not UTF-8. It was listed with replacement characters, so the path cannot be opened. */
export function notUtf8Name(did: string, path: string): HaftError {
  return badPath(did, path, "the name is not UTF-8. Rename it");
}

const MAX_NAME_BYTES = 255;
/** The longest path that Linux accepts; backends without a kernel use the same limit. */
const MAX_PATH_BYTES = 4_095;

function hasLongName(path: string): boolean {
  return path.split("/").some((name) => utf8Length(name) > MAX_NAME_BYTES);
}

function whatIsTooLong(path: string): string {
  if (hasLongName(path)) return `a name in it is longer than ${MAX_NAME_BYTES} bytes`;
  return "it is longer than the system allows";
}

/** Why no POSIX system can have this path, as a clause for `badPath`; undefined when one can. */
export function pathProblem(path: string): string | undefined {
  if (path.includes("\0")) return "a path cannot contain a NUL byte. Remove it";
  // It would be encoded as U+FFFD, and open another file than the one that was judged.
  if (hasLoneSurrogate(path)) return "a path cannot contain a lone surrogate. Remove it";
  if (!path.startsWith("/"))
    return "it is not absolute. Pass `ctx.resolve(path)`, which resolves it against the working directory";
  // No UTF-16 code unit is more than three bytes of UTF-8.
  if (path.length <= MAX_NAME_BYTES / 3) return undefined;
  if (hasLongName(path)) return `a name in it is longer than ${MAX_NAME_BYTES} bytes. Use a shorter one`;
  const isLong = path.length > MAX_PATH_BYTES / 3 && utf8Length(path) > MAX_PATH_BYTES;
  return isLong ? `it is longer than ${MAX_PATH_BYTES} bytes. Use a shorter one` : undefined;
}
