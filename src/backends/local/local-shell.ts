import {
  type Binding,
  boundHandle,
  HaftError,
  type Io,
  type JobInfo,
  type Lifetime,
  MAX_TIMER_MS,
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
  unbegunResult,
} from "../../kernel/index.js";
import type { CommandHost } from "./command-host.js";
import { JOB_OUTPUT_BYTES, type Job, type JobFacts } from "./job-table.js";
import type { RunningCommand } from "./running-command.js";

type Stop = { readonly ended: "cancelled" | "deadline" };

/** Commands of this machine, through `/bin/sh`. */
export class LocalShell implements Shell {
  readonly #host: CommandHost;
  readonly #binding: Binding | undefined;

  constructor(host: CommandHost, binding?: Binding) {
    this.#host = host;
    this.#binding = binding;
  }

  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    this.#judge(command, options.cwd);
    const startedMs = Date.now();
    const deadlineMs = this.#deadlineMs(options.timeoutMs);
    if (options.signal?.aborted === true) return unbegunResult(startedMs, whyStopped(options.signal).ended);
    if (deadlineMs <= 0) return unbegunResult(startedMs, "deadline");
    const stdin = options.input ?? "none";
    const running = this.#host.start(command, options, { stdin, latestBytes: 0, readAtOnce: false });
    if ("problem" in running) return unbegunResult(startedMs, "spawn-error", running.problem);
    const release = this.#stopWith(running, options, deadlineMs);
    // Nothing is left to write where the command was given its input whole.
    if (stdin !== "none") void running.input.write(stdin).then(() => running.input.close());
    const how = await running.settled;
    release();
    const result = running.resultOf(how);
    if (how.tree.state !== "alive" && running.isDrained) {
      this.#host.ended(running);
      return result;
    }
    running.outlive(JOB_OUTPUT_BYTES);
    const facts: JobFacts = { ...this.#facts(command, options.cwd, "session"), adopted: "call" };
    const job = this.#host.jobs.add(running, facts, async (gone) => {
      if (how.ended === "detached") return running.resultOf(await running.finished);
      const tree = await gone;
      return running.resultOf({ ...how, tree, ...running.printed() });
    });
    return { ...result, job: job.id };
  }

  async spawn(command: string, options: SpawnOptions): Promise<ShellHandle> {
    this.#judge(command, options.cwd);
    const running = this.#host.start(command, options, {
      stdin: options.input ?? "open",
      latestBytes: JOB_OUTPUT_BYTES,
      readAtOnce: true,
      lifetime: options.lifetime,
    });
    if ("problem" in running) {
      throw notStarted(running.problem);
    }
    if (options.input !== undefined) void running.input.write(options.input).then(() => running.input.close());
    const settled = running.settled.then((how) => running.resultOf(how));
    const job = this.#host.jobs.add(running, this.#facts(command, options.cwd, options.lifetime), () => settled);
    return this.#bound(job.handle);
  }

  async attach(id: string): Promise<ShellHandle | null> {
    this.#requireLive();
    if (this.#binding !== undefined) requireJob(this.#binding.grant, id);
    const job = this.#host.jobs.get(id);
    return job === undefined || !this.#maySee(job) ? null : this.#bound(job.handle);
  }

  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    this.#requireLive();
    if (this.#binding !== undefined) requireJobs(this.#binding.grant, id);
    return this.#host.jobs.all
      .filter((job) => (id === undefined || job.id === id) && this.#maySee(job))
      .map((job) => job.info());
  }

  #maySee(job: Job): boolean {
    return this.#binding === undefined || maySeeJob(job.facts, this.#binding.call);
  }

  #facts(command: string, cwd: string, lifetime: Lifetime): JobFacts {
    const call = this.#binding?.call;
    return {
      command,
      cwd,
      lifetime,
      ...(call === undefined ? {} : { session: call.sessionId }),
      ...(call?.owner === undefined ? {} : { owner: call.owner }),
    };
  }

  #judge(command: string, cwd: string): void {
    this.#requireLive();
    if (this.#binding !== undefined) requireCommand(this.#binding.grant, command, cwd);
  }

  #requireLive(): void {
    if (this.#binding !== undefined) requireLive(this.#binding.call);
    this.#host.requireOpen();
  }

  #deadlineMs(timeoutMs: number | undefined): number {
    const call = this.#binding?.call;
    const left = call === undefined ? Number.POSITIVE_INFINITY : call.deadline - Date.now();
    return Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, left);
  }

  /** Ends the command at its deadline and when a signal fires. Returns what takes that back. */
  #stopWith(running: RunningCommand, options: ShellOptions, deadlineMs: number): () => void {
    const signals = [options.signal, this.#binding?.call.signal].filter((one) => one !== undefined);
    const onAbort = (event: Event) => {
      running.stop(whyStopped(event.target as AbortSignal).ended, options.graceMs);
    };
    for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
    const onDetach = () => running.detach();
    if (options.detach?.aborted === true) onDetach();
    options.detach?.addEventListener("abort", onDetach, { once: true });
    const timer =
      deadlineMs > MAX_TIMER_MS ? undefined : setTimeout(() => running.stop("deadline", options.graceMs), deadlineMs);
    return () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      options.detach?.removeEventListener("abort", onDetach);
    };
  }

  /** The handle of a job, for as long as the call lives. */
  #bound(handle: ShellHandle): ShellHandle {
    return this.#binding === undefined ? handle : boundHandle(handle, this.#binding.call);
  }
}

function whyStopped(signal: AbortSignal): Stop {
  return { ended: HaftError.is(signal.reason, "CALL_TIMEOUT") ? "deadline" : "cancelled" };
}
