/** One holder a key between the processes that share a state folder: tickets in `<state>/locks`. */
import { createHash } from "node:crypto";
import { HaftError } from "../../kernel/index.js";
import { dropTicket, holderOf, sweepTickets, takeTicket, touchTicket } from "./lock-ticket.js";
import type { LockWait } from "./lock-wait.js";
import { ownIdentity } from "./process-identity.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** How long a waiter sleeps between looks, in milliseconds: short at first, then longer. */
const FIRST_LOOK_MS = 1;
const LONGEST_LOOK_MS = 15;
const TOUCH_EVERY_MS = 5_000;

/** Where this process stands in line. Within it, one call at a time may ask for a key. */
export class TicketLine {
  readonly #state: StateFolder;
  readonly #own = ownIdentity();
  #folder: string | undefined;

  constructor(state: StateFolder) {
    this.#state = state;
  }

  /** Runs `body` once no other process holds the key. @throws What `wait` does, `STORE_UNWRITABLE`, and what `body` does. */
  async hold<T>(key: string, wait: LockWait, body: () => Promise<T>): Promise<T> {
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 32);
    let ticket = this.#take(hash);
    const at = this.#open();
    const touching = setInterval(() => touchTicket(at, ticket), TOUCH_EVERY_MS);
    touching.unref();
    try {
      let lookMs = FIRST_LOOK_MS;
      const look = () => holderOf(at, ticket, this.#own);
      for (let holder = look(); holder !== "mine"; holder = look()) {
        if (holder === "lost") ticket = this.#take(hash);
        else await wait.sleep(lookMs, `process ${holder}`);
        lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS);
      }
      return await body();
    } finally {
      clearInterval(touching);
      dropTicket(at, ticket);
    }
  }

  #open(): string {
    if (this.#folder === undefined) {
      this.#folder = this.#state.folder("locks");
      sweepTickets(this.#folder, this.#own);
    }
    return this.#folder;
  }

  #take(hash: string): string {
    try {
      return takeTicket(this.#open(), hash, this.#own);
    } catch (error) {
      if (HaftError.is(error)) throw error;
      // Somebody removed the state folder since it was opened: make it again, once.
      this.#folder = undefined;
      try {
        return takeTicket(this.#open(), hash, this.#own);
      } catch (again) {
        throw HaftError.is(again) ? again : unwritable(this.#state.path, again);
      }
    }
  }
}
