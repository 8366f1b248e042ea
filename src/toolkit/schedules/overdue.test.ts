/** Schedules whose time has passed unseen: after days without a runner, after a failure, after a change of the clock. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ScheduleRun } from "../../kernel/index.js";
import { scheduleBench } from "./schedules.fixture.js";

const DAY_MS = 86_400_000;
/** Longer than the runner waits before it looks again. */
const SETTLED_MS = 1_500;

const over = (runs: readonly ScheduleRun[]) => runs.every(({ endedMs }) => endedMs !== undefined);

describe("an overdue schedule", () => {
  it("that is due every minute runs once after three days, and then at its next time [CRON-07]", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { schedule: "* * * * *", command: "echo x >> ran", missed: "once" });
    bench.clock.aheadMs = 3 * DAY_MS;
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    await bench.runs((runs) => runs.some(({ state }) => state === "succeeded"));
    await pause(SETTLED_MS);
    // A minute may have begun meanwhile.
    expect(bench.lines("ran").length).toBeLessThanOrEqual(2);
    const [schedule] = await bench.state.schedules!.list();
    const aheadMs = schedule!.nextMs! - (Date.now() + bench.clock.aheadMs);
    expect(aheadMs).toBeGreaterThan(-1_000);
    expect(aheadMs).toBeLessThanOrEqual(60_000);
  });

  it("of a single time that fails is over [CRON-08]", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1s", command: "echo x >> ran; exit 1" });
    bench.clock.aheadMs = 60_000;
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    await bench.runs((runs) => runs.some(({ state }) => state === "failed"));
    await pause(SETTLED_MS);
    expect(bench.lines("ran")).toEqual(["x"]);
    expect(await bench.state.schedules!.runs()).toHaveLength(1);
    expect((await bench.state.schedules!.list()).every(({ nextMs }) => nextMs === undefined)).toBe(true);
  });

  it("among 45 waits its turn, while listing and removing answer at once; missed times are recorded [CRON-09]", async () => {
    const bench = scheduleBench();
    const command = "echo + >> now; sleep 0.2; echo - >> now";
    for (let count = 0; count < 45; count++)
      await bench.call("cron_add", { name: `n${count}`, schedule: "0 * * * *", tz: "UTC", command, missed: "once" });
    bench.clock.aheadMs = DAY_MS / 4;
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    await bench.runs((runs) => runs.some(({ state }) => state === "begun"));
    expect((await bench.call("cron_list", {})).text).toContain("n44");
    expect((await bench.call("cron_remove", { id: "n44" })).code).toBeUndefined();
    const runs = await bench.runs((all) => all.filter(({ state }) => state === "succeeded").length >= 44 && over(all));
    let [running, most] = [0, 0];
    for (const line of bench.lines("now")) {
      running += line === "+" ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBeLessThanOrEqual(4);
    expect(runs.filter(({ state }) => state === "skipped").length).toBeGreaterThan(44);
  });

  it("does not run before its time in 40 days, nor twice when the clock is set back [CRON-15]", async () => {
    const bench = scheduleBench();
    const at = new Date(Date.now() + 40 * DAY_MS).toISOString();
    await bench.call("cron_add", { at, command: "echo x >> ran" });
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    await pause(SETTLED_MS);
    bench.clock.aheadMs = -3_600_000;
    await pause(SETTLED_MS);
    expect(bench.lines("ran")).toEqual([]);
    bench.clock.aheadMs = 40 * DAY_MS + 1_000;
    await toolkit.schedules.stop();
    await toolkit.schedules.start();
    await bench.runs((runs) => runs.some(({ state }) => state === "succeeded"));
    bench.clock.aheadMs = 40 * DAY_MS - 3_600_000;
    await pause(SETTLED_MS);
    expect(bench.lines("ran")).toEqual(["x"]);
  });
});
