import type { Binding, BoundCall } from "./backend.js";
import { coversJob, type Grant, type JobAction } from "./claims.js";
import { requireLive, unclaimed } from "./guard.js";
import { privateSignal } from "./private-signal.js";
import type { InputAccepted, InputOptions, KillOptions, ShellHandle, WaitingFor } from "./shell.js";

/**
 * The handle of a background command, bound to one call: it does what the call claimed to do with the job, and nothing after
 * the call has ended. The exit of the command is still reported, because that touches nothing.
 *
 * @param from - "spawn": the call itself has started the command.
 */
export function boundHandle(handle: ShellHandle, { grant, call }: Binding, from: "spawn" | "attach"): ShellHandle {
  const { id } = handle;
  const requireClaimed = (action: JobAction, did: string, isOwn = from === "spawn") => {
    requireLive(call);
    if (!isOwn && !coversJob(grant, id, action)) throw unclaimed(`${did} "${id}"`, { job: id, action });
  };
  const live =
    <Args extends readonly unknown[], Result>(use: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      requireLive(call);
      return use(...args);
    };
  return {
    id,
    get pid() {
      return handle.pid;
    },
    result: handle.result,
    async write(bytes: Uint8Array, options?: InputOptions) {
      requireClaimed("write", "write to", false);
      // The end of the call ends the wait: the number of accepted bytes could not be returned any more.
      const signal =
        options?.signal === undefined ? call.signal : AbortSignal.any([call.signal, privateSignal(options.signal)]);
      const own = { ...options, signal };
      const text = claimedInput(grant, id);
      return text === undefined ? handle.write(bytes, own) : writeClaimed(handle, call, text, bytes, own);
    },
    async closeInput() {
      requireLive(call);
      if (from !== "spawn" && !inputsFor(grant, id).some((input) => input === undefined || input === ""))
        throw unclaimed(`close the stdin of "${id}"`, { job: id, action: "write" }, "an empty input");
      return handle.closeInput();
    },
    output: live(async (stream: "stdout" | "stderr", from: number, max: number) => {
      const part = await handle.output(stream, from, max);
      return part.ended || max < MIN_SHOWN_BYTES ? part : withoutIncompleteSecret(part, call);
    }),
    async kill(signal: string, options: KillOptions = {}) {
      const own = { ...options };
      const action = own.once === true ? "signal" : "stop";
      requireClaimed(action, action);
      return handle.kill(signal, own);
    },
    info: live(() => handle.info()),
    onExit: (listener) => handle.onExit(listener),
    ...(handle.forget === undefined
      ? {}
      : {
          async forget() {
            requireClaimed("stop", "delete");
            return handle.forget?.();
          },
        }),
    ...(handle.waiting === undefined
      ? {}
      : { waiting: live(async () => withoutIncompletePrompt((await handle.waiting?.()) ?? null, call)) }),
  };
}

/** A shorter read asks whether there is any output. */
const MIN_SHOWN_BYTES = 1024;

/** The output before what may be the beginning of a secret, which is left for the next read: redaction would not find a half. */
function withoutIncompleteSecret<Part extends { readonly bytes: Uint8Array; readonly next: number }>(
  part: Part,
  call: BoundCall,
): Part {
  const held = call.incompleteSecretBytes?.(part.bytes) ?? 0;
  if (held === 0) return part;
  return { ...part, bytes: part.bytes.subarray(0, part.bytes.length - held), next: part.next - held };
}

function withoutIncompletePrompt(waiting: WaitingFor | null, call: BoundCall): WaitingFor | null {
  const bytes = new TextEncoder().encode(waiting?.prompt ?? "");
  const held = call.incompleteSecretBytes?.(bytes) ?? 0;
  // One character, such as a colon, is nothing of a secret. The output keeps it for the next read.
  if (waiting === null || held === 0 || (held === 1 && bytes.at(-1)! < 0x80)) return waiting;
  return { ...waiting, prompt: new TextDecoder().decode(bytes.subarray(0, bytes.length - held)) };
}

/** The texts that the call may write to the job; undefined among them for any, and an empty one for its end of file. */
function inputsFor(grant: Grant, id: string): readonly (string | undefined)[] {
  return grant.jobs.flatMap((one) =>
    (one.id === id || one.id === "*") && one.actions.includes("write") ? [one.input] : [],
  );
}

/** The whole text that the call may write to the job; undefined for any. */
function claimedInput(grant: Grant, id: string): Uint8Array | undefined {
  const texts = inputsFor(grant, id);
  return texts.includes(undefined) ? undefined : new TextEncoder().encode(texts.join(""));
}

/** What a call has written of the text that it claimed for a job. */
interface Written {
  bytes: number;
  last: Promise<unknown>;
}

const writtenBy = new WeakMap<BoundCall, Map<string, Written>>();

/** Writes the next part of the claimed text: after what earlier writes got accepted, through any handle of the call. */
function writeClaimed(
  handle: ShellHandle,
  call: BoundCall,
  text: Uint8Array,
  bytes: Uint8Array,
  options: InputOptions,
): Promise<InputAccepted> {
  const { id } = handle;
  const ofCall = writtenBy.get(call) ?? new Map<string, Written>();
  writtenBy.set(call, ofCall);
  const written = ofCall.get(id) ?? { bytes: 0, last: Promise.resolve() };
  ofCall.set(id, written);
  const writing = written.last.then(async () => {
    requireLive(call);
    const part = text.subarray(written.bytes, written.bytes + bytes.length);
    if (part.length !== bytes.length || part.some((byte, at) => byte !== bytes[at]))
      throw unclaimed(`write to "${id}"`, { job: id, action: "write" }, "this text");
    const start = written.bytes;
    // Until it is known how much was accepted, all may have been.
    written.bytes += part.length;
    const accepted = await handle.write(part, options);
    written.bytes = start + accepted.acceptedBytes;
    return accepted;
  });
  written.last = writing.catch(() => {});
  return writing;
}
