import { describe, expect, it } from "vitest";
import type { Approver, Schedule, ScheduleRun } from "../../../kernel/index.js";
import { secretRedactor } from "../../../policy/index.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { type ListedSchedule, scheduleAdmin } from "../../../toolkit/index.js";
import { scheduleBench } from "../../../toolkit/schedules/schedules.fixture.js";
import { hostText, nextText, scheduleRows } from "./schedule/schedule-text.js";
import { scheduleLog, schedulesLine, servesSchedule } from "./schedule/schedules-line.js";

const place = cliPlace();
const haft = (...args: readonly string[]) => place.inProcess(args);
const add = (command: string, ...more: readonly string[]) =>
  haft("schedule", "add", command, "--autonomy", "full", ...more);
const TOKEN = `ghp_${"aB3dE6gH9j".repeat(4).slice(0, 36)}`;

describe("haft schedule", () => {
  it("says on stderr what to do where there is nothing, and stdout is empty", async () => {
    const list = await haft("schedule", "list");
    expect([list.status, list.stdout]).toEqual([0, ""]);
    expect(list.stderr).toContain("there are no schedules. Add one: `haft schedule add");
    const log = await haft("schedule", "log");
    expect([log.status, log.stdout]).toEqual([0, ""]);
    expect(log.stderr).toContain("nothing has run, and there are no schedules.");
  });

  it("adds one, says who runs it, and where it has not run that it has not", async () => {
    const added = await add("echo a", "--every", "1h", "--name", "Nightly");
    expect(added.stdout).toMatch(/^Scheduled [0-9a-f]{16} "Nightly": every hour\.\nNext: .*\nRuns `echo a` in "/);
    const start = `nothing runs it: \`cd ${place.workspace} && haft schedule daemon`;
    expect(added.stderr).toContain(`${start} --autonomy full\`.`);
    expect(`${added.stdout}${added.stderr}`).not.toContain("ask the user");
    await add("echo b", "--every", "1m", "--name", "often");
    const log = await haft("schedule", "log", "nightly");
    expect([log.status, log.stdout]).toEqual([0, ""]);
    expect(log.stderr).toMatch(/ "Nightly" has not run yet; Nightly is due /);
    const due = await haft("schedule", "run", "nightly");
    expect(due.stderr).toMatch(/"Nightly" is due now; nothing runs it: /);
    expect(due.stderr).toContain(`${start}\`.`);
    expect((await haft("schedule", "log", "nightly")).stdout).toMatch(/"Nightly" {2}due .*: waiting\n$/);
  });

  it("lists where each runs: in a pipe as it is, on a terminal in 80 columns", async () => {
    await add("echo done >> log.txt", "--cron", "0 9 * * 1-5", "--tz", "Europe/Berlin", "--name", "x".repeat(40));
    await add(`echo ${"y".repeat(100)}`, "--every", "1h");
    const [first = "", second = ""] = (await haft("schedule", "list")).stdout.split("\n");
    expect(first.split("\t").slice(-2)).toEqual([`local:${place.workspace}`, "echo done >> log.txt"]);
    expect(second).toContain("y".repeat(100));
    const shown = (await place.inProcess(["schedule", "list"], { isTerminal: true })).stdout;
    expect(shown).toMatch(/\n {2}every hour, in .+\n {2}echo y+…\n/);
    for (const line of shown.split("\n")) expect(line.replaceAll(/\u001b\[\d+m/g, "").length).toBeLessThanOrEqual(80);
  });

  it("refuses an unknown one with status 1, and timings in its own words", async () => {
    for (const command of ["remove", "run", "log", "disable", "enable"]) {
      const { status, stdout, stderr } = await haft("schedule", command, "none");
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toBe('haft: no schedule has the id or the name "none". `haft schedule list` lists them.\n');
    }
    const give = "Give one of --cron, --at, --after, --every, such as --cron '0 9 * * 1-5'.";
    for (const timing of [[], ["--every", "1h", "--after", "2h"]]) {
      const refused = await add("true", ...timing);
      expect([refused.status, refused.stderr]).toEqual([2, `haft: ${give}\n`]);
    }
    const daily = await add("true", "--cron", "@daily");
    expect([daily.status, daily.stdout]).toEqual([2, ""]);
    expect(daily.stderr).toContain('--cron was "@daily": names such as @daily are not read; send "0 0 * * *"');
    expect((await add("true", "--every", "1h", "--missed", "0")).stderr).toContain('--missed was "0"');
    const most = await add("true", "--every", "1h", "--timeout", "9999999");
    expect([most.status, most.stderr]).toEqual([0, expect.stringMatching(/haft: .*--timeout.*3600000/)]);
  });

  it("disables one, which then does not run, and enables it for its next time", async () => {
    await add("echo a", "--every", "1h", "--name", "Nightly");
    for (const time of ["once", "twice"]) {
      const { status, stdout, stderr } = await haft("schedule", "disable", "nightly");
      expect([time, status, stdout, stderr]).toEqual([
        time,
        0,
        "",
        expect.stringMatching(
          /^haft: [0-9a-f]{16} "Nightly" is disabled\. `haft schedule enable [0-9a-f]{16}` enables it\.\n$/,
        ),
      ]);
    }
    expect((await haft("schedule", "list")).stdout.split("\t")[3]).toBe("disabled");
    expect((await haft("schedule", "run", "nightly")).stderr).toContain("it is disabled. Enable it first.");
    const enabled = await haft("schedule", "enable", "nightly");
    expect([enabled.status, enabled.stdout]).toEqual([0, ""]);
    expect(enabled.stderr).toMatch(/"Nightly" is enabled; Nightly is due .*; nothing runs it: /);
    for (const [command, isEnabled] of [
      ["disable", false],
      ["enable", true],
    ] as const)
      expect(JSON.parse((await haft("schedule", command, "nightly", "--json")).stdout).enabled).toBe(isEnabled);
  });

  it("says what of its options does not hold where the schedule runs", async () => {
    const plain = await haft("schedule", "add", "echo a", "--every", "1h", "--autonomy", "supervised");
    expect(plain.stderr).not.toMatch(/level|--allow/);
    const { status, stderr } = await add("rm -f a", "--every", "1h", "--allow", "rm -f a");
    expect([status, stderr]).toEqual([0, expect.stringContaining("start that process with `--autonomy full`")]);
    expect(stderr).toMatch(/--allow holds for this command only\. .* `haft policy allow 'rm -f a'`, then restart/);
  });

  it("warns of a name that is in use", async () => {
    expect((await add("true", "--every", "1h", "--name", "job")).stderr).not.toContain("are named");
    expect((await add("true", "--every", "1h", "--name", "Job")).stderr).toContain('2 schedules are named "Job" now');
  });

  it("does not list a secret of a command", async () => {
    await add(`curl -H 'Authorization: token ${TOKEN}' x`, "--every", "1h");
    const shown = await haft("schedule", "list");
    expect(shown.stdout).toContain("⟦redacted:");
    expect(`${shown.stdout}${(await haft("schedule", "list", "--json")).stdout}`).not.toContain(TOKEN);
  });
});

describe("a schedule that the user disables and enables", () => {
  it("keeps its approval, and is not due for the times in between", async () => {
    const bench = scheduleBench();
    const { schedules } = bench.state;
    const approver: Approver = { ask: async () => ({ by: "ada", scope: "once" }) };
    await bench.call("cron_add", { every: "1h", command: "rm -f a" }, { autonomy: "supervised", approver });
    await bench.call("cron_add", { after: "1h", command: "ls", name: "once" });
    const admin = scheduleAdmin({ state: bench.state });
    const [first] = await admin.list();
    const dueMs = first!.next!.ms;
    expect(await admin.setEnabled(first!.id, true)).toMatchObject({ next: { ms: dueMs } });
    expect(await admin.setEnabled(first!.id, false)).not.toHaveProperty("next");
    await admin.setEnabled("once", false);
    bench.clock.aheadMs = 90 * 60_000;
    expect((await admin.setEnabled(first!.id, true)).next?.ms).toBe(dueMs + 3_600_000);
    expect((await schedules!.get(first!.id))?.approvedBy).toBe("ada");
    expect(await admin.setEnabled("once", true)).not.toHaveProperty("next");
    await expect(admin.setEnabled("none", true)).rejects.toMatchObject({ code: "SCHEDULE_UNKNOWN" });
  });
});

describe("the list of schedules", () => {
  it("shows what is overdue, and counts hosts for each target and workspace", async () => {
    const bench = scheduleBench();
    const { schedules } = bench.state;
    await bench.call("cron_add", { every: "1h", command: "true", name: "here" });
    const { id: _, createdMs: __, nextMs: ___, ...content } = (await schedules!.list())[0]!;
    await schedules!.add({ ...content, name: "there", workspace: "/elsewhere" }, Date.now());
    await schedules!.add({ ...content, name: "far", target: "ssh:box", workspace: "/srv" }, Date.now());
    bench.clock.aheadMs = 7_200_000;
    const query = { host: "h:1", places: [`local:/elsewhere`], limit: 0, leaseMs: 60_000 };
    await schedules!.claimDue(query, () => ({ run: [], skip: [], nextMs: Date.now() + 9_000_000 }));
    const listed = await scheduleAdmin({ state: bench.state }).list();
    expect(listed.map(({ name, hosts, isOverdue }) => [name, hosts, isOverdue])).toEqual([
      ["here", [], true],
      ["there", ["h:1"], false],
      ["far", [], true],
    ]);
    expect(scheduleRows(listed, {})).toMatch(/\there\tevery hour\toverdue since \w+day /);
    expect(nextText(listed[0]!)).toMatch(/^here is overdue since /);
    expect(hostText(listed)).toBe(
      `run by h:1; nothing runs the others: \`cd ${bench.workspace} && haft schedule daemon\`, \`haft schedule daemon --on ssh:box=/srv\``,
    );
    const served = listed.filter(servesSchedule([{ target: "local" }], bench.workspace));
    expect(schedulesLine(served)).toMatch(/^1 schedule, the next is due /);
    expect((await bench.call("cron_list", {})).text).toMatch(/"here": every hour\. Overdue since .*\. In ".*"\.\n/);
  });

  it("names at most three commands that start hosts", () => {
    const idle = (workspace: string) => ({ enabled: true, target: "local", workspace, hosts: [] });
    const all = ["/a", "/b", "/c", "/d", "/e"].map((workspace) => idle(workspace) as unknown as ListedSchedule);
    expect(hostText(all)).toMatch(/^nothing runs them: `cd \/a && .*`cd \/c && haft schedule daemon` and 2 more$/);
  });

  it("a host says at its start what was missed", async () => {
    const bench = scheduleBench();
    for (const [name, every] of [
      ["tidy", "20m"],
      [`key ${TOKEN}`, "40m"],
      ["later", "3h"],
    ])
      await bench.call("cron_add", { every, command: "true", name, missed: "skip" });
    bench.clock.aheadMs = 90 * 60_000;
    const lines: string[] = [];
    const redactor = secretRedactor({});
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start(scheduleLog({ redactor }, (line) => lines.push(line)));
    const missed = lines.filter((line) => line.includes("passed while"));
    expect(missed).toEqual([
      expect.stringMatching(
        /UTC {2}6 due times passed while Haft was not running: 4 of \w+ "tidy", 2 of \w+ "key ⟦redacted:.*haft schedule log/,
      ),
    ]);
  });

  it("writes runs with their time, and without secrets", () => {
    const lines: string[] = [];
    const redactor = secretRedactor({ secrets: [{ name: "KEY", value: "known-value-1" }] });
    const { onRun } = scheduleLog({ redactor }, (line) => lines.push(line));
    const schedule = { id: "s1", command: `${"a".repeat(190)} known-value-1 ${TOKEN}` } as Schedule;
    onRun?.({ state: "claimed", attempt: 1 } as ScheduleRun, schedule);
    onRun?.({ state: "claimed", attempt: 1 } as ScheduleRun, schedule, { state: "failed", reason: `bad ${TOKEN}` });
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}s1 begins: a+ ⟦redact/);
    expect(lines[1]).toMatch(/UTC {2}s1 failed: bad ⟦redacted:/);
    expect(lines.join()).not.toMatch(/known-val|ghp_/);
  });
});
