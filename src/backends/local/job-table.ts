import {
  DEFAULT_GRACE_MS,
  HaftError,
  type JobInfo,
  type ShellHandle,
  type ShellResult,
  type TreeState,
} from "../../kernel/index.js";
import type { RunningCommand } from "./running-command.js";
import { signalOf } from "./signal-names.js";

/** Bytes of each stream of a job that can be asked for: the latest. */
export const JOB_OUTPUT_BYTES = 1024 * 1024;
/** Jobs that are known, unless more run; of those that have ended the oldest are forgotten. */
const REMEMBERED_JOBS = 200;
/** How often survivors without an end event are looked at. */
const LOOK_MS = 500;

/** What a job is known by. */
export type JobFacts = Pick<JobInfo, "command" | "cwd" | "lifetime" | "session" | "owner" | "adopted">;

export interface Job {
  readonly id: string;
  readonly facts: JobFacts;
  readonly running: RunningCommand;
  readonly handle: ShellHandle;
  /** Whether nothing of it runs any more. */
  readonly hasEnded: boolean;
  info(): JobInfo;
  /** Ends what is left of it. */
  end(graceMs: number): Promise<TreeState>;
}

/** The jobs of one backend: commands that were spawned, and what survived others. */
export class JobTable {
  readonly #jobs = new Map<string, Job>();
  readonly #onEnded: (running: RunningCommand) => void;
  #count = 0;

  /** @param onEnded - Told once for each job, when nothing of it is left. */
  constructor(onEnded: (running: RunningCommand) => void) {
    this.#onEnded = onEnded;
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** All that are known, oldest first. */
  get all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  get alive(): readonly Job[] {
    return [...this.#jobs.values()].filter((job) => !job.hasEnded);
  }

  /** @param result - When the command itself has ended; for survivors, when the last of them has. */
  add(running: RunningCommand, facts: JobFacts, result: (gone: Promise<TreeState>) => Promise<ShellResult>): Job {
    this.#forgetEnded();
    const id = `job-${++this.#count}`;
    const state = { hasEnded: false, endedMs: 0, wasStopped: false };
    const gone = untilGone(running).then((tree) => {
      state.hasEnded = true;
      state.endedMs = Date.now();
      running.closeStreams();
      this.#onEnded(running);
      return tree;
    });
    const end = async (graceMs: number) => {
      if (state.hasEnded) return GONE;
      state.wasStopped = true;
      running.stop("cancelled", graceMs);
      return running.end(graceMs);
    };
    const handle = handleOf(id, running, result(gone), end);
    const job: Job = {
      id,
      facts,
      running,
      handle,
      get hasEnded() {
        return state.hasEnded;
      },
      info: () => ({
        id,
        ...facts,
        startedMs: running.startedMs,
        status: state.hasEnded ? "ended" : "running",
        ...(running.exit === undefined ? {} : { exit: running.exit }),
        ...(state.hasEnded ? { endedBy: state.wasStopped ? "stopped" : "itself", endedMs: state.endedMs } : {}),
        outputBytes: running.stdout.produced + running.stderr.produced,
      }),
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

const GONE: TreeState = Object.freeze({ state: "gone", survivors: [], endedBy: null });

/**
 * Survivors are no children of ours, so nothing tells of their end: they are looked at now and then. Someone who holds a
 * stream goes on as well, though it be nobody that may be seen.
 */
async function untilGone(running: RunningCommand): Promise<TreeState> {
  let { tree } = await running.finished;
  while (tree.state === "alive" || !running.isDrained) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, LOOK_MS).unref();
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
): ShellHandle {
  const listeners = new Set<(result: ShellResult) => void>();
  let final: ShellResult | undefined;
  const tell = (listener: (result: ShellResult) => void, told: ShellResult) => {
    if (!listeners.delete(listener)) return;
    try {
      listener(told);
    } catch {
      // The listener's own fault; the others are told all the same.
    }
  };
  result.then((told) => {
    final = told;
    for (const listener of [...listeners]) tell(listener, told);
  });
  return {
    id,
    get pid() {
      return running.hasExited ? null : running.pid;
    },
    result,
    write: (bytes) => running.input.write(bytes),
    closeInput: async () => running.input.close(),
    output: async (stream, from, max) => running[stream].read(from, max),
    async kill(name) {
      const signal = signalOf(name);
      if (signal === undefined) {
        throw new HaftError(
          "CALL_INVALID",
          `Did not signal "${id}": there is no signal "${name}". Use TERM, INT or KILL.`,
          {
            details: { parameter: "signal", problem: `no signal "${name}"` },
          },
        );
      }
      if (signal === "SIGTERM") return end(DEFAULT_GRACE_MS);
      return signal === "SIGKILL" ? end(0) : running.signal(signal);
    },
    onExit(listener) {
      // Each subscription is told for itself, also when one function is given twice.
      const own = (told: ShellResult) => listener(told);
      listeners.add(own);
      if (final !== undefined) {
        const told = final;
        queueMicrotask(() => tell(own, told));
      }
      return () => void listeners.delete(own);
    },
  };
}
