/** Locks within one process. */
import { type Clock, HaftError, type Locks } from "../../kernel/index.js";

/**
 * One holder a key, first come first served, in this process only. `hold` rejects with `CALL_CANCELLED` when its signal
 * fires while it waits, with `STORE_CONFLICT` when `timeoutMs` runs out.
 */
export function memoryLocks(clock: Clock): Locks {
  const queues = new Map<string, Promise<void>>();
  return {
    async hold(key, io, body) {
      const before = queues.get(key) ?? Promise.resolve();
      let leave!: () => void;
      const turn = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const behind = before.then(() => turn);
      queues.set(key, behind);
      try {
        await waitForLock(before, clock, key, io);
        return await body();
      } finally {
        leave();
        void behind.then(() => {
          if (queues.get(key) === behind) queues.delete(key);
        });
      }
    },
  };
}

async function waitForLock(
  before: Promise<void>,
  clock: Clock,
  key: string,
  io: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<void> {
  const { signal, timeoutMs } = io;
  let stopTimer = (): void => {};
  let stopListening = (): void => {};
  const timeoutOrCancel = new Promise<never>((_, reject) => {
    const onAbort = (): void =>
      reject(new HaftError("CALL_CANCELLED", `Stopped waiting for the lock "${key}": the call was cancelled.`));
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    stopListening = () => signal?.removeEventListener("abort", onAbort);
    if (timeoutMs === undefined) return;
    stopTimer = clock.timer(timeoutMs, () =>
      reject(
        new HaftError(
          "STORE_CONFLICT",
          `Did not get the lock "${key}": another call has held it for the ${timeoutMs} ms that this call waited. Try again later.`,
          { details: { key, waitedMs: timeoutMs } },
        ),
      ),
    );
  });
  try {
    await Promise.race([timeoutOrCancel, before]);
  } finally {
    stopTimer();
    stopListening();
  }
}
