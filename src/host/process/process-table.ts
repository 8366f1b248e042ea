/** Reads process information from `/proc`. Without it every answer is "unknown". */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

/** The used fields of `/proc/PID/stat`. */
export interface ProcessEntry {
  readonly pid: number;
  readonly name: string;
  /** One letter; Z and X are dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ticks since boot. Pid and start time identify a process uniquely. */
  readonly start: number;
}

/** The process, dead ones included until they are reaped; undefined when there is none or it is not visible. */
export function processEntry(pid: number): ProcessEntry | undefined {
  const stat = readLine(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(stat);
}

/** When a living process started, in ticks since boot; undefined for a dead or unknown one. */
export function processStart(pid: number): number | undefined {
  const entry = processEntry(pid);
  return entry === undefined || isDead(entry) ? undefined : entry.start;
}

export function isDead(entry: ProcessEntry): boolean {
  return entry.state === "Z" || entry.state === "X";
}

/** Up to this many pids are read one by one; for more, `/proc` is listed. */
const MAX_ASKED = 128;

/** Every process of this machine that this one may see. About 10 µs each. */
export function allProcesses(): ProcessEntry[] {
  return entriesOf(numbersListed());
}

/**
 * The process `pid` and those with later pids whose session also has a later pid. Pids rise and then wrap around, so the
 * result is only valid while fewer processes have started since than there are pids.
 */
export function processesSince(pid: number): ProcessEntry[] {
  const newest = newestPid();
  if (newest === undefined) return allProcesses();
  const isSince = (one: number) => (newest >= pid ? one >= pid && one <= newest : one >= pid || one <= newest);
  const isSpanShort = newest >= pid && newest - pid < MAX_ASKED;
  const numbers = isSpanShort
    ? Array.from({ length: newest - pid + 1 }, (_, index) => pid + index).filter((one) => existsSync(`/proc/${one}`))
    : numbersListed().filter(isSince);
  return entriesOf(numbers).filter((one) => isSince(one.session));
}

function entriesOf(pids: readonly number[]): ProcessEntry[] {
  return pids.map(processEntry).filter((entry) => entry !== undefined);
}

/** Numbers that a process has, from this PID namespace inwards. */
function pidsOf(pid: number | "self"): readonly string[] {
  try {
    const [, numbers = ""] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return numbers.split("\t");
  } catch {
    return [];
  }
}

let ownDepth: number | undefined;

/** Whether it runs in a PID namespace below that of this process, and is not the first one there, which only waits for the others. */
export function isInNamespace(pid: number): boolean {
  ownDepth ??= pidsOf("self").length;
  const pids = pidsOf(pid);
  return pids.length > ownDepth + 1 || (pids.length === ownDepth + 1 && pids.at(-1) !== "1");
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

/** Where one descriptor of a process leads, for example "pipe:[123]"; undefined when it is not visible. */
export function descriptorTarget(pid: number, descriptor: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** Where all open descriptors of a process lead. Empty when they are not visible. */
export function descriptorTargets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
      .map((descriptor) => descriptorTarget(pid, descriptor))
      .filter((target) => target !== undefined);
  } catch {
    return [];
  }
}

/** The pid of the newest process in this pid namespace; undefined where the system does not report it. */
export function newestPid(): number | undefined {
  const number = Number(readLine("/proc/loadavg")?.trim().split(" ").at(-1));
  return Number.isInteger(number) ? number : undefined;
}

const line = Buffer.allocUnsafeSlow(4096);

/** A single read: `readFileSync` takes twice as long, because it also queries the size and reads to end of file. */
function readLine(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    return line.toString("latin1", 0, readSync(descriptor, line));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function numbersListed(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => name.charCodeAt(0) <= 57)
      .map(Number);
  } catch {
    return [];
  }
}

/** The name is in parentheses and may contain whitespace and parentheses itself. */
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
