/** Lists, adds, removes, starts, disables and enables schedules, and prints their runs. */
import {
  type Autonomy,
  DEFAULT_AUTONOMY,
  HaftError,
  SCHEDULE_POLL_MS,
  strictestLevel,
} from "../../../../kernel/index.js";
import { allowCommand } from "../../../../policy/index.js";
import { shellWord } from "../../../../text/index.js";
import { createToolkit, type ListedSchedule, type ScheduleAdmin, scheduleAdmin } from "../../../../toolkit/index.js";
import { type CommonOptions, type Settings, settingsOf, settledWorkspace } from "../../common-options.js";
import type { StateOptions } from "../../configuration.js";
import { printJson, printNotice, printNoticeLines } from "../../output.js";
import { workspaceFor } from "../../target-places.js";
import { controllingTerminal, terminalApprover } from "../../terminal-approver.js";
import { EXIT, UsageError } from "../../usage.js";
import { addedText, hostText, namedText, nextText, runText, scheduleRows } from "./schedule-text.js";

const LIST_THEM = "`haft schedule list` lists them.";

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
    else process.stdout.write(schedules.length === 0 ? "" : scheduleRows(schedules, process.stdout));
    if (schedules.length === 0)
      printNotice("there are no schedules. Add one: `haft schedule add 'npm test' --cron '0 9 * * 1-5'`.");
    else if (schedules.some(({ enabled }) => enabled)) printNotice(`${hostText(schedules, stateOption(options))}.`);
    return EXIT.ok;
  });
}

/** As a call of the tool, so that policy judges the command, and asks about it at the terminal. */
export async function addByTool(command: string, options: AddOptions): Promise<number> {
  const timings = [options.cron, options.at, options.after, options.every].filter((text) => text !== undefined);
  if (timings.length !== 1)
    throw new UsageError("Give one of --cron, --at, --after, --every, such as --cron '0 9 * * 1-5'.");
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
    const admin = scheduleAdmin(toolkit.host);
    const outcome = await toolkit.box().runner.run({ id: "call-1", name: "cron_add", input });
    if (options.json) printJson(outcome.data ?? { code: outcome.code, message: outcome.output });
    else if (outcome.isError)
      printNoticeLines(
        outcome.code === "CALL_INVALID" ? withOptionNames(String(outcome.output)) : String(outcome.output),
      );
    for (const note of outcome.isError ? [] : outcome.repairs) printNotice(withOptionNames(note));
    if (!outcome.isError) await reportAdded(admin, outcome.data as Added, { options, level: laxerLevel(settings) });
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

/** What `cron_add` returns. */
interface Added {
  readonly schedule: { readonly id: string };
  readonly zoneFrom?: "given" | "machine";
}

/** The level of the options, where a process without them has a stricter one. */
function laxerLevel({ toolkit: { autonomy }, config }: Settings): Autonomy | undefined {
  const configured = config.autonomy ?? DEFAULT_AUTONOMY;
  return strictestLevel(autonomy, configured) === autonomy ? undefined : autonomy;
}

/** What was given for this command alone, and does not hold where the schedule runs. */
function reportLimits({ allow }: AddOptions, level: Autonomy | undefined): void {
  if (level !== undefined)
    printNotice(
      `a run never exceeds the level of the process that runs it: start that process with \`--autonomy ${level}\`, or set it in its configuration.`,
    );
  if (allow.length === 0) return;
  const rules = allow.map((rule) => `\`${allowCommand(rule)}\``).join(", ");
  printNotice(
    `--allow holds for this command only. To allow it for runs: ${rules}, then restart the process that runs schedules.`,
  );
}

/** @param level - Of the options, where it is laxer than that of a process without them. */
async function reportAdded(
  admin: ScheduleAdmin,
  { schedule, zoneFrom }: Added,
  { options, level }: { readonly options: AddOptions; readonly level: Autonomy | undefined },
) {
  const all = await admin.list();
  const added = all.find(({ id }) => id === schedule.id);
  if (added === undefined) return; // it has run already
  if (!options.json) process.stdout.write(addedText(added, zoneFrom));
  const { name } = added;
  const same = all.filter((one) => name !== undefined && one.name?.toLowerCase() === name.toLowerCase());
  if (same.length > 1)
    printNotice(
      `${same.length} schedules are named "${name}" now: commands that take a name need the id of one, such as ${added.id}.`,
    );
  reportLimits(options, level);
  const levelOption = level === undefined ? "" : ` --autonomy ${level}`;
  printNotice(`${hostText([added], `${stateOption(options)}${levelOption}`)}.`);
}

/** Names of parameters of the tool, as the options of the command. */
const OPTION_OF: Readonly<Record<string, string>> = { schedule: "--cron", timeoutMs: "--timeout" };

function withOptionNames(text: string): string {
  return text.replaceAll(
    /`(schedule|tz|at|after|every|name|cwd|missed|retries|timeoutMs)`/g,
    (_, name: string) => OPTION_OF[name] ?? `--${name}`,
  );
}

export async function removeSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const removed = await admin.remove(id);
    if (options.json) printJson(removed);
    printNotice(`removed ${namedText(removed)}.`);
    return EXIT.ok;
  });
}

export async function runSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const due = await admin.run(id);
    if (options.json) printJson(due);
    const looks = due.hosts.length === 0 ? "" : `, which looks every ${SCHEDULE_POLL_MS / 1_000} s`;
    printNotice(`${namedText(due)} is due now; ${hostText([due], stateOption(options))}${looks}.`);
    return EXIT.ok;
  });
}

export async function enableSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const enabled = await admin.setEnabled(id, true);
    if (options.json) printJson(enabled);
    const next = `${nextText(enabled).replace(/\.$/, "")}; ${hostText([enabled], stateOption(options))}.`;
    printNotice(`${namedText(enabled)} is enabled; ${next}`);
    return EXIT.ok;
  });
}

export async function disableSchedule(id: string, options: ScheduleListOptions): Promise<number> {
  return withSchedules(options, async (admin) => {
    const disabled = await admin.setEnabled(id, false);
    if (options.json) printJson(disabled);
    const enable = `haft schedule enable ${disabled.id}${stateOption(options)}`;
    printNotice(`${namedText(disabled)} is disabled. \`${enable}\` enables it.`);
    return EXIT.ok;
  });
}

export async function logRuns(id: string | undefined, options: LogOptions): Promise<number> {
  const limit = numberOf("--limit", options.limit);
  if (limit < 1 || limit > 1_000)
    throw new UsageError(`--limit must be a number from 1 to 1000, not "${options.limit}".`);
  return withSchedules(options, async (admin) => {
    const runs = await admin.log({ limit, ...(id === undefined ? {} : { idOrName: id }) });
    if (options.json) printJson(runs);
    else process.stdout.write(runs.map(runText).join(""));
    if (runs.length === 0) printNotice(noRunsText(await admin.list(), id));
    return EXIT.ok;
  });
}

/** @param id - Of the schedule whose runs were asked for, or its name. */
function noRunsText(all: readonly ListedSchedule[], id: string | undefined): string {
  if (all.length === 0) return "nothing has run, and there are no schedules. `haft schedule add` adds one.";
  const asked = all.find((one) => one.id === id || one.name?.toLowerCase() === id?.trim().toLowerCase());
  const [soonest] = all.filter(({ next }) => next !== undefined).sort((a, b) => (a.next?.ms ?? 0) - (b.next?.ms ?? 0));
  const shown = id === undefined ? soonest : asked;
  const what =
    id === undefined || shown === undefined ? "no schedule has run yet" : `${namedText(shown)} has not run yet`;
  if (shown === undefined) return `${what}. \`haft schedule list\` shows when they are due.`;
  return `${what}; ${nextText(shown)} \`haft schedule run ${shown.id}\` makes it due now.`;
}

function stateOption({ state }: StateOptions): string {
  return state === undefined ? "" : ` --state ${shellWord(state)}`;
}

async function withSchedules(options: StateOptions, use: (admin: ScheduleAdmin) => Promise<number>): Promise<number> {
  const settings = await settingsOf({ on: [], env: [], allow: [], ...options });
  const toolkit = await createToolkit({ ...settings.toolkit, on: "memory" });
  try {
    return await use(scheduleAdmin(toolkit.host));
  } catch (error) {
    if (!HaftError.is(error) || !/^SCHEDULE_(?:UNKNOWN|AMBIGUOUS)$/.test(error.code)) throw error;
    if (error.code === "SCHEDULE_AMBIGUOUS") printNoticeLines(error.message);
    else printNotice(`no schedule has the id or the name ${JSON.stringify(error.details.id)}. ${LIST_THEM}`);
    return EXIT.errorResult;
  } finally {
    await toolkit.close();
  }
}

function numberOf(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number, not "${text}".`);
}
