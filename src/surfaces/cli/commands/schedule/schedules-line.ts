/** What a process that runs schedules says about them. */
import type { Schedule, ScheduleRun, ScheduleRunEnd } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import type { ListedSchedule, ScheduleOptions } from "../../../../toolkit/index.js";
import { stateText } from "./schedule-text.js";

/** `3 schedules, the next is due Monday … .` */
export function schedulesLine(schedules: readonly ListedSchedule[]): string {
  const due = schedules.flatMap(({ next }) => (next === undefined ? [] : [next])).sort((a, b) => a.ms - b.ms);
  const [first] = due;
  if (schedules.length === 0) return "there are none yet.";
  const count = `${schedules.length} ${schedules.length === 1 ? "schedule" : "schedules"}`;
  return first === undefined ? `${count}, none of them due.` : `${count}, the next is due ${first.local}.`;
}

/** Writes a line when a run begins, and one at its end. */
export function scheduleLog(write: (line: string) => void): Pick<ScheduleOptions, "onRun"> {
  return {
    onRun(run: ScheduleRun, { id, name, command }: Schedule, end?: ScheduleRunEnd) {
      const of = name === undefined ? id : `${id} "${name}"`;
      const line = command.length > 200 ? `${command.slice(0, 200)}…` : command;
      if (end === undefined) write(showControls(`${of} begins: ${line}`));
      else {
        const reason = end.reason === undefined ? "" : `: ${end.reason.slice(0, 500)}`;
        write(showControls(`${of} ${stateText({ ...run, state: end.state, end })}${reason}`));
      }
    },
  };
}
