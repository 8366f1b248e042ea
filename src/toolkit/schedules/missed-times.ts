/** The due times that passed while nothing ran schedules, for the user of the host that starts to. */

import { duesBetween } from "../../engines/schedule/index.js";
import { type Schedule, type Schedules, schedulePlace } from "../../kernel/index.js";
import { runningHosts } from "../../tools/index.js";

/** The due times of one schedule that passed while no host ran it. Its `missed` says which of them run now. */
export interface MissedTimes {
  readonly schedule: Schedule;
  /** How many, 1 to 1,000: more are not counted. */
  readonly times: number;
}

/** Milliseconds: what was due since then runs in time. */
const LATE_MS = 60_000;
const MAX_TIMES = 1_000;

/** Of the enabled schedules in those of `placesOf` that no host serves. */
export async function missedTimes(
  schedules: Pick<Schedules, "list" | "now" | "hosts">,
  placesOf: (stored: readonly Schedule[]) => Promise<readonly string[]>,
): Promise<readonly MissedTimes[]> {
  const [stored, nowMs, known] = [await schedules.list(), await schedules.now(), await schedules.hosts()];
  const late = stored.filter(({ enabled, nextMs }) => enabled && nextMs !== undefined && nextMs <= nowMs - LATE_MS);
  if (late.length === 0) return [];
  const { hosts } = await runningHosts({ now: async () => nowMs, hosts: async () => known });
  const isServed = (place: string) => known.some(({ host, places }) => hosts.includes(host) && places.includes(place));
  const places = (await placesOf(late)).filter((place) => !isServed(place));
  return late
    .filter((one) => places.includes(schedulePlace(one)))
    .map((schedule) => {
      const { timing, nextMs = nowMs } = schedule;
      return { schedule, times: duesBetween(timing, nextMs, nowMs - LATE_MS, MAX_TIMES).length };
    })
    .filter(({ times }) => times > 0);
}
