import { HaftError } from "../../kernel/index.js";

/** Files that expose the environment or the memory of processes. */
const PROCESS_SECRETS = /^\/proc\/(?:[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|auxv)|kcore)$/;

/** @throws `FS_PERMISSION` for a real path that exposes a process. */
export function requireNoProcessSecret(asked: string, real: string, did: string): void {
  if (!PROCESS_SECRETS.test(real)) return;
  throw new HaftError(
    "FS_PERMISSION",
    `Did not ${did} "${asked}": it exposes the environment or the memory of a running process. Ask the user for the one value that you need.`,
    { details: { path: asked, system: `EACCES: permission denied, open '${asked}'` } },
  );
}
