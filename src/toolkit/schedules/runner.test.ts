import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScheduleRun } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { scheduleBench } from "./schedules.fixture.js";

const ended = (count: number) => (runs: readonly ScheduleRun[]) =>
  runs.filter(({ endedMs }) => endedMs !== undefined).length >= count;

describe("the runner of schedules", () => {
  it("runs what is due, once, with its output and its exit code", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", {
      after: "1s",
      command: "echo out; echo err >&2; echo x >> ran; exit 3",
      name: "once",
    });
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    const [run] = await bench.runs(ended(1));
    expect(run).toMatchObject({ state: "failed", attempt: 1, end: { exitCode: 3 } });
    expect(run?.end?.output).toMatch(/out[\s\S]*err/);
    expect(bench.lines("ran")).toEqual(["x"]);
    expect(await bench.state.schedules!.list()).toEqual([]);
  });

  it("runs nothing before it is started and after it is stopped", async () => {
    const bench = scheduleBench();
    const toolkit = await bench.toolkit();
    const { text } = await bench.call("cron_add", { schedule: "* * * * *", command: "true" });
    expect(text).toContain("Nothing runs schedules for this workspace at present");
    await toolkit.schedules.start();
    expect((await bench.call("cron_list", {})).text).toContain(
      "1 host runs the schedules of this workspace (seen 0 s ago).",
    );
    await toolkit.schedules.stop();
    bench.clock.aheadMs = 120_000;
    expect((await bench.call("cron_list", {})).text).toContain("Nothing runs schedules");
    expect(await bench.state.schedules!.runs()).toEqual([]);
  });

  it("interrupts what runs when it stops, and repeats it as often as the schedule says", async () => {
    const bench = scheduleBench();
    const add = { after: "1s", command: "echo $$ >> pids; sleep 60 & wait", retries: 1 };
    await bench.call("cron_add", add);
    for (const count of [1, 2]) {
      const toolkit = await bench.toolkit();
      await toolkit.schedules.start();
      await bench.runs((runs) => runs[0]?.state === "begun" && bench.lines("pids").length === count);
      await toolkit.close();
    }
    const runs = await bench.state.schedules!.runs();
    expect(runs.map(({ state, attempt, end }) => [state, attempt, end?.reason])).toEqual([
      ["interrupted", 2, "Its host stopped."],
      ["interrupted", 1, "Its host stopped."],
    ]);
    for (const pid of bench.lines("pids")) expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  it("does not start a run while the run before it continues", async () => {
    const bench = scheduleBench();
    const toolkit = await bench.toolkit();
    await bench.call("cron_add", {
      every: "1s",
      command: "echo begin >> log; sleep 2.5; echo end >> log",
      missed: "once",
    });
    await toolkit.schedules.start();
    await bench.runs((runs) => runs.filter(({ state }) => state === "succeeded").length >= 2);
    await toolkit.schedules.stop();
    const lines = bench.lines("log");
    expect(lines.slice(0, 4)).toEqual(["begin", "end", "begin", "end"]);
    const skipped = (await bench.state.schedules!.runs()).filter(({ state }) => state === "skipped");
    expect(new Set(skipped.map(({ end }) => end?.reason))).toEqual(new Set(["An earlier run had not ended."]));
  });

  verifies("ZC-072", "runs four commands at once, and what is due beside them later", async () => {
    const bench = scheduleBench();
    for (const name of ["a", "b", "c", "d", "e", "f"])
      await bench.call("cron_add", {
        after: "1s",
        command: `echo ${name} >> begun; until [ -e go ]; do sleep 0.1; done`,
      });
    const toolkit = await bench.toolkit();
    let [now, most] = [0, 0];
    await toolkit.schedules.start({
      onRun: (_run, _schedule, end) => {
        now += end === undefined ? 1 : -1;
        most = Math.max(most, now);
      },
    });
    await bench.runs((runs) => runs.length === 6 && bench.lines("begun").length >= 4);
    // Each change of the schedules is a look at what is due.
    await bench.call("cron_add", { after: "1h", command: "true" });
    writeFileSync(join(bench.workspace, "go"), "");
    const runs = await bench.runs(ended(6));
    expect([most, runs.map(({ state }) => state)]).toEqual([4, Array.from({ length: 6 }, () => "succeeded")]);
  });

  verifies("ZC-072", "keeps 16 KiB of 100 MiB of output", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1s", command: "echo start; yes | head -c 104857600; echo end" });
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    const [run] = await bench.runs(ended(1));
    expect(run?.state).toBe("succeeded");
    expect(run?.end?.output?.length).toBeLessThanOrEqual(16 << 10);
    expect(run?.end?.output).toMatch(/start\n[\s\S]*omitted[\s\S]*\nend\n/);
  });

  it("ends a command at its time limit", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1s", command: "sleep 60", timeoutMs: 300 });
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    const [run] = await bench.runs(ended(1));
    expect([run?.state, run?.end?.reason]).toEqual(["failed", "SHELL_TIMEOUT"]);
  });

  it("corrects what is due next after the clock was set back", async () => {
    const bench = scheduleBench();
    bench.clock.aheadMs = 10 * 365 * 86_400_000;
    await bench.call("cron_add", { schedule: "*/5 * * * *", command: "true" });
    bench.clock.aheadMs = 0;
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    const [schedule] = await bench.state.schedules!.list();
    expect(schedule!.nextMs! - Date.now()).toBeLessThanOrEqual(300_000);
  });

  verifies(["ZC-072", "ZC-074"], "refuses a poll under 5 seconds, and a state without schedules", async () => {
    const bench = scheduleBench();
    const toolkit = await bench.toolkit();
    await expect(toolkit.schedules.start({ pollMs: 4_999 })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    const { schedules: _, ...bare } = bench.state;
    const without = await bench.toolkit({ state: bare });
    await expect(without.schedules.start()).rejects.toMatchObject({ code: "BACKEND_UNSUPPORTED" });
    expect(without.registry.has("cron_add")).toBe(false);
  });
});
