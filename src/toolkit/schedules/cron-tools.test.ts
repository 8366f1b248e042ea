import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approver } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { type ScheduleBench, scheduleBench } from "./schedules.fixture.js";

const granting: Approver = { ask: async () => ({ by: "ada", scope: "once" }) };
const ALL = { schedule: "0 9 * * 1-5", tz: "Europe/Berlin", command: "echo x", name: "Nightly" };

/** Runs what is due in a minute, and returns its end. */
async function runOf(bench: ScheduleBench, options: Parameters<ScheduleBench["toolkit"]>[0]) {
  bench.clock.aheadMs = 60_000;
  const toolkit = await bench.toolkit(options);
  await toolkit.schedules.start();
  const [run] = await bench.runs((runs) => runs[0]?.endedMs !== undefined);
  await toolkit.schedules.stop();
  return run;
}

describe("the tools for schedules", () => {
  it("add, list, change, run and remove one, by its id or its name", async () => {
    const bench = scheduleBench();
    const added = await bench.call("cron_add", { ...ALL, missed: "3", retries: 2, timeoutMs: 5_000 });
    const [stored] = await bench.state.schedules!.list();
    expect(stored).toMatchObject({
      timing: { kind: "cron", expression: "0 9 * * 1-5", zone: "Europe/Berlin" },
      command: "echo x",
      cwd: bench.workspace,
      target: "local",
      workspace: bench.workspace,
      missed: 3,
      retries: 2,
      timeoutMs: 5_000,
      deleteAfterRun: false,
      autonomy: "full",
    });
    expect(added.text).toMatch(
      /^Scheduled [0-9a-f]{16} "Nightly": every Monday to Friday at 09:00, Europe\/Berlin\.\nNext: \w+day \d{4}-\d\d-\d\d 09:00:00\+0[12]:00 Europe\/Berlin \(\d{4}-\d\d-\d\dT0[78]:00:00Z\)\.\nRuns `echo x` in ".*", at most 5 seconds, at level full\.\nNothing runs/,
    );
    expect((await bench.call("cron_list", {})).text).toMatch(
      /^[0-9a-f]{16} "Nightly": every Monday .*\n {2}echo x\nNothing/,
    );
    const paused = await bench.call("cron_update", { id: "nightly", enabled: false });
    expect(paused.text).toContain("It is disabled.");
    await bench.call("cron_update", { id: stored!.id, every: "1h", enabled: true, command: "echo y" });
    expect(await bench.state.schedules!.get(stored!.id)).toMatchObject({
      command: "echo y",
      timing: { kind: "every" },
    });
    expect((await bench.call("cron_run", { id: "NIGHTLY" })).text).toMatch(/"Nightly" is due now\./);
    expect((await bench.call("cron_runs", {})).text).toMatch(/"Nightly", due .*Z: waiting\.$/);
    expect((await bench.call("cron_remove", { id: "nightly" })).text).toBe(`Removed ${stored!.id} "Nightly".`);
    expect((await bench.call("cron_list", {})).text).toBe("No schedules.");
    for (const id of [stored!.id, "NIGHTLY"])
      expect((await bench.call("cron_runs", { id })).text).toMatch(
        /"Nightly", due .*Z: skipped\. The schedule was removed\./,
      );
    expect((await bench.call("cron_runs", { id: "other" })).code).toBe("SCHEDULE_UNKNOWN");
  });

  it("refuse a name that two schedules have, and one that none has", async () => {
    const bench = scheduleBench();
    expect((await bench.call("cron_add", ALL)).text).not.toContain("are named");
    const second = await bench.call("cron_add", { ...ALL, name: "nightly" });
    expect(second.text).toContain('2 schedules are named "nightly" now: send the id of one');
    const ids = (await bench.state.schedules!.list()).map(({ id }) => id);
    for (const tool of ["cron_remove", "cron_update", "cron_run", "cron_runs"]) {
      const several = await bench.call(tool, { id: "NIGHTLY" });
      expect([several.code, several.text]).toEqual([
        "SCHEDULE_AMBIGUOUS",
        `2 schedules are named "NIGHTLY": ${ids.join(", ")}. Send the id of one.`,
      ]);
      expect((await bench.call(tool, { id: "weekly" })).code).toBe("SCHEDULE_UNKNOWN");
    }
    expect(await bench.state.schedules!.list()).toHaveLength(2);
  });

  it.each([
    [{ schedule: "15 4 30 2 *" }, /it is never due: there is no day 30 in month 2\.$/],
    [
      { schedule: "0 9 * * *", tz: "Mars/Base" },
      /^Did not store the schedule: `tz` "Mars\/Base" is not a time zone; send an IANA name/,
    ],
    [{ at: "2020-01-01T00:00:00Z" }, /which is 2020-01-01T00:00:00\.000Z; that is past: it is 20/],
    [{ every: "1h", after: "2h" }, /needs exactly one of/],
    [{ every: "500ms" }, /`every` was "500ms"; send 1s to 3660d\.$/],
    [{ every: "1h", missed: "0" }, /`missed` was "0"; send "skip", "once" or 1 to 100\.$/],
    [{ every: "1h", name: "a\nb" }, /`name` takes 1 to 100 characters of one line\.$/],
    [{ every: "1h", command: " " }, /`command` is empty/],
    [{ every: "1h", command: "x".repeat(70_000) }, /`command` has more than 65536 bytes/],
  ])("refuse %j before anybody is asked", async (input, wanted) => {
    const bench = scheduleBench();
    const asked: unknown[] = [];
    const approver: Approver = {
      async ask(request) {
        asked.push(request);
        return { by: "ada", scope: "once" };
      },
    };
    const options = { autonomy: "supervised", approver } as const;
    const refused = await bench.call("cron_add", { command: "rm -rf build", ...input }, options);
    expect([refused.code, refused.text]).toEqual(["CALL_INVALID", expect.stringMatching(wanted)]);
    expect(await bench.state.schedules!.list()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("the example of a time that is asked for is not past", async () => {
    const { text } = await scheduleBench().call("cron_add", { at: "tomorrow", command: "ls" });
    const [, example = ""] = /such as "([^"]+)"/.exec(text) ?? [];
    expect(Date.parse(example)).toBeGreaterThan(Date.now());
  });

  it("the 1,001st schedule is refused with what to do", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", ALL);
    const [{ id: _, createdMs: __, nextMs: ___, ...content } = {} as never] = await bench.state.schedules!.list();
    for (let count = 1; count < 1_000; count += 1) await bench.state.schedules!.add(content, undefined);
    const refused = await bench.call("cron_add", ALL);
    expect([refused.code, refused.text]).toEqual([
      "STORE_INVALID",
      "Did not add the schedule: 1000 are stored, the most that fit. Remove one that is not needed.",
    ]);
  });
});

describe("policy and schedules", () => {
  it("a denied command is not scheduled, and nothing is in a read-only session", async () => {
    const bench = scheduleBench();
    const denied = await bench.call("cron_add", ALL, { rules: ["deny echo x"] });
    expect(denied.code).toBe("POLICY_DENIED");
    const readonly = await bench.call("cron_add", { ...ALL, command: "ls" }, { autonomy: "readonly" });
    expect(readonly.code).toBe("POLICY_DENIED");
    expect(await bench.state.schedules!.list()).toEqual([]);
  });

  verifies(
    ["ZC-072", "ZC-073"],
    "a schedule that was added at full is refused where it runs at readonly, once",
    async () => {
      const bench = scheduleBench();
      await bench.call("cron_add", { after: "1m", command: "echo x > made", retries: 3 });
      const run = await runOf(bench, { autonomy: "readonly" });
      expect([run?.state, bench.lines("made")]).toEqual(["refused", []]);
      expect(run?.end?.reason).toContain("read-only");
      expect(await bench.state.schedules!.runs()).toHaveLength(1);
    },
  );

  it("a schedule that was added at supervised is not run at full", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "rm made" }, { autonomy: "supervised", approver: granting });
    await bench.state.schedules!.update(
      (await bench.state.schedules!.list())[0]!.id,
      ({ approvedBy: _, ...old }) => old,
    );
    const run = await runOf(bench, { autonomy: "full" });
    expect(run?.state).toBe("refused");
    expect(run?.end?.reason).toMatch(
      /a rule that allows it, in the configuration .* restart .* `haft schedule add` .* terminal/,
    );
  });

  it("a run that takes too long speaks of the limit of its schedule", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "sleep 60", timeoutMs: 300 });
    const run = await runOf(bench, {});
    expect(run?.end?.output).toContain("Raise `timeoutMs` of the schedule (at most 3,600,000 ms), or let it do less.");
    expect(run?.end?.output).not.toContain("background");
  });

  it("the output of a run names nothing that is gone with its session", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "seq 20000" });
    const run = await runOf(bench, {});
    expect(run?.state).toBe("succeeded");
    expect(run?.end?.output).toMatch(/\d+ bytes omitted/);
    expect(run?.end?.output).not.toContain("artifact");
  });

  it("one that is due once and is refused is kept, and runs once it is allowed", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "touch a; rm a", name: "once" });
    const refused = await runOf(bench, { autonomy: "supervised" });
    const [kept] = await bench.state.schedules!.list();
    expect([refused?.state, kept?.name, kept?.nextMs]).toEqual(["refused", "once", undefined]);
    expect(refused?.end?.reason).toContain(`\`haft schedule run ${kept?.id}\` runs it once it is allowed.`);
    await bench.state.schedules!.trigger(kept!.id);
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start();
    const [run] = await bench.runs((runs) => runs.every(({ endedMs }) => endedMs !== undefined));
    expect(run?.state).toBe("succeeded");
    expect(await bench.state.schedules!.list()).toEqual([]);
  });

  it("a command that needs an approval runs if the user approved it when it was added, and only that command", async () => {
    const bench = scheduleBench();
    const supervised = { autonomy: "supervised", approver: granting } as const;
    const unasked = await bench.call(
      "cron_add",
      { after: "1m", command: "touch a; rm a; touch made" },
      { autonomy: "supervised" },
    );
    expect(unasked.code).toBe("POLICY_APPROVAL_REQUIRED");
    await bench.call("cron_add", { after: "1m", command: "touch a; rm a; touch made" }, supervised);
    expect((await bench.state.schedules!.list())[0]?.approvedBy).toBe("ada");
    const run = await runOf(bench, { autonomy: "supervised" });
    expect([run?.state, run?.end?.reason]).toEqual(["succeeded", undefined]);
  });

  it("a changed command loses the approval of the old one", async () => {
    const bench = scheduleBench();
    const supervised = { autonomy: "supervised", approver: granting } as const;
    await bench.call("cron_add", { after: "1m", command: "rm -f a", name: "job" }, supervised);
    const asked = await bench.call("cron_update", { id: "job", command: "rm -f b" }, { autonomy: "supervised" });
    expect(asked.code).toBe("POLICY_APPROVAL_REQUIRED");
    await bench.call("cron_update", { id: "job", command: "ls" }, { autonomy: "supervised" });
    const [changed] = await bench.state.schedules!.list();
    expect([changed?.command, changed?.approvedBy]).toEqual(["ls", undefined]);
    // A store that was changed by hand, such as by another version, still asks.
    await bench.state.schedules!.update(changed!.id, (old) => ({ ...old, command: "rm -f b" }));
    expect((await runOf(bench, { autonomy: "supervised" }))?.state).toBe("refused");
  });

  it("other times end the approval, and a call says so; another name does not", async () => {
    const bench = scheduleBench();
    const supervised = { autonomy: "supervised", approver: granting } as const;
    await bench.call("cron_add", { after: "1h", command: "rm -f a", name: "job" }, supervised);
    const renamed = await bench.call("cron_update", { id: "job", name: "task" }, { autonomy: "supervised" });
    expect(renamed.text).not.toContain("approval");
    expect((await bench.state.schedules!.list())[0]?.approvedBy).toBe("ada");
    expect((await bench.call("cron_run", { id: "task" }, { autonomy: "supervised" })).code).toBe("POLICY_DENIED");
    const moved = await bench.call("cron_update", { id: "task", after: "1m" }, { autonomy: "supervised" });
    expect(moved.text).toContain("it needs an approval again. Send `command`");
    expect((await bench.state.schedules!.list())[0]?.approvedBy).toBeUndefined();
    const command = "rm -f a";
    await bench.call("cron_update", { id: "task", after: "1m", command }, supervised);
    expect((await bench.state.schedules!.list())[0]?.approvedBy).toBe("ada");
  });

  it("a command in a directory that is a link names the real one when it is refused", async () => {
    const bench = scheduleBench();
    mkdirSync(join(bench.workspace, "real"));
    symlinkSync("real", join(bench.workspace, "link"));
    const supervised = { autonomy: "supervised", approver: granting } as const;
    await bench.call("cron_add", { after: "1m", command: "touch a; rm a", cwd: "link" }, supervised);
    const run = await runOf(bench, { autonomy: "supervised" });
    expect([run?.state, run?.end?.reason]).toEqual(["refused", expect.stringContaining(`"${bench.workspace}/real"`)]);
    expect(run?.end?.reason).not.toContain("did not approve it");
  });

  it("an answer that was remembered does not count as the approval of a schedule", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "rm -f a" }, { autonomy: "supervised", approver: granting });
    const [stored] = await bench.state.schedules!.list();
    await bench.state.schedules!.update(stored!.id, (old) => ({ ...old, approvedBy: "remembered" }));
    expect((await runOf(bench, { autonomy: "supervised" }))?.state).toBe("refused");
  });

  verifies("ZC-073", "what a later rule denies is refused, whoever approved it", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1m", command: "rm -f a" }, { autonomy: "supervised", approver: granting });
    expect((await runOf(bench, { autonomy: "full", rules: ["deny rm *"] }))?.state).toBe("refused");
  });

  it("schedules of another owner do not exist for a session, and run for their owner", async () => {
    const bench = scheduleBench();
    const toolkit = await bench.toolkit();
    const [ada, eve] = ["ada", "eve"].map((owner) => toolkit.session(undefined, { owner }).box());
    const call = async (box: typeof ada, name: string, input: object) => box!.runner.run({ id: "c", name, input });
    await call(ada, "cron_add", { after: "1m", command: "touch made", name: "job" });
    expect((await call(eve, "cron_list", {})).output).toBe("No schedules.");
    for (const name of ["cron_remove", "cron_run", "cron_update", "cron_runs"])
      expect((await call(eve, name, { id: "job" })).code).toBe("SCHEDULE_UNKNOWN");
    const id = (await bench.state.schedules!.list())[0]!.id;
    for (const name of ["cron_remove", "cron_run", "cron_update", "cron_runs"])
      expect((await call(eve, name, { id })).code).toBe("SCHEDULE_UNKNOWN");
    expect(String((await call(ada, "cron_list", {})).output)).toContain('"job"');
    expect((await runOf(bench, {}))?.state).toBe("succeeded");
  });
});
