/** Whether a command waits for somebody to type, looked at more than once. */
import type { WaitingFor } from "../../kernel/index.js";
import type { RunningCommand } from "./running-command.js";

/** Between two looks at a process that seems to wait: one that only passes through a read has gone on by then. */
const WAITING_MS = 30;
/** When it is looked whether a command waits for somebody to type: from soon to seldom, in milliseconds. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 10_000;

/** The process that waits for somebody to type, seen twice. */
export async function waitingTwice(running: RunningCommand): Promise<WaitingFor | null> {
  const first = running.waiting();
  if (first === undefined) return null;
  const printed = running.stdout.produced + running.stderr.produced;
  await new Promise((resolve) => setTimeout(resolve, WAITING_MS));
  const second = running.waiting();
  const isSame = second?.pid === first.pid && running.stdout.produced + running.stderr.produced === printed;
  return isSame ? second : null;
}

/** Tells once of a process that is seen to wait. Returns what stops that. */
export function watchForWaiting(running: RunningCommand, onWaiting: (waiting: WaitingFor) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (pauseMs: number): Promise<void> => {
    const waiting = await waitingTwice(running);
    if (isStopped) return;
    if (waiting === null) wait(Math.min(pauseMs * 2, LONGEST_LOOK_MS));
    else onWaiting(waiting);
  };
  const wait = (ms: number) => {
    timer = setTimeout(() => void look(ms).catch(() => {}), ms);
    timer.unref();
  };
  wait(FIRST_LOOK_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
