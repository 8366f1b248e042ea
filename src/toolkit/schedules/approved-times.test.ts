/** That an approved call stores the times that the user was shown, or none. */
import { expect, it } from "vitest";
import type { ApprovalRequest } from "../../kernel/index.js";
import { type ScheduleBench, scheduleBench } from "./schedules.fixture.js";

const YEARLY = { schedule: "0 0 1 1 *", tz: "UTC", command: "echo a", name: "yearly" };
const CHANGE = { id: "yearly", command: "rm -f b.log" };
const MINUTE_MS = 60_000;

/** Calls in one session, whose questions wait until they are granted. `duringQuestion` happens while the user reads; then they allow it. */
async function asking(bench: ScheduleBench) {
  const asked: ApprovalRequest[] = [];
  let duringQuestion: (() => Promise<unknown>) | undefined;
  const toolkit = await bench.toolkit({
    autonomy: "supervised",
    approver: {
      async ask(request) {
        asked.push(request);
        if (duringQuestion === undefined) return { pending: true };
        await duringQuestion();
        return { by: "ada", scope: "once" };
      },
    },
  });
  const { runner } = toolkit.box();
  return {
    asked,
    allowAfter: (work: () => Promise<unknown>) => {
      duringQuestion = work;
    },
    call: async (name: string, input: object, resume?: string) => {
      const { output, code } = await runner.run({ id: "c", name, input, ...(resume === undefined ? {} : { resume }) });
      return { text: String(output), code };
    },
    grant: async () => {
      const { token } = asked.at(-1)!;
      await bench.state.approvals.decide(token, { granted: "ada" });
      return token;
    },
    stored: async () => (await bench.state.schedules!.list()).find(({ name }) => name === "yearly" || name === "later"),
  };
}

it("a change that was approved for other times is asked about again, with the new ones", async () => {
  const { asked, call, grant, stored } = await asking(scheduleBench());
  await call("cron_add", YEARLY);
  expect((await call("cron_update", CHANGE)).code).toBe("POLICY_APPROVAL_REQUIRED");
  expect((await call("cron_update", { id: "yearly", every: "1s" })).code).toBeUndefined();
  const token = await grant();
  expect((await call("cron_update", CHANGE, token)).text).toContain("the schedule, or the environment");
  expect((await call("cron_update", CHANGE)).code).toBe("POLICY_APPROVAL_REQUIRED");
  expect(asked.map(({ preview }) => preview?.kind === "command" && preview.schedule?.when)).toEqual([
    expect.stringContaining("0 0 1 1 *"),
    expect.stringContaining("every second"),
  ]);
  expect(await stored()).toMatchObject({ command: "echo a", timing: { kind: "every" } });
});

it.each([{ every: "1s" }, { missed: "100" }, { retries: 9 }, { enabled: false }])(
  "a schedule that is changed to %j while the user reads the question keeps its command",
  async (other) => {
    const { allowAfter, call, stored } = await asking(scheduleBench());
    await call("cron_add", YEARLY);
    allowAfter(() => call("cron_update", { id: "yearly", ...other }));
    expect((await call("cron_update", CHANGE)).code).toBe("POLICY_DENIED");
    expect((await stored())?.command).toBe("echo a");
  },
);

it("a schedule that is changed after the last look at it keeps its command", async () => {
  const bench = scheduleBench();
  const { allowAfter, call, stored } = await asking(bench);
  await call("cron_add", YEARLY);
  const schedules = bench.state.schedules!;
  const { update } = schedules;
  allowAfter(async () => {
    // The change of another process, in the moment before the change of this call.
    schedules.update = async (id, change) => {
      await update.call(schedules, id, (old) => ({ ...old, timing: { kind: "every", everyMs: 1_000, fromMs: 0 } }));
      return update.call(schedules, id, change);
    };
  });
  expect(await call("cron_update", CHANGE)).toEqual({
    code: "POLICY_DENIED",
    text: "Did not change the schedule: it has changed since it was approved. Send the call again.",
  });
  expect(await stored()).toMatchObject({ command: "echo a", timing: { kind: "every" } });
});

it("a change that was approved is made where only the name, or nothing, is different", async () => {
  const { call, grant, stored } = await asking(scheduleBench());
  await call("cron_add", { ...YEARLY, name: "old" });
  const id = (/[0-9a-f]{16}/.exec((await call("cron_list", {})).text) ?? [""])[0];
  await call("cron_update", { ...CHANGE, id });
  await call("cron_update", { id, name: "yearly" });
  await grant();
  expect((await call("cron_update", { ...CHANGE, id })).code).toBeUndefined();
  expect(await stored()).toMatchObject({ command: CHANGE.command, approvedBy: "ada", timing: { kind: "cron" } });
});

it("no user is asked about a schedule that does not exist, or whose name two have", async () => {
  const { asked, call } = await asking(scheduleBench());
  expect((await call("cron_update", { id: "later", command: "rm -f c.log" })).code).toBe("SCHEDULE_UNKNOWN");
  for (const _ of [1, 2]) await call("cron_add", YEARLY);
  expect((await call("cron_update", CHANGE)).code).toBe("SCHEDULE_AMBIGUOUS");
  expect(asked).toEqual([]);
});

it.each([true, false])(
  "`after` counts from the question, and not from the answer; with its token: %s",
  async (isResumed) => {
    const bench = scheduleBench();
    const { call, grant, stored } = await asking(bench);
    const added = { after: "20m", command: "rm -f d.log", name: "later" };
    const beforeMs = Date.now();
    await call("cron_add", added);
    const afterMs = Date.now();
    bench.clock.aheadMs = 15 * MINUTE_MS;
    const token = await grant();
    expect((await call("cron_add", added, isResumed ? token : undefined)).code).toBeUndefined();
    const { nextMs = 0 } = (await stored()) ?? {};
    expect(nextMs).toBeGreaterThanOrEqual(beforeMs + 20 * MINUTE_MS);
    expect(nextMs).toBeLessThanOrEqual(afterMs + 20 * MINUTE_MS);
  },
);

it("`after` that is past when the answer comes stores nothing, and is asked about again", async () => {
  const bench = scheduleBench();
  const { asked, call, grant, stored } = await asking(bench);
  const added = { after: "20m", command: "rm -f d.log", name: "later" };
  await call("cron_add", added);
  bench.clock.aheadMs = 21 * MINUTE_MS;
  await grant();
  const late = await call("cron_add", added);
  expect([late.code, late.text]).toEqual(["CALL_INVALID", expect.stringContaining("that time is past")]);
  expect(await stored()).toBeUndefined();
  expect((await call("cron_add", added)).code).toBe("POLICY_APPROVAL_REQUIRED");
  expect(asked).toHaveLength(2);
});
