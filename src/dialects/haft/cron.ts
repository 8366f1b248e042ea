/** The tools for schedules in the default dialect. */
import type { RenderContext, Rendered, ToolPresenter, ToolResult } from "../../kernel/index.js";
import { showControls, stripControls } from "../../text/index.js";
import type {
  CronAddInput,
  CronIdInput,
  CronListData,
  CronListInput,
  CronRemoveData,
  CronRunData,
  CronRunsData,
  CronRunsInput,
  CronScheduleData,
  CronUpdateInput,
  RunningHosts,
  ShownRun,
  ShownSchedule,
} from "../../tools/cron/contract.js";
import { asInput } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";

/** Characters of a command in a list. */
const MAX_COMMAND_CHARACTERS = 200;

const timingAliases = {
  cron: "schedule",
  expression: "schedule",
  expr: "schedule",
  timezone: "tz",
  zone: "tz",
  interval: "every",
};
const idAliases = { job_id: "id", schedule_id: "id" };

export const haftCronAddPresenter: ToolPresenter<CronAddInput, CronScheduleData> = {
  name: "cron_add",
  aliases: { ...timingAliases, cmd: "command" },
  decode: asInput,
  render: rendered(({ schedule, zoneFrom, sameName, running }) => [
    ...lines("Scheduled", schedule, zoneFrom === "machine" ? " (the zone of this machine)" : "", running),
    ...sameNameLine(schedule, sameName),
  ]),
};

export const haftCronUpdatePresenter: ToolPresenter<CronUpdateInput, CronScheduleData> = {
  name: "cron_update",
  aliases: { ...timingAliases, ...idAliases, cmd: "command" },
  decode: asInput,
  render: rendered(({ schedule, zoneFrom, isApprovalOver, sameName, running }) => [
    ...lines("Changed", schedule, zoneFrom === "machine" ? " (the zone of this machine)" : "", running),
    ...(isApprovalOver ? [APPROVAL_OVER] : []),
    ...sameNameLine(schedule, sameName),
  ]),
};

export const haftCronListPresenter: ToolPresenter<CronListInput, CronListData> = {
  name: "cron_list",
  decode: asInput,
  render: rendered(({ schedules, running }) =>
    schedules.length === 0
      ? ["No schedules."]
      : [...schedules.flatMap((one) => listed(one, running)), hostLine(running)],
  ),
};

export const haftCronRemovePresenter: ToolPresenter<CronIdInput, CronRemoveData> = {
  name: "cron_remove",
  aliases: { ...idAliases, name: "id" },
  decode: asInput,
  render: rendered(({ id, name }) => [`Removed ${named({ id, ...(name === undefined ? {} : { name }) })}.`]),
};

export const haftCronRunPresenter: ToolPresenter<CronIdInput, CronRunData> = {
  name: "cron_run",
  aliases: { ...idAliases, name: "id" },
  decode: asInput,
  render: rendered(({ schedule, running }) => [`${named(schedule)} is due now.`, hostLine(running)]),
};

export const haftCronRunsPresenter: ToolPresenter<CronRunsInput, CronRunsData> = {
  name: "cron_runs",
  aliases: { ...idAliases, name: "id" },
  decode: asInput,
  render: rendered(({ runs }) => (runs.length === 0 ? ["No runs yet."] : runs.flatMap(runLines))),
};

const APPROVAL_OVER =
  "The user had approved its command as it was scheduled before: it needs an approval again. Send `command` with this tool, so that they are asked.";

function rendered<Data>(text: (data: Data) => readonly string[]) {
  return (result: ToolResult<Data>, about: RenderContext): Rendered => {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(stripControls(text(result.data).join("\n")).text, about));
  };
}

function named({ id, name }: Pick<ShownSchedule, "id" | "name">): string {
  return name === undefined ? id : `${id} "${showControls(name)}"`;
}

function lines(verb: string, schedule: ShownSchedule, zoneNote: string, running: RunningHosts): readonly string[] {
  const { command, cwd, timeoutMs, autonomy } = schedule;
  return [
    `${verb} ${named(schedule)}: ${schedule.when}${zoneNote}.`,
    nextLine(schedule),
    `Runs \`${short(command)}\` in "${showControls(cwd)}", at most ${counted(Math.ceil(timeoutMs / 1_000), "second")}, at level ${autonomy}.`,
    hostLine(running),
  ];
}

function sameNameLine({ id, name = "" }: ShownSchedule, count: number | undefined): readonly string[] {
  if (count === undefined) return [];
  return [
    `${count} schedules are named "${showControls(name)}" now: send the id of one, such as ${id}, in place of the name.`,
  ];
}

function nextLine({ enabled, next }: ShownSchedule): string {
  if (!enabled) return "It is disabled.";
  return next === undefined ? "It is not due again." : `Next: ${next.local} (${next.utc}).`;
}

function listed(schedule: ShownSchedule, { nowMs }: RunningHosts): readonly string[] {
  const { lastRun, next, cwd, target } = schedule;
  const last = lastRun === undefined ? "" : ` Last: ${runState(lastRun)}, due ${lastRun.due}.`;
  const isOverdue = next !== undefined && next.ms < nowMs;
  const due = isOverdue ? `Overdue since ${next.local} (${next.utc}).` : nextLine(schedule);
  const where = `In "${showControls(cwd)}"${target === "local" ? "" : ` on ${showControls(target)}`}.`;
  return [`${named(schedule)}: ${schedule.when}. ${due}${last} ${where}`, `  ${short(schedule.command)}`];
}

function runLines(run: ShownRun): readonly string[] {
  const { schedule, name, due, end } = run;
  const of = named({ id: schedule, ...(name === undefined ? {} : { name }) });
  const reason = end?.reason === undefined ? "" : ` ${showControls(end.reason)}`;
  const output = stripControls(end?.output ?? "").text.trimEnd();
  return [`${of}, due ${due}: ${runState(run)}.${reason}`, ...(output === "" ? [] : [indented(output)])];
}

function runState({ state, end, attempt }: ShownRun): string {
  const exit = end?.exitCode === undefined || state === "succeeded" ? "" : ` with exit code ${end.exitCode}`;
  return `${state === "due" ? "waiting" : state}${exit}${attempt === 1 ? "" : `, attempt ${attempt}`}`;
}

function hostLine({ hosts, idleMs }: RunningHosts): string {
  if (idleMs === undefined)
    return "Nothing runs schedules for this workspace at present: ask the user to start `haft serve` or `haft schedule daemon` in it.";
  return `${counted(hosts.length, "host runs", "hosts run")} the schedules of this workspace (seen ${Math.round(idleMs / 1_000)} s ago).`;
}

function short(command: string): string {
  const text = command.length > MAX_COMMAND_CHARACTERS ? `${command.slice(0, MAX_COMMAND_CHARACTERS)}…` : command;
  return showControls(text);
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
