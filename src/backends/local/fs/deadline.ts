import { type FsOperation, type Io, outOfTime, requireUncancelled } from "../../../kernel/index.js";

/** The time limit and the cancel signal of one operation. The operation calls `check` between its steps. */
export class Deadline {
  readonly #operation: FsOperation;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #endsAt: number;
  readonly #timeoutMs: number;
  readonly #requireLive: () => void;

  constructor(operation: FsOperation, path: string, io: Io | undefined, requireLive: () => void) {
    this.#operation = operation;
    this.#path = path;
    this.#signal = io?.signal;
    this.#timeoutMs = io?.timeoutMs ?? Number.POSITIVE_INFINITY;
    this.#endsAt = performance.now() + this.#timeoutMs;
    this.#requireLive = requireLive;
    this.check();
  }

  /** @throws `CALL_CANCELLED`, `CALL_TIMEOUT`, `CALL_REVOKED` or the reason that the call ended with. */
  check(): void {
    this.#requireLive();
    requireUncancelled(this.#operation, this.#path, this.#signal);
    if (performance.now() < this.#endsAt) return;
    throw outOfTime(this.#timeoutMs);
  }
}
