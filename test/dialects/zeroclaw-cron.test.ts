/** The rows of ZeroClaw about cron jobs. */
import { describe, expect, it } from "vitest";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { scheduleBench } from "../../src/toolkit/schedules/schedules.fixture.js";

const zeroclaw = { dialect: "zeroclaw" } as const;
const CRON = { kind: "cron", expr: "0 9 * * 1-5", tz: "Europe/Berlin" };

describe("cron jobs in the dialect zeroclaw", () => {
  verifies("ZC-066", "cron_add, cron_list and cron_remove are among all tools", async () => {
    const bench = scheduleBench();
    const toolkit = await bench.toolkit(zeroclaw);
    const names = toolkit
      .box()
      .descriptors()
      .map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["cron_add", "cron_list", "cron_remove"]));
    const added = JSON.parse(
      (await bench.call("cron_add", { schedule: CRON, command: "ls", name: "Job" }, zeroclaw)).text,
    );
    expect(added).toMatchObject({
      job_type: "shell",
      schedule: CRON,
      timezone: "Europe/Berlin",
      timezone_source: "explicit",
    });
    const [listed] = JSON.parse((await bench.call("cron_list", {}, zeroclaw)).text);
    expect(listed).toMatchObject({
      id: added.id,
      expression: "0 9 * * 1-5",
      command: "ls",
      name: "Job",
      enabled: true,
      last_run: null,
    });
    expect((await bench.call("cron_remove", { job_id: "job" }, zeroclaw)).text).toBe(`Removed cron job ${added.id}`);
    expect((await bench.call("cron_list", {}, zeroclaw)).text).toBe("[]");
  });

  it.each([
    [CRON, "cron"],
    [JSON.stringify(CRON), "cron"],
    [{ kind: "at", at: "2999-01-01T00:00:00Z" }, "at"],
    [{ kind: "after", after_seconds: 60 }, "at"],
    [{ kind: "every", every_ms: 1_500 }, "every"],
  ])("takes the schedule %j (ZC-067)", async (schedule, kind) => {
    const bench = scheduleBench();
    await bench.call("cron_add", { schedule, command: "ls" }, zeroclaw);
    const [stored] = await bench.state.schedules!.list();
    expect([stored?.timing.kind, stored?.deleteAfterRun]).toEqual([kind, kind === "at"]);
  });

  it.each([
    ["0 9 * * *", /send an object such as \{"kind":"cron"/],
    [{ kind: "cron" }, /send an object such as/],
    [{ kind: "after", after_seconds: 0 }, /send an object such as/],
    [{ kind: "every", every_ms: -1 }, /send an object such as/],
    [{ kind: "cron", expr: "61 * * * *" }, /the field minute is "61"/],
  ])("refuses the schedule %j with examples (ZC-067)", async (schedule, wanted) => {
    const bench = scheduleBench();
    expect((await bench.call("cron_add", { schedule, command: "ls" }, zeroclaw)).text).toMatch(wanted);
    expect(await bench.state.schedules!.list()).toEqual([]);
  });

  it("refuses jobs of an agent with the reason (ZC-068)", async () => {
    const bench = scheduleBench();
    for (const more of [{ job_type: "agent", prompt: "Look." }, { prompt: "Look." }])
      expect((await bench.call("cron_add", { schedule: CRON, ...more }, zeroclaw)).text).toContain(
        "come with the agent",
      );
  });

  it("changes, starts and shows the runs of a job (ZC-074)", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { schedule: CRON, command: "ls", name: "job" }, zeroclaw);
    const patch = { enabled: false, schedule: { kind: "every", every_ms: 60_000 } };
    expect(JSON.parse((await bench.call("cron_update", { job_id: "job", patch }, zeroclaw)).text)).toMatchObject({
      schedule: { kind: "every", every_ms: 60_000 },
      next_run: null,
    });
    expect((await bench.call("cron_run", { job_id: "job" }, zeroclaw)).text).toContain("it is disabled");
    await bench.call("cron_update", { job_id: "job", patch: { enabled: true } }, zeroclaw);
    expect(JSON.parse((await bench.call("cron_run", { job_id: "job" }, zeroclaw)).text)).toMatchObject({
      status: "due",
    });
    expect(JSON.parse((await bench.call("cron_runs", { job_id: "job" }, zeroclaw)).text)).toHaveLength(1);
  });
});
