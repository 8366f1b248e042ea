/** The port to the commands of a memory backend. */
import {
  AbortHub,
  type Binding,
  commandProblem,
  cwdProblem,
  FS_OPERATIONS,
  type Io,
  type JobInfo,
  type Lifetime,
  notStarted,
  notStartedResult,
  requireAuthorizedDirectory,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
  sealPort,
} from "../../kernel/index.js";
import type { JobFacts } from "../job-facts.js";
import { ShellCall } from "../shell-call.js";
import { MemoryRun, type MemoryRunOptions } from "./memory-run.js";
import type { Machine } from "./script-runner.js";

/** Ended commands that `attach` still finds. */
const MAX_ENDED_RUNS = 64;

/** What the shells of all calls share: the machine, its environment, and the runs that outlive their call. */
export interface ShellHost extends Machine {
  readonly env: Readonly<Record<string, string>>;
  readonly runs: Map<string, MemoryRun>;
  nextRunId(): string;
}

export class MemoryShell implements Shell {
  readonly #host: ShellHost;
  readonly #call: ShellCall;
  readonly #callEnds: AbortHub | undefined;

  constructor(host: ShellHost, bound?: Binding) {
    this.#host = host;
    this.#call = new ShellCall(() => host.tree.requireOpen(), bound);
    this.#callEnds = bound === undefined ? undefined : new AbortHub(bound.call.signal);
  }

  async exec(command: string, asked: ShellOptions): Promise<ShellResult> {
    const options = this.#call.requireCommand(command, asked, "foreground");
    const startedMs = Math.trunc(this.#host.table.clock.now());
    if (options.signal?.aborted) return notStartedResult(startedMs, "cancelled");
    if (this.#call.leftMs(options.timeoutMs, this.#host.table.clock.now()) <= 0)
      return notStartedResult(startedMs, "deadline");
    const run = await this.#start(command, options, "session", false);
    return "problem" in run ? notStartedResult(startedMs, "spawn-error", run.problem) : run.result;
  }

  async spawn(command: string, asked: SpawnOptions): Promise<ShellHandle> {
    const options = this.#call.requireCommand(command, asked, "background");
    const run = await this.#start(command, options, options.lifetime, true);
    if ("problem" in run) throw notStarted(run.problem);
    this.#keep(run);
    return this.#call.handle(run.handle(), "spawn");
  }

  async attach(id: string): Promise<ShellHandle | null> {
    this.#call.requireJob(id);
    const run = this.#host.runs.get(id);
    return run === undefined || !this.#call.maySee(run.facts) ? null : this.#call.handle(run.handle(), "attach");
  }

  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    this.#call.requireJobs(id);
    return [...this.#host.runs.values()]
      .filter((run) => (id === undefined || run.id === id) && this.#call.maySee(run.facts))
      .map((run) => run.info());
  }

  /** Starts the command in the directory that was judged; where policy has to be asked, the path is walked again after its answer. */
  async #start(
    command: string,
    options: ShellOptions,
    lifetime: Lifetime,
    isOpenEnded: boolean,
  ): Promise<MemoryRun | { readonly problem: string }> {
    const problem = commandProblem(command, options);
    if (problem !== undefined) return { problem };
    for (let authorized: string | undefined; ; ) {
      const directory = this.#directory(options.cwd);
      if ("problem" in directory) return directory;
      if (this.#call.binding === undefined || directory.real === authorized)
        return this.#startIn(directory.real, command, options, lifetime, isOpenEnded);
      authorized = directory.real;
      await requireAuthorizedDirectory(this.#call.binding, command, options.cwd, authorized);
      this.#host.tree.requireOpen();
    }
  }

  #startIn(
    directory: string,
    command: string,
    options: ShellOptions,
    lifetime: Lifetime,
    isOpenEnded: boolean,
  ): MemoryRun {
    const { signal, timeoutMs, detach, ...rest } = options;
    const facts: JobFacts = {
      ...this.#call.facts(command, options.cwd, lifetime),
      ...(isOpenEnded ? {} : { adopted: "call" }),
    };
    const run: MemoryRunOptions = {
      ...rest,
      cwd: directory,
      isOpenEnded,
      ...(detach === undefined || isOpenEnded ? {} : { detached: new AbortHub(detach) }),
      env: { ...this.#host.env, ...options.env },
      limitMs: isOpenEnded ? Number.POSITIVE_INFINITY : this.#call.leftMs(timeoutMs, this.#host.table.clock.now()),
      // What was spawned outlives its call, so neither the call's end nor its signal reaches it.
      stops: isOpenEnded
        ? []
        : [signal === undefined ? undefined : new AbortHub(signal), this.#callEnds].filter((one) => one !== undefined),
    };
    return new MemoryRun(this.#host, this.#host.nextRunId(), facts, run, (left) => this.#keep(left));
  }

  /** Keeps a run for `attach`; of those that have ended the oldest are forgotten. */
  #keep(run: MemoryRun): void {
    const { runs } = this.#host;
    runs.set(run.id, run);
    const ended = [...runs.values()].filter((one) => one.hasEnded);
    for (const one of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_RUNS))) runs.delete(one.id);
  }

  /** Where a command's directory really is, or why none can start there, as a clause. */
  #directory(cwd: string): { readonly real: string } | { readonly problem: string } {
    try {
      const { node, real } = this.#host.tree.walk(cwd, true, FS_OPERATIONS.stat);
      if (node?.kind === "directory") return { real };
      return { problem: cwdProblem(cwd, node === undefined ? "absent" : "file") };
    } catch {
      // Its symlinks form a loop.
      return { problem: cwdProblem(cwd, "closed") };
    }
  }
}

sealPort(MemoryShell);
