/** Checks the state directory. */
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { HostFindings } from "../../../../toolkit/index.js";
import type { DoctorFinding } from "./finding.js";

const LITTLE_SPACE_BYTES = 256 * 1024 * 1024;
const MIB = 1024 * 1024;
const NEXT = 'Set a writable directory with `--state DIR`, `"state"` in your configuration, or HAFT_STATE.';

/** @param hasStore - The database of the state directory is not used. */
export function stateFindings(findings: HostFindings, hasStore = false): readonly DoctorFinding[] {
  const { statePath, stateProblem, lockProblem } = findings;
  if (stateProblem !== undefined) {
    const cost = "Every call fails, because it cannot be audited.";
    return [{ id: "state", status: "stops", found: `${statePath}: ${stateProblem}`, cost, next: NEXT }];
  }
  const databases = hasStore ? [] : [database(findings)];
  if (!existsSync(statePath)) {
    return [
      { id: "state", status: "ok", found: `${statePath}, created by the first call` },
      ...databases,
      ...space(statePath),
    ];
  }
  return [{ id: "state", status: "ok", found: statePath }, ...databases, lock(lockProblem), ...space(statePath)];
}

function database({ database, databaseProblem }: HostFindings): DoctorFinding {
  if (databaseProblem !== undefined)
    return {
      id: "database",
      status: "limits",
      found: `the state is not usable: ${databaseProblem}`,
      cost: "Calls of named sessions fail, and those that need approval, memory or schedules.",
      next: "Any command that needs it, such as `haft sessions list`, says which file it is and what to do.",
    };
  if ("program" in database)
    return {
      id: "database",
      status: "ok",
      found: `sessions, approvals, memory and schedules in SQLite (${database.program})`,
    };
  const [found = "", next = ""] = database.problem.split(". ");
  return {
    id: "database",
    status: "limits",
    found,
    cost: "Sessions and approvals are stored in files; the tools for memory and schedules are not offered.",
    next: `${next}.`,
  };
}

function lock(problem: string | undefined): DoctorFinding {
  if (problem === undefined) return { id: "lock", status: "ok", found: "locks work in the state directory" };
  return { id: "lock", status: "stops", found: `locks do not work in the state directory: ${problem}`, next: NEXT };
}

function space(path: string): readonly DoctorFinding[] {
  try {
    const { bavail, bsize } = statfsSync(existingAncestor(path));
    const free = bavail * bsize;
    if (free >= LITTLE_SPACE_BYTES) return [];
    const found = `${Math.floor(free / MIB)} MiB free in the state directory`;
    const cost = "Long outputs may be stored incompletely, and calls fail once the disk is full.";
    return [
      {
        id: "space",
        status: "limits",
        found,
        cost,
        next: "Free disk space, or use another directory with `--state DIR`.",
      },
    ];
  } catch {
    return [];
  }
}

/** The directory itself, or its first ancestor that exists. */
function existingAncestor(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingAncestor(dirname(path));
}
