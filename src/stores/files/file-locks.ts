/** Locks that hold in this process and between processes that share a state directory. */
import type { Locks } from "../../kernel/index.js";
import { LockDeadline } from "./lock-deadline.js";
import { LockQueue } from "./lock-queue.js";
import type { StateDirectory } from "./state-directory.js";

/**
 * One holder a key, first come first served: within the process by a queue, between processes by tickets in
 * `<state>/locks`. Every holder goes back to the end of the line, so no process keeps the others out. What a killed process
 * held is free at once.
 *
 * `hold` rejects with `CALL_CANCELLED` when its signal fires while it waits, with `STORE_CONFLICT` and the waiting time when
 * `timeoutMs` runs out, with `STORE_UNWRITABLE` when the directory cannot be written. Neither ends a body that already runs.
 * A body must not ask for the key that it holds.
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
