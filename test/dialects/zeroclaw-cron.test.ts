/** What a transcript cannot show of the cron jobs of ZeroClaw: a host that runs them. */
import { describe, expect, it } from "vitest";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { scheduleBench } from "../../src/toolkit/schedules/schedules.fixture.js";

const zeroclaw = { dialect: "zeroclaw" } as const;
const schedule = { kind: "every", every_ms: 60_000 };

describe("cron jobs in the dialect zeroclaw", () => {
  verifies("ZC-074", "say that nothing runs them only where that is so", async () => {
    const bench = scheduleBench();
    const changes = async () => {
      const texts = [
        (await bench.call("cron_add", { schedule, command: "ls", name: "job" }, zeroclaw)).text,
        (await bench.call("cron_update", { job_id: "job", patch: { enabled: true } }, zeroclaw)).text,
        (await bench.call("cron_run", { job_id: "job" }, zeroclaw)).text,
      ];
      await bench.call("cron_remove", { job_id: "job" }, zeroclaw);
      return texts.map((text) => JSON.parse(text).scheduler);
    };
    const isOff = expect.stringContaining("haft schedule daemon");
    expect(await changes()).toEqual([isOff, isOff, isOff]);
    const toolkit = await bench.toolkit(zeroclaw);
    await toolkit.schedules.start();
    expect(await changes()).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [{ kind: "every", every_ms: 60_000, expr: "0 9 * * *" }, 'the kind "every" and `expr`, which is of another kind;'],
    [{ kind: "cron", expr: "0 9 * * *", after_seconds: 5 }, 'the kind "cron" and `after_seconds`, which is of'],
    [{ kind: "at", at: "2030-01-01T09:00:00Z", tz: "UTC" }, 'the kind "at" and `tz`, which is of another kind;'],
  ])("refuse the schedule %j", async (mixed, refusal) => {
    const bench = scheduleBench();
    expect(await bench.call("cron_add", { schedule: mixed, command: "ls" }, zeroclaw)).toMatchObject({
      code: "CALL_INVALID",
      text: expect.stringContaining(refusal),
    });
    const absent = { ...schedule, expr: null, tz: null };
    expect((await bench.call("cron_add", { schedule: absent, command: "ls" }, zeroclaw)).code).toBeUndefined();
  });

  it.each([
    [{}, /`patch` changes nothing; send `schedule`, /],
    [{ command: "" }, /`patch` changes nothing|`command` is empty/],
    [{ prompt: "", delivery: { mode: "none" } }, /`patch` changes nothing/],
    [{ missed: "skip", timeout: 5, name: "other" }, /`patch` has "missed", "timeout", which cannot be changed here;/],
  ])("refuse the patch %j", async (patch, refusal) => {
    const bench = scheduleBench();
    await bench.call("cron_add", { schedule, command: "ls", name: "job" }, zeroclaw);
    const before = await bench.state.schedules!.list();
    expect(await bench.call("cron_update", { job_id: "job", patch }, zeroclaw)).toMatchObject({
      code: "CALL_INVALID",
      text: expect.stringMatching(refusal),
    });
    expect(await bench.state.schedules!.list()).toEqual(before);
  });
});
