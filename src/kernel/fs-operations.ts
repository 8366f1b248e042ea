/** The names of file operations in error messages, the same for all backends. */
import { HaftError } from "./errors.js";
import { badPath, cancelledOperation, type Errno, pathProblem, requireText, systemFault } from "./fs-faults.js";

/** The verb of the message ("Did not read"), and the system call that it would have been. */
export type FsOperation = readonly [did: string, call: string];

/** The operations of the port. */
export const FS_OPERATIONS = {
  read: ["read", "open"],
  list: ["list", "scandir"],
  stat: ["inspect", "stat"],
  write: ["write", "open"],
  mkdir: ["create the directory", "mkdir"],
  remove: ["remove", "rm"],
  rename: ["rename", "rename"],
  resolve: ["resolve", "realpath"],
  search: ["search", "open"],
} as const satisfies Readonly<Record<string, FsOperation>>;

/** The error for what a POSIX system refuses, or would have refused. */
export function operationFault(errno: Errno, [did, call]: FsOperation, path: string): HaftError {
  return systemFault(errno, did, path, call);
}

/**
 * Rejects an invalid path, and removing or moving the root, before anything is looked at.
 * @throws `FS_BAD_PATH`, `FS_PERMISSION`
 */
export function requirePath(operation: FsOperation, path: string): void {
  const [did, call] = operation;
  requireText(did, path);
  const problem = pathProblem(path);
  if (problem !== undefined) throw badPath(did, path, problem);
  if (path !== "/" || !REFUSED_FOR_ROOT.has(did)) return;
  throw new HaftError("FS_PERMISSION", `Did not ${did} "${path}": it is the root directory. Name an entry in it.`, {
    details: { path, system: `EPERM: operation not permitted, ${call} '${path}'` },
  });
}

const REFUSED_FOR_ROOT: ReadonlySet<string> = new Set([FS_OPERATIONS.remove[0], FS_OPERATIONS.rename[0]]);

/** @throws the reason of the signal if it is one of our errors, else `CALL_CANCELLED`. */
export function requireUncancelled([did]: FsOperation, path: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw whyCancelled(did, path, signal);
}

/** The error for an operation whose own signal has fired: the signal's, when that is one of ours. */
export function whyCancelled(did: string, path: string, signal: AbortSignal): HaftError {
  const reason: unknown = signal.reason;
  return HaftError.is(reason) ? reason : cancelledOperation(did, path);
}
