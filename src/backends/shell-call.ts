/** What one call may do with a shell and its jobs, and what stops its commands; shared by all backends. */
import { whyAborted } from "../engines/search/index.js";
import {
  type Binding,
  boundHandle,
  type JobInfo,
  jobOwner,
  type Lifetime,
  MAX_TIMER_MS,
  maySeeJob,
  requireCommand,
  requireJob,
  requireJobs,
  requireLive,
  type ShellHandle,
  type ShellOptions,
} from "../kernel/index.js";
import type { JobFacts } from "./job-facts.js";

/** A call that uses a shell; without a binding everything is permitted. */
export class ShellCall {
  readonly binding: Binding | undefined;
  readonly #requireOpen: () => void;

  /** @param requireOpen - Throws once the backend is closed. */
  constructor(requireOpen: () => void, binding: Binding | undefined) {
    this.#requireOpen = requireOpen;
    this.binding = binding;
  }

  /** @throws `BACKEND_UNAVAILABLE`, `CALL_REVOKED`, or what the call was ended with. */
  requireLive(): void {
    if (this.binding !== undefined) requireLive(this.binding.call);
    this.#requireOpen();
  }

  /**
   * @returns The options that were checked; no others may be used.
   * @throws `CALL_UNCLAIMED`, and what `requireLive` does.
   */
  requireCommand<T extends Parameters<typeof requireCommand>[2]>(
    command: string,
    options: T,
    how: "foreground" | "background",
  ): T {
    this.requireLive();
    return requireCommand(this.binding?.grant, command, options, how);
  }

  /** @throws `CALL_UNCLAIMED`, and what `requireLive` does. */
  requireJob(id: string): void {
    this.requireLive();
    if (this.binding !== undefined) requireJob(this.binding.grant, id);
  }

  /** @param id - Set if only one job is requested. @throws `CALL_UNCLAIMED`, and what `requireLive` does. */
  requireJobs(id: string | undefined): void {
    this.requireLive();
    if (this.binding !== undefined) requireJobs(this.binding.grant, id);
  }

  /** Milliseconds for a command: the smaller of its own limit and the time left for the call. */
  leftMs(timeoutMs: number | undefined, nowMs = Date.now()): number {
    return Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, (this.binding?.call.deadline ?? Infinity) - nowMs);
  }

  /** The signals that stop a command: its own and that of the call. */
  signals({ signal }: Pick<ShellOptions, "signal">): readonly AbortSignal[] {
    return [signal, this.binding?.call.signal].filter((one) => one !== undefined);
  }

  /** The facts of a job that it starts. */
  facts(command: string, cwd: string, lifetime: Lifetime): Omit<JobFacts, "adopted"> {
    return { command, cwd, lifetime, ...jobOwner(this.binding?.call) };
  }

  maySee(job: Pick<JobInfo, "session" | "owner" | "lifetime">): boolean {
    return maySeeJob(job, this.binding?.call);
  }

  /**
   * The handle of a job, for what the call claimed to do with it, until the call ends.
   *
   * @param from - "spawn": the call itself has started the job.
   */
  handle(handle: ShellHandle, from: "spawn" | "attach"): ShellHandle {
    return this.binding === undefined ? handle : boundHandle(handle, this.binding, from);
  }
}

/**
 * Calls `stop` when a signal fires, at once for one that has fired already, and after `timeoutMs`. It may be called more than once.
 *
 * @returns Ends this. Call it when the command has ended.
 */
export function stopWith(
  signals: readonly AbortSignal[],
  timeoutMs: number,
  stop: (why: "cancelled" | "deadline") => void,
): () => void {
  const watched = signals.map((signal) => {
    const listener = () => stop(whyAborted(signal));
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
    return { signal, listener };
  });
  if (timeoutMs <= 0) stop("deadline");
  const timer = timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(() => stop("deadline"), Math.max(0, timeoutMs));
  return () => {
    clearTimeout(timer);
    for (const { signal, listener } of watched) signal.removeEventListener("abort", listener);
  };
}
