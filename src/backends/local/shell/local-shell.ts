import { whyAborted } from "../../../engines/search/index.js";
import {
  type Binding,
  type Io,
  isWithin,
  type JobInfo,
  notStarted,
  notStartedResult,
  requireAuthorized,
  requireAuthorizedDirectory,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
  sealPort,
  type TreeState,
} from "../../../kernel/index.js";
import { ShellCall, stopWith } from "../../shell-call.js";
import type { DirectoryAnchor } from "../fs/pinned-directory.js";
import type { JobDirectory } from "../jobs/job-directory.js";
import type { NewJob } from "../jobs/job-store.js";
import { JOB_OUTPUT_BYTES, RECENT_OUTPUT_BYTES } from "../jobs/job-table.js";
import type { CommandHost } from "./command-host.js";
import type { RunningCommand } from "./running-command.js";
import { watchForWaiting } from "./waiting-process.js";

/** Runs commands on this machine with `/bin/sh`. */
export class LocalShell implements Shell {
  readonly #host: CommandHost;
  readonly #call: ShellCall;

  constructor(host: CommandHost, binding?: Binding) {
    this.#host = host;
    this.#call = new ShellCall(() => host.requireOpen(), binding);
  }

  async exec(command: string, asked: ShellOptions): Promise<ShellResult> {
    const options = this.#call.requireCommand(command, asked, "foreground");
    const startedMs = Date.now();
    const deadlineMs = this.#call.leftMs(options.timeoutMs);
    if (options.signal?.aborted === true) return notStartedResult(startedMs, whyAborted(options.signal));
    if (deadlineMs <= 0) return notStartedResult(startedMs, "deadline");
    const stdin = options.input ?? "none";
    const running = await this.#inDirectory(command, options, (directory) => {
      // The call may have been aborted while policy was asked.
      if (options.signal?.aborted === true) return { ended: whyAborted(options.signal) };
      return this.#host.start(command, options, { directory, stdin, latestBytes: 0, readAtOnce: false });
    });
    if ("ended" in running) return notStartedResult(startedMs, running.ended);
    if ("problem" in running) return notStartedResult(startedMs, "spawn-error", running.problem);
    const release = this.#stopWith(running, options, deadlineMs);
    // With "none" there is no input to write.
    if (stdin !== "none") running.input.give(stdin);
    const how = await running.settled;
    release();
    const result = running.resultOf(how);
    if (how.tree.state !== "alive" && running.isDrained) {
      this.#host.ended(running);
      return result;
    }
    const facts = { ...this.#call.facts(command, options.cwd, "session"), adopted: "call" } as const;
    const jobDirectory = this.#host.openDirectory(facts);
    if (jobDirectory === undefined) running.outlive(JOB_OUTPUT_BYTES);
    else {
      this.#host.noteSurvivor(running, jobDirectory);
      running.outlive(RECENT_OUTPUT_BYTES, {
        stdout: jobDirectory.openOutput("stdout"),
        stderr: jobDirectory.openOutput("stderr"),
      });
    }
    const later = async (gone: Promise<TreeState>) => {
      if (how.ended === "detached") return running.resultOf(await running.finished);
      const tree = await gone;
      return running.resultOf({ ...how, tree, ...running.printed() });
    };
    const job = this.#host.jobs.add(running, facts, later, jobDirectory);
    return { ...result, job: job.id };
  }

  async spawn(command: string, asked: SpawnOptions): Promise<ShellHandle> {
    const options = this.#call.requireCommand(command, asked, "background");
    const facts = this.#call.facts(command, options.cwd, options.lifetime);
    let jobDirectory: JobDirectory | undefined;
    const running = await this.#inDirectory(command, options, async (directory) => {
      jobDirectory = await this.#openDirectory(facts, options.outputDirectory, directory.real);
      return this.#host.start(command, options, {
        directory,
        stdin: options.input ?? "open",
        latestBytes: jobDirectory === undefined ? JOB_OUTPUT_BYTES : RECENT_OUTPUT_BYTES,
        readAtOnce: true,
        lifetime: options.lifetime,
        ...(jobDirectory === undefined ? {} : { jobDirectory }),
      });
    });
    if ("problem" in running) {
      jobDirectory?.remove();
      throw notStarted(running.problem);
    }
    if (options.input !== undefined) running.input.give(options.input);
    const settled = running.settled.then((how) => running.resultOf(how));
    const job = this.#host.jobs.add(running, facts, () => settled, jobDirectory);
    return this.#call.handle(job.handle, "spawn");
  }

  async attach(id: string): Promise<ShellHandle | null> {
    this.#call.requireJob(id);
    const own = this.#host.jobs.get(id);
    if (own !== undefined) return this.#call.maySee(own.facts) ? this.#call.handle(own.handle, "attach") : null;
    const recovered = this.#host.recovered?.find(id);
    if (recovered === undefined) this.#host.recovered?.requireKnown(id);
    return recovered === undefined || !this.#call.maySee(recovered.directory.record)
      ? null
      : this.#call.handle(recovered.handle(), "attach");
  }

  async jobs(options: Io & { readonly id?: string } = {}): Promise<readonly JobInfo[]> {
    const { id } = options;
    this.#call.requireJobs(id);
    const { jobs, recovered } = this.#host;
    const own = id === undefined ? jobs.all : [jobs.get(id)];
    const others = id === undefined ? recovered?.all() : [recovered?.find(id)];
    const infos = [...(others ?? []), ...own].map((job) => job?.info()).filter((info) => info !== undefined);
    return infos.filter((info) => this.#call.maySee(info)).sort((one, other) => one.startedMs - other.startedMs);
  }

  /**
   * @param real - The pinned working directory of the command, which contains the directory.
   * @throws `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED` if the call may not write to its real path.
   */
  async #openDirectory(
    facts: NewJob,
    outputDirectory: string | undefined,
    real: string,
  ): Promise<JobDirectory | undefined> {
    if (outputDirectory === undefined) return this.#host.openDirectory(facts);
    if (this.#call.binding !== undefined) {
      const { grant, call } = this.#call.binding;
      if (isWithin(facts.cwd, outputDirectory)) {
        await requireAuthorized(grant, call, outputDirectory, real + outputDirectory.slice(facts.cwd.length), "write");
        this.#call.requireLive();
      }
    }
    return this.#host.openDirectory({ ...facts, outputDirectory });
  }

  /** Starts a command in the authorized directory, which stays pinned so that no symlink can be swapped in. */
  async #inDirectory<T>(
    command: string,
    options: ShellOptions,
    start: (directory: DirectoryAnchor) => T | Promise<T>,
  ): Promise<T | { readonly problem: string }> {
    const directory = this.#host.hold(command, options);
    if ("problem" in directory) return directory;
    try {
      if (this.#call.binding !== undefined) {
        await requireAuthorizedDirectory(this.#call.binding, command, options.cwd, directory.real);
        this.#call.requireLive();
      }
      return await start(directory);
    } finally {
      directory.close();
    }
  }

  /** Ends the command at its deadline and when a signal fires. Returns a function that cancels this. */
  #stopWith(running: RunningCommand, options: ShellOptions, deadlineMs: number): () => void {
    const release = stopWith(this.#call.signals(options), deadlineMs, (why) => running.stop(why, options.graceMs));
    const onDetach = () => running.detach();
    if (options.detach?.aborted === true) onDetach();
    options.detach?.addEventListener("abort", onDetach, { once: true });
    const stopPolling =
      options.onWaiting === undefined ? () => {} : watchForWaiting(running, options.onWaiting.bind(options));
    return () => {
      release();
      options.detach?.removeEventListener("abort", onDetach);
      stopPolling();
    };
  }
}

sealPort(LocalShell);
