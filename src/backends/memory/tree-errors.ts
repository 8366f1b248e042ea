/** The errors of the file tree, in the words that all backends share. */
import { badPath, type Errno, type HaftError, pathProblem, systemFault } from "../../kernel/index.js";

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

/** What a POSIX system would have refused. */
export function treeError(errno: Errno, [did, call]: Doing, path: string): HaftError {
  return systemFault(errno, did, path, call);
}

/** Refuses what no name can hold, before anything is looked at. @throws `FS_BAD_PATH` */
export function requirePath([did]: Doing, path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw badPath(did, path, problem);
}
