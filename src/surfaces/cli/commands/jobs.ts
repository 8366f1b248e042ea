/** `haft jobs`: commands that run in the background, and what is kept of those that did. */
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import { jobAdmin } from "../../../toolkit/index.js";
import { printJson } from "../json-output.js";
import { printNotice } from "../print-notice.js";
import { type StateOptions, stateAdminOptions } from "../state-options.js";
import { EXIT } from "../usage.js";
import { utcTime } from "../utc-time.js";

export interface JobsOptions extends StateOptions {
  readonly json?: boolean;
}

export interface CleanJobsOptions extends JobsOptions {
  readonly all?: boolean;
}

type Job = ReturnType<Awaited<ReturnType<typeof jobAdmin>>["list"]>[number];

/** Oldest first. */
export async function listJobs(options: JobsOptions): Promise<number> {
  const kept = await jobAdmin(await stateAdminOptions(options));
  const jobs = kept.list();
  for (const { id, why } of kept.newer()) printNotice(`did not list ${id}: ${why}.`);
  if (options.json) printJson(jobs);
  else if (jobs.length === 0) process.stdout.write("No jobs.\n");
  else
    for (const job of jobs)
      process.stdout.write(`${pc.bold(shown(job.id))}  ${shown(jobState(job))}\n  ${shown(job.command)}\n`);
  return EXIT.ok;
}

/** Ends one with all its processes. */
export async function stopJob(id: string, options: JobsOptions): Promise<number> {
  const jobs = await jobAdmin(await stateAdminOptions(options));
  const before = jobs.list().find((job) => job.id === id);
  if (before === undefined) {
    const newer = jobs.newer().find((job) => job.id === id)?.why;
    const why = newer ?? "there is no such job. `haft jobs list` names those there are";
    printNotice(`did not stop "${id}": ${why}.`);
    return EXIT.errorResult;
  }
  const tree = before.status === "running" ? await jobs.stop(id) : undefined;
  const left = tree?.state === "alive" ? tree.survivors.map(({ pid, name }) => `${pid} (${shown(name)})`) : [];
  if (options.json) printJson({ id, stopped: tree?.state === "gone", left });
  if (tree === undefined) printNotice(`${id} had ended already.`);
  else if (tree.state === "gone") printNotice(`stopped ${id} with all its processes.`);
  else if (tree.state === "alive") printNotice(`could not end all of ${id}: ${left.join(", ")}.`);
  else printNotice(`did not stop ${id}: its processes are not to be seen from here.`);
  return tree === undefined || tree.state === "gone" ? EXIT.ok : EXIT.errorResult;
}

/** Removes what is kept of jobs that have ended. */
export async function cleanJobs(options: CleanJobsOptions): Promise<number> {
  const kept = await jobAdmin(await stateAdminOptions(options));
  const cleaned = kept.clean({ all: options.all === true });
  for (const { id, why } of kept.newer()) printNotice(`did not remove ${id}: ${why}.`);
  if (options.json) printJson(cleaned);
  const { jobs, bytes } = cleaned;
  printNotice(`removed ${jobs} ${jobs === 1 ? "job" : "jobs"} with ${bytes} bytes of output.`);
  return EXIT.ok;
}

function jobState({ status, exit, endedBy, lifetime, hostPid, startedMs, endedMs, outputBytes }: Job): string {
  const since = utcTime(startedMs, "minute");
  const facts = [
    status === "running" ? `running since ${since}` : endOf(status, exit, endedBy),
    status === "running" ? "" : `ran ${Math.max(0, (endedMs ?? startedMs) - startedMs)} ms from ${since}`,
    hostPid === undefined ? "" : `started by process ${hostPid}`,
    status === "running" ? LIFETIMES[lifetime] : "",
    `${outputBytes} bytes printed`,
  ];
  return facts.filter((fact) => fact !== "").join("; ");
}

const LIFETIMES: Readonly<Record<Job["lifetime"], string>> = {
  session: "ends with its session",
  host: "ends with its host",
  keep: "kept until it is stopped",
};

function endOf(status: Job["status"], exit: Job["exit"], endedBy: Job["endedBy"]): string {
  if (status === "lost") return "nobody can say what became of it";
  const how =
    exit === undefined || exit.by === "none"
      ? ""
      : exit.by === "code"
        ? `exit code ${exit.code}`
        : exit.by === "status"
          ? `exit status ${exit.status}`
          : `signal ${exit.signal}`;
  const why = endedBy === "host" ? "ended with its host" : endedBy === "stopped" ? "stopped" : "";
  return [why, how].filter((one) => one !== "").join(", ") || "ended";
}

/** A command may hold anything, and a terminal obeys what it is shown. */
function shown(text: string): string {
  const line = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return showControls(line);
}
