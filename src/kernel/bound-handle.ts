import type { BoundCall } from "./backend.js";
import { requireLive } from "./guard.js";
import type { InputOptions, KillOptions, ShellHandle } from "./shell.js";

/**
 * The handle of a background command, bound to one call: after the call has ended, writing, reading and killing are rejected.
 * The exit of the command is still reported, because that touches nothing.
 */
export function boundHandle(handle: ShellHandle, call: Pick<BoundCall, "id" | "signal">): ShellHandle {
  const live =
    <Args extends readonly unknown[], Result>(use: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      requireLive(call);
      return use(...args);
    };
  return {
    id: handle.id,
    get pid() {
      return handle.pid;
    },
    result: handle.result,
    // The end of the call ends the wait: the number of accepted bytes could not be returned any more.
    write: live((bytes: Uint8Array, options?: InputOptions) => {
      const signal = options?.signal === undefined ? call.signal : AbortSignal.any([call.signal, options.signal]);
      return handle.write(bytes, { ...options, signal });
    }),
    closeInput: live(() => handle.closeInput()),
    output: live((stream: "stdout" | "stderr", from: number, max: number) => handle.output(stream, from, max)),
    kill: live((signal: string, options?: KillOptions) => handle.kill(signal, options)),
    info: live(() => handle.info()),
    onExit: (listener) => handle.onExit(listener),
    ...(handle.forget === undefined ? {} : { forget: live(async () => handle.forget?.()) }),
    ...(handle.waiting === undefined ? {} : { waiting: live(async () => (await handle.waiting?.()) ?? null) }),
  };
}
