/** What a shell reports as the end of a command, and what the signals do that end one. */
import { constants } from "node:os";
import { DEFAULT_GRACE_MS, HaftError, type KillOptions, type ShellExit } from "../kernel/index.js";

/** The highest signal number of any system. */
const MAX_SIGNAL = 64;

/** Maps the status that a shell reports. 128 plus a signal number is ambiguous: signal or exit code. */
export function exitOfStatus(status: number): ShellExit {
  const maySignal = status > 128 && status <= 128 + MAX_SIGNAL;
  return maySignal ? { by: "status", status } : { by: "code", code: status };
}

/**
 * What `ShellHandle.kill` does: TERM ends the whole tree after a grace, KILL at once; TERM with `once` and other signals are only
 * sent. Names are case-insensitive, with or without SIG.
 *
 * @throws `CALL_INVALID` for an unknown signal.
 */
export function killPlan(
  job: string,
  name: string,
  options: KillOptions = {},
): { readonly graceMs: number } | { readonly signal: NodeJS.Signals } {
  const signal = signalNamed(job, name);
  if (signal === "SIGKILL") return { graceMs: 0 };
  return signal === "SIGTERM" && options.once !== true ? { graceMs: DEFAULT_GRACE_MS } : { signal };
}

function signalNamed(job: string, name: string): NodeJS.Signals {
  // Not only `toUpperCase`: it makes ASCII letters of some others, such as the long s.
  const [, plain] = /^(?:SIG)?([A-Z0-9]+)$/i.exec(name) ?? [];
  const full = `SIG${plain?.toUpperCase()}`;
  if (Object.hasOwn(constants.signals, full)) return full as NodeJS.Signals;
  throw noSuchSignal(job, name);
}

/** The error for an unknown signal. */
function noSuchSignal(id: string, name: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not signal "${id}": "${name}" is not a signal. Use TERM, INT or KILL.`, {
    details: { parameter: "signal", problem: `"${name}" is not a signal` },
  });
}
