/** What a process that runs schedules says about them. */
import type { HostServices, Schedule, ScheduleRun, ScheduleRunEnd } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import { type ListedSchedule, type MissedTimes, nameOf, type ScheduleOptions } from "../../../../toolkit/index.js";
import type { Settings } from "../../common-options.js";
import { utcTime } from "../../output.js";
import { workspaceOn } from "../../target-places.js";
import { stateText } from "./schedule-text.js";

/** Schedules whose missed runs are counted in one line. */
const MAX_MISSED = 5;

/**
 * Whether a process with these targets runs a schedule. A target whose workspace is known only once it is open counts with all of its
 * schedules.
 */
export function servesSchedule(targets: Settings["targets"], workspace: string) {
  const places = targets.map((one, index) => ({
    name: nameOf(one),
    workspace: workspaceOn(one, index === 0, workspace),
  }));
  return (schedule: Pick<ListedSchedule, "target" | "workspace">): boolean =>
    places.some(
      (place) =>
        place.name === schedule.target && (place.workspace === undefined || place.workspace === schedule.workspace),
    );
}

/** `3 schedules, the next is due Monday … .` Of those that the process runs. */
export function schedulesLine(schedules: readonly ListedSchedule[]): string {
  const due = schedules.flatMap(({ next }) => (next === undefined ? [] : [next])).sort((a, b) => a.ms - b.ms);
  const [first] = due;
  if (schedules.length === 0) return "there are none yet.";
  const count = `${schedules.length} ${schedules.length === 1 ? "schedule" : "schedules"}`;
  return first === undefined ? `${count}, none of them due.` : `${count}, the next is due ${first.local}.`;
}

/** `3 due times passed while Haft was not running: 2 of a1b2 "tidy", 1 of c3d4. …` */
function missedLine(missed: readonly MissedTimes[], shownName: (schedule: Schedule) => string): string {
  const count = missed.reduce((sum, { times }) => sum + times, 0);
  const least = (isPartial = false) => (isPartial ? "at least " : "");
  const shown = missed
    .slice(0, MAX_MISSED)
    .map(({ schedule, times, isPartial }) => `${least(isPartial)}${times} of ${shownName(schedule)}`);
  const more = missed.length > MAX_MISSED ? `, and those of ${missed.length - MAX_MISSED} more` : "";
  const passed = count === 1 ? "due time passed" : "due times passed";
  const all = least(missed.some(({ isPartial }) => isPartial)).replace("a", "A");
  return `${all}${count} ${passed} while Haft was not running: ${shown.join(", ")}${more}. \`haft schedule log\` shows which run now and which are skipped.`;
}

/** Writes a line at the start about what was missed; then, with its time, one when a run begins, and one at its end. */
export function scheduleLog(
  { redactor }: Pick<HostServices, "redactor">,
  writeLine: (line: string) => void,
): Pick<ScheduleOptions, "onRun" | "onMissed"> {
  // Before it is shortened: a half of a secret is not recognized.
  const shown = (text: string) => redactor?.redact(text) ?? text;
  const write = (line: string) => writeLine(`${utcTime(Date.now())}  ${line}`);
  return {
    onMissed: (missed) =>
      write(showControls(missedLine(missed, ({ id, name }) => (name === undefined ? id : `${id} "${shown(name)}"`)))),
    onRun(run: ScheduleRun, { id, name, command }: Schedule, end?: ScheduleRunEnd) {
      const of = name === undefined ? id : `${id} "${shown(name)}"`;
      const text = shown(command);
      const line = text.length > 200 ? `${text.slice(0, 200)}…` : text;
      if (end === undefined) write(showControls(`${of} begins: ${line}`));
      else {
        const reason = end.reason === undefined ? "" : `: ${shown(end.reason).slice(0, 500)}`;
        write(showControls(`${of} ${stateText({ ...run, state: end.state, end })}${reason}`));
      }
    },
  };
}
