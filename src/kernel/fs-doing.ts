/** What an operation on files was doing when it was refused, in the words that every backend uses. */
import type { HaftError } from "./errors.js";
import { badPath, type Errno, pathProblem, systemFault } from "./fs-faults.js";

/** The verb of the message ("Did not read"), and the system call that it would have been. */
export type Doing = readonly [did: string, call: string];

/** The operations of the port. */
export const DOING = {
  reading: ["read", "open"],
  listing: ["list", "scandir"],
  looking: ["look at", "stat"],
  writing: ["write", "open"],
  making: ["make the folder", "mkdir"],
  removing: ["remove", "rm"],
  moving: ["rename", "rename"],
  resolving: ["resolve", "realpath"],
} as const satisfies Readonly<Record<string, Doing>>;

/** The error for what a POSIX system refuses, or would have refused. */
export function refusedBy(errno: Errno, [did, call]: Doing, path: string): HaftError {
  return systemFault(errno, did, path, call);
}

/** Refuses what no name can hold, before anything is looked at. @throws `FS_BAD_PATH` */
export function requirePath([did]: Doing, path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw badPath(did, path, problem);
}
