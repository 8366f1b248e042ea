import { expect, it } from "vitest";
import type { Schedule } from "../../kernel/index.js";
import { type MissedTimes, missedTimes } from "./missed-times.js";
import { scheduleBench } from "./schedules.fixture.js";

const DAY_MS = 86_400_000;
const EACH_SECOND = { schedule: "* * * * * *", tz: "Europe/Berlin", command: "true" };

it("counts at most 100 missed times of a schedule and 1,000 of all", async () => {
  const bench = scheduleBench();
  await bench.call("cron_add", EACH_SECOND);
  const [stored] = await bench.state.schedules!.list();
  const schedules = Array.from({ length: 301 }, (_, index): Schedule => ({ ...stored!, id: `s${index}` }));
  const missed = missedTimes({ schedules, nowMs: stored!.nextMs! + 30 * DAY_MS });
  expect(missed).toHaveLength(301);
  expect(missed.every(({ isPartial }) => isPartial)).toBe(true);
  expect(missed.map(({ times }) => times)).toEqual([...Array(10).fill(100), ...Array(291).fill(1)]);
});

it("what was overdue before the first look is counted after it, to the last of a hundred", async () => {
  const bench = scheduleBench();
  await bench.call("cron_add", { ...EACH_SECOND, name: "often", missed: "skip" });
  await bench.call("cron_add", { every: "1h", command: "true", name: "hourly", missed: "skip" });
  bench.clock.aheadMs = 100 * 3_600_000 + 120_000;
  const toolkit = await bench.toolkit();
  const reports: (readonly MissedTimes[])[] = [];
  let looks = 0;
  const { claimDue } = bench.state.schedules!;
  bench.state.schedules!.claimDue = async (...query) => {
    looks += 1;
    return claimDue.apply(bench.state.schedules, query);
  };
  await toolkit.schedules.start({
    onMissed: (missed) => {
      expect(looks).toBeGreaterThan(0);
      reports.push(missed);
    },
  });
  const [missed = [], ...more] = reports;
  expect(more).toEqual([]);
  const shown = missed.map(({ schedule, ...counted }) => ({ name: schedule.name, ...counted }));
  expect(shown).toHaveLength(2);
  expect(shown).toContainEqual({ name: "often", times: 100, isPartial: true });
  expect(shown).toContainEqual({ name: "hourly", times: 100 });
});
