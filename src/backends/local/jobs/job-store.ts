/** The directories of all jobs in one state directory, of all hosts. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type HostIdentity, isHostAlive, machinePlace, ownHostIdentity } from "../../../host/index.js";
import type { JobInfo } from "../../../kernel/index.js";
import { JobDirectory } from "./job-directory.js";
import { type JobRecord, newerRecord, readJobRecord } from "./job-record.js";

/** How long an ended job is stored. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;
/** Bytes of output of all jobs; over this the oldest ended jobs are deleted. */
const RETENTION_BYTES = 1024 * 1024 * 1024;
/** Ended jobs that are stored at most. */
const RETENTION_JOBS = 2_000;
/** Old jobs are deleted after this many new ones. */
const CLEAN_AFTER = 200;
const PREFIX = "job-";
/** How often another id is tried when one is taken. */
const MAX_TRIES = 1_000;

/** The facts of a job before it is started. */
export type NewJob = Pick<
  JobRecord,
  "command" | "cwd" | "lifetime" | "session" | "owner" | "adopted" | "outputDirectory"
>;

/** What was deleted. */
export interface Cleaned {
  readonly jobs: number;
  readonly bytes: number;
}

export class JobStore {
  readonly path: string;
  readonly #host: HostIdentity | undefined = ownHostIdentity();
  #lastNumber = 0;
  #opened = 0;

  /** @param stateDir - Absolute. Nothing is created before the first job. */
  constructor(stateDir: string) {
    this.path = join(stateDir, "jobs");
  }

  /**
   * Creates a directory with a unique id. Undefined if that fails, as on a full disk:
   * the job is then kept in memory only.
   */
  open(job: NewJob): JobDirectory | undefined {
    if (this.#host === undefined) return undefined;
    this.#opened += 1;
    if (this.#opened % CLEAN_AFTER === 0) this.clean();
    try {
      makeJobDirectories(this.path);
      if (job.outputDirectory !== undefined) makeOutputDirectory(job.outputDirectory);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const id = this.nextId();
        const path = join(this.path, id);
        if (!makeNew(path)) continue;
        const directory = new JobDirectory(path, { version: 1, id, ...job, startedMs: Date.now(), host: this.#host });
        directory.save();
        return directory;
      }
    } catch {
      // The job is kept in memory only.
    }
    return undefined;
  }

  /** The next free id, also for a job without a directory. */
  nextId(): string {
    if (this.#lastNumber === 0) this.#lastNumber = Math.max(0, ...this.ids().map(numberOf));
    return PREFIX + ++this.#lastNumber;
  }

  /** Every job that has a record, oldest first. */
  all(): JobDirectory[] {
    return this.ids()
      .map((id) => this.find(id))
      .filter((directory) => directory !== undefined);
  }

  find(id: string): JobDirectory | undefined {
    if (!isId(id)) return undefined;
    const path = join(this.path, id);
    const record = readJobRecord(path);
    return record === undefined ? undefined : new JobDirectory(path, record);
  }

  /** Why a job of a newer version cannot be read, as a clause with the next step. */
  newer(id: string): string | undefined {
    return isId(id) ? newerRecord(join(this.path, id)) : undefined;
  }

  /** Whether the job's host is gone or has released it. */
  isLeft(record: JobRecord): boolean {
    return record.isReleased === true || isHostAlive(record.host) === false;
  }

  /** Whether its processes are visible here: same boot and same pid namespace. */
  isHere(record: JobRecord): boolean {
    const here = machinePlace();
    return here !== undefined && record.host.boot === here.boot && record.host.space === here.space;
  }

  /**
   * Deletes jobs that have ended: those older than `RETENTION_MS`, then the oldest while all together exceed `RETENTION_BYTES` or
   * `RETENTION_JOBS`. Incomplete directories of that age are deleted, too.
   * @param options.all - Every job that has ended, whatever its age.
   */
  clean(options: { readonly all?: boolean; readonly nowMs?: number } = {}): Cleaned {
    const { all = false, nowMs = Date.now() } = options;
    const directories = this.all().map((directory) => ({ directory, bytes: directory.keptBytes() }));
    let total = directories.reduce((sum, { bytes }) => sum + bytes, 0);
    let surplus = directories.length - RETENTION_JOBS;
    this.#removeUnfinished(nowMs);
    let jobs = 0;
    let bytes = 0;
    for (const one of directories) {
      const { ended } = one.directory.record;
      if (ended === undefined) continue;
      if (!all && nowMs - ended.atMs < RETENTION_MS && total <= RETENTION_BYTES && surplus <= 0) continue;
      surplus -= 1;
      one.directory.remove();
      total -= one.bytes;
      jobs += 1;
      bytes += one.bytes;
    }
    return { jobs, bytes };
  }

  /** Deletes old directories without a record, but not those with an unreadable one. */
  #removeUnfinished(nowMs: number): void {
    for (const id of this.ids()) {
      const path = join(this.path, id);
      const made = lstatIfThere(path);
      if (made === undefined || nowMs - made.mtimeMs < RETENTION_MS || existsSync(join(path, "job.json"))) continue;
      rmSync(path, { recursive: true, force: true });
    }
  }

  /** The ids of all jobs, oldest first. */
  ids(): string[] {
    try {
      return readdirSync(this.path)
        .filter(isId)
        .sort((one, other) => numberOf(one) - numberOf(other));
    } catch {
      return [];
    }
  }
}

/** The info of a job that another host started. */
export function infoOfRecord(directory: JobDirectory, isRunning: boolean): JobInfo {
  const { id, command, cwd, lifetime, session, owner, startedMs, ended } = directory.record;
  const produced = directory.produced();
  const exit = ended?.exit ?? directory.exit()?.exit;
  return {
    id,
    command,
    cwd,
    lifetime,
    ...(session === undefined ? {} : { session }),
    ...(owner === undefined ? {} : { owner }),
    startedMs,
    status: ended !== undefined ? "ended" : isRunning ? "running" : "lost",
    ...(exit === undefined ? {} : { exit }),
    ...(ended === undefined ? {} : { endedBy: ended.by, endedMs: ended.atMs }),
    adopted: "host",
    outputBytes: produced.stdout + produced.stderr,
  };
}

function isId(name: string): boolean {
  return /^job-[1-9]\d{0,14}$/.test(name);
}

function numberOf(id: string): number {
  return Number(id.slice(PREFIX.length));
}

/** One level at a time: recursive `mkdirSync` hangs on Node.js 20.20 if a parent does not accept children, as in `/proc`. */
export function makeJobDirectories(path: string): void {
  if (lstatIfThere(path)?.isDirectory() === true) return;
  makeJobDirectories(dirname(path));
  makeNew(path);
}

/** @returns False if the name exists. */
function makeNew(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

/** A symlink is not accepted. @throws If the directory does not exist and cannot be created. */
function makeOutputDirectory(path: string): void {
  makeNew(path);
  if (!lstatSync(path).isDirectory()) throw new Error(`"${path}" is not a directory`);
}

function lstatIfThere(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
