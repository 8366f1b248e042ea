/** The directories of all jobs of this machine that share one state directory, whatever host started them. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JobInfo } from "../../../kernel/index.js";
import { type HostIdentity, isHostAlive, machinePlace, ownHostIdentity } from "./host-identity.js";
import { JobDirectory } from "./job-directory.js";
import { type JobRecord, newerRecord, readJobRecord } from "./job-record.js";

/** How long an ended job is kept. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;
/** Bytes of output of all jobs that are kept; then the oldest that have ended go. */
export const RETENTION_BYTES = 1024 * 1024 * 1024;
/** Ended jobs that are kept at most, however little they have printed. */
export const RETENTION_JOBS = 2_000;
/** It is looked for what is too old or too much after so many new jobs. */
const CLEAN_AFTER = 200;
const PREFIX = "job-";
/** So often another number is tried when somebody else has just taken one. */
const MAX_TRIES = 1_000;

/** What is known of a job before it is started. */
export type NewJob = Pick<
  JobRecord,
  "command" | "cwd" | "lifetime" | "session" | "owner" | "adopted" | "outputDirectory"
>;

/** What was removed, for people. */
export interface Cleaned {
  readonly jobs: number;
  readonly bytes: number;
}

export class JobStore {
  readonly path: string;
  readonly #host: HostIdentity | undefined = ownHostIdentity();
  #lastNumber = 0;
  #opened = 0;

  /** @param stateDir - Absolute. Nothing is made before the first job. */
  constructor(stateDir: string) {
    this.path = join(stateDir, "jobs");
  }

  /**
   * A directory under a number that no other job of this state directory has. Undefined where none can be made, as on a full disk:
   * the job then lives in memory only.
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
      // Nowhere to keep it.
    }
    return undefined;
  }

  /** The next free number, of a job that has no directory as well. */
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

  /** Why a job that has a directory is not to be found, where a newer version has written it: a clause with the next step. */
  newer(id: string): string | undefined {
    return isId(id) ? newerRecord(join(this.path, id)) : undefined;
  }

  /** Whether nobody looks after the job any more who could be seen. */
  isLeft(record: JobRecord): boolean {
    return record.isReleased === true || isHostAlive(record.host) === false;
  }

  /** Whether its processes can be looked for here: they count in the same space of the same start of the machine. */
  isHere(record: JobRecord): boolean {
    const here = machinePlace();
    return here !== undefined && record.host.boot === here.boot && record.host.space === here.space;
  }

  /**
   * Removes jobs that have ended: those older than `KEPT_MS`, then the oldest as long as all take more than `KEPT_BYTES` or are
   * more than `KEPT_JOBS`. What a host has begun to make and never finished goes as well once it is as old.
   * @param options.all - Every job that has ended, whatever its age.
   */
  clean(options: { readonly all?: boolean; readonly nowMs?: number } = {}): Cleaned {
    const { all = false, nowMs = Date.now() } = options;
    const directories = this.all().map((directory) => ({ folder: directory, bytes: directory.keptBytes() }));
    let total = directories.reduce((sum, { bytes }) => sum + bytes, 0);
    let surplus = directories.length - RETENTION_JOBS;
    this.#removeUnfinished(nowMs);
    let jobs = 0;
    let bytes = 0;
    for (const one of directories) {
      const { ended } = one.folder.record;
      if (ended === undefined) continue;
      if (!all && nowMs - ended.atMs < RETENTION_MS && total <= RETENTION_BYTES && surplus <= 0) continue;
      surplus -= 1;
      one.folder.remove();
      total -= one.bytes;
      jobs += 1;
      bytes += one.bytes;
    }
    return { jobs, bytes };
  }

  /** A directory without a record, not one with a record that cannot be read. */
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

/** What is reported of a job that is known by its directory: another host started it. */
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

/** One by one: `mkdirSync` with `recursive` does not return on Node.js 20.20 where a parent takes no child, as in `/proc`. */
export function makeJobDirectories(path: string): void {
  if (lstatIfThere(path)?.isDirectory() === true) return;
  makeJobDirectories(dirname(path));
  makeNew(path);
}

/** @returns False when something of that name is there. */
function makeNew(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

/** A symlink in the directory's place takes no output. @throws When there is no directory and none can be made. */
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
