/** What an operation on files was doing when it was refused, in the words that every backend uses. */
import { HaftError } from "./errors.js";
import { badPath, cancelledOperation, type Errno, pathProblem, systemFault } from "./fs-faults.js";

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
  searching: ["search", "open"],
} as const satisfies Readonly<Record<string, Doing>>;

/** The error for what a POSIX system refuses, or would have refused. */
export function refusedBy(errno: Errno, [did, call]: Doing, path: string): HaftError {
  return systemFault(errno, did, path, call);
}

/**
 * Refuses what no name can hold, and to remove or to move the root, before anything is looked at.
 * @throws `FS_BAD_PATH`, `FS_PERMISSION`
 */
export function requirePath(doing: Doing, path: string): void {
  const [did, call] = doing;
  const problem = pathProblem(path);
  if (problem !== undefined) throw badPath(did, path, problem);
  if (path !== "/" || !KEEPS_ROOT.has(did)) return;
  throw new HaftError("FS_PERMISSION", `Did not ${did} "${path}": it is the root. Name what lies in it.`, {
    details: { path, system: `EPERM: operation not permitted, ${call} '${path}'` },
  });
}

const KEEPS_ROOT: ReadonlySet<string> = new Set([DOING.removing[0], DOING.moving[0]]);

/** @throws What the signal has fired with, when that is one of our errors, else `CALL_CANCELLED`. */
export function requireUncancelled([did]: Doing, path: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw whyCancelled(did, path, signal);
}

/** The error for an operation whose own signal has fired: the signal's, when that is one of ours. */
export function whyCancelled(did: string, path: string, signal: AbortSignal): HaftError {
  const reason: unknown = signal.reason;
  return HaftError.is(reason) ? reason : cancelledOperation(did, path);
}
