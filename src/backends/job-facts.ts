/** What every backend knows of a background command, how its end is reported, and why a running one is not forgotten. */
import { callSafely, HaftError, type JobInfo, type ShellHandle, type ShellResult } from "../kernel/index.js";

/** Facts about a job that do not change. */
export type JobFacts = Pick<JobInfo, "command" | "cwd" | "lifetime" | "session" | "owner" | "adopted">;

/** `ShellHandle.onExit` of a job that comes to `result`. Each subscription is reported for itself, also when one function is given twice. */
export function exitEvent(result: Promise<ShellResult>): ShellHandle["onExit"] {
  const waiting = new Set<(end: ShellResult) => void>();
  let hasEnded = false;
  void result.then((end) => {
    hasEnded = true;
    for (const notify of [...waiting]) notify(end);
  });
  return (listener) => {
    const notify = (end: ShellResult) => {
      if (waiting.delete(notify)) callSafely(() => listener(end));
    };
    waiting.add(notify);
    if (hasEnded) void result.then(notify);
    return () => void waiting.delete(notify);
  };
}

/** The error for forgetting a running job. */
export function jobStillRuns(id: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not forget "${id}": it is still running. Stop it first.`, {
    details: { parameter: "id", problem: "the job is still running" },
  });
}
