/** The record of a job, and its validation: commands can write to its directory, too. */
import { isAbsolute } from "node:path";
import type { JobInfo, ShellExit } from "../../../kernel/index.js";

/** As `HostIdentity` of the host module, whose types need those of Node.js: a program that uses Haft may not have them. */
interface RecordedHost {
  readonly pid: number;
  readonly start: number;
  readonly boot: string;
  readonly space: string;
}

/** The stored record of a job. */
export interface JobRecord extends Pick<JobInfo, "id" | "command" | "cwd" | "lifetime" | "session" | "owner"> {
  readonly version: 1;
  readonly adopted?: "call";
  readonly startedMs: number;
  /** Who started it. */
  readonly host: RecordedHost;
  /** Its host was closed and left it running. */
  readonly isReleased?: true;
  /** Its first process; absent until it was started. */
  readonly leader?: { readonly pid: number; readonly start: number };
  /** "NAME=value" in the environment of its processes. */
  readonly tag?: string;
  /** A launcher runs it in a PID namespace of its own. */
  readonly isLaunched?: true;
  /** Absolute directory for the output. Default: beside this record. */
  readonly outputDirectory?: string;
  readonly ended?: {
    readonly atMs: number;
    readonly by: NonNullable<JobInfo["endedBy"]>;
    readonly exit?: ShellExit;
    /** Bytes printed to each stream. */
    readonly produced: { readonly stdout: number; readonly stderr: number };
  };
  /** Its end was reported, by the host that started it or by a later one. */
  readonly isReported?: true;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

interface Shape {
  readonly [name: string]: Check | Shape;
}

/** The latest time of a `Date`. */
const MAX_TIME_MS = 8.64e15;

const isText: Check = (value) => typeof value === "string";
const isTime: Check = (value) => Number.isFinite(value) && Math.abs(value as number) <= MAX_TIME_MS;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** Numbers up to 0 address process groups, 1 is init. */
const isPid: Check = (value) => Number.isSafeInteger(value) && (value as number) > 1;
const isTrue: Check = (value) => value === true;

const HOST: Shape = { pid: isCount, start: isCount, boot: isText, space: isText };
const PRODUCED: Shape = { stdout: isCount, stderr: isCount };
const ENDED: Shape = { atMs: isTime, by: oneOf("itself", "stopped", "host"), produced: PRODUCED };
const RECORD: Shape = {
  id: isText,
  command: isText,
  cwd: isText,
  lifetime: oneOf("session", "host", "keep"),
  startedMs: isTime,
  host: HOST,
};
/** Optional fields. */
const PARTS: Shape = {
  session: isText,
  owner: isText,
  adopted: oneOf("call"),
  isReleased: isTrue,
  isReported: isTrue,
  isLaunched: isTrue,
  leader: { pid: isPid, start: isCount },
  tag: (value) => isText(value) && /^[^=]+=./.test(value as string),
  outputDirectory: (value) => isText(value) && isAbsolute(value as string),
  ended: (value) => holds(value, ENDED) && isExit((value as Fields).exit),
};

/** @param id - The name of the directory, which the record must repeat. */
export function isJobRecord(value: unknown, id: string, version: number): value is JobRecord {
  if (!holds(value, RECORD)) return false;
  const record = value as Fields;
  if (record.version !== version || record.id !== id) return false;
  return Object.entries(PARTS).every(([name, part]) => record[name] === undefined || fits(record[name], part));
}

export function isHostIdentity(value: unknown): value is RecordedHost {
  return holds(value, HOST);
}

function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

function isExit(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const { by, code, signal, status } = value as Fields;
  if (by === "code") return isCount(code);
  if (by === "status") return isCount(status);
  if (by === "signal") return isText(signal);
  return by === "none";
}

function holds(value: unknown, shape: Shape): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(shape).every(([name, part]) => fits((value as Fields)[name], part));
}

function fits(value: unknown, part: Check | Shape): boolean {
  return typeof part === "function" ? part(value) : holds(value, part);
}
