/** Locks that hold in this process and between processes that share a state folder. */
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HaftError, type Io, type Locks, MAX_TIMER_MS } from "../../kernel/index.js";
import { dropTicket, holderOf, sweepTickets, takeTicket, touchTicket } from "./lock-ticket.js";
import { ownIdentity } from "./process-identity.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** How long a waiter sleeps between looks, in milliseconds: short at first, then longer. */
const FIRST_LOOK_MS = 1;
const LONGEST_LOOK_MS = 15;
const TOUCH_EVERY_MS = 5_000;

/**
 * One holder a key, first come first served: within the process by a queue, between processes by tickets in
 * `<state>/locks`. Every holder goes back to the end of the line, so no process keeps the others out. What a killed process
 * held is free at once.
 *
 * `hold` rejects with `CALL_CANCELLED` when its signal fires while it waits, with `STORE_CONFLICT` and the waiting time when
 * `timeoutMs` runs out, with `STORE_UNWRITABLE` when the folder cannot be written. Neither ends a body that already runs.
 * A body must not ask for the key that it holds.
 */
export function fileLocks(state: StateFolder): Locks {
  const own = ownIdentity();
  const queues = new Map<string, Promise<void>>();
  let folder: string | undefined;

  const open = (): string => {
    if (folder === undefined) {
      folder = state.folder("locks");
      sweepTickets(folder, own);
    }
    return folder;
  };

  const take = (key: string): string => {
    try {
      return takeTicket(open(), key, own);
    } catch (error) {
      if (HaftError.is(error)) throw error;
      // Somebody removed the state folder since it was opened: make it again, once.
      folder = undefined;
      try {
        return takeTicket(open(), key, own);
      } catch (again) {
        throw HaftError.is(again) ? again : unwritable(state.path, again);
      }
    }
  };

  const betweenProcesses = async <T>(key: string, wait: Wait, body: () => Promise<T>): Promise<T> => {
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 32);
    let ticket = take(hash);
    const at = open();
    const touching = setInterval(() => touchTicket(at, ticket), TOUCH_EVERY_MS);
    touching.unref();
    try {
      let lookMs = FIRST_LOOK_MS;
      for (let holder = holderOf(at, ticket, own); holder !== "mine"; holder = holderOf(at, ticket, own)) {
        if (holder === "lost") ticket = take(hash);
        else await wait.sleep(lookMs, `process ${holder}`);
        lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS);
      }
      return await body();
    } finally {
      clearInterval(touching);
      dropTicket(at, ticket);
    }
  };

  return {
    async hold(key, io, body) {
      const wait = new Wait(key, io);
      const before = queues.get(key);
      let leave!: () => void;
      const turn = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const behind = before === undefined ? turn : before.then(() => turn);
      queues.set(key, behind);
      try {
        if (before !== undefined) await wait.until(before, "another call");
        else wait.check("another call");
        return await betweenProcesses(key, wait, body);
      } finally {
        leave();
        // Only once those before have left too: a waiter that gave up must not let the next one past them.
        void behind.then(() => {
          if (queues.get(key) === behind) queues.delete(key);
        });
      }
    },
  };
}

/** The patience of one caller: its signal and its time. */
class Wait {
  readonly #startedMs = Date.now();

  constructor(
    readonly key: string,
    readonly io: Io,
  ) {}

  check(holder: string): void {
    if (this.io.signal?.aborted) {
      throw new HaftError("CALL_CANCELLED", `Stopped waiting for the lock "${this.key}": the call was cancelled.`);
    }
    const waitedMs = Date.now() - this.#startedMs;
    if (this.io.timeoutMs === undefined || waitedMs < this.io.timeoutMs) return;
    throw new HaftError(
      "STORE_CONFLICT",
      `Did not get the lock "${this.key}": ${holder} has held it for the ${waitedMs} ms that this call waited. Try again later.`,
      { details: { key: this.key, waitedMs, holder } },
    );
  }

  async sleep(ms: number, holder: string): Promise<void> {
    this.check(holder);
    await pause(ms);
    this.check(holder);
  }

  /** Waits for `done`, which never rejects, or until patience ends. */
  async until(done: Promise<void>, holder: string): Promise<void> {
    // A timer may end a little before its time, and takes no longer one than `MAX_TIMER_MS`.
    while (!(await this.#isDoneInTime(done, holder)));
  }

  async #isDoneInTime(done: Promise<void>, holder: string): Promise<boolean> {
    this.check(holder);
    const stop = new AbortController();
    const leftMs = (this.io.timeoutMs ?? MAX_TIMER_MS) - (Date.now() - this.#startedMs);
    const patience = pause(Math.min(Math.max(1, leftMs), MAX_TIMER_MS), undefined, { signal: stop.signal, ref: false });
    const onAbort = (): void => stop.abort();
    this.io.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([done.then(() => true), patience.then(notYet, notYet)]);
    } finally {
      this.io.signal?.removeEventListener("abort", onAbort);
      stop.abort();
    }
  }
}

const notYet = (): boolean => false;
