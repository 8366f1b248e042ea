/** Which process of a command waits for somebody to type, as the kernel tells it. */
import { readFileSync } from "node:fs";
import { openTarget, type ProcessEntry } from "../../host/index.js";
import type { WaitingFor } from "../../kernel/index.js";
import { cutTail, stripControls } from "../../text/index.js";

const MAX_PROMPT_CHARACTERS = 200;
const TERMINAL = /^\/dev\/(?:tty|pts\/|console)/;
/** How a line ends that asks for something. */
const QUESTION = /(?:[:?>$#%»›❯\])]|\b(?:y\/n|yes\/no)\b\W*)\s*$/i;
/** Where the kernel has put to sleep who reads from a pipe or a terminal, by the name of the place. */
const READING = /pipe_read|tty_read|wait_woken/;

/** Numbers of system calls that read from one descriptor, and of those that wait for any of several. */
const CALLS: Readonly<Record<string, { readonly read: readonly number[]; readonly wait: readonly number[] }>> = {
  x64: { read: [0, 19], wait: [7, 23, 232, 270, 271, 281] },
  arm64: { read: [63, 65], wait: [22, 72, 73] },
};

/**
 * The first of the processes that is asleep in a read of the input that the command was given, or of a terminal. One that
 * waits for several things at once counts only where the last line that was printed asks for something.
 *
 * @param input - How `/proc/PID/fd` shows the command's standard input; absent when it has none that stays open.
 * @param lastLine - What was printed last, without an end of line.
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
    const prompt = cutTail(stripControls(lastLine).text.trim(), MAX_PROMPT_CHARACTERS).text;
    return { pid, name, on, prompt };
  }
  return undefined;
}

/** What the process is about to read from. */
function readTarget(pid: number, isAsked: boolean): string | undefined {
  const calls = CALLS[process.arch];
  const [number = "", descriptor = ""] = (textOf(`/proc/${pid}/syscall`) ?? "").split(" ");
  if (calls !== undefined && /^\d+$/.test(number)) {
    if (calls.read.includes(Number(number))) return openTarget(pid, Number.parseInt(descriptor, 16));
    return isAsked && calls.wait.includes(Number(number)) ? openTarget(pid, 0) : undefined;
  }
  // Another machine, or one that does not let its processes be looked at so closely.
  return READING.test(textOf(`/proc/${pid}/wchan`) ?? "") ? openTarget(pid, 0) : undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return undefined;
  }
}
