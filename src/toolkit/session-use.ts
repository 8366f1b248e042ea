/** Whether a session is in use, and since when it is not. */
import type { RunOptions, ToolBox, ToolCall } from "../kernel/index.js";

/** Counts the calls of a session's boxes. */
export class SessionUse {
  readonly #now: () => number;
  readonly #onCallEnd: () => Promise<void> | undefined;
  #running = 0;
  #usedMs: number;

  constructor(now: () => number, onCallEnd: () => Promise<void> | undefined) {
    this.#now = now;
    this.#onCallEnd = onCallEnd;
    this.#usedMs = now();
  }

  /** Milliseconds since the epoch: the end of the last call, or the opening; undefined while a call runs. */
  idleSinceMs(): number | undefined {
    return this.#running > 0 ? undefined : this.#usedMs;
  }

  /** The same box, whose calls count. */
  counted(box: ToolBox): ToolBox {
    return {
      ...box,
      runner: {
        run: async (call: ToolCall, options?: RunOptions | null) => {
          this.#running++;
          try {
            return await box.runner.run(call, options);
          } finally {
            const ending = this.#onCallEnd();
            if (ending !== undefined) await ending;
            this.#running--;
            this.#usedMs = this.#now();
          }
        },
      },
    };
  }
}
