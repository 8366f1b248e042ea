/** What the operations of a third party reject with, in Haft's codes. Its errors may be anything. */
import { type ErrorCode, HaftError, messageOf } from "../errors.js";

/** What a code of POSIX means here. */
const CODES: Readonly<Record<string, readonly [ErrorCode, why: string]>> = {
  ENOENT: ["FS_NOT_FOUND", "it does not exist. Check the path"],
  EEXIST: ["FS_EXISTS", "something of that name exists already. Choose another name"],
  EISDIR: ["FS_NOT_A_FILE", "it is a folder. Name a file"],
  ENOTDIR: ["FS_NOT_A_DIRECTORY", "a part of the path is not a folder. Check the path"],
  ENOTEMPTY: ["FS_NOT_EMPTY", "the folder is not empty. Remove it with all that it holds, or empty it"],
  EACCES: ["FS_PERMISSION", "the system does not permit it. Use another path"],
  EPERM: ["FS_PERMISSION", "the system does not permit it. Use another path"],
  ELOOP: ["FS_LINK_LOOP", "its links lead round in a ring. Name the file itself"],
  ENAMETOOLONG: ["FS_BAD_PATH", "the path or a name in it is too long. Use a shorter one"],
  ENOSPC: ["FS_NO_SPACE", "the disk is full. Free some space"],
  EROFS: ["FS_READ_ONLY", "the file system is read-only. Use another path"],
};

export function coreFault(thrown: unknown, did: string, path: string): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const code = String((thrown as { readonly code?: unknown } | null)?.code ?? "");
  const known = CODES[code];
  const why = known?.[1] ?? `the backend says: ${messageOf(thrown)}. Try again, or use another path`;
  return new HaftError(known?.[0] ?? "FS_IO", `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...(known?.[0] === "FS_NOT_A_FILE" ? { kind: "directory" } : {}), system: messageOf(thrown) },
    cause: thrown,
  });
}

export function fault(
  code: "FS_NOT_FOUND" | "FS_EXISTS" | "FS_NOT_A_DIRECTORY" | "FS_NOT_EMPTY" | "FS_LINK_LOOP",
  did: string,
  path: string,
): HaftError {
  const [, why] = Object.values(CODES).find(([one]) => one === code) as readonly [ErrorCode, string];
  return new HaftError(code, `Did not ${did} "${path}": ${why}.`, { details: { path } });
}

export function notAFile(did: string, path: string, kind: "directory" | "device"): HaftError {
  const what = kind === "directory" ? "a folder" : "no regular file";
  return new HaftError("FS_NOT_A_FILE", `Did not ${did} "${path}": it is ${what}. Name a regular file.`, {
    details: { path, kind },
  });
}

export function unsupported(backend: string, feature: string, next: string): HaftError {
  return new HaftError("BACKEND_UNSUPPORTED", `Did nothing: the backend "${backend}" has no ${feature}. ${next}`, {
    details: { backend, feature },
  });
}
