/** What one call may do with a shell and its jobs; shared by all backends. */
import {
  type Binding,
  boundHandle,
  type JobInfo,
  jobOwner,
  type Lifetime,
  maySeeJob,
  requireCommand,
  requireJob,
  requireJobs,
  requireLive,
  type ShellHandle,
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

  /** @throws `CALL_UNCLAIMED`, and what `requireLive` does. */
  requireCommand(command: string, cwd: string): void {
    this.requireLive();
    if (this.binding !== undefined) requireCommand(this.binding.grant, command, cwd);
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

  /** The facts of a job that it starts. */
  facts(command: string, cwd: string, lifetime: Lifetime): Omit<JobFacts, "adopted"> {
    return { command, cwd, lifetime, ...jobOwner(this.binding?.call) };
  }

  maySee(job: Pick<JobInfo, "session" | "owner" | "lifetime">): boolean {
    return maySeeJob(job, this.binding?.call);
  }

  /** The handle of a job, valid until the call ends. */
  handle(handle: ShellHandle): ShellHandle {
    return this.binding === undefined ? handle : boundHandle(handle, this.binding.call);
  }
}
