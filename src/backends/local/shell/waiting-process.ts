/** Finds the process of a command that waits for terminal input, from what the kernel reports in `/proc`. */
import { readFileSync } from "node:fs";
import { descriptorTarget, type ProcessEntry } from "../../../host/index.js";
import type { WaitingFor } from "../../../kernel/index.js";
import { stripControls, truncateToTail } from "../../../text/index.js";

/** Milliseconds between two checks of a process that seems to wait: one in a short read has continued by then. */
const WAITING_MS = 30;
/** When to check whether a command waits for input, in milliseconds, at growing intervals. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 10_000;
const MAX_PROMPT_CHARACTERS = 200;
const TERMINAL = /^\/dev\/(?:tty|pts\/|console)/;
/** Matches a line that looks like a prompt. */
const QUESTION = /(?:[:?>$#%»›❯\])]|\b(?:y\/n|yes\/no)\b\W*)\s*$/i;
/** Kernel functions in which a process sleeps while it reads a pipe or a terminal (`wchan`). */
const READING = /pipe_read|tty_read|wait_woken/;

/** Numbers of system calls that read from one descriptor, and of those that wait for any of several. */
const CALLS: Readonly<Record<string, { readonly read: readonly number[]; readonly wait: readonly number[] }>> = {
  x64: { read: [0, 19], wait: [7, 23, 232, 270, 271, 281] },
  arm64: { read: [63, 65], wait: [22, 72, 73] },
};

/**
 * The first process that sleeps in a read of the command's stdin or of a terminal. One that waits for several descriptors
 * counts only if the last printed line is a prompt.
 *
 * @param input - How `/proc/PID/fd` shows the command's standard input; absent when it has none that stays open.
 * @param lastLine - The last printed line, without a newline.
 */
export function waitingProcess(
  processes: readonly ProcessEntry[],
  input: string | undefined,
  lastLine: string,
): WaitingFor | undefined {
  for (const { pid, name, state } of processes) {
    if (state !== "S") continue;
    const target = readTarget(pid, QUESTION.test(lastLine));
    if (target === undefined) continue;
    const on = target === input ? "input" : TERMINAL.test(target) ? "terminal" : undefined;
    if (on === undefined) continue;
    const prompt = truncateToTail(stripControls(lastLine).text.trim(), MAX_PROMPT_CHARACTERS).text;
    return { pid, name, on, prompt };
  }
  return undefined;
}

/** What the process is reading, as `/proc/PID/fd` shows it. */
function readTarget(pid: number, isAsked: boolean): string | undefined {
  const calls = CALLS[process.arch];
  const [number = "", descriptor = ""] = (textOf(`/proc/${pid}/syscall`) ?? "").split(" ");
  if (calls !== undefined && /^\d+$/.test(number)) {
    if (calls.read.includes(Number(number))) return descriptorTarget(pid, Number.parseInt(descriptor, 16));
    return isAsked && calls.wait.includes(Number(number)) ? descriptorTarget(pid, 0) : undefined;
  }
  // Another architecture, or a system that does not expose this.
  return READING.test(textOf(`/proc/${pid}/wchan`) ?? "") ? descriptorTarget(pid, 0) : undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return undefined;
  }
}

/** The parts of a running command that are used here. */
interface MayWait {
  readonly stdout: { readonly produced: number };
  readonly stderr: { readonly produced: number };
  waiting(): WaitingFor | undefined;
}

/** The process that waits for input, seen twice. */
export async function waitingTwice(running: MayWait): Promise<WaitingFor | null> {
  const first = running.waiting();
  if (first === undefined) return null;
  const printed = running.stdout.produced + running.stderr.produced;
  await new Promise((resolve) => setTimeout(resolve, WAITING_MS));
  const second = running.waiting();
  const isSame = second?.pid === first.pid && running.stdout.produced + running.stderr.produced === printed;
  return isSame ? second : null;
}

/** Reports once when a process is seen waiting for input. Returns a function that stops watching. */
export function watchForWaiting(running: MayWait, onWaiting: (waiting: WaitingFor) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const poll = async (pauseMs: number): Promise<void> => {
    const waiting = await waitingTwice(running);
    if (isStopped) return;
    if (waiting === null) wait(Math.min(pauseMs * 2, LONGEST_LOOK_MS));
    else onWaiting(waiting);
  };
  const wait = (ms: number) => {
    timer = setTimeout(() => void poll(ms).catch(() => {}), ms);
    timer.unref();
  };
  wait(FIRST_LOOK_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
