/** What `/proc` tells of processes. Without it every answer is "unknown". */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One line of `/proc/PID/stat`, what of it matters here. */
export interface ProcessEntry {
  readonly pid: number;
  readonly name: string;
  /** One letter; Z and X are dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ticks since boot. With the pid it names a process for good. */
  readonly start: number;
}

/** The process, dead ones included until they are reaped; undefined when there is none or it is not to be seen. */
export function processEntry(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** When a living process started, in ticks since boot; undefined for a dead or unknown one. */
export function processStart(pid: number): number | undefined {
  const entry = processEntry(pid);
  return entry === undefined || isDead(entry) ? undefined : entry.start;
}

export function isDead(entry: ProcessEntry): boolean {
  return entry.state === "Z" || entry.state === "X";
}

/** Every process of this machine that this one may see. About 10 µs each. */
export function allProcesses(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of procNames()) {
    const entry = /^\d+$/.test(name) ? processEntry(Number(name)) : undefined;
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Whether the environment that a process was started with holds `entry` ("NAME=value") whole. */
export function hasEnvironmentEntry(pid: number, entry: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    return environment.startsWith(`${entry}\0`) || environment.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}

/** Where the open descriptors of a process lead, for example "pipe:[123]". Empty when they are not to be seen. */
export function openTargets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The number that the newest process of this pid namespace got; undefined where that is not told. */
export function newestPid(): number | undefined {
  try {
    const number = Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
    return Number.isInteger(number) ? number : undefined;
  } catch {
    return undefined;
  }
}

function procNames(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}

/** The name stands in brackets and may hold blanks and brackets itself. */
function parseStat(stat: string): ProcessEntry {
  const open = stat.indexOf("(");
  const close = stat.lastIndexOf(")");
  const [state = "X", parent, group, session, ...rest] = stat.slice(close + 2).split(" ");
  return {
    pid: Number(stat.slice(0, open)),
    name: stat.slice(open + 1, close),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(rest[15]),
  };
}
