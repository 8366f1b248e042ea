/** The port to commands over a command channel. */
import {
  type Binding,
  boundHandle,
  closedBackend,
  DEFAULT_GRACE_MS,
  DEFAULT_KEEP,
  type HaftError,
  type Io,
  type JobInfo,
  jobOwner,
  type Lifetime,
  maySeeJob,
  notStarted,
  requireCommand,
  requireJob,
  requireJobs,
  requireLive,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
} from "../../kernel/index.js";
import { wholeNumber } from "../../text/index.js";
import type { JobFacts } from "../job-facts.js";
import { ChannelLost } from "./channel-lost.js";
import {
  commandRequest,
  Directories,
  directoryChanges,
  directoryProblem,
  InputNotKept,
  NO_NOTE,
  refuseCommand,
  stageInput,
} from "./command-request.js";
import { CommandRun, MAX_SENDS } from "./command-run.js";
import { unavailable } from "./far-shell.js";
import type { FarSide } from "./far-side.js";
import type { Job } from "./job.js";
import type { JobTable } from "./job-table.js";

/** A day: no longer wait fits into timers with what comes behind it. */
const MAX_GRACE_MS = 86_400_000;

export class PosixShell implements Shell {
  readonly #name: string;
  readonly #far: FarSide;
  readonly #jobs: JobTable;
  readonly #bound: Binding | undefined;

  constructor(name: string, far: FarSide, jobs: JobTable, bound?: Binding) {
    this.#name = name;
    this.#far = far;
    this.#jobs = jobs;
    this.#bound = bound;
  }

  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    this.#require(command, options.cwd);
    const call = this.#bound?.call;
    const leftMs = call === undefined ? Number.POSITIVE_INFINITY : call.deadline - Date.now();
    const run = new CommandRun(this.#far, this.#jobs, command, countable(options), {
      signals: [options.signal, call?.signal].filter((one) => one !== undefined),
      timeoutMs: Math.min(options.timeoutMs ?? Number.POSITIVE_INFINITY, leftMs),
      directories: new Directories(this.#bound, command, options.cwd),
      facts: { ...this.#facts(command, options.cwd, "session"), adopted: "call" },
    });
    return run.result();
  }

  async spawn(command: string, options: SpawnOptions): Promise<ShellHandle> {
    this.#require(command, options.cwd);
    const problem = refuseCommand(command, options);
    if (problem !== undefined) throw notStarted(problem);
    // Jobs to be kept have a tag of their own, so that the end of this backend does not find them.
    const tag = options.lifetime === "keep" ? `${this.#far.tag}k-` : `${this.#far.tag}-`;
    const { id, words, exited } = await this.#send(command, options, tag);
    const [, what, pid = ""] = words;
    if (what === "nocwd") throw notStarted(directoryProblem(options.cwd, pid));
    if (what === "nonote") throw unnoted();
    if (what !== "spawned") throw unavailable(this.#name, "the connection was replaced");
    const { keep = DEFAULT_KEEP, lifetime } = countable(options);
    const facts = this.#facts(command, options.cwd, lifetime);
    const job = this.#jobs.add(id, pid === "" ? null : Number(pid), { tag, keep, facts });
    exited.then(() => {
      this.#jobs.forgetExit(id);
      job.exited();
    });
    return this.#handleOf(job);
  }

  /** Sends the request until the directory that the remote shell enters is one that was judged. */
  async #send(command: string, options: SpawnOptions, tag: string) {
    const directories = new Directories(this.#bound, command, options.cwd);
    for (let sends = 1; ; sends += 1) {
      const { signal } = new AbortController();
      const input = await stageInput(this.#far, options.input, signal).catch((thrown: unknown) => {
        throw thrown instanceof InputNotKept ? unnoted() : thrown;
      });
      const id = this.#far.nextId();
      const what = { id, tag, command, input, directories };
      const request = commandRequest("spawn", what, options, [options.lifetime === "keep" ? "keep" : "no"]);
      const exited = this.#jobs.exited(id);
      const frame = await this.#far.request(request).catch((thrown: unknown) => {
        throw thrown instanceof ChannelLost ? unavailable(this.#name, thrown.message) : thrown;
      });
      if (frame.words[1] !== "moved") return { id, words: frame.words, exited };
      this.#jobs.forgetExit(id);
      this.#jobs.forget(id);
      if (sends === MAX_SENDS) throw notStarted(directoryChanges(options.cwd));
      await directories.judge(frame);
    }
  }

  async attach(id: string): Promise<ShellHandle | null> {
    if (this.#bound !== undefined) {
      requireLive(this.#bound.call);
      requireJob(this.#bound.grant, id);
    }
    if (this.#far.state === "closed") throw closedBackend(this.#name);
    const job = await this.#jobs.find(id);
    return job === undefined || !this.#maySee(job) ? null : this.#handleOf(job);
  }

  /** Those that were started here, and those to be kept of earlier backends that were attached to. */
  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    if (this.#bound !== undefined) {
      requireLive(this.#bound.call);
      requireJobs(this.#bound.grant, id);
    }
    if (this.#far.state === "closed") throw closedBackend(this.#name);
    const one = id === undefined ? undefined : await this.#jobs.find(id);
    const jobs = id === undefined ? this.#jobs.all : one === undefined ? [] : [one];
    return Promise.all(jobs.filter((job) => this.#maySee(job)).map((job) => job.info()));
  }

  #maySee(job: Job): boolean {
    return maySeeJob(job.facts, this.#bound?.call);
  }

  #facts(command: string, cwd: string, lifetime: Lifetime): JobFacts {
    return { command, cwd, lifetime, ...jobOwner(this.#bound?.call) };
  }

  #handleOf(job: ShellHandle): ShellHandle {
    return this.#bound === undefined ? job : boundHandle(job, this.#bound.call);
  }

  #require(command: string, cwd: string): void {
    if (this.#bound === undefined) return;
    requireLive(this.#bound.call);
    requireCommand(this.#bound.grant, command, cwd);
  }
}

/** Numbers as the far side can count with them. */
function countable<T extends ShellOptions>(options: T): T {
  const { keep, graceMs } = options;
  return {
    ...options,
    ...(keep === undefined ? {} : { keep: { head: wholeNumber(keep.head), tail: wholeNumber(keep.tail) } }),
    ...(graceMs === undefined
      ? {}
      : { graceMs: wholeNumber(graceMs, { max: MAX_GRACE_MS, otherwise: DEFAULT_GRACE_MS }) }),
  };
}

function unnoted(): HaftError {
  return notStarted(NO_NOTE, "Free some space there and start it again.");
}
