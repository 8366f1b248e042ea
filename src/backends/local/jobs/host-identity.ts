/** Which process a job belongs to, so that another can tell whether that one is still there. */
import { readFileSync, readlinkSync } from "node:fs";
import { processStart } from "../../../host/index.js";

/** One process of one start of one machine. */
export interface HostIdentity {
  readonly pid: number;
  /** Ticks since boot. */
  readonly start: number;
  /** The start of the machine. */
  readonly boot: string;
  /** The space in which `pid` counts. */
  readonly space: string;
}

/** This process; undefined where there is no `/proc`. */
export function ownHostIdentity(): HostIdentity | undefined {
  const start = processStart(process.pid);
  const place = machinePlace();
  return start === undefined || place === undefined ? undefined : { pid: process.pid, start, ...place };
}

/** Where process numbers count now; undefined where that is not told. */
export function machinePlace(): Pick<HostIdentity, "boot" | "space"> | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return { boot, space: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return undefined;
  }
}

/**
 * Whether the process still runs. "unknown": it counts in another space of this start of the machine, which cannot be seen
 * from here.
 */
export function isHostAlive(host: HostIdentity, here = machinePlace()): boolean | "unknown" {
  if (here === undefined) return "unknown";
  if (host.boot !== here.boot) return false;
  if (host.space !== here.space) return "unknown";
  return processStart(host.pid) === host.start;
}
