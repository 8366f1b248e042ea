import { AsyncLocalStorage } from "node:async_hooks";
import type { Faults } from "../kernel/index.js";

interface Watched {
  /** Undefined once the call has settled. */
  onFault: ((thrown: unknown) => void) | undefined;
}

/**
 * Finds the call whose tool left a timer, a stream or a promise that throws later, by the asynchronous context that it was
 * started in. Node's `uncaughtException` and `unhandledRejection` are listened to only while a call is watched. A fault of no
 * call is left to the program's own listeners; where it has none the process ends by it, as it would without us.
 *
 * What a settled call left behind may throw while another is watched: that harms nobody any more and is dropped. A throw in
 * `queueMicrotask` has no context in Node, so it counts as a fault of no call.
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
