/** One holder per key among the processes that share a state directory: tickets in `<state>/locks`. */
import { createHash } from "node:crypto";
import { HaftError } from "../../kernel/index.js";
import type { LockDeadline } from "./lock-deadline.js";
import { dropTicket, holderOf, sweepTickets, takeTicket, touchTicket } from "./lock-ticket.js";
import { ownProcessIdentity } from "./process-identity.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** How long a waiter sleeps between two checks, in milliseconds: short at first, then longer. */
const INITIAL_POLL_MS = 1;
const MAX_POLL_MS = 15;
const TOUCH_EVERY_MS = 5_000;

/** This process in the queue. Within the process, one call at a time may ask for a key. */
export class LockQueue {
  readonly #state: StateDirectory;
  readonly #own = ownProcessIdentity();
  #directory: string | undefined;

  constructor(state: StateDirectory) {
    this.#state = state;
  }

  /** Runs `body` once no other process holds the key. @throws the errors of `wait` and `body`, and `STORE_UNWRITABLE`. */
  async hold<T>(key: string, wait: LockDeadline, body: () => Promise<T>): Promise<T> {
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 32);
    let ticket = this.#take(hash);
    const at = this.#open();
    const touching = setInterval(() => touchTicket(at, ticket), TOUCH_EVERY_MS);
    touching.unref();
    try {
      let pollMs = INITIAL_POLL_MS;
      const poll = () => holderOf(at, ticket, this.#own);
      for (let holder = poll(); holder !== "mine"; holder = poll()) {
        if (holder === "lost") ticket = this.#take(hash);
        else await wait.sleep(pollMs, `process ${holder}`);
        pollMs = Math.min(pollMs * 2, MAX_POLL_MS);
      }
      return await body();
    } finally {
      clearInterval(touching);
      dropTicket(at, ticket);
    }
  }

  #open(): string {
    if (this.#directory === undefined) {
      this.#directory = this.#state.directory("locks");
      sweepTickets(this.#directory, this.#own);
    }
    return this.#directory;
  }

  #take(hash: string): string {
    try {
      return takeTicket(this.#open(), hash, this.#own);
    } catch (error) {
      if (HaftError.is(error)) throw error;
      // The state directory was deleted since it was opened: create it again, once.
      this.#directory = undefined;
      try {
        return takeTicket(this.#open(), hash, this.#own);
      } catch (again) {
        throw HaftError.is(again) ? again : unwritable(this.#state.path, again);
      }
    }
  }
}
