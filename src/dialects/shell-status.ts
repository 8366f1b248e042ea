/** How a command ended, in words, for the dialects that have a status line. */
import { showControls } from "../text/index.js";
import type { BashData } from "../tools/bash/contract.js";
import { waitingLine } from "./job-lines.js";

/** @param inBackground - How to start a command in the background; null for a run of a schedule, which cannot. */
export function statusLines(
  data: BashData,
  maxTimeoutMs: number,
  inBackground: string | null = "with `&` and its output in a file",
): readonly string[] {
  const ended = ENDINGS[data.ended](data, maxTimeoutMs, inBackground);
  if (data.dispatchedTo !== undefined) return [...paneLines(data.dispatchedTo), ...paneReports(data)];
  if (data.ended === "detached") return [`status: ${ended}`, ...waitingLines(data), continuesLine(data)];
  return [`status: ${ended}`, ...waitingLines(data), ...treeLines(data), ...paneReports(data)];
}

const ENDINGS: Readonly<
  Record<BashData["ended"], (data: BashData, maxTimeoutMs: number, inBackground: string | null) => string>
> = {
  itself: exitOf,
  cancelled: (data) => `cancelled after ${data.durationMs} ms. ${endingOfTree(data)}`,
  deadline: (data, maxTimeoutMs, inBackground) =>
    `timed out after ${data.timeoutMs} ms. ${endingOfTree(data)} ${
      inBackground === null ? longerSchedule(data, maxTimeoutMs) : longer(data, maxTimeoutMs, inBackground)
    }`,
  "output-limit": (data) =>
    `stopped at the output limit. ${endingOfTree(data)} Redirect the output to a file and read part of it.`,
  "spawn-error": (data) => `not started: ${problemOf(data)}`,
  detached: backgroundOf,
  "channel-lost": (data) => `connection lost: ${problemOf(data)} ${BEGAN[data.began]}`,
};

function longer({ timeoutMs }: BashData, maxTimeoutMs: number, inBackground: string): string {
  const first = timeoutMs < maxTimeoutMs ? `Raise \`timeoutMs\` (at most ${maxTimeoutMs}), or` : "Split the work, or";
  return `${first} start it in the background ${inBackground}.`;
}

function longerSchedule({ timeoutMs }: BashData, maxTimeoutMs: number): string {
  const most = `at most ${maxTimeoutMs.toLocaleString("en-US")} ms`;
  if (timeoutMs >= maxTimeoutMs) return `Split the work: a schedule gives a run ${most}.`;
  return `Raise \`timeoutMs\` of the schedule (${most}), or let it do less.`;
}

/** Only dialects with a tool for jobs detach a command. */
function backgroundOf(data: BashData): string {
  const job = data.job === undefined ? "a job" : `job ${showControls(data.job)}`;
  return `still running after ${data.durationMs} ms, as ${job}`;
}

const BEGAN: Readonly<Record<BashData["began"], string>> = {
  yes: "The command had started; check its effects before you retry it.",
  no: "The command had not started; it is safe to retry it.",
  unknown: "It is unknown whether the command started; check its effects before you retry it.",
};

function waitingLines({ waitingFor }: BashData): readonly string[] {
  return waitingFor === undefined ? [] : [`${waitingLine(waitingFor)}.`];
}

/** How to continue with a pane: its output and its end are seen there only. */
function paneLines({ pane, session }: NonNullable<BashData["dispatchedTo"]>): readonly string[] {
  const id = showControls(pane);
  return [
    `status: started in the pane ${id} of the session ${showControls(session)}`,
    `\`capture_pane\` with pane "${id}" shows its output; \`send_keys\` types into it, and the key C-c stops the command.`,
  ];
}

/** What others did in the pane of the command, and to it. */
function paneReports({ pane = "", userTyped, notice }: BashData): readonly string[] {
  return [
    ...(userTyped === true ? [`A user typed in the pane ${showControls(pane)} while it ran.`] : []),
    ...(notice === undefined ? [] : [showControls(notice)]),
  ];
}

/** How to continue with the job. */
function continuesLine({ job = "", waitingFor }: BashData): string {
  const id = showControls(job);
  const poll = `\`process\` with action "wait" or "poll" and id "${id}" shows new output`;
  if (waitingFor?.on === "input") return `${poll}; action "write" answers, "stop" ends it.`;
  return `${poll}; action "stop" ends it.`;
}

function exitOf(data: BashData): string {
  if (data.signal !== null) return `ended by signal ${data.signal}`;
  if (data.exitCode === null) return "ended without an exit code";
  if (data.ambiguous !== true) return `exit code ${data.exitCode}`;
  const signal = SIGNALS[data.exitCode - 128];
  return `exit code ${data.exitCode} (or ended by ${signal === undefined ? "a signal" : `signal ${signal}`})`;
}

/** Signal numbers that are the same on every POSIX system. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: "HUP",
  2: "INT",
  3: "QUIT",
  6: "ABRT",
  9: "KILL",
  13: "PIPE",
  14: "ALRM",
  15: "TERM",
};

function endingOfTree(data: BashData): string {
  const signals = data.endedBy === "KILL" ? "TERM, then KILL" : data.endedBy;
  const how = signals === null ? "" : ` with ${signals}`;
  if (data.tree === "gone") return `Its process tree was terminated${how}.`;
  if (data.tree === "alive") return `Its process tree was terminated${how}, except the processes below.`;
  if (signals !== null && data.problem === undefined)
    return `Its process tree was terminated${how}; it is unknown whether any process is left.`;
  if ((data.signal !== null || data.exitCode !== null) && data.problem === undefined)
    return "It was terminated; it is unknown whether any process of it is left.";
  const began = data.began === "unknown" ? ` ${BEGAN.unknown}` : "";
  return `It could not be ended${signals === null ? " from here" : how} and may still run.${began}`;
}

function treeLines(data: BashData): readonly string[] {
  if (data.survivors.length === 0) {
    const isSilent = data.tree !== "alive";
    return isSilent ? [] : [`still running: an unidentified process${jobOf(data)}`];
  }
  const named = data.survivors.map((one) => {
    const holds = one.holds === "none" ? "" : `, holds ${one.holds} open`;
    return `${showControls(one.name)} (pid ${one.pid}${holds})`;
  });
  const pids = data.survivors.map((one) => one.pid).join(" ");
  return [`still running: ${named.join(", ")}${jobOf(data)}. To end it: \`kill ${pids}\`.`];
}

function jobOf(data: BashData): string {
  return data.job === undefined ? "" : `, now job ${showControls(data.job)}`;
}

function problemOf(data: BashData): string {
  const problem = showControls(data.problem ?? "no reason was given").trim();
  return /[.!?]$/.test(problem) ? problem : `${problem}.`;
}
