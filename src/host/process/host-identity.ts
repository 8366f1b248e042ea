/** Identifies the process that a job belongs to, so that others can check whether it still runs. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { processStart } from "./process-table.js";

/** A process, unique across reboots and pid namespaces. */
export interface HostIdentity {
  readonly pid: number;
  /** Ticks since boot. */
  readonly start: number;
  /** The boot id of the machine. */
  readonly boot: string;
  /** The pid namespace. */
  readonly space: string;
}

/** This machine and process, for users: `build-1/4711`. */
export function hostName(): string {
  return `${hostname()}/${process.pid}`;
}

/** This process; undefined where there is no `/proc`. */
export function ownHostIdentity(): HostIdentity | undefined {
  const start = processStart(process.pid);
  const place = machinePlace();
  return start === undefined || place === undefined ? undefined : { pid: process.pid, start, ...place };
}

/** The boot id and pid namespace of this process; undefined without `/proc`. */
export function machinePlace(): Pick<HostIdentity, "boot" | "space"> | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return { boot, space: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return undefined;
  }
}

/**
 * Whether the process still runs. "unknown": it is in another pid namespace, which is not visible
 * from here.
 */
export function isHostAlive(host: HostIdentity, here = machinePlace()): boolean | "unknown" {
  if (here === undefined) return "unknown";
  if (host.boot !== here.boot) return false;
  if (host.space !== here.space) return "unknown";
  return processStart(host.pid) === host.start;
}
