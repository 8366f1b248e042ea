/** What the cases about schedules share. */
import type { ClaimQuery, DuePlan, Schedule, ScheduleContent, Schedules } from "../../kernel/index.js";
import { expectThat } from "../expect.js";
import type { Case } from "../plan.js";
import type { StateFixture } from "./state-fixture.js";

export const MINUTE_MS = 60_000;

/** A host that serves the place of `scheduleContent`, and keeps what it claims for half a minute. */
export const QUERY: ClaimQuery = { host: "a", places: ["local:/ws"], limit: 20, leaseMs: MINUTE_MS / 2 };

/** A case over the schedules of two connections to the same state. */
export function onSchedules(
  id: string,
  behavior: string,
  run: (one: Schedules, other: Schedules, fixture: StateFixture) => Promise<void>,
): Case<StateFixture> {
  const open = async (fixture: StateFixture): Promise<Schedules> => {
    const { schedules } = await fixture.open();
    expectThat(schedules !== undefined, "the state has schedules");
    return schedules;
  };
  return {
    id: `state:schedules:${id}`,
    behavior,
    run: async (fixture) => run(await open(fixture), await open(fixture), fixture),
  };
}

export function scheduleContent(more: Partial<ScheduleContent> = {}): ScheduleContent {
  return {
    timing: { kind: "every", everyMs: MINUTE_MS, fromMs: 0 },
    command: "true",
    target: "local",
    workspace: "/ws",
    cwd: "/ws",
    timeoutMs: MINUTE_MS,
    missed: "once",
    retries: 0,
    deleteAfterRun: false,
    enabled: true,
    session: "s1",
    autonomy: "supervised",
    ...more,
  };
}

/** A schedule that is due in a minute, and each minute from then on. */
export async function everyMinute(schedules: Schedules, more: Partial<ScheduleContent> = {}): Promise<Schedule> {
  return schedules.add(scheduleContent(more), (await schedules.now()) + MINUTE_MS);
}

/** Runs every due time up to now; one that is deleted after its run is not due again. */
export const planEvery: DuePlan = ({ nextMs = 0, deleteAfterRun }, nowMs) => {
  const run: number[] = [];
  let next = nextMs;
  for (; next <= nowMs && !(deleteAfterRun && run.length > 0); next += MINUTE_MS) run.push(next);
  return { run, skip: [], ...(deleteAfterRun ? {} : { nextMs: next }) };
};
