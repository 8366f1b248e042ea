/** What users read of schedules: a table on a terminal, plain lines in a pipe. */
import pc from "picocolors";
import { showControls } from "../../../../text/index.js";
import type { ListedSchedule, RunningHosts, ShownRun } from "../../../../toolkit/index.js";
import { shownLines } from "../../output.js";

const MAX_COMMAND_CHARACTERS = 60;

type Row = readonly [id: string, name: string, when: string, next: string, last: string, command: string];

const HEAD: Row = ["ID", "NAME", "WHEN", "NEXT", "LAST", "COMMAND"];

/** One line a schedule. In a pipe the cells are divided by tabs, and nothing is shortened. */
export function scheduleRows(
  schedules: readonly ListedSchedule[],
  { isTTY = false }: { readonly isTTY?: boolean },
): string {
  const rows = schedules.map((one) => rowOf(one, isTTY));
  if (!isTTY) return rows.map((row) => `${row.join("\t")}\n`).join("");
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: Row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  return [pc.bold(line(HEAD)), ...rows.map(line)].map((text) => `${text}\n`).join("");
}

function rowOf({ id, name = "-", when, next, enabled, lastRun, command }: ListedSchedule, isShort: boolean): Row {
  const due = enabled ? (next?.local ?? "not again") : "disabled";
  const text = showControls(command);
  const shown = isShort && text.length > MAX_COMMAND_CHARACTERS ? `${text.slice(0, MAX_COMMAND_CHARACTERS)}…` : text;
  const last = lastRun === undefined ? "-" : `${stateText(lastRun)} ${lastRun.due}`;
  return [id, showControls(name), showControls(when), due, last, shown];
}

export function nextText({ id, name, next }: ListedSchedule): string {
  return `${showControls(name ?? id)} is due ${next?.local}.`;
}

export function runText(run: ShownRun): string {
  const { schedule, name, due, end, host } = run;
  const of = showControls(name === undefined ? schedule : `${schedule} "${name}"`);
  const where = host === undefined ? "" : `, on ${showControls(host)}`;
  const reason = end?.reason === undefined ? "" : `  ${shownLines(end.reason)}\n`;
  const output = end?.output === undefined || end.output.trim() === "" ? "" : `${indented(end.output)}\n`;
  return `${pc.bold(of)}  due ${due}: ${stateText(run)}${where}\n${reason}${output}`;
}

export function stateText({ state, attempt, end }: Pick<ShownRun, "state" | "attempt" | "end">): string {
  const exit = end?.exitCode === undefined || state === "succeeded" ? "" : ` (exit code ${end.exitCode})`;
  return `${state}${exit}${attempt === 1 ? "" : ` #${attempt}`}`;
}

export function hostText({ hosts, idleMs }: RunningHosts): string {
  if (idleMs === undefined)
    return "Nothing runs schedules at present: start `haft serve` or `haft schedule daemon` in their workspace.";
  return `Schedules are run by ${hosts.map(showControls).join(", ")}.`;
}

function indented(text: string): string {
  return shownLines(text.trimEnd())
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
