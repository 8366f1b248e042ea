import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";

/**
 * Where to make files whose names are removed at once, best first: in memory, as on a disk each costs 0.3 ms of CPU time. One may be full;
 * the next one is used then.
 */
export function scratchDirectories(): readonly string[] {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    return [IN_MEMORY, tmpdir()];
  } catch {
    return [tmpdir()];
  }
}
