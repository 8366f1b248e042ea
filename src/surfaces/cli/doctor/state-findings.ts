/** Whether state can be kept. */
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { HostFindings } from "../../../toolkit/index.js";
import type { DoctorFinding } from "./finding.js";

/** Free bytes below which the artifacts of a few calls may fill the disk. */
const LITTLE_SPACE_BYTES = 256 * 1024 * 1024;
const MIB = 1024 * 1024;
const NEXT = 'Name a writable folder with `--state DIR`, `"state"` in your configuration, or HAFT_STATE.';

export function stateFindings({ statePath, stateProblem, lockProblem }: HostFindings): readonly DoctorFinding[] {
  if (stateProblem !== undefined) {
    const cost = "Every call fails, since none can be put on record.";
    return [{ id: "state", status: "stops", found: `${statePath}: ${stateProblem}`, cost, next: NEXT }];
  }
  if (!existsSync(statePath)) {
    return [{ id: "state", status: "ok", found: `${statePath}, which the first call makes` }, ...space(statePath)];
  }
  return [{ id: "state", status: "ok", found: statePath }, lock(lockProblem), ...space(statePath)];
}

function lock(problem: string | undefined): DoctorFinding {
  if (problem === undefined)
    return { id: "lock", status: "ok", found: "a lock of the state folder was taken and given back" };
  return { id: "lock", status: "stops", found: `no lock of the state folder: ${problem}`, next: NEXT };
}

function space(path: string): readonly DoctorFinding[] {
  try {
    const { bavail, bsize } = statfsSync(nearest(path));
    const free = bavail * bsize;
    if (free >= LITTLE_SPACE_BYTES) return [];
    const found = `${Math.floor(free / MIB)} MiB are free where state is kept`;
    const cost = "Long outputs may not be kept whole, and calls fail once nothing is left.";
    return [
      { id: "space", status: "limits", found, cost, next: "Make room, or keep state elsewhere with `--state DIR`." },
    ];
  } catch {
    return [];
  }
}

/** The folder itself, or the first above it that is there. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
