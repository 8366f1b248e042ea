/** Background commands: what their handles and lists have in common on every backend. */
import { constants } from "node:os";
import {
  callSafely,
  HaftError,
  type JobInfo,
  type ShellExit,
  type ShellHandle,
  type ShellResult,
} from "../kernel/index.js";

/** What a job is known by. */
export type JobFacts = Pick<JobInfo, "command" | "cwd" | "lifetime" | "session" | "owner" | "adopted">;

/** `ShellHandle.onExit` of a job that comes to `result`. Each subscription is reported for itself, also when one function is given twice. */
export function exitEvent(result: Promise<ShellResult>): ShellHandle["onExit"] {
  const waiting = new Set<(end: ShellResult) => void>();
  let hasEnded = false;
  void result.then((end) => {
    hasEnded = true;
    for (const tell of [...waiting]) tell(end);
  });
  return (listener) => {
    const tell = (end: ShellResult) => {
      if (waiting.delete(tell)) callSafely(() => listener(end));
    };
    waiting.add(tell);
    if (hasEnded) void result.then(tell);
    return () => void waiting.delete(tell);
  };
}

/** The error for a signal that is none. */
export function noSuchSignal(id: string, name: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not signal "${id}": "${name}" is not a signal. Use TERM, INT or KILL.`, {
    details: { parameter: "signal", problem: `"${name}" is not a signal` },
  });
}

/** The error for a job that cannot be forgotten yet. */
export function jobStillRuns(id: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not forget "${id}": it is still running. Stop it first.`, {
    details: { parameter: "id", problem: "the job is still running" },
  });
}

/** No system has more signals. */
const MAX_SIGNAL = 64;

/** How a command ended whose status a shell told: 128 and a signal's number may stand for that signal, which nobody can tell then. */
export function exitOfStatus(status: number): ShellExit {
  const maySignal = status > 128 && status <= 128 + MAX_SIGNAL;
  return maySignal ? { by: "status", status } : { by: "code", code: status };
}

/** The signal of a name, with or without SIG before it, in any case. @throws `CALL_INVALID` naming the job that it was for. */
export function signalNamed(job: string, name: string): NodeJS.Signals {
  const upper = name.toUpperCase();
  const full = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (Object.hasOwn(constants.signals, full)) return full as NodeJS.Signals;
  throw noSuchSignal(job, name);
}
