/** How runs end: by their host, with its death, and with their schedule. */
import type { Schedule } from "../../kernel/index.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Suite } from "../plan.js";
import { everyMinute, MINUTE_MS, onSchedules, planEvery, QUERY, scheduleContent } from "./schedules-fixture.js";
import type { StateFixture } from "./state-fixture.js";

const LEASE_MS = QUERY.leaseMs;

export const stateScheduleEnds: Suite<StateFixture> = [
  onSchedules("lost:claimed", "What a dead host had claimed is given to another one", async (one, other, fixture) => {
    await everyMinute(one);
    fixture.advance(MINUTE_MS);
    const [first] = await one.claimDue(QUERY, planEvery);
    fixture.advance(LEASE_MS);
    expectEqual(await other.claimDue({ ...QUERY, host: "b" }, planEvery), [], "before the lease has ended");
    fixture.advance(1);
    const [second] = await other.claimDue({ ...QUERY, host: "b" }, planEvery);
    expectEqual([second?.run.id, second?.run.host, second?.run.attempt], [first!.run.id, "b", 1], "the run");
    expectEqual(await one.begin(first!), false, "the first host begins");
    expectEqual(await one.renew(first!, LEASE_MS), false, "the first host renews");
    expectEqual(await other.begin(second!), true, "the second host begins");
  }),
  onSchedules(
    "lost:begun",
    "What a dead host had begun is interrupted, and not repeated",
    async (one, other, fixture) => {
      await everyMinute(one);
      fixture.advance(MINUTE_MS);
      const [first] = await one.claimDue(QUERY, planEvery);
      await one.begin(first!);
      fixture.advance(LEASE_MS - 1);
      expectEqual(await one.renew(first!, LEASE_MS), true, "renew");
      fixture.advance(LEASE_MS - 1);
      const planNothing = () => ({ run: [], skip: [] });
      expectEqual(await other.claimDue(QUERY, planNothing), [], "within the renewed lease");
      expectEqual((await other.runs())[0]?.state, "begun", "the run");
      fixture.advance(2);
      expectEqual(await other.claimDue(QUERY, planNothing), [], "after it");
      const [run] = await one.runs();
      expectEqual(
        [run?.state, run?.end?.state, run?.endedMs],
        ["interrupted", "interrupted", await one.now()],
        "its end",
      );
      expectThat(run?.end?.reason?.includes("a") === true, "the reason names the host");
      expectEqual(await one.settle(first!, { state: "succeeded" }), false, "a late end");
    },
  ),
  onSchedules(
    "lost:held",
    "What a host says that it has under way is not lost, however far the clock has jumped",
    async (one, other, fixture) => {
      await everyMinute(one, { retries: 3 });
      fixture.advance(MINUTE_MS);
      const [first] = await one.claimDue(QUERY, planEvery);
      await one.begin(first!);
      fixture.advance(3_600_000);
      const planNothing = () => ({ run: [], skip: [] });
      expectEqual(await one.claimDue({ ...QUERY, held: [first!.claim] }, planNothing), [], "after the jump");
      expectEqual(await other.claimDue({ ...QUERY, host: "b" }, planNothing), [], "another host after it");
      expectEqual((await other.runs())[0]?.state, "begun", "the run");
      expectEqual(await one.settle(first!, { state: "succeeded" }), true, "its end");
    },
  ),
  onSchedules(
    "lost:retried",
    "An interrupted run is due again as often as its schedule says",
    async (one, other, fixture) => {
      const { id } = await everyMinute(one, { retries: 2, deleteAfterRun: true });
      fixture.advance(MINUTE_MS);
      const ids: string[] = [];
      for (const host of [one, other, one]) {
        const [claimed] = await host.claimDue(QUERY, planEvery);
        ids.push(claimed!.run.id);
        await host.begin(claimed!);
        fixture.advance(LEASE_MS + 1);
      }
      const [first] = ids;
      expectEqual(ids, [first, `${first}#2`, `${first}#3`], "the runs");
      expectEqual(await one.claimDue(QUERY, planEvery), [], "a fourth");
      expectEqual(
        (await one.runs()).map(({ state }) => state),
        Array(3).fill("interrupted"),
        "their ends",
      );
      expectEqual(await one.get(id), undefined, "the schedule that was to be deleted after its run");
    },
  ),
  onSchedules(
    "interrupted:settled",
    "A host that stops in time can say that a run was interrupted",
    async (one, _, fixture) => {
      await everyMinute(one, { retries: 1 });
      fixture.advance(MINUTE_MS);
      const [first] = await one.claimDue(QUERY, planEvery);
      await one.begin(first!);
      expectEqual(await one.settle(first!, { state: "interrupted", reason: "Stopped." }), true, "the end");
      const [second] = await one.claimDue(QUERY, planEvery);
      expectEqual([second?.run.attempt, second?.run.dueMs], [2, first!.run.dueMs], "the repetition");
    },
  ),
  onSchedules("remove", "Of a removed schedule nothing begins, and its runs stay", async (one, other, fixture) => {
    const schedule = await everyMinute(one);
    const running = await everyMinute(one);
    fixture.advance(MINUTE_MS);
    const [first, second] = await one.claimDue(QUERY, planEvery);
    await one.begin(second!);
    for (const { id } of [schedule, running]) await other.update(id, () => undefined);
    expectEqual(await one.begin(first!), false, "what was claimed begins");
    expectEqual(await one.settle(second!, { state: "succeeded" }), true, "what had begun ends");
    const states = (await one.runs()).map((run) => [run.schedule === schedule.id, run.state]);
    expectEqual(
      new Map(states as [boolean, string][]),
      new Map([
        [true, "skipped"],
        [false, "succeeded"],
      ]),
      "the runs",
    );
    expectEqual(await one.claimDue(QUERY, planEvery), [], "claims");
  }),
  onSchedules(
    "update:claimed",
    "What was claimed and has not begun runs as the schedule says by then",
    async (one, other, fixture) => {
      const { id } = await everyMinute(one, { command: "old" });
      fixture.advance(MINUTE_MS);
      const [first] = await one.claimDue(QUERY, planEvery);
      await other.update(id, (old) => ({ ...old, command: "new" }));
      expectEqual(await one.begin(first!), false, "the old claim begins");
      const [again] = await one.claimDue(QUERY, planEvery);
      expectEqual([again?.run.id, again?.schedule.command], [first!.run.id, "new"], "the new claim");
    },
  ),
  onSchedules(
    "update:disabled",
    "A disabled schedule is not due, and is not run on demand",
    async (one, _, fixture) => {
      const { id } = await everyMinute(one);
      fixture.advance(MINUTE_MS);
      await one.claimDue({ ...QUERY, limit: 0 }, planEvery);
      await one.update(id, (old) => ({ ...old, enabled: false }));
      expectEqual(
        (await one.runs()).map(({ state }) => state),
        ["skipped"],
        "what was due",
      );
      fixture.advance(MINUTE_MS);
      expectEqual(await one.claimDue(QUERY, planEvery), [], "what is due later");
      await expectError(() => one.trigger(id), "STORE_INVALID", "a run on demand");
    },
  ),
  onSchedules(
    "runs:last",
    "The last run of each schedule is found, however many others there are",
    async (one, other, fixture) => {
      const rare = await one.add(scheduleContent({ owner: "ada" }), undefined);
      const gone = await one.add(scheduleContent(), undefined);
      expectEqual(await other.lastRuns(), [], "before any has run");
      const first = await one.trigger(rare.id);
      await one.trigger(gone.id);
      await one.update(gone.id, () => undefined);
      fixture.advance(1_000);
      const busy: Schedule[] = [];
      for (let count = 0; count < 18; count += 1) busy.push(await everyMinute(one));
      fixture.advance(60 * MINUTE_MS);
      await one.claimDue({ ...QUERY, limit: 1 }, planEvery);
      const last = await other.lastRuns();
      expectEqual(
        last.map(({ schedule }) => schedule).sort(),
        [...busy, rare].map(({ id }) => id).sort(),
        "whose they are",
      );
      expectEqual(last.find(({ schedule }) => schedule === rare.id)?.id, first?.id, "the last run of the rare one");
      const [newest] = await one.runs({ schedule: busy[0]!.id, limit: 1 });
      expectEqual(
        last.find(({ schedule }) => schedule === busy[0]!.id),
        newest,
        "the last run of a busy one",
      );
      const own = await other.lastRuns({ owner: "ada", place: "local:/ws" });
      expectEqual(
        own.map(({ id }) => id),
        [first?.id],
        "those of one owner",
      );
      expectEqual(await other.lastRuns({ owner: "ada", place: "box:/ws" }), [], "those at another place");
    },
  ),
  onSchedules("trigger:most", "At most 50 runs of one schedule wait to be run on demand", async (one, other) => {
    const { id } = await everyMinute(one);
    for (let count = 0; count < 50; count += 1) await one.trigger(id);
    await expectError(() => other.trigger(id), "STORE_INVALID", "one more");
    await other.trigger((await everyMinute(one)).id);
    expectEqual((await one.runs({ schedule: id, limit: 100 })).length, 50, "the runs");
  }),
  onSchedules(
    "runs:of",
    "Runs are found by owner and place, and of a removed schedule by its name",
    async (one, other) => {
      const named = { owner: "ada", name: "Job\0 é" };
      const mine = await everyMinute(one, named);
      const elsewhere = await everyMinute(one, { ...named, workspace: "/other" });
      const unowned = await everyMinute(one, { name: "job" });
      await one.trigger(mine.id);
      for (const { id } of [mine, elsewhere, unowned]) await one.update(id, () => undefined);
      const after = await everyMinute(one, { name: "later" });
      for (let count = 0; count < 30; count += 1) await one.trigger(after.id);
      const of = { owner: "ada", place: "local:/ws" };
      const [run, ...more] = await other.runs({ of, limit: 1 });
      expectEqual([run?.schedule, more], [mine.id, []], "the runs of the owner");
      expectEqual(
        [run?.name, run?.command, run?.owner, run?.place],
        [named.name, "true", "ada", of.place],
        "what is recorded",
      );
      expectEqual((await other.runs({ name: " JOB\0 É ", of })).length, 1, "by name");
      expectEqual(await other.runs({ name: "later", of }), [], "of another owner");
      expectEqual(await other.runs({ of: { ...of, place: "local:/other" } }), [], "of another place");
      expectEqual((await other.runs({ of: { place: of.place } })).length, 20, "of no owner");
    },
  ),
  onSchedules("change", "Who asks for it learns of what this process writes", async (one) => {
    let heard = 0;
    const stop = one.onChange?.(() => {
      heard += 1;
    });
    const { id } = await everyMinute(one);
    await one.trigger(id);
    await one.update(id, (old) => old);
    stop?.();
    await one.update(id, () => undefined);
    expectThat(one.onChange === undefined || heard === 3, `it heard of ${heard} changes, not of 3`);
  }),
  onSchedules("trigger", "A run on demand is due at once, beside those of the timing", async (one, other) => {
    const { id, nextMs } = await everyMinute(one);
    const [first, second] = [await one.trigger(id), await other.trigger(id)];
    expectThat(first !== undefined && second !== undefined && first.id !== second.id, "both have a record");
    expectEqual([first.state, first.dueMs], ["due", await one.now()], "the run");
    expectEqual((await one.get(id))?.nextMs, nextMs, "the schedule");
    const [claimed] = await other.claimDue(QUERY, planEvery);
    expectEqual(claimed?.run.id, first.id, "what is claimed");
    expectEqual(await one.trigger("none"), undefined, "a schedule that does not exist");
  }),
  onSchedules(
    "runs:kept",
    "Of each schedule the last 50 runs are kept, and 16 KiB of output",
    async (one, _, fixture) => {
      const [{ id }, other] = [await everyMinute(one), await everyMinute(one)];
      fixture.advance(MINUTE_MS);
      const output = `start\n${"é".repeat(1 << 20)}\nend`;
      for (let count = 0; count < 55; count += 1) {
        for (const claimed of await one.claimDue(QUERY, planEvery)) {
          await one.begin(claimed);
          await one.settle(claimed, { state: "failed", output: count === 54 ? output : "" });
        }
        fixture.advance(MINUTE_MS);
      }
      const runs = await one.runs({ schedule: id, limit: 1_000 });
      expectEqual(runs.length, 50, "runs of one schedule");
      expectEqual((await one.runs({ schedule: other.id, limit: 3 })).length, 3, "with a limit");
      expectEqual((await one.runs()).length, 20, "without one");
      const stored = runs[0]?.end?.output ?? "";
      const bytes = new TextEncoder().encode(stored).length;
      expectThat(bytes <= 16 << 10 && bytes > 16_000, `the output has ${bytes} bytes, at most 16 KiB`);
      expectThat(
        /^start\n[\s\S]*\n\[\d+ bytes omitted\]\n[\s\S]*\nend$/.test(stored),
        "both ends and a marker are there",
      );
    },
  ),
  onSchedules(
    "refused",
    "A schedule whose last run was refused is kept, and can be run again",
    async (one, other, fixture) => {
      const { id } = await everyMinute(one, { deleteAfterRun: true });
      fixture.advance(MINUTE_MS);
      const settleNext = async (state: "refused" | "succeeded") => {
        const [claimed] = await one.claimDue(QUERY, planEvery);
        await one.begin(claimed!);
        await one.settle(claimed!, { state });
      };
      await settleNext("refused");
      const kept = await other.get(id);
      expectEqual([kept?.enabled, kept?.nextMs], [true, undefined], "it is kept, and not due again");
      await other.trigger(id);
      await settleNext("succeeded");
      expectEqual(await other.get(id), undefined, "after a run that was not refused");
    },
  ),
  onSchedules(
    "delete-after-run",
    "A schedule that is deleted after its run is deleted once that has ended",
    async (one, _, fixture) => {
      const { id } = await everyMinute(one, { deleteAfterRun: true });
      await one.claimDue(QUERY, planEvery);
      expectThat((await one.get(id)) !== undefined, "it is there before it is due");
      fixture.advance(MINUTE_MS);
      const [claimed] = await one.claimDue(QUERY, planEvery);
      await one.begin(claimed!);
      expectThat((await one.get(id)) !== undefined, "it is there while it runs");
      await one.settle(claimed!, { state: "failed", reason: "Killed." });
      expectEqual(await one.get(id), undefined, "after it");
      expectEqual(
        (await one.runs({ schedule: id })).map(({ state }) => state),
        ["failed"],
        "its runs",
      );
    },
  ),
  onSchedules(
    "hosts",
    "Hosts that ask for runs are known until they leave or have been silent for an hour",
    async (one, other, fixture) => {
      await one.claimDue(QUERY, planEvery);
      fixture.advance(1_000);
      await other.claimDue({ ...QUERY, host: "b", limit: 0 }, planEvery);
      const nowMs = await one.now();
      const known = { host: "b", places: QUERY.places, polledMs: nowMs };
      expectEqual(await one.hosts(), [known, { ...known, host: "a", polledMs: nowMs - 1_000 }], "the hosts");
      await one.leave("b");
      expectEqual(
        (await other.hosts()).map(({ host }) => host),
        ["a"],
        "after one has left",
      );
      fixture.advance(60 * MINUTE_MS);
      expectEqual(await other.hosts(), [], "after an hour");
    },
  ),
];
