import type { PipePool, Watcher } from "../../../host/index.js";
import { newNonce, TAG_NAME } from "../../../host/index.js";
import { closedBackend, commandProblem, type Lifetime, type ShellOptions } from "../../../kernel/index.js";
import type { DirectoryAnchor, GuardMode } from "../fs/pinned-directory.js";
import type { JobDirectory } from "../jobs/job-directory.js";
import type { JobStore, NewJob } from "../jobs/job-store.js";
import { type LocalJob, LocalJobTable } from "../jobs/job-table.js";
import { type OutputPump, startOutputPump } from "../jobs/output-pump.js";
import { RecoveredJobs } from "../jobs/recovered-job.js";
import type { Launcher } from "../launcher.js";
import { RunningCommand } from "./running-command.js";
import { pinDirectory, type Started, serverStartCommand } from "./spawn-command.js";
import { READ_BYTES } from "./stream-reader.js";

const REMEMBERED_LEADERS = 128;

interface CommandHostOptions {
  /** Of the backend, for messages. */
  readonly name: string;
  /** Closed with the host. */
  readonly pool: PipePool;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: GuardMode;
  /** Absent: commands are not killed when this process is killed. */
  readonly watcher?: Watcher;
  /** Absent: commands are not confined. */
  readonly launcher?: Launcher | undefined;
  /** Stores jobs, including those of earlier hosts. Absent: jobs live in memory only. */
  readonly store?: JobStore;
}

interface StartKind {
  /** The working directory. */
  readonly directory: DirectoryAnchor;
  readonly stdin: Uint8Array | "open" | "none";
  readonly latestBytes: number;
  readonly readAtOnce: boolean;
  /** Absent for a foreground command. */
  readonly lifetime?: Lifetime;
  /** Where a job is stored. */
  readonly jobDirectory?: JobDirectory;
}

/** Shared by all commands of one backend: pipes, tags, jobs, and the watcher. */
export class CommandHost {
  readonly jobs: LocalJobTable;
  /** Jobs of earlier hosts. */
  readonly recovered: RecoveredJobs | undefined;
  readonly #options: CommandHostOptions;
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  /** By the pid of the leader. */
  readonly #running = new Map<number, RunningCommand>();
  /** Not guessable, so that no foreign process can carry it. */
  readonly #nonce: string;
  /** Pids of the latest commands, oldest first. */
  readonly #leaders = new Set<number>();
  /** Reads the output of jobs after this process has ended. */
  readonly #pumps = new Map<RunningCommand, OutputPump>();
  #count = 0;
  #isClosed = false;

  constructor(options: CommandHostOptions) {
    this.#options = options;
    const { store } = options;
    this.jobs = new LocalJobTable((running) => this.ended(running), store);
    this.recovered =
      store === undefined ? undefined : new RecoveredJobs(store, (id) => this.jobs.get(id) !== undefined);
    this.#nonce = options.watcher?.nonce ?? newNonce();
  }

  requireOpen(): void {
    if (this.#isClosed) throw closedBackend(this.#options.name);
  }

  /** Pins the working directory of a command; the caller closes it. @returns `problem` says why the command cannot start, as a clause. */
  hold(command: string, options: ShellOptions): DirectoryAnchor | { readonly problem: string } {
    const problem = commandProblem(command, options);
    return problem === undefined ? pinDirectory(options.cwd, this.#options.mode) : { problem };
  }

  /** @param options - The same as for `hold`. */
  start(command: string, options: ShellOptions, kind: StartKind): RunningCommand | { readonly problem: string } {
    // It may have been closed since the directory was pinned.
    if (this.#isClosed) return { problem: "the backend was closed" };
    const { watcher, launcher } = this.#options;
    const isKept = kind.lifetime === "keep";
    // The separator at the end keeps the first tag from being a prefix of the tenth.
    const tag = `${isKept ? "keep-" : ""}${this.#nonce}.${++this.#count}.`;
    if (!isKept) watcher?.begin();
    const env = { ...this.#options.env, ...options.env, [TAG_NAME]: tag };
    const { jobDirectory: directory } = kind;
    const outlives = isKept && directory !== undefined ? { exitPath: directory.exitPath, wantsSpare: true } : {};
    const started = serverStartCommand(
      { command, directory: kind.directory, env, stdin: kind.stdin, launcher, ...outlives },
      this.#options.pool,
    );
    if ("problem" in started) return started;
    const pump = this.#pumpOf(started, directory);
    const running = new RunningCommand(started, {
      keep: options.keep,
      onOutput: options.onOutput?.bind(options),
      borrowsOutput: options.borrowsOutput,
      latestBytes: kind.latestBytes,
      tag: `${TAG_NAME}=${tag}`,
      isOfAnother: (session) => this.#running.has(session) || this.#isPump(session),
      isLeader: (pid) => this.#leaders.has(pid),
      buffer: this.#buffer,
      pool: this.#options.pool,
      readAtOnce: kind.readAtOnce,
      ...(directory === undefined
        ? {}
        : { files: { stdout: directory.openOutput("stdout"), stderr: directory.openOutput("stderr") } }),
      ...(isKept && directory !== undefined ? { isKept: true } : {}),
      ...(launcher === undefined ? {} : { isLaunched: true }),
    });
    if (pump !== undefined) this.#pumps.set(running, pump);
    const { leaderStart } = running.tree;
    directory?.update({ ...running.mark, ...leaderOf(running.pid, leaderStart) });
    this.#running.set(running.pid, running);
    this.#remember(running.pid);
    if (!isKept) watcher?.addSoon(running.pid, () => running.tree.leaderStart);
    return running;
  }

  #pumpOf(started: Started, directory: JobDirectory | undefined): OutputPump | undefined {
    if (started.spare === undefined || directory === undefined) return undefined;
    const prefixes = { stdout: directory.prefixOf("stdout"), stderr: directory.prefixOf("stderr") };
    const pump = startOutputPump(this.#options.pool, started.spare, prefixes);
    if (pump !== undefined) this.#remember(pump.pid);
    return pump;
  }

  #isPump(session: number): boolean {
    for (const { pid } of this.#pumps.values()) if (pid === session) return true;
    return false;
  }

  /** A directory to store a job in; undefined if there is none. */
  openDirectory(job: NewJob): JobDirectory | undefined {
    return this.#options.store?.open(job);
  }

  /** Records a command that continues after its call. */
  noteSurvivor(running: RunningCommand, directory: JobDirectory): void {
    directory.update({ ...running.mark, ...leaderOf(running.pid, running.tree.leaderStart) });
  }

  #remember(pid: number): void {
    this.#leaders.delete(pid);
    this.#leaders.add(pid);
    if (this.#leaders.size > REMEMBERED_LEADERS) this.#leaders.delete(this.#leaders.values().next().value!);
  }

  /** All processes of the command have ended. */
  ended(running: RunningCommand): void {
    running.closeStreams();
    this.#pumps.get(running)?.dismiss();
    this.#pumps.delete(running);
    if (this.#running.get(running.pid) !== running) return;
    this.#running.delete(running.pid);
    this.#options.watcher?.remove(running.pid);
  }

  /** Ends everything except jobs with lifetime "keep". @returns What could not be ended, by pid and name. */
  async close(graceMs: number): Promise<string[]> {
    this.#isClosed = true;
    this.jobs.close();
    const storedJobs = this.jobs.alive.filter((job) => job.facts.lifetime === "keep");
    const kept = new Set(storedJobs.map((job) => job.running));
    const toEnd = [...this.#running.values()].filter((running) => !kept.has(running));
    const left = await Promise.all(
      toEnd.map(async (running) => {
        running.stop("cancelled", graceMs);
        const { survivors } = await running.end(graceMs);
        running.closeStreams();
        return survivors.map(({ pid, name }) => `${pid} (${name})`);
      }),
    );
    for (const job of this.jobs.alive) {
      if (kept.has(job.running)) this.#letGo(job);
      else if (job.running.remains().state !== "alive") job.noteEnd("host");
    }
    this.#options.watcher?.close();
    this.#options.pool.close();
    return left.flat();
  }

  /** Jobs with lifetime "keep" continue: this process stops reading, then their pump reads. */
  #letGo(job: LocalJob): void {
    job.directory?.update({ isReleased: true });
    job.directory?.stopRetrying();
    job.running.release();
    this.#pumps.get(job.running)?.takeOver();
  }
}

function leaderOf(pid: number, start: number | undefined) {
  return start === undefined ? {} : { leader: { pid, start } };
}
