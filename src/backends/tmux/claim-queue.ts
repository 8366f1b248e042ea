import { HaftError } from "../../kernel/index.js";
import { stopWith } from "../shell-call.js";

/** The commands that wait for a pane, in the order in which they came, while as many as allowed are in use. */
export class ClaimQueue {
  #last: Promise<void> = Promise.resolve();

  /**
   * Takes a pane by `claim`, which throws `TERMINAL_BUSY` where none is free. It is tried again when one of the commands has ended.
   *
   * @param running - The commands of ours that are waited for. Without one, nothing can become free, and the error is thrown.
   * @param timeoutMs - After it, and when a signal fires, the error is thrown.
   */
  async take<Claimed>(
    claim: () => Promise<Claimed>,
    running: ReadonlySet<Promise<unknown>>,
    signals: readonly AbortSignal[],
    timeoutMs: number,
  ): Promise<Claimed> {
    let leave = () => {};
    let isStopped = false;
    const before = this.#last;
    const own = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => own);
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const endStopping = stopWith(signals, timeoutMs, () => {
      isStopped = true;
      stop();
    });
    try {
      await Promise.race([before, stopped]);
      for (;;) {
        try {
          return await claim();
        } catch (error) {
          if (!HaftError.is(error, "TERMINAL_BUSY") || running.size === 0 || isStopped) throw error;
          await Promise.race([...running, stopped]).catch(() => {});
        }
      }
    } finally {
      endStopping();
      leave();
    }
  }
}
