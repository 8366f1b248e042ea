/** The deadline of a remote file operation: the first of its own limit and that of its call. */
import { setMaxListeners } from "node:events";
import {
  AbortHub,
  type BoundCall,
  type FsOperation,
  HaftError,
  type Io,
  MAX_TIMER_MS,
  outOfTime,
  requireLive,
  requireUncancelled,
  whyCancelled,
} from "../../../kernel/index.js";
import { MAY_HAVE_HAPPENED } from "../channel/bulk-pool.js";

/** Combines timeouts and cancel signals into one end, whose reason is the error to reject with. */
export class OperationDeadline {
  /** Made when a request asks for the signal: those that are sent together with others use that of the first. */
  #controller: AbortController | undefined;
  #reason: HaftError | undefined;
  /** What rejects each work that has not settled. */
  readonly #waiting = new Map<Promise<unknown>, (reason: HaftError) => void>();
  readonly #did: string;
  readonly #path: string;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unwatch: (() => void)[] = [];

  /**
   * @param callEnds - Of the signal of the call: one listener on it for all operations that overlap.
   * @throws `CALL_REVOKED`, `CALL_CANCELLED`, or the reason that the call ended with.
   */
  constructor(
    operation: FsOperation,
    path: string,
    io: Io | undefined,
    call: BoundCall | undefined,
    callEnds = call && new AbortHub(call.signal),
  ) {
    const [did] = operation;
    this.#did = did;
    this.#path = path;
    if (call !== undefined) requireLive(call);
    requireUncancelled(operation, path, io?.signal);
    const leftMs = call === undefined ? Number.POSITIVE_INFINITY : call.deadline - Date.now();
    const limitMs = Math.min(io?.timeoutMs ?? Number.POSITIVE_INFINITY, leftMs);
    if (limitMs < MAX_TIMER_MS) this.#timer = setTimeout(() => this.#end(outOfTime(limitMs)), Math.max(0, limitMs));
    const watch = (hub: AbortHub, signal: AbortSignal) =>
      this.#unwatch.push(hub.on(() => this.#end(whyCancelled(did, path, signal))));
    if (io?.signal !== undefined) watch(new AbortHub(io.signal), io.signal);
    if (call !== undefined && callEnds !== undefined) watch(callEnds, call.signal);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Each step of the operation adds a listener.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  #end(reason: HaftError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const reject of this.#waiting.values()) reject(reason);
  }

  /**
   * Settles like `work`, or rejects when the deadline passes; the result of `work` is then ignored.
   * @param mayHappen - Asked then: whether `work` may still change something, or has done so.
   */
  race<T>(work: Promise<T>, mayHappen?: () => boolean): Promise<T> {
    if (this.#reason !== undefined) {
      work.catch(() => {});
      return Promise.reject(this.#reason);
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(work, (reason) => reject(mayHappen?.() === true ? this.#uncertain(reason) : reason));
      work.then(
        (value) => {
          this.#waiting.delete(work);
          resolve(value);
        },
        (thrown: unknown) => {
          this.#waiting.delete(work);
          reject(thrown);
        },
      );
    });
  }

  /** Resolves when all work has settled that was raced, also that which nothing waits for any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#waiting.keys());
  }

  #uncertain({ code, details, cause }: HaftError): HaftError {
    const why =
      code === "CALL_TIMEOUT"
        ? `it took longer than ${details.deadlineMs} ms`
        : code === "CALL_REVOKED"
          ? "its call has ended"
          : "the operation was cancelled";
    return new HaftError(code, `Stopped waiting to ${this.#did} "${this.#path}": ${why}. ${MAY_HAVE_HAPPENED}`, {
      cause,
      details: { ...details, path: this.#path, began: "unknown" },
    });
  }

  check(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Removes timers and listeners. Call it when the operation has settled. */
  release(): void {
    clearTimeout(this.#timer);
    for (const unwatch of this.#unwatch) unwatch();
  }
}
