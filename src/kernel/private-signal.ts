/** The signals that follow those of tools. */
const FOLLOWERS = new WeakMap<AbortSignal, AbortSignal>();

const { addEventListener } = EventTarget.prototype;

/**
 * A signal that fires with one of a tool, the same each time. `AbortSignal.any` links the signals that it is given: with one of a
 * tool among them, the tool could get hold of the signal that its ports are judged by, and replace its members.
 */
export function privateSignal(signal: AbortSignal): AbortSignal {
  const known = FOLLOWERS.get(signal);
  if (known !== undefined) return known;
  const control = new AbortController();
  if (signal.aborted) control.abort(signal.reason);
  else addEventListener.call(signal, "abort", () => control.abort(signal.reason), { once: true });
  FOLLOWERS.set(signal, control.signal);
  return control.signal;
}
