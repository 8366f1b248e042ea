/** What the operating system refuses, in Haft's codes; its own text goes into `details.system`. */
import { type ErrorCode, HaftError } from "../../kernel/index.js";

/** The code, the system's text, and what the reader of the message learns and does next. */
const FAULTS: Readonly<Record<string, readonly [ErrorCode, system: string, why: string]>> = {
  ENOENT: ["FS_NOT_FOUND", "no such file or directory", "it does not exist. Check the path"],
  EEXIST: ["FS_EXISTS", "file already exists", "something of that name exists already. Choose another name"],
  EISDIR: ["FS_NOT_A_FILE", "illegal operation on a directory", "it is a folder. Name a file"],
  ENOTDIR: ["FS_NOT_A_DIRECTORY", "not a directory", "a part of the path is not a folder. Check the path"],
  ENOTEMPTY: [
    "FS_NOT_EMPTY",
    "directory not empty",
    "the folder is not empty. Remove it with all that it holds, or empty it",
  ],
  EACCES: ["FS_PERMISSION", "permission denied", "the system does not permit it. Use another path"],
  EPERM: ["FS_PERMISSION", "operation not permitted", "the system does not permit it. Use another path"],
  ELOOP: [
    "FS_LINK_LOOP",
    "too many symbolic links encountered",
    "its links lead round in a ring. Name the file itself",
  ],
  ENAMETOOLONG: ["FS_BAD_PATH", "name too long", "the path or a name in it is too long. Use a shorter one"],
  EINVAL: ["FS_BAD_PATH", "invalid argument", "the system takes no such path here. Use another"],
  ENOSPC: ["FS_NO_SPACE", "no space left on device", "the disk is full. Free some space"],
  EDQUOT: ["FS_NO_SPACE", "disk quota exceeded", "the disk quota is used up. Free some space"],
  EFBIG: ["FS_TOO_LARGE", "file too large", "the file system takes no file of that size. Write less"],
  EROFS: ["FS_READ_ONLY", "read-only file system", "the file system is read-only. Use another path"],
};

/** What the kinds of `FS_NOT_A_FILE` are called in a sentence. */
const KIND_NAMES = {
  directory: "a folder",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
  link: "a link",
} as const;

export type OddKind = keyof typeof KIND_NAMES;

/** The system's `code` of anything thrown, or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Turns what a system call threw into a HaftError about the path that was asked for; a HaftError passes unchanged.
 * @param did - What did not happen, as a verb: "read", "write".
 */
export function fsFault(thrown: unknown, did: string, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const { code, syscall, message } = thrown as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return thrown;
  const known = FAULTS[code];
  // Node names no path for a folder that is read, and neither do we; elsewhere the descriptor's path would be of no use.
  const where = code === "EISDIR" ? "" : ` '${path}'`;
  const text = known?.[1] ?? message.replace(/^[A-Z0-9]+: /, "").replace(/, \w+( '.*)?$/s, "");
  const system = `${code}: ${text}, ${syscall}${where}`;
  const kind = code === "EISDIR" ? { kind: "directory" } : {};
  const bad = code === "ENAMETOOLONG" ? { why: whatIsTooLong(path) } : {};
  const why = known?.[2] ?? `the system says ${code}, ${text}. Try again, or use another path`;
  return new HaftError(known?.[0] ?? "FS_IO", `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...kind, ...bad, system },
    cause: thrown,
  });
}

const MAX_NAME_BYTES = 255;

function whatIsTooLong(path: string): string {
  const isName = path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  return isName ? `a name in it is longer than ${MAX_NAME_BYTES} bytes` : "it is longer than the system allows";
}

export function notAFile(did: string, path: string, kind: OddKind): HaftError {
  const system = kind === "directory" ? { system: "EISDIR: illegal operation on a directory, read" } : {};
  return new HaftError("FS_NOT_A_FILE", `Did not ${did} "${path}": it is ${KIND_NAMES[kind]}. Name a regular file.`, {
    details: { path, kind, ...system },
  });
}

export function notFound(did: string, path: string, syscall: string): HaftError {
  return new HaftError("FS_NOT_FOUND", `Did not ${did} "${path}": it does not exist. Check the path.`, {
    details: { path, system: `ENOENT: no such file or directory, ${syscall} '${path}'` },
  });
}

export function badPath(did: string, path: string, why: string): HaftError {
  return new HaftError("FS_BAD_PATH", `Did not ${did} "${path.replaceAll("\0", "\\0")}": ${why}.`, {
    details: { path, why },
  });
}

export function linkLoop(did: string, path: string): HaftError {
  return fsFault({ code: "ELOOP", syscall: "open", message: "" }, did, path) as HaftError;
}
