/** Who holds something: a process told apart from a later one that got the same number, and from one of another machine. */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the kernel's own ticks; "0" where the system does not tell. */
  readonly started: string;
  /** 8 hex digits that differ between machines, between boots and between pid namespaces. */
  readonly machine: string;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid) ?? "0", machine: machineTag() };
}

/**
 * Whether the process still runs. "unknown" for one of another machine, boot or pid namespace: its number means nothing here.
 */
export function isAlive(one: ProcessIdentity, own: ProcessIdentity): boolean | "unknown" {
  if (one.machine !== own.machine) return "unknown";
  if (one.pid === own.pid) return one.started === own.started;
  try {
    process.kill(one.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const started = startTime(one.pid);
  return started === undefined || one.started === "0" ? true : started === one.started;
}

/** Field 22 of /proc/PID/stat; the command name before it may hold blanks and brackets. A zombie has ended. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[19];
  } catch {
    return undefined;
  }
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
