/** Locks of the paths that a call has claimed. */
import { baseName, parentOf } from "../text/index.js";
import type { BoundCall } from "./backend.js";
import { backendOf, type CallRun } from "./call-run.js";
import { ACCESSES, type Access, covers } from "./claims.js";
import type { LockedPath, LockOptions } from "./context.js";
import { HaftError } from "./errors.js";
import { type ResolvedPath, withMissingPart } from "./fs.js";
import { requireAuthorized, requireCovered, requireNormalPath, unclaimed } from "./guard.js";
import { privateSignal } from "./private-signal.js";

/** Locks are held inside one another, so many more would overflow the stack. */
const MAX_LOCKED_PATHS = 1_000;

/** The access that a call may be judged by at a place that it claimed: the first that it has there. */
function claimedAccess(run: CallRun, path: string): Access | undefined {
  return ACCESSES.find((access) => run.grant !== undefined && covers(run.grant, path, access));
}

/** Rejects unless the call claimed the path, or was allowed it as the real path of one that it claimed. */
export function requireClaimedPlace(run: CallRun, real: string): void {
  requireNormalPath(real, "mark");
  if (claimedAccess(run, real) !== undefined) return;
  if (run.grant?.symlinkTargets.some((pair) => pair.real === real) === true) return;
  const granted = run.grant === undefined ? undefined : { ...run.grant, files: run.realPlaces };
  if (granted !== undefined && ACCESSES.some((access) => covers(granted, real, access))) return;
  throw unclaimed(`mark "${real}" as read`, { path: real });
}

/**
 * Runs `body` while the call holds the locks of all paths, taken in the order of their names, so that two calls cannot
 * deadlock. Each path is judged as claimed and at its real path.
 */
export async function withPathLocks<T>(
  run: CallRun,
  call: BoundCall,
  paths: readonly string[],
  { follow = true, ...io }: LockOptions,
  body: (places: readonly LockedPath[]) => Promise<T>,
): Promise<T> {
  const { life } = run;
  const backend = backendOf(run);
  const grant = run.grant!;
  life.requireLife();
  if (paths.length > MAX_LOCKED_PATHS)
    throw new HaftError(
      "CALL_INVALID",
      `Did not lock ${paths.length} paths: a call can lock at most ${MAX_LOCKED_PATHS} at once. Lock fewer.`,
      { details: { parameter: "paths", problem: "too many paths" } },
    );
  const accesses = paths.map((path) => {
    const access = claimedAccess(run, path) ?? "read";
    requireCovered(grant, path, access);
    return access;
  });
  const signal = io.signal === undefined ? call.signal : AbortSignal.any([privateSignal(io.signal), call.signal]);
  const asked = follow ? paths : paths.map(parentOf);
  const found = await backend.root.fs.resolve(asked, { ...io, signal });
  const places: readonly LockedPath[] = follow
    ? found
    : found.map((parent, index) => childOf(parent, baseName(paths[index]!)));
  const keys = places.map(withMissingPart);
  for (const [index, real] of keys.entries())
    await requireAuthorized(grant, call, paths[index]!, real, accesses[index]!);
  const sorted = [...new Set(keys)].sort();
  const holdFrom = (index: number): Promise<T> =>
    index === sorted.length
      ? body(places)
      : life.lock(`${backend.machine}:${sorted[index]}`, { ...io, signal }, () => holdFrom(index + 1));
  return holdFrom(0);
}

/** The entry of a directory, itself not resolved. */
function childOf({ real, missing }: ResolvedPath, name: string): LockedPath {
  if (name === "") return { real, missing };
  if (missing !== "") return { real, missing: `${missing}/${name}` };
  return { real: `${real === "/" ? "" : real}/${name}`, missing };
}
