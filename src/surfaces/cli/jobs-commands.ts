/** The commands that look after jobs. */
import type { Command } from "commander";
import { withExamples, withStateOption } from "./command-parts.js";
import type { CleanJobsOptions, JobsOptions } from "./commands/jobs.js";

export function addJobsCommands(program: Command): void {
  const jobs = withExamples(
    program.command("jobs").description("commands in the background, of every process that shares the state folder"),
    'haft call process \'{"action":"start","command":"sleep 60","lifetime":"keep"}\'',
    "haft jobs list",
  );
  withExamples(
    withStateOptions(jobs.command("list").description("what runs, and what is kept of what did")),
    "haft jobs list",
    "haft jobs list --json",
  ).action(async (options: JobsOptions) => {
    const { listJobs } = await import("./commands/jobs.js");
    process.exitCode = await listJobs(options);
  });
  withExamples(
    withStateOptions(jobs.command("stop <id>").description("end one with all its processes")),
    "haft jobs stop job-1",
  ).action(async (id: string, options: JobsOptions) => {
    const { stopJob } = await import("./commands/jobs.js");
    process.exitCode = await stopJob(id, options);
  });
  withExamples(
    withStateOptions(
      jobs
        .command("clean")
        .description("remove jobs that ended over seven days ago, and the oldest of more than 1 GiB of output")
        .option("--all", "every job that has ended"),
    ),
    "haft jobs clean",
    "haft jobs clean --all --json",
  ).action(async (options: CleanJobsOptions) => {
    const { cleanJobs } = await import("./commands/jobs.js");
    process.exitCode = await cleanJobs(options);
  });
}

function withStateOptions(command: Command): Command {
  return withStateOption(command).option("--json", "print it as JSON");
}
