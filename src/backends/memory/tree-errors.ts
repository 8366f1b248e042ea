/** The errors of the file tree: one table of codes, reasons and what a POSIX system would have said. */
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
export const RESOLVING: Doing = ["resolve", "realpath"];

const FAULTS = {
  FS_NOT_FOUND: ["ENOENT", "no such file or directory", "it does not exist. Check the path"],
  FS_EXISTS: ["EEXIST", "file already exists", "something of that name exists already. Choose another name"],
  FS_NOT_A_DIRECTORY: ["ENOTDIR", "not a directory", "a part of the path is not a folder. Check the path"],
  FS_NOT_EMPTY: [
    "ENOTEMPTY",
    "directory not empty",
    "the folder is not empty. Remove it with all that it holds, or empty it",
  ],
  FS_LINK_LOOP: [
    "ELOOP",
    "too many symbolic links encountered",
    "its links lead round in a ring. Name the file itself",
  ],
  FS_BAD_PATH: ["EINVAL", "invalid argument", "it lies inside itself. Choose another place"],
} as const satisfies Partial<Record<ErrorCode, readonly [string, string, string]>>;

export function treeError(code: keyof typeof FAULTS, [did, call]: Doing, path: string): HaftError {
  const [errno, text, why] = FAULTS[code];
  return new HaftError(code, `Did not ${did} "${path}": ${why}.`, {
    details: { path, system: `${errno}: ${text}, ${call} '${path}'` },
  });
}

const KIND_NAMES = {
  directory: "a folder",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
  link: "a link",
} as const;

export function notAFile([did]: Doing, path: string, kind: keyof typeof KIND_NAMES): HaftError {
  const system = kind === "directory" ? { system: "EISDIR: illegal operation on a directory, read" } : {};
  return new HaftError("FS_NOT_A_FILE", `Did not ${did} "${path}": it is ${KIND_NAMES[kind]}. Name a regular file.`, {
    details: { path, kind, ...system },
  });
}

export function stale(path: string, why: string, details: Readonly<Record<string, unknown>>): HaftError {
  return new HaftError("FS_STALE", `Did not write "${path}": ${why}. Read it again before you write it.`, {
    details: { path, ...details },
  });
}

const MAX_NAME_BYTES = 255;

/** Refuses what no name can hold, before anything is looked at. */
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
  const tooLong =
    path.length > MAX_NAME_BYTES / 3 &&
    path.split("/").some((name) => new TextEncoder().encode(name).length > MAX_NAME_BYTES);
  return tooLong ? `a name in it is longer than ${MAX_NAME_BYTES} bytes` : undefined;
}
