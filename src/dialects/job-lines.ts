/** Background commands in words: the state of a job and what it waits for. */
import type { WaitingFor } from "../kernel/index.js";
import { showControls, truncateToHead } from "../text/index.js";
import type { JobData, ProcessData } from "../tools/process/contract.js";
import { counted } from "./rendering.js";

/** Bytes of a command that a row shows. */
const MAX_COMMAND_BYTES = 120;

/** `job-1: running for 12 s, "npm run dev"`. */
export function jobLine(job: JobData): string {
  return `${jobState(job)}, ${shownCommand(job.command)}`;
}

/** `job-1: running for 12 s`. */
export function jobState(job: JobData): string {
  return `${showControls(job.id)}: ${jobStateOf(job)}${lifetimeOf(job)}`;
}

/** `running for 12 s`, `exit code 3 after 250 ms`. */
export function jobStateOf(job: JobData): string {
  const age = duration(job.ageMs);
  if (job.status === "running") {
    const exit = exitOf(job);
    return exit === undefined ? `running for ${age}` : `${exit}, but some of its processes still run after ${age}`;
  }
  if (job.status === "lost") return "its outcome is unknown";
  const exit = exitOf(job);
  if (job.endedBy === "host")
    return `ended with its host process after ${age}${exit === undefined ? "" : ` (${exit})`}`;
  if (job.endedBy === "stopped") return `stopped after ${age}${exit === undefined ? "" : ` (${exit})`}`;
  return `${exit ?? "ended"} after ${age}`;
}

/** `499 overwritten frames omitted; ...`: the frames of progress bars that a terminal would have overwritten. */
export function overwrittenFact(frames: number, artifact: string | undefined): string {
  const where =
    artifact === undefined ? "" : `; \`read\` or \`grep\` the path "artifact:${showControls(artifact)}" for all of it`;
  return `${counted(frames, "overwritten frame")} omitted${where}`;
}

/** Which process waits for input, and its prompt. */
export function waitingLine({ name, pid, on, prompt }: WaitingFor): string {
  const place = on === "terminal" ? "at a terminal" : "on standard input";
  const asked = prompt === "" ? "" : `: "${showControls(prompt)}"`;
  return `waiting for input: ${showControls(name)} (pid ${pid}) reads ${place}${asked}`;
}

/** How much input the job accepted, and what to send again. Nothing where none was written. */
export function inputRows({ wroteBytes, waitingBytes = 0, unwritten: untaken }: ProcessData): readonly string[] {
  if (wroteBytes === undefined) return [];
  const wrote = `wrote ${counted(wroteBytes, "byte")} to stdin`;
  if (untaken === undefined) {
    if (waitingBytes === 0) return [wrote];
    const waits = waitingBytes < wroteBytes ? `up to ${waitingBytes} of them are buffered` : "they are buffered";
    return [`${wrote}: ${waits} until it reads; do not send them again`];
  }
  const { bytes, from, why } = untaken;
  const took = `stdin accepted ${wroteBytes} of ${counted(wroteBytes + bytes, "byte")}`;
  const rest = `${counted(bytes, "byte")}, starting with "${showControls(from)}"`;
  if (why === "closed")
    return [`${took}: the job has ended or closed stdin. Not written, and do not send again: ${rest}`];
  const sure = wroteBytes === 0 ? "what was written before" : "the accepted bytes";
  return [
    `${took} and is full: the job is not reading, but will get ${sure}. Not written: ${rest}; send that again once it reads`,
  ];
}

function exitOf({ exitCode, signal, ambiguous }: JobData): string | undefined {
  if (signal !== null) return `ended by signal ${signal}`;
  if (exitCode === null) return undefined;
  return ambiguous === true ? `exit code ${exitCode}, which may mean a signal` : `exit code ${exitCode}`;
}

function lifetimeOf({ lifetime, adopted, status }: JobData): string {
  const life = status === "ended" ? "" : LIVES[lifetime];
  if (adopted === "call") return `${life}, left running by a command`;
  return adopted === "host" ? `${life}, from an earlier host process` : life;
}

const LIVES: Readonly<Record<JobData["lifetime"], string>> = {
  session: "",
  host: ", ends with the host process",
  keep: ", runs until stopped",
};

function shownCommand(command: string): string {
  const { text, omittedBytes } = truncateToHead(command.trim(), MAX_COMMAND_BYTES);
  return `"${showControls(text)}${omittedBytes > 0 ? "…" : ""}"`;
}

function duration(ms: number): string {
  if (ms < 10_000) return `${ms} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 600) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 600 ? `${minutes} min` : counted(Math.round(minutes / 60), "hour");
}
