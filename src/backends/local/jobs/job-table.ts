import {
  DEFAULT_GRACE_MS,
  type JobInfo,
  type ShellHandle,
  type ShellResult,
  TREE_GONE,
  type TreeState,
} from "../../../kernel/index.js";
import { exitEvent, type JobFacts, jobStillRuns, signalNamed } from "../../job-facts.js";
import type { RunningCommand } from "../shell/running-command.js";
import { waitingTwice } from "../shell/waiting-process.js";
import type { JobDirectory } from "./job-directory.js";
import type { JobStore } from "./job-store.js";

/** Bytes of each stream of a job that can be asked for where it has no files: the latest. */
export const JOB_OUTPUT_BYTES = 1024 * 1024;
/** Bytes of each stream that are at hand where it has. */
export const RECENT_OUTPUT_BYTES = 64 * 1024;
/** Jobs that are known, unless more run; of those that have ended the oldest are forgotten. */
const REMEMBERED_JOBS = 200;
/** How often survivors without an end event are looked at. */
const POLL_INTERVAL_MS = 500;

export interface LocalJob {
  readonly id: string;
  readonly facts: JobFacts;
  readonly running: RunningCommand;
  /** Where it is written down. */
  readonly directory?: JobDirectory;
  readonly handle: ShellHandle;
  /** Whether nothing of it runs any more. */
  readonly hasEnded: boolean;
  info(): JobInfo;
  /** Nothing of it is left, or nothing will be looked at any more. Only the first end counts. */
  noteEnd(by: NonNullable<JobInfo["endedBy"]>): void;
  /** Ends what is left of it. */
  end(graceMs: number): Promise<TreeState>;
}

/** The jobs of one backend: commands that were spawned, and what survived others. */
export class LocalJobTable {
  readonly #jobs = new Map<string, LocalJob>();
  readonly #onEnded: (running: RunningCommand) => void;
  readonly #store: JobStore | undefined;
  #count = 0;
  #isClosing = false;

  /**
   * @param onEnded - Told once for each job, when nothing of it is left.
   * @param store - Gives numbers that no other job has.
   */
  constructor(onEnded: (running: RunningCommand) => void, store?: JobStore) {
    this.#onEnded = onEnded;
    this.#store = store;
  }

  /** What ends from now on ends because its host does. */
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

  /** @param result - When the command itself has ended; for survivors, when the last of them has. */
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
      // What was let go is written down by whoever finds it.
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
      // Survivors are looked at seldom; that they have ended is known here already.
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
      // As later processes find it.
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
 * Survivors are no children of ours, so nothing tells of their end: they are looked at now and then. Someone who holds a
 * stream goes on as well, though it be nobody that may be seen.
 */
async function untilGone(running: RunningCommand): Promise<TreeState> {
  let { tree } = await running.finished;
  while (tree.state === "alive" || !running.isDrained) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, POLL_INTERVAL_MS).unref();
    });
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
      const signal = signalNamed(id, name);
      if (signal === "SIGTERM" && options?.once !== true) return end(DEFAULT_GRACE_MS);
      return signal === "SIGKILL" ? end(0) : running.signal(signal);
    },
    onExit: exitEvent(result),
  };
}
