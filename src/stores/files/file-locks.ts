/** Locks that hold in this process and between processes that share a state directory. */
import type { Locks } from "../../kernel/index.js";
import { LockDeadline } from "./lock-deadline.js";
import { LockQueue } from "./lock-queue.js";
import type { StateDirectory } from "./state-directory.js";

/**
 * One holder per key, first come, first served: within the process by a queue, between processes by tickets in
 * `<state>/locks`. After each hold a process queues again at the end, so that it cannot starve others. Locks of a killed
 * process are released at once.
 *
 * `hold` rejects with `CALL_CANCELLED` if its signal aborts while it waits, with `STORE_CONFLICT` and the waiting time after
 * `timeoutMs`, with `STORE_UNWRITABLE` if the directory cannot be written. Neither signal nor timeout ends a body that runs.
 * The locks are not reentrant.
 */
export function fileLocks(state: StateDirectory): Locks {
  const line = new LockQueue(state);
  const queues = new Map<string, Promise<void>>();
  return {
    async hold(key, io, body) {
      const wait = new LockDeadline(key, io);
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
        return await line.hold(key, wait, body);
      } finally {
        leave();
        // Only after the earlier ones have left too: a waiter that timed out must not let the next one overtake them.
        void behind.then(() => {
          if (queues.get(key) === behind) queues.delete(key);
        });
      }
    },
  };
}
