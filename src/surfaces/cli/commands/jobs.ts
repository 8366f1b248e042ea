/** `haft jobs`: background commands, running and ended. */
import type { Command } from "commander";
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import type { jobAdmin } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, utcTime } from "../output.js";
import { EXIT } from "../usage.js";

interface JobsOptions extends StateOptions {
  readonly json?: boolean;
}

interface CleanJobsOptions extends JobsOptions {
  readonly all?: boolean;
}

/** Ids of jobs that are stored where they run: the kept ones of containers and over ssh, which this machine has no list of. */
const ELSEWHERE = /^haft-[0-9a-f]{18}\.\d+$/;

const MAX_COMMAND_CHARACTERS = 200;

type JobAdmin = Awaited<ReturnType<typeof jobAdmin>>;
type Job = ReturnType<JobAdmin["list"]>[number];

export function addJobsCommand(program: Command): void {
  const jobs = withExamples(
    program.command("jobs").description("manage background commands of every process that shares the state directory"),
    'haft call process \'{"action":"start","command":"sleep 60","lifetime":"keep"}\'',
    "haft jobs list",
  );
  withExamples(
    withJsonOption(withStateOption(jobs.command("list").description("list running and ended jobs, oldest first"))),
    "haft jobs list",
    "haft jobs list --json",
  ).action(async (options: JobsOptions) => {
    process.exitCode = await listJobs(options);
  });
  withExamples(
    withJsonOption(withStateOption(jobs.command("stop <id>").description("kill a job with all its processes"))),
    "haft jobs stop job-1",
  ).action(async (id: string, options: JobsOptions) => {
    process.exitCode = await stopJob(id, options);
  });
  withExamples(
    withJsonOption(
      withStateOption(
        jobs
          .command("clean")
          .description(
            "delete jobs that ended over 7 days ago, and the oldest ones beyond 2,000 jobs or 1 GiB of output",
          )
          .option("--all", "delete every job that has ended"),
      ),
    ),
    "haft jobs clean",
    "haft jobs clean --all --json",
  ).action(async (options: CleanJobsOptions) => {
    process.exitCode = await cleanJobs(options);
  });
}

async function listJobs(options: JobsOptions): Promise<number> {
  const admin = await openJobs(options);
  const jobs = admin.list();
  for (const { id, why } of admin.newer()) printNotice(`did not list ${id}: ${why}.`);
  if (options.json) printJson(jobs);
  else if (jobs.length === 0)
    process.stdout.write('No jobs. A model starts one with the tool `process` and the action "start".\n');
  else
    for (const job of jobs)
      process.stdout.write(`${pc.bold(shown(job.id))}  ${shown(jobState(job))}\n  ${shown(job.command)}\n`);
  return EXIT.ok;
}

async function stopJob(id: string, options: JobsOptions): Promise<number> {
  const jobs = await openJobs(options);
  const before = jobs.list().find((job) => job.id === id);
  if (before === undefined) {
    const newer = jobs.newer().find((job) => job.id === id)?.why;
    const elsewhere = ELSEWHERE.test(id)
      ? `it is a job of another machine. \`haft call process action=stop id=${id} --on TARGET\` stops it, with the target where it runs`
      : undefined;
    const why = newer ?? elsewhere ?? "no such job. `haft jobs list` lists the jobs of this machine";
    printNotice(`did not stop "${id}": ${why}.`);
    return EXIT.errorResult;
  }
  const tree = before.status === "running" ? await jobs.stop(id) : undefined;
  const left = tree?.state === "alive" ? tree.survivors.map(({ pid, name }) => `${pid} (${shown(name)})`) : [];
  if (options.json) printJson({ id, stopped: tree?.state === "gone", left });
  if (tree === undefined) printNotice(`${id} had already ended.`);
  else if (tree.state === "gone") printNotice(`stopped ${id} with all its processes.`);
  else if (tree.state === "alive") printNotice(`could not kill all processes of ${id}: ${left.join(", ")} still run.`);
  else printNotice(`did not stop ${id}: its processes are not visible from here.`);
  return tree === undefined || tree.state === "gone" ? EXIT.ok : EXIT.errorResult;
}

async function cleanJobs(options: CleanJobsOptions): Promise<number> {
  const admin = await openJobs(options);
  const cleaned = admin.clean({ all: options.all === true });
  for (const { id, why } of admin.newer()) printNotice(`did not delete ${id}: ${why}.`);
  if (options.json) printJson(cleaned);
  const { jobs, bytes } = cleaned;
  printNotice(`deleted ${jobs} ${jobs === 1 ? "job" : "jobs"} with ${bytes} bytes of output.`);
  return EXIT.ok;
}

async function openJobs(options: JobsOptions): Promise<JobAdmin> {
  const { stateAdminOptions } = await import("../configuration.js");
  const toolkit = await import("../../../toolkit/index.js");
  return toolkit.jobAdmin(await stateAdminOptions(options));
}

function jobState({ status, exit, endedBy, lifetime, hostPid, startedMs, endedMs, outputBytes }: Job): string {
  const since = utcTime(startedMs, "minute");
  const isRunning = status === "running";
  const facts = [
    isRunning ? `running since ${since}` : endText(status, exit, endedBy),
    isRunning ? "" : `ran ${Math.max(0, (endedMs ?? startedMs) - startedMs)} ms from ${since}`,
    hostPid === undefined ? "" : `started by process ${hostPid}`,
    isRunning ? LIFETIMES[lifetime] : "",
    `${outputBytes} bytes of output`,
  ];
  return facts.filter((fact) => fact !== "").join("; ");
}

const LIFETIMES: Readonly<Record<Job["lifetime"], string>> = {
  session: "ends with its session",
  host: "ends with its host process",
  keep: "runs until it is stopped",
};

function endText(status: Job["status"], exit: Job["exit"], endedBy: Job["endedBy"]): string {
  if (status === "lost") return "ended, exit unknown";
  const how =
    exit === undefined || exit.by === "none"
      ? ""
      : exit.by === "code"
        ? `exit code ${exit.code}`
        : exit.by === "status"
          ? `exit status ${exit.status}`
          : `signal ${exit.signal}`;
  const why = endedBy === "host" ? "ended with its host process" : endedBy === "stopped" ? "stopped" : "";
  return [why, how].filter((one) => one !== "").join(", ") || "ended";
}

function shown(text: string): string {
  const line = text.length > MAX_COMMAND_CHARACTERS ? `${text.slice(0, MAX_COMMAND_CHARACTERS)}…` : text;
  return showControls(line);
}
