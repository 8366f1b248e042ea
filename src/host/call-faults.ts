import { AsyncLocalStorage } from "node:async_hooks";
import type { Faults } from "../kernel/index.js";

interface Watched {
  /** Undefined once the call has settled. */
  onFault: ((thrown: unknown) => void) | undefined;
}

/**
 * Attributes an error that a timer, a stream or a promise throws later to the call that started it, by its asynchronous
 * context. Listens to Node's `uncaughtException` and `unhandledRejection` only while a call is watched. An error outside of
 * any call goes to the program's own listeners; if there are none, it ends the process as usual.
 *
 * An error of a settled call while another is watched is dropped. A throw in `queueMicrotask` has no context in Node, so it
 * counts as outside of any call.
 */
export function createCallFaults(): Faults {
  const storage = new AsyncLocalStorage<Watched>();
  let watching = 0;

  const listen = (event: "uncaughtException" | "unhandledRejection") => {
    const listener = (thrown: unknown) => {
      const call = storage.getStore();
      if (call !== undefined) call.onFault?.(thrown);
      else if (process.listenerCount(event) === 1) endBy(thrown);
    };
    return { listener, on: () => process.on(event, listener), off: () => process.off(event, listener) };
  };
  const listeners = [listen("uncaughtException"), listen("unhandledRejection")];
  const stop = () => {
    for (const one of listeners) one.off();
  };
  const endBy = (thrown: unknown) => {
    stop();
    process.nextTick(() => {
      throw thrown;
    });
  };

  return {
    async watch(body, onFault) {
      const call: Watched = { onFault };
      if (watching++ === 0) for (const one of listeners) one.on();
      try {
        return await storage.run(call, body);
      } finally {
        call.onFault = undefined;
        if (--watching === 0) stop();
      }
    },
  };
}
