/** The due times that passed while nothing ran schedules, for the user of the host that starts to. */
import { duesBetween } from "../../engines/schedule/index.js";
import { type Schedule, type Schedules, schedulePlace } from "../../kernel/index.js";
import { runningHosts } from "../../tools/index.js";

/** The due times of one schedule that passed while no host ran it. Its `missed` says which of them run now. */
export interface MissedTimes {
  readonly schedule: Schedule;
  /** At least 1, at most 100; of all schedules together about 1,000. */
  readonly times: number;
  /** There are more, or were not counted. Absent: these are all. */
  readonly isPartial?: true;
}

/** Schedules with missed times as they were before anything ran them. */
export interface OverdueSchedules {
  readonly schedules: readonly Schedule[];
  /** By the clock of the store. */
  readonly nowMs: number;
}

/** Milliseconds: what was due since then runs in time. */
const LATE_MS = 60_000;
/** Times that are counted of one schedule, and of all. */
const MAX_TIMES = 100;
const MAX_ALL_TIMES = 1_000;

/** Those of these places that no host is up for. */
export async function overdueSchedules(
  store: Pick<Schedules, "list" | "now" | "hosts">,
  placesOf: (stored: readonly Schedule[]) => Promise<readonly string[]>,
): Promise<OverdueSchedules> {
  const [stored, nowMs, known] = [await store.list(), await store.now(), await store.hosts()];
  const late = stored.filter(({ enabled, nextMs }) => enabled && nextMs !== undefined && nextMs <= nowMs - LATE_MS);
  if (late.length === 0) return { schedules: [], nowMs };
  const { hosts } = await runningHosts({ now: async () => nowMs, hosts: async () => known });
  const isServed = (place: string) => known.some(({ host, places }) => hosts.includes(host) && places.includes(place));
  const places = (await placesOf(late)).filter((place) => !isServed(place));
  return { schedules: late.filter((one) => places.includes(schedulePlace(one))), nowMs };
}

/** A thousand times of an expression are counted in some 40 ms, during which nothing else runs. */
export function missedTimes({ schedules, nowMs }: OverdueSchedules): readonly MissedTimes[] {
  const missed: MissedTimes[] = [];
  let left = MAX_ALL_TIMES;
  for (const schedule of schedules) {
    const { timing, nextMs = nowMs } = schedule;
    const found = left <= 0 ? undefined : duesBetween(timing, nextMs, nowMs - LATE_MS, MAX_TIMES + 1).length;
    if (found === undefined) missed.push({ schedule, times: 1, isPartial: true });
    else {
      const times = Math.min(found, MAX_TIMES);
      left -= times;
      if (times > 0) missed.push({ schedule, times, ...(found > times ? { isPartial: true as const } : {}) });
    }
  }
  return missed;
}
