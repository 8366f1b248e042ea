/** `haft schedule`: commands that run at times. */
import type { Command } from "commander";
import { withExamples, withJsonOption, withSharedStateOptions, withToolkitOptions } from "../command-parts.js";
import type { DaemonOptions } from "./schedule/run-daemon.js";
import type { AddOptions, LogOptions, ScheduleListOptions } from "./schedule/run-schedule.js";

const load = () => import("./schedule/run-schedule.js");

export function addScheduleCommand(program: Command): void {
  const schedule = withExamples(
    program
      .command("schedule")
      .description("commands that run at times, while `haft serve` or `haft schedule daemon` is up in their workspace"),
    "haft schedule add 'npm test' --cron '0 9 * * 1-5' --tz Europe/Berlin --name tests",
    "haft schedule list",
    "haft schedule daemon",
  );
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        schedule.command("list").description("list the schedules, with their next and their last run"),
      ),
    ),
    "haft schedule list",
    "haft schedule list --json",
  ).action(async (options: ScheduleListOptions) => {
    process.exitCode = await (await load()).listSchedules(options);
  });
  addAddCommand(schedule);
  addIdCommand(schedule, "remove tests", "remove a schedule, by its id or its name", (id, options) =>
    load().then(({ removeSchedule }) => removeSchedule(id, options)),
  );
  addIdCommand(schedule, "run backup", "make a schedule due now, beside its times", (id, options) =>
    load().then(({ runSchedule }) => runSchedule(id, options)),
  );
  addIdCommand(schedule, "disable backup", "stop running a schedule, and keep it", (id, options) =>
    load().then(({ disableSchedule }) => disableSchedule(id, options)),
  );
  addIdCommand(schedule, "enable backup", "run a disabled schedule again, from its next time on", (id, options) =>
    load().then(({ enableSchedule }) => enableSchedule(id, options)),
  );
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        schedule
          .command("log [id]")
          .description("print the last runs with their output, of one schedule or of all")
          .option("--limit <number>", "how many runs, 1 to 1000", "20"),
      ),
    ),
    "haft schedule log",
    "haft schedule log backup --limit 1",
  ).action(async (id: string | undefined, options: LogOptions) => {
    process.exitCode = await (await load()).logRuns(id, options);
  });
  withExamples(
    withToolkitOptions(
      schedule
        .command("daemon")
        .description("run the schedules of the workspace and print each run, until Ctrl+C or SIGTERM"),
    ),
    "haft schedule daemon",
    "haft schedule daemon --workspace ~/project --autonomy readonly",
  ).action(async (options: DaemonOptions) => {
    const { scheduleDaemon } = await import("./schedule/run-daemon.js");
    process.exitCode = await scheduleDaemon(options);
  });
}

function addIdCommand(
  schedule: Command,
  example: string,
  description: string,
  act: (id: string, options: ScheduleListOptions) => Promise<number>,
): void {
  withExamples(
    withJsonOption(withSharedStateOptions(schedule.command(`${example.split(" ")[0]} <id>`).description(description))),
    `haft schedule ${example}`,
  ).action(async (id: string, options: ScheduleListOptions) => {
    process.exitCode = await act(id, options);
  });
}

function addAddCommand(schedule: Command): void {
  withExamples(
    withToolkitOptions(
      withJsonOption(
        schedule
          .command("add <command>")
          .description("add a schedule: give exactly one of --cron, --at, --after and --every")
          .option("--cron <expression>", "minute hour day-of-month month weekday; with 6 fields, seconds are first")
          .option("--tz <zone>", "the time zone of --cron, such as Europe/Berlin (default: that of this machine)")
          .option("--at <time>", "once, such as 2030-01-31T09:00:00+01:00")
          .option("--after <duration>", "once, so long from now: 90s, 20m, 2h, 1d")
          .option("--every <duration>", "again and again, 1s or more apart")
          .option("--name <name>", "a name, by which it can be removed")
          .option("--cwd <dir>", "where the command runs (default: the workspace)")
          .option(
            "--missed <what>",
            "times missed while Haft was not running: skip, once (the latest), or how many of the latest to run (default: once)",
          )
          .option("--retries <number>", "retries of a run that a crash interrupted (default: 0)")
          .option("--timeout <ms>", "the most that a run may take (default: 120000)"),
      ),
    ),
    "haft schedule add 'npm test' --cron '0 9 * * 1-5' --tz Europe/Berlin --name tests",
    "haft schedule add './backup.sh' --every 6h --missed skip --name backup",
    "haft schedule add 'echo time is up' --after 20m",
  ).action(async (command: string, options: AddOptions) => {
    process.exitCode = await (await load()).addByTool(command, options);
  });
}
