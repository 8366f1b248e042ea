/** Lists, adds, removes and starts schedules, and prints their runs. */
import { createToolkit, type ScheduleAdmin, scheduleAdmin } from "../../../../toolkit/index.js";
import { type CommonOptions, settingsOf, settledWorkspace, workspaceFor } from "../../common-options.js";
import type { StateOptions } from "../../configuration.js";
import { printJson, printNotice } from "../../output.js";
import { controllingTerminal, terminalApprover } from "../../terminal-approver.js";
import { EXIT, UsageError } from "../../usage.js";
import { hostText, nextText, runText, scheduleRows } from "./schedule-text.js";

export interface ScheduleListOptions extends StateOptions {
  readonly json?: boolean;
}

export interface LogOptions extends ScheduleListOptions {
  readonly limit: string;
}

export interface AddOptions extends CommonOptions {
  readonly json?: boolean;
  readonly cron?: string;
  readonly tz?: string;
  readonly at?: string;
  readonly after?: string;
  readonly every?: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly missed?: string;
  readonly retries?: string;
  readonly timeout?: string;
}

export async function listSchedules(options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const [schedules, running] = [await admin.list(), await admin.hosts()];
    if (options.json) printJson({ schedules, running });
    else if (schedules.length === 0)
      process.stdout.write("No schedules. Add one: haft schedule add 'npm test' --cron '0 9 * * 1-5'\n");
    else process.stdout.write(scheduleRows(schedules, process.stdout));
    if (!options.json && schedules.length > 0) printNotice(hostText(running));
    return EXIT.ok;
  });
}

/** As a call of the tool, so that policy judges the command, and asks about it at the terminal. */
export async function addByTool(command: string, options: AddOptions): Promise<number> {
  const { cron: schedule, timeout, retries, tz, at, after, every, name, cwd, missed } = options;
  const given = { schedule, tz, at, after, every, command, name, cwd, missed };
  const input = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(retries === undefined ? {} : { retries: numberOf("--retries", retries) }),
    ...(timeout === undefined ? {} : { timeoutMs: numberOf("--timeout", timeout) }),
  };
  const settings = await settingsOf({ ...options, dialect: "haft" });
  const workspace = settledWorkspace(options.workspace, settings.config);
  const terminal = controllingTerminal();
  const toolkit = await createToolkit({
    ...settings.toolkit,
    ...workspaceFor(settings.targets, workspace),
    ...(terminal === undefined ? {} : { approver: terminalApprover(terminal, (question) => question()) }),
  });
  try {
    // Says why, where there are none: then there is no such tool either.
    scheduleAdmin(toolkit.host.state);
    const outcome = await toolkit.box().runner.run({ id: "call-1", name: "cron_add", input });
    if (options.json) printJson(outcome.data ?? { code: outcome.code, message: outcome.output });
    else process.stdout.write(`${String(outcome.output)}\n`);
    if (outcome.code === "POLICY_APPROVAL_REQUIRED")
      printNotice(
        "no user could be asked, because this is not a terminal. Run the same command in a terminal to be asked there.",
      );
    if (outcome.status === "invalid" || outcome.code === "CALL_INVALID") return EXIT.usage;
    return outcome.isError ? EXIT.errorResult : EXIT.ok;
  } finally {
    await toolkit.close();
  }
}

export async function removeSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const removed = await admin.remove(id);
    if (options.json) printJson(removed);
    printNotice(`removed ${removed.id}${removed.name === undefined ? "" : ` "${removed.name}"`}.`);
    return EXIT.ok;
  });
}

export async function runSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const due = await admin.run(id);
    if (options.json) printJson(due);
    printNotice(
      `${due.id}${due.name === undefined ? "" : ` "${due.name}"`} is due now. ${hostText(await admin.hosts())}`,
    );
    return EXIT.ok;
  });
}

export async function logRuns(id: string | undefined, options: LogOptions): Promise<number> {
  const limit = numberOf("--limit", options.limit);
  if (limit < 1 || limit > 1_000)
    throw new UsageError(`--limit must be a number from 1 to 1000, not "${options.limit}".`);
  return withSchedules(options, async (admin) => {
    const runs = await admin.log({ limit, ...(id === undefined ? {} : { wanted: id }) });
    if (options.json) printJson(runs);
    else if (runs.length > 0) process.stdout.write(runs.map(runText).join(""));
    else {
      const [next] = (await admin.list()).filter(({ next }) => next !== undefined);
      process.stdout.write(next === undefined ? "No runs yet.\n" : `No runs yet. ${nextText(next)}\n`);
    }
    return EXIT.ok;
  });
}

async function withSchedules(options: StateOptions, use: (admin: ScheduleAdmin) => Promise<number>): Promise<number> {
  const settings = await settingsOf({ on: [], env: [], allow: [], ...options });
  const toolkit = await createToolkit({ ...settings.toolkit, on: "memory" });
  try {
    return await use(scheduleAdmin(toolkit.host.state));
  } finally {
    await toolkit.close();
  }
}

function numberOf(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number, not "${text}".`);
}
