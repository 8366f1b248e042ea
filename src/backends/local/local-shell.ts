import {
  authorizeDirectory,
  type Binding,
  type Io,
  isWithin,
  type JobInfo,
  MAX_TIMER_MS,
  notStarted,
  requireMoved,
  requireTreeCovered,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
  type TreeState,
  unbegunResult,
  whyAborted,
} from "../../kernel/index.js";
import { ShellCall } from "../shell-call.js";
import type { CommandHost } from "./command-host.js";
import type { Anchor } from "./fs-anchor.js";
import { JOB_OUTPUT_BYTES, RECENT_OUTPUT_BYTES } from "./job-table.js";
import type { JobFolder } from "./jobs/job-folder.js";
import type { NewJob } from "./jobs/job-store.js";
import type { RunningCommand } from "./running-command.js";
import { watchForWaiting } from "./waiting-process.js";

/** Commands of this machine, through `/bin/sh`. */
export class LocalShell implements Shell {
  readonly #host: CommandHost;
  readonly #call: ShellCall;

  constructor(host: CommandHost, binding?: Binding) {
    this.#host = host;
    this.#call = new ShellCall(() => host.requireOpen(), binding);
  }

  async exec(command: string, options: ShellOptions): Promise<ShellResult> {
    this.#call.requireCommand(command, options.cwd);
    const startedMs = Date.now();
    const deadlineMs = this.#call.leftMs(options.timeoutMs);
    if (options.signal?.aborted === true) return unbegunResult(startedMs, whyAborted(options.signal));
    if (deadlineMs <= 0) return unbegunResult(startedMs, "deadline");
    const stdin = options.input ?? "none";
    const running = await this.#inDirectory(command, options, (directory) => {
      // Policy may have been asked meanwhile.
      if (options.signal?.aborted === true) return { ended: whyAborted(options.signal) };
      return this.#host.start(command, options, { directory, stdin, latestBytes: 0, readAtOnce: false });
    });
    if ("ended" in running) return unbegunResult(startedMs, running.ended);
    if ("problem" in running) return unbegunResult(startedMs, "spawn-error", running.problem);
    const release = this.#stopWith(running, options, deadlineMs);
    // Nothing is left to write where the command was given its input whole.
    if (stdin !== "none") running.input.give(stdin);
    const how = await running.settled;
    release();
    const result = running.resultOf(how);
    if (how.tree.state !== "alive" && running.isDrained) {
      this.#host.ended(running);
      return result;
    }
    const facts = { ...this.#call.facts(command, options.cwd, "session"), adopted: "call" } as const;
    const folder = this.#host.openFolder(facts);
    if (folder === undefined) running.outlive(JOB_OUTPUT_BYTES);
    else {
      this.#host.noteSurvivor(running, folder);
      running.outlive(RECENT_OUTPUT_BYTES, {
        stdout: folder.openOutput("stdout"),
        stderr: folder.openOutput("stderr"),
      });
    }
    const later = async (gone: Promise<TreeState>) => {
      if (how.ended === "detached") return running.resultOf(await running.finished);
      const tree = await gone;
      return running.resultOf({ ...how, tree, ...running.printed() });
    };
    const job = this.#host.jobs.add(running, facts, later, folder);
    return { ...result, job: job.id };
  }

  async spawn(command: string, options: SpawnOptions): Promise<ShellHandle> {
    this.#call.requireCommand(command, options.cwd);
    const facts = this.#call.facts(command, options.cwd, options.lifetime);
    let folder: JobFolder | undefined;
    const running = await this.#inDirectory(command, options, async (directory) => {
      folder = await this.#openFolder(facts, options.outputFolder, directory.real);
      return this.#host.start(command, options, {
        directory,
        stdin: options.input ?? "open",
        latestBytes: folder === undefined ? JOB_OUTPUT_BYTES : RECENT_OUTPUT_BYTES,
        readAtOnce: true,
        lifetime: options.lifetime,
        ...(folder === undefined ? {} : { folder }),
      });
    });
    if ("problem" in running) {
      folder?.remove();
      throw notStarted(running.problem);
    }
    if (options.input !== undefined) running.input.give(options.input);
    const settled = running.settled.then((how) => running.resultOf(how));
    const job = this.#host.jobs.add(running, facts, () => settled, folder);
    return this.#call.handle(job.handle);
  }

  async attach(id: string): Promise<ShellHandle | null> {
    this.#call.requireJob(id);
    const own = this.#host.jobs.get(id);
    if (own !== undefined) return this.#call.maySee(own.facts) ? this.#call.handle(own.handle) : null;
    const earlier = this.#host.earlier?.find(id);
    if (earlier === undefined) this.#host.earlier?.requireKnown(id);
    return earlier === undefined || !this.#call.maySee(earlier.folder.record)
      ? null
      : this.#call.handle(earlier.handle());
  }

  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    this.#call.requireJobs(id);
    const { jobs, earlier } = this.#host;
    const own = id === undefined ? jobs.all : [jobs.get(id)];
    const others = id === undefined ? earlier?.all() : [earlier?.find(id)];
    const infos = [...(others ?? []), ...own].map((job) => job?.info()).filter((info) => info !== undefined);
    return infos.filter((info) => this.#call.maySee(info)).sort((one, other) => one.startedMs - other.startedMs);
  }

  /**
   * @param real - The held directory of the command, which the folder lies in.
   * @throws `CALL_UNCLAIMED` where the call may not write to the folder that it names; `POLICY_DENIED`,
   *   `POLICY_APPROVAL_REQUIRED` where it may not write where that really is.
   */
  async #openFolder(facts: NewJob, outputFolder: string | undefined, real: string): Promise<JobFolder | undefined> {
    if (outputFolder === undefined) return this.#host.openFolder(facts);
    if (this.#call.binding !== undefined) {
      const { grant, call } = this.#call.binding;
      requireTreeCovered(grant, outputFolder, "write");
      if (isWithin(facts.cwd, outputFolder)) {
        await requireMoved(grant, call, outputFolder, real + outputFolder.slice(facts.cwd.length), "write");
        this.#call.requireLive();
      }
    }
    return this.#host.openFolder({ ...facts, outputFolder });
  }

  /** Starts a command in the very directory that was judged: it is held meanwhile, so no symlink can be swapped in between. */
  async #inDirectory<T>(
    command: string,
    options: ShellOptions,
    start: (directory: Anchor) => T | Promise<T>,
  ): Promise<T | { readonly problem: string }> {
    const directory = this.#host.hold(command, options);
    if ("problem" in directory) return directory;
    try {
      if (this.#call.binding !== undefined) {
        await authorizeDirectory(this.#call.binding, command, options.cwd, directory.real);
        this.#call.requireLive();
      }
      return await start(directory);
    } finally {
      directory.close();
    }
  }

  /** Ends the command at its deadline and when a signal fires. Returns what takes that back. */
  #stopWith(running: RunningCommand, options: ShellOptions, deadlineMs: number): () => void {
    const signals = [options.signal, this.#call.binding?.call.signal].filter((one) => one !== undefined);
    const onAbort = (event: Event) => {
      running.stop(whyAborted(event.target as AbortSignal), options.graceMs);
    };
    for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
    const onDetach = () => running.detach();
    if (options.detach?.aborted === true) onDetach();
    options.detach?.addEventListener("abort", onDetach, { once: true });
    const stopLooking =
      options.onWaiting === undefined ? () => {} : watchForWaiting(running, options.onWaiting.bind(options));
    const timer =
      deadlineMs > MAX_TIMER_MS ? undefined : setTimeout(() => running.stop("deadline", options.graceMs), deadlineMs);
    return () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      options.detach?.removeEventListener("abort", onDetach);
      stopLooking();
    };
  }
}
