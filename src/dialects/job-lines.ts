/** Background commands in words: what a job is and does, and what it waits for. */
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
    return exit === undefined ? `running for ${age}` : `${exit}, but something of it still runs after ${age}`;
  }
  if (job.status === "lost") return "nobody can say what became of it";
  const exit = exitOf(job);
  if (job.endedBy === "host") return `ended with its host after ${age}${exit === undefined ? "" : ` (${exit})`}`;
  if (job.endedBy === "stopped") return `stopped after ${age}${exit === undefined ? "" : ` (${exit})`}`;
  return `${exit ?? "ended"} after ${age}`;
}

/** `499 overwritten frames omitted; ...`: the frames of progress bars that a terminal would not show any more. */
export function overwrittenFact(frames: number, artifact: string | undefined): string {
  const where =
    artifact === undefined ? "" : `; \`read\` or \`grep\` the path "artifact:${showControls(artifact)}" for all of it`;
  return `${counted(frames, "overwritten frame")} omitted${where}`;
}

/** The question as it stands, and the ways to go on. */
export function waitingLine({ name, pid, on, prompt }: WaitingFor): string {
  const place = on === "terminal" ? "at a terminal" : "on standard input";
  const asked = prompt === "" ? "" : `: "${showControls(prompt)}"`;
  return `waiting for input: ${showControls(name)} (pid ${pid}) reads ${place}${asked}`;
}

/** What became of input: what reaches the job, and what has to be sent again. Nothing where none was written. */
export function inputRows({ wroteBytes, waitingBytes = 0, unwritten: untaken }: ProcessData): readonly string[] {
  if (wroteBytes === undefined) return [];
  const wrote = `wrote ${counted(wroteBytes, "byte")} to its standard input`;
  if (untaken === undefined) {
    if (waitingBytes === 0) return [wrote];
    const waits = waitingBytes < wroteBytes ? `up to ${waitingBytes} of them wait` : "they wait";
    return [`${wrote}: ${waits} until it reads on, and will reach it; do not send them again`];
  }
  const { bytes, from, why } = untaken;
  const took = `its standard input took ${wroteBytes} of ${counted(wroteBytes + bytes, "byte")}`;
  const rest = `${counted(bytes, "byte")}, from "${showControls(from)}" on`;
  if (why === "closed")
    return [`${took}: it has ended, or has closed it. Not taken, and nobody would read it: ${rest}`];
  const sure = wroteBytes === 0 ? "what was written before" : "what was taken";
  return [
    `${took} and is full: it reads no more at present, and will get ${sure}. Not taken: ${rest}; send that again once it reads`,
  ];
}

function exitOf({ exitCode, signal, ambiguous }: JobData): string | undefined {
  if (signal !== null) return `ended by signal ${signal}`;
  if (exitCode === null) return undefined;
  return ambiguous === true ? `exit code ${exitCode}, which may stand for a signal` : `exit code ${exitCode}`;
}

function lifetimeOf({ lifetime, adopted }: JobData): string {
  const life = LIVES[lifetime];
  if (adopted === "call") return `${life}, left by a command`;
  return adopted === "host" ? `${life}, of an earlier host` : life;
}

const LIVES: Readonly<Record<JobData["lifetime"], string>> = {
  session: "",
  host: ", lives with the host",
  keep: ", kept until it is stopped",
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
