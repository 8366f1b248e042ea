/** The deadline of a remote file operation: the first of its own limit and that of its call. */
import { setMaxListeners } from "node:events";
import {
  type BoundCall,
  type FsOperation,
  type Io,
  MAX_TIMER_MS,
  outOfTime,
  requireLive,
  requireUncancelled,
  whyCancelled,
} from "../../../kernel/index.js";

/** Combines timeouts and cancel signals into one signal, whose reason is the error to reject with. */
export class OperationDeadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #watched: (readonly [AbortSignal, () => void])[] = [];

  /** @throws `CALL_REVOKED`, `CALL_CANCELLED`, or the reason that the call ended with. */
  constructor(operation: FsOperation, path: string, io: Io | undefined, call: BoundCall | undefined) {
    const [did] = operation;
    // Each step of the operation adds a listener.
    setMaxListeners(0, this.#controller.signal);
    if (call !== undefined) requireLive(call);
    requireUncancelled(operation, path, io?.signal);
    const leftMs = call === undefined ? Number.POSITIVE_INFINITY : call.deadline - Date.now();
    const limitMs = Math.min(io?.timeoutMs ?? Number.POSITIVE_INFINITY, leftMs);
    if (limitMs < MAX_TIMER_MS)
      this.#timer = setTimeout(() => this.#controller.abort(outOfTime(limitMs)), Math.max(0, limitMs));
    for (const signal of [io?.signal, call?.signal]) {
      if (signal === undefined) continue;
      const listener = (): void => this.#controller.abort(whyCancelled(did, path, signal));
      signal.addEventListener("abort", listener, { once: true });
      this.#watched.push([signal, listener]);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles like `work`, or rejects when the deadline passes; the result of `work` is then ignored. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    if (signal.aborted) {
      work.catch(() => {});
      return Promise.reject(signal.reason);
    }
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  check(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** Removes timers and listeners. Call it when the operation has settled. */
  release(): void {
    clearTimeout(this.#timer);
    for (const [signal, listener] of this.#watched) signal.removeEventListener("abort", listener);
  }
}

/** Runs an operation within its deadline. */
export async function withDeadline<T>(
  operation: FsOperation,
  path: string,
  io: Io | undefined,
  call: BoundCall | undefined,
  work: (deadline: OperationDeadline) => Promise<T>,
): Promise<T> {
  const deadline = new OperationDeadline(operation, path, io, call);
  try {
    return await work(deadline);
  } finally {
    deadline.release();
  }
}
