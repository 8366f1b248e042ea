import { type JobInfo, type ShellHandle, type ShellResult, TREE_GONE, type TreeState } from "../../../kernel/index.js";
import { killPlan } from "../../exit-status.js";
import { exitEvent, type JobFacts, jobStillRuns } from "../../job-facts.js";
import type { RunningCommand } from "../shell/running-command.js";
import { waitingTwice } from "../shell/waiting-process.js";
import type { JobDirectory } from "./job-directory.js";
import type { JobStore } from "./job-store.js";

/** The latest bytes of each stream that are stored for a job without files. */
export const JOB_OUTPUT_BYTES = 1024 * 1024;
/** The same for a job with files. */
export const RECENT_OUTPUT_BYTES = 64 * 1024;
/** Jobs that are remembered, unless more are running; the oldest ended ones are dropped. */
const REMEMBERED_JOBS = 200;
const POLL_INTERVAL_MS = 500;

/** How often to look at processes that are not children of this one and so have no exit event. Does not keep this process alive. */
export function nextPoll(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, POLL_INTERVAL_MS).unref();
  });
}

export interface LocalJob {
  readonly id: string;
  readonly facts: JobFacts;
  readonly running: RunningCommand;
  /** Where its record and output are stored. */
  readonly directory?: JobDirectory;
  readonly handle: ShellHandle;
  /** Whether all of its processes have ended. */
  readonly hasEnded: boolean;
  info(): JobInfo;
  /** Records the end of the job; only the first call counts. */
  noteEnd(by: NonNullable<JobInfo["endedBy"]>): void;
  /** Stops it. */
  end(graceMs: number): Promise<TreeState>;
}

/** The jobs of one backend: spawned commands, and background processes left by calls. */
export class LocalJobTable {
  readonly #jobs = new Map<string, LocalJob>();
  readonly #onEnded: (running: RunningCommand) => void;
  readonly #store: JobStore | undefined;
  #count = 0;
  #isClosing = false;

  /**
   * @param onEnded - Called once for each job, when all of its processes have ended.
   * @param store - Provides unique ids.
   */
  constructor(onEnded: (running: RunningCommand) => void, store?: JobStore) {
    this.#onEnded = onEnded;
    this.#store = store;
  }

  /** From here on jobs end because of their host. */
  close(): void {
    this.#isClosing = true;
  }

  get(id: string): LocalJob | undefined {
    return this.#jobs.get(id);
  }

  /** All that are known, oldest first. */
  get all(): readonly LocalJob[] {
    return [...this.#jobs.values()];
  }

  get alive(): readonly LocalJob[] {
    return [...this.#jobs.values()].filter((job) => !job.hasEnded);
  }

  /** @param result - Resolves when the command has ended; for background processes, when the last one has. */
  add(
    running: RunningCommand,
    facts: JobFacts,
    result: (gone: Promise<TreeState>) => Promise<ShellResult>,
    directory?: JobDirectory,
  ): LocalJob {
    this.#forgetEnded();
    const id = directory?.id ?? this.#store?.nextId() ?? `job-${++this.#count}`;
    const state: JobState = { hasEnded: false, endedMs: 0, wasStopped: false };
    const noteEnd = (by: NonNullable<JobInfo["endedBy"]>) => {
      // The end of a released job is recorded by the host that finds it.
      if (state.hasEnded || directory?.record.isReleased === true) return;
      state.hasEnded = true;
      state.endedMs = Date.now();
      state.endedBy = by;
      running.closeStreams();
      const exit = running.exit === undefined ? {} : { exit: running.exit };
      const produced = { stdout: running.stdout.produced, stderr: running.stderr.produced };
      directory?.update({ ended: { atMs: state.endedMs, by, ...exit, produced }, isReported: true });
    };
    const gone = untilGone(running).then((tree) => {
      noteEnd(this.#isClosing ? "host" : state.wasStopped ? "stopped" : "itself");
      this.#onEnded(running);
      return tree;
    });
    const end = async (graceMs: number) => {
      if (state.hasEnded) return TREE_GONE;
      state.wasStopped = true;
      running.stop("cancelled", graceMs);
      const tree = await running.end(graceMs);
      // Polling is slow; the end is already known here.
      if (tree.state === "gone" && running.hasExited) noteEnd(this.#isClosing ? "host" : "stopped");
      return tree;
    };
    const forget = async () => {
      if (!state.hasEnded) throw jobStillRuns(id);
      this.#jobs.delete(id);
      directory?.remove();
    };
    const info = (): JobInfo => ({
      id,
      ...facts,
      // The same value as later hosts read.
      startedMs: directory?.record.startedMs ?? running.startedMs,
      status: state.hasEnded ? "ended" : "running",
      ...(running.exit === undefined ? {} : { exit: running.exit }),
      ...(state.endedBy === undefined ? {} : { endedBy: state.endedBy, endedMs: state.endedMs }),
      outputBytes: running.stdout.produced + running.stderr.produced,
    });
    const handle = Object.assign(handleOf(id, running, result(gone), end), { forget, info: async () => info() });
    const job: LocalJob = {
      id,
      facts,
      running,
      ...(directory === undefined ? {} : { directory }),
      handle,
      noteEnd,
      get hasEnded() {
        return state.hasEnded;
      },
      info,
      end,
    };
    this.#jobs.set(id, job);
    return job;
  }

  #forgetEnded(): void {
    for (const [id, job] of this.#jobs) {
      if (this.#jobs.size < REMEMBERED_JOBS) return;
      if (job.hasEnded) this.#jobs.delete(id);
    }
  }
}

interface JobState {
  hasEnded: boolean;
  endedMs: number;
  endedBy?: NonNullable<JobInfo["endedBy"]>;
  wasStopped: boolean;
}

/**
 * Background processes are not children of this process, so they are polled. A process that holds a
 * stream counts as running, even if it is not visible.
 */
async function untilGone(running: RunningCommand): Promise<TreeState> {
  let { tree } = await running.finished;
  while (tree.state === "alive" || !running.isDrained) {
    await nextPoll();
    tree = running.remains();
  }
  return tree;
}

function handleOf(
  id: string,
  running: RunningCommand,
  result: Promise<ShellResult>,
  end: (graceMs: number) => Promise<TreeState>,
): Omit<ShellHandle, "info"> {
  return {
    id,
    get pid() {
      return running.hasExited ? null : running.pid;
    },
    waiting: () => waitingTwice(running),
    result,
    write: (bytes, options) => running.input.write(id, bytes, options),
    closeInput: () => running.input.close(),
    output: async (stream, from, max) => running[stream].read(from, max),
    async kill(name, options) {
      const plan = killPlan(id, name, options);
      return "graceMs" in plan ? end(plan.graceMs) : running.signal(plan.signal);
    },
    onExit: exitEvent(result),
  };
}
