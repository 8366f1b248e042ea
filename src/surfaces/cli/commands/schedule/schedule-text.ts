/** What users read of schedules: a table on a terminal, plain lines in a pipe. */
import { isAbsolute } from "node:path";
import pc from "picocolors";
import { homeDirectory } from "../../../../host/index.js";
import { shellWord, showControls } from "../../../../text/index.js";
import { isBuiltInTarget, type ListedSchedule, type ShownRun } from "../../../../toolkit/index.js";
import { shownLines } from "../../output.js";

/** Columns of a usual terminal. */
const WIDTH = 80;
const MAX_NAME_CHARACTERS = 14;
/** Where a line has more than this before it, the directory has a line of its own. */
const MIN_PLACE_CHARACTERS = 24;
/** Commands that start hosts, in one line. */
const MAX_STARTS = 3;
const LOCAL = "local";

type Row = readonly [id: string, name: string, next: string, last: string];

const HEAD: Row = ["ID", "NAME", "NEXT", "LAST"];

/**
 * On a terminal three lines a schedule, of at most 80 characters. In a pipe one line a schedule, whose cells are divided by tabs: id, name,
 * when, next, last, target and workspace, command; nothing is shortened.
 */
export function scheduleRows(
  schedules: readonly ListedSchedule[],
  { isTTY = false }: { readonly isTTY?: boolean },
): string {
  if (!isTTY) return schedules.map((one) => `${plainCells(one).join("\t")}\n`).join("");
  const rows = schedules.map((one) => rowOf(one));
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: Row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  const blocks = schedules.flatMap((one, at) => [line(rows[at]!), ...detailLines(one)]);
  return [pc.bold(line(HEAD)), ...blocks].map((text) => `${text}\n`).join("");
}

function plainCells(one: ListedSchedule): readonly string[] {
  const { id, name = "-", when, lastRun, target, workspace, command } = one;
  const last = lastRun === undefined ? "-" : `${stateText(lastRun)} ${lastRun.due}`;
  return [id, name, when, nextOf(one, (local) => local), last, `${target}:${workspace}`, command].map(showControls);
}

function rowOf(one: ListedSchedule): Row {
  const name = ending(showControls(one.name ?? "-"), MAX_NAME_CHARACTERS);
  return [one.id, name, nextOf(one, toTheMinute), one.lastRun === undefined ? "-" : stateWord(one.lastRun)];
}

function nextOf({ enabled, next, isOverdue }: ListedSchedule, shown: (local: string) => string): string {
  if (!enabled) return "disabled";
  if (next === undefined) return "not again";
  return `${isOverdue ? "overdue since " : ""}${shown(next.local)}`;
}

/** `2026-11-30 09:00` of `Monday 2026-11-30 09:00:00+01:00 Europe/Berlin`: the line below names the zone. */
function toTheMinute(local: string): string {
  const [, date = "", time = ""] = local.split(" ");
  return `${date} ${time.slice(0, 5)}`;
}

function detailLines({ when, target, workspace, command }: ListedSchedule): readonly string[] {
  const on = target === LOCAL ? "" : ` on ${showControls(target)}`;
  const timing = `  ${showControls(when)}, in `;
  const space = WIDTH - timing.length - on.length;
  const place = showControls(underHome(workspace));
  const lines =
    space >= Math.min(place.length, MIN_PLACE_CHARACTERS)
      ? [`${timing}${beginning(place, space)}${on}`]
      : [timing.slice(0, -", in ".length), `  in ${beginning(place, WIDTH - 5 - on.length)}${on}`];
  return [...lines, `  ${showControls(command)}`].map((line) => ending(line, WIDTH));
}

function underHome(path: string): string {
  const home = homeDirectory();
  if (!isAbsolute(home) || home === "/") return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The text without its end where it is longer. */
function ending(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The path without its beginning where it is longer. */
function beginning(text: string, most: number): string {
  const space = Math.max(2, most);
  return text.length > space ? `…${text.slice(1 - space)}` : text;
}

export function namedText({ id, name }: Pick<ListedSchedule, "id" | "name">): string {
  return showControls(name === undefined ? id : `${id} "${name}"`);
}

export function nextText({ name, id, enabled, next, isOverdue }: ListedSchedule): string {
  const of = showControls(name ?? id);
  if (!enabled) return `${of} is disabled.`;
  if (next === undefined) return `${of} is not due again.`;
  return isOverdue ? `${of} is overdue since ${next.local}.` : `${of} is due ${next.local}.`;
}

export function runText(run: ShownRun): string {
  const { schedule, name, due, end, host } = run;
  const of = namedText({ id: schedule, ...(name === undefined ? {} : { name }) });
  const where = host === undefined ? "" : `, on ${showControls(host)}`;
  const reason = end?.reason === undefined ? "" : `  ${shownLines(end.reason)}\n`;
  const output = end?.output === undefined || end.output.trim() === "" ? "" : `${indented(end.output)}\n`;
  return `${pc.bold(of)}  due ${due}: ${stateText(run)}${where}\n${reason}${output}`;
}

export function stateText(run: Pick<ShownRun, "state" | "attempt" | "end">): string {
  const { state, attempt, end } = run;
  const exit = end?.exitCode === undefined || state === "succeeded" ? "" : ` (exit code ${end.exitCode})`;
  return `${stateWord(run)}${exit}${attempt === 1 ? "" : ` #${attempt}`}`;
}

function stateWord({ state }: Pick<ShownRun, "state">): string {
  return state === "due" ? "waiting" : state;
}

/** What `haft schedule add` has stored. @param zoneFrom - Where the zone of a cron expression comes from. */
export function addedText(added: ListedSchedule, zoneFrom: "given" | "machine" | undefined): string {
  const { when, next, command, cwd, timeoutMs, autonomy } = added;
  const zone = zoneFrom === "machine" ? " (the zone of this machine)" : "";
  const lines = [
    `Scheduled ${namedText(added)}: ${when}${zone}.`,
    next === undefined ? "It is not due again." : `Next: ${next.local} (${next.utc}).`,
    `Runs \`${command}\` in "${cwd}", at most ${timeoutMs / 1_000} s, at level ${autonomy}.`,
  ];
  return `${lines.map(showControls).join("\n")}\n`;
}

/** Who runs these schedules, and how to start a host for each place that has none. */
export function hostText(schedules: readonly ListedSchedule[], stateOption = ""): string {
  const hosts = [...new Set(schedules.flatMap((one) => one.hosts))];
  const idle = schedules.filter((one) => one.enabled && one.hosts.length === 0);
  const starts = [...new Set(idle.map((one) => `\`${startOf(one)}${stateOption}\``))];
  const more = starts.length > MAX_STARTS ? ` and ${starts.length - MAX_STARTS} more` : "";
  const by = hosts.length === 0 ? [] : [`run by ${hosts.map(showControls).join(", ")}`];
  const of = schedules.length === 1 ? "it" : hosts.length === 0 ? "them" : "the others";
  const nothing =
    starts.length === 0
      ? []
      : [`nothing runs ${of}: ${starts.slice(0, MAX_STARTS).map(showControls).join(", ")}${more}`];
  return [...by, ...nothing].join("; ");
}

function startOf({ target, workspace }: ListedSchedule): string {
  if (target === LOCAL) return `cd ${shellWord(workspace)} && haft schedule daemon`;
  // The name of a target is that of the configuration, which has its workspace.
  return `haft schedule daemon --on ${shellWord(isBuiltInTarget(target) ? `${target}=${workspace}` : target)}`;
}

function indented(text: string): string {
  return shownLines(text.trimEnd())
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
