/** Identifies a process: distinct from a later one with the same pid, and from one of another machine. */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isDead, processEntry, processExists } from "../../host/index.js";

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in ticks of the kernel; "0" if the system does not report it. */
  readonly started: string;
  /** 8 hex digits that differ between machines, between boots and between pid namespaces. */
  readonly machine: string;
}

/** The identity of this process. */
export function ownProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid) ?? "0", machine: machineTag() };
}

/**
 * Whether the process still runs. "unknown" for one of another machine, boot or pid namespace, whose pid has no meaning here.
 */
export function isProcessAlive(one: ProcessIdentity, own: ProcessIdentity): boolean | "unknown" {
  if (one.machine !== own.machine) return "unknown";
  if (one.pid === own.pid) return one.started === own.started;
  if (!processExists(one.pid)) return false;
  const started = startTime(one.pid);
  return started === undefined || one.started === "0" ? true : started === one.started;
}

/** In ticks since boot; undefined if `/proc` does not report it. A zombie counts as ended. */
function startTime(pid: number): string | undefined {
  const entry = processEntry(pid);
  if (entry === undefined) return undefined;
  return isDead(entry) ? "ended" : String(entry.start);
}

function machineTag(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
  ];
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 8);
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
