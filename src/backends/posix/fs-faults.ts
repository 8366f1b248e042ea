/** What the far side refuses, in Haft's codes. */
import { type ErrorCode, HaftError } from "../../kernel/index.js";

/** What was being done: the verb of the message, and the system call that it would have been. */
export type Doing = readonly [did: string, call: string];

export const READING: Doing = ["read", "open"];
export const LISTING: Doing = ["list", "scandir"];
export const LOOKING: Doing = ["look at", "stat"];
export const WRITING: Doing = ["write", "open"];
export const MAKING: Doing = ["make the folder", "mkdir"];
export const REMOVING: Doing = ["remove", "rm"];
export const MOVING: Doing = ["rename", "rename"];

/** The far side's word, with the code, what a system would have said, and what the reader learns and does next. */
const FAULTS: Readonly<Record<string, readonly [code: ErrorCode, errno: string, text: string, why: string]>> = {
  absent: ["FS_NOT_FOUND", "ENOENT", "no such file or directory", "it does not exist. Check the path"],
  notdir: ["FS_NOT_A_DIRECTORY", "ENOTDIR", "not a directory", "a part of the path is not a folder. Check the path"],
  denied: ["FS_PERMISSION", "EACCES", "permission denied", "the system does not permit it. Use another path"],
  loop: [
    "FS_LINK_LOOP",
    "ELOOP",
    "too many symbolic links encountered",
    "its links lead round in a ring. Name the file itself",
  ],
  toolong: ["FS_BAD_PATH", "ENAMETOOLONG", "name too long", "the path or a name in it is too long. Use a shorter one"],
  exists: ["FS_EXISTS", "EEXIST", "file already exists", "something of that name exists already. Choose another name"],
  notempty: [
    "FS_NOT_EMPTY",
    "ENOTEMPTY",
    "directory not empty",
    "the folder is not empty. Remove it with all that it holds, or empty it",
  ],
  nospace: ["FS_NO_SPACE", "ENOSPC", "no space left on device", "the disk is full. Free some space"],
  readonly: ["FS_READ_ONLY", "EROFS", "read-only file system", "the file system is read-only. Use another path"],
  inside: ["FS_BAD_PATH", "EINVAL", "invalid argument", "it lies inside itself. Choose another place"],
  changed: ["FS_STALE", "ESTALE", "stale file", "it was replaced while it was opened. Try again"],
};

const KIND_NAMES: Readonly<Record<string, string>> = {
  directory: "a folder",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
  link: "a link",
};

/** The error for the far side's word `code`; `note` is what it adds: a kind, a hash, or a tool's own words. */
export function fsFault(code: string, note: string, [did, call]: Doing, path: string): HaftError {
  if (code === "nofile") {
    const system = note === "directory" ? { system: "EISDIR: illegal operation on a directory, read" } : {};
    const what = KIND_NAMES[note] ?? "no file";
    return new HaftError("FS_NOT_A_FILE", `Did not ${did} "${path}": it is ${what}. Name a regular file.`, {
      details: { path, kind: note, ...system },
    });
  }
  if (code === "unclaimed") {
    return new HaftError(
      "CALL_UNCLAIMED",
      `Did not ${did} "${path}": the call did not claim all of it. Claim it in the tool's \`claims\`, or name the parts.`,
      { details: { path } },
    );
  }
  const known = FAULTS[code];
  if (known === undefined) {
    const words = note.replace(/\s+/g, " ").trim() || "the far side could not do it";
    return new HaftError("FS_IO", `Did not ${did} "${path}": ${words}. Try again, or use another path.`, {
      details: { path, system: words },
    });
  }
  const [is, errno, text, why] = known;
  return new HaftError(is, `Did not ${did} "${path}": ${why}.`, {
    details: { path, system: `${errno}: ${text}, ${call} '${path}'` },
  });
}

const STALE: Readonly<Record<string, string>> = {
  absent: "there is no file any more",
  present: "something of that name exists already",
  version: "it has changed since",
  changed: "it has changed just now",
};

/** `note` is one of the words above, or the hash that the file has. */
export function staleFault(note: string, path: string, details: Readonly<Record<string, unknown>>): HaftError {
  const why = STALE[note] ?? "its bytes are not the expected ones";
  const found = STALE[note] === undefined ? { found: note } : {};
  return new HaftError("FS_STALE", `Did not write "${path}": ${why}. Read it again before you write it.`, {
    details: { path, ...details, ...found },
  });
}

const MAX_NAME_BYTES = 255;

/** Refuses what no name can hold. @throws `FS_BAD_PATH` */
export function requirePath([did]: Doing, path: string): void {
  const why = badPath(path);
  if (why === undefined) return;
  throw new HaftError("FS_BAD_PATH", `Did not ${did} "${path.replaceAll("\0", "\\0")}": ${why}.`, {
    details: { path, why },
  });
}

function badPath(path: string): string | undefined {
  if (path.includes("\0")) return "a path cannot hold a NUL byte";
  if (!path.startsWith("/")) return "it is not absolute. Give a path from the root";
  const hasLongName =
    path.length > MAX_NAME_BYTES / 3 && path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  return hasLongName ? `a name in it is longer than ${MAX_NAME_BYTES} bytes` : undefined;
}
