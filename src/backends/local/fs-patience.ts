import { type Doing, HaftError, type Io, requireUncancelled } from "../../kernel/index.js";

/** Asked between the steps of an operation: throws once its caller has stopped waiting for it. */
export class Patience {
  readonly #doing: Doing;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  readonly #timeoutMs: number | undefined;
  readonly #requireLive: () => void;

  constructor(doing: Doing, path: string, io: Io | undefined, requireLive: () => void) {
    this.#doing = doing;
    this.#path = path;
    this.#signal = io?.signal;
    this.#timeoutMs = io?.timeoutMs;
    this.#end = io?.timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + io.timeoutMs;
    this.#requireLive = requireLive;
    this.check();
  }

  /** @throws `CALL_CANCELLED`, `CALL_TIMEOUT`, `CALL_REVOKED` or what the call was ended with. */
  check(): void {
    this.#requireLive();
    requireUncancelled(this.#doing, this.#path, this.#signal);
    if (performance.now() < this.#end) return;
    throw new HaftError("CALL_TIMEOUT", `Stopped after ${this.#timeoutMs} ms. Allow it more time.`, {
      details: { deadlineMs: this.#timeoutMs },
    });
  }
}
