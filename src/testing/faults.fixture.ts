/** What a call gets when the way to its machine fails, or a load is unusual: one row an event and a place, which tests play. */
import { expect } from "vitest";
import type { ShellResult } from "../kernel/index.js";

export interface Fault {
  readonly where: "ssh" | typeof SSH | "container" | "tmux" | "tmux over ssh" | "sandbox" | "every target";
  readonly event: string;
  /** Of the failed call; absent where it gives its result. */
  readonly code?: "BACKEND_UNAVAILABLE" | "FS_NO_SPACE" | "SHELL_CANCELLED" | "SHELL_TIMEOUT";
  /** The message has one of these. */
  readonly words?: readonly string[];
  /** What the call gives, and what holds afterwards. */
  readonly outcome: string;
}

/** Played on a machine with the usual programs, and on one that has nothing but busybox. */
const SSH = "ssh, busybox too";
const ONCE = "the command's own result; it ran once";
const CODE_ONLY =
  "the exit code of the command, which ran once, and a notice that output may be missing; the next call uses the same pane";
const NONE_LEFT = "what was printed before; no process that it started is left";
const NONE_MADE_UP = "what was printed before, and no exit code";

export const FAULTS = {
  "ssh: link cut": { where: SSH, event: "the link is cut for 20 s in a command", outcome: ONCE },
  "ssh: link cut for good": {
    where: SSH,
    event: "the link is cut for good in a command",
    code: "BACKEND_UNAVAILABLE",
    words: ["no data arrived for", "did not answer"],
    outcome: `${NONE_MADE_UP}; the command is ended over there`,
  },
  "ssh: cut in a write": {
    where: SSH,
    event: "the connection is cut in a write",
    code: "BACKEND_UNAVAILABLE",
    words: ["The change may have happened", "the connection was lost"],
    outcome: "or the write succeeds; the file is the old or the new one, whole",
  },
  "ssh: cut in an approval": {
    where: "ssh",
    event: "the link or the connection is cut while a user is asked, and is back at the answer",
    outcome: ONCE,
  },
  "ssh: cut after an approval": {
    where: "ssh",
    event: "the link and the connection are still cut when the user has allowed the call",
    code: "BACKEND_UNAVAILABLE",
    words: ["did not answer", "there is no route to it"],
    outcome: "the command did not run, and does not run later",
  },
  "ssh: master killed": { where: SSH, event: "the process of the connection is killed in a command", outcome: ONCE },
  "ssh: server killed": {
    where: SSH,
    event: "the server's process of the connection is killed in a command",
    outcome: ONCE,
  },
  "ssh: disk full": {
    where: SSH,
    event: "the disk over there is full in a write",
    code: "FS_NO_SPACE",
    words: ["the disk is full"],
    outcome: "the old file stays, and nothing else is left",
  },
  "ssh: deadline": {
    where: SSH,
    event: "a command meets its deadline",
    code: "SHELL_TIMEOUT",
    outcome: NONE_LEFT,
  },
  "ssh: cancelled": { where: SSH, event: "a command is cancelled", code: "SHELL_CANCELLED", outcome: NONE_LEFT },
  "ssh: 64 calls": {
    where: SSH,
    event: "64 calls at once",
    outcome: "each its own result; four or more run at a time",
  },
  "ssh: much output": {
    where: "ssh",
    event: "1 GiB of output",
    outcome: "the length to the byte, its start and end; bounded memory",
  },
  "container: client killed": {
    where: "container",
    event: "the client of the engine is terminated or killed in a command",
    outcome: ONCE,
  },
  "container: client killed in a write": {
    where: "container",
    event: "the client of the engine is terminated or killed in a write",
    code: "BACKEND_UNAVAILABLE",
    words: ["The change may have happened", "the connection was lost"],
    outcome: "or the write succeeds; the file is the old or the new one, whole, and nothing else is left",
  },
  "container: disk full": {
    where: "container",
    event: "the disk in the container is full in a write",
    code: "FS_NO_SPACE",
    words: ["the disk is full"],
    outcome: "the old file stays, and nothing else is left",
  },
  "container: stopped": {
    where: "container",
    event: "the container is stopped in a command or a job",
    code: "BACKEND_UNAVAILABLE",
    words: ["is stopped"],
    outcome: `${NONE_MADE_UP}; jobs are lost`,
  },
  "container: restarted": {
    where: "container",
    event: "the container is restarted in a command or a job",
    code: "BACKEND_UNAVAILABLE",
    words: ["was killed together with the shell that ran it", "was restarted", "is stopped", "no data arrived for"],
    outcome: `${NONE_MADE_UP}; jobs are lost`,
  },
  "container: removed": {
    where: "container",
    event: "the container is removed in a command, or while a user is asked",
    code: "BACKEND_UNAVAILABLE",
    words: ["has no container"],
    outcome: `${NONE_MADE_UP}; a call that has not begun does not run`,
  },
  "container: 64 calls": { where: "container", event: "64 calls at once", outcome: "each its own result" },
  "container: much output": { where: "container", event: "1 GiB of output", outcome: "the same as over ssh" },
  "tmux: pane killed": {
    where: "tmux",
    event: "the pane is closed in a command",
    code: "BACKEND_UNAVAILABLE",
    words: ["was closed"],
    outcome: `${NONE_MADE_UP}; the next command gets another pane, and a notice`,
  },
  "tmux: server killed": {
    where: "tmux",
    event: "the tmux server is killed in a command",
    code: "BACKEND_UNAVAILABLE",
    words: ["the tmux server ended"],
    outcome: `${NONE_MADE_UP}; the next use starts another server`,
  },
  "tmux: client killed": { where: "tmux", event: "the client of tmux is killed in a command", outcome: CODE_ONLY },
  "tmux over ssh: connection killed": {
    where: "tmux over ssh",
    event: "the process of the connection is killed in a command that runs in a pane (`shell=pane`)",
    outcome: CODE_ONLY,
  },
  "tmux: 64 calls": {
    where: "tmux",
    event: "64 calls at once",
    outcome: "each its own result; 16 panes at a time, the others wait for one",
  },
  "tmux: much output": { where: "tmux", event: "1 GiB of output", outcome: "the same as over ssh" },
  "sandbox: 64 calls": { where: "sandbox", event: "64 calls at once", outcome: "each its own result" },
  "sandbox: much output": { where: "sandbox", event: "1 GiB of output", outcome: "the same as over ssh" },
  "every target: clock jump": {
    where: "every target",
    event: "the time of this machine is set by an hour, forward or back, in a call",
    outcome: "the call gives its result, and a deadline comes when it would have come",
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

/** Fails unless a result, a thrown error, or the outcome of a tool is what the row says. */
export function expectFault(name: FaultName, seen: unknown): void {
  const { code, words = [] }: Fault = FAULTS[name];
  const { code: seenCode, message } = failureOf(seen);
  expect([name, seenCode, message]).toEqual([name, code, expect.anything()]);
  if (words.length > 0) expect([name, message]).toEqual([name, expect.stringMatching(words.join("|"))]);
}

function failureOf(seen: unknown): { readonly code: unknown; readonly message: string } {
  if (seen instanceof Error) return { code: (seen as Error & { code?: unknown }).code, message: seen.message };
  if (isShellResult(seen)) {
    const { ended, problem = "" } = seen;
    if (ended === "itself") return { code: undefined, message: "no failure" };
    return { code: CODES[ended] ?? ended, message: problem };
  }
  const { code, output } = seen as { code?: string; output?: unknown };
  // An exit code other than 0 is the result of a command.
  return { code: code === "SHELL_EXIT" ? undefined : code, message: String(output) };
}

/** What `bash` fails with. */
const CODES: Partial<Record<ShellResult["ended"], Fault["code"]>> = {
  "channel-lost": "BACKEND_UNAVAILABLE",
  cancelled: "SHELL_CANCELLED",
  deadline: "SHELL_TIMEOUT",
};

function isShellResult(seen: unknown): seen is ShellResult {
  return typeof seen === "object" && seen !== null && "began" in seen && "tree" in seen;
}
