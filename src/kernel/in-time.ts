/** Bounds what happens before a call may touch anything. */
import { type CallRun, cancelledUnbegun, type Ending, ended } from "./call-run.js";
import { DEFAULT_DEADLINE_MS } from "./deadline.js";
import { fail } from "./result.js";

/** What `work` comes to, or the ending of a call that was cancelled, or waited 30 s, before that. */
export async function inTime(run: CallRun, work: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
  const { signal, host } = run.context;
  const { name } = run.tool;
  let stop: (ending: Ending) => void = () => {};
  const stopped = new Promise<Ending>((done) => {
    stop = done;
  });
  const late = `Stopped \`${name}\` before it began: what it would touch was not known within ${DEFAULT_DEADLINE_MS} ms.`;
  const cancelled = () => stop(cancelledUnbegun(run));
  const stopTimer = host.clock.timer(DEFAULT_DEADLINE_MS, () => stop(ended("timed-out", fail("CALL_TIMEOUT", late))));
  signal.addEventListener("abort", cancelled, { once: true });
  try {
    return await Promise.race([work(), stopped]);
  } finally {
    stopTimer();
    signal.removeEventListener("abort", cancelled);
  }
}
