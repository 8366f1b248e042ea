/** What every store with schedules guarantees about them, and about who runs what. */
import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Suite } from "../plan.js";
import { everyMinute, MINUTE_MS, onSchedules, planEvery, QUERY, scheduleContent } from "./schedules-fixture.js";
import type { StateFixture } from "./state-fixture.js";

export const stateSchedules: Suite<StateFixture> = [
  onSchedules("add", "A schedule is found by each connection, exactly as it was stored", async (one, other) => {
    const nowMs = await one.now();
    const content = scheduleContent({ name: "nul \0, half \ud800, 日本", owner: "ada", command: "echo 'a'\n" });
    const added = await one.add(content, nowMs + 5);
    expectEqual(added, { ...content, id: added.id, createdMs: nowMs, nextMs: nowMs + 5 }, "what add returns");
    expectEqual(await other.get(added.id), added, "what another connection reads");
    const second = await other.add(scheduleContent(), undefined);
    expectEqual(second.nextMs, undefined, "a schedule that is never due");
    expectEqual(
      (await one.list()).map(({ id }) => id),
      [added.id, second.id],
      "the list",
    );
    expectEqual(await one.get("none"), undefined, "one that does not exist");
  }),
  onSchedules("add:most", "At most 1,000 schedules are stored", async (one) => {
    const added = [];
    for (let count = 0; count < 1_000; count += 1) added.push(await one.add(scheduleContent(), undefined));
    await expectError(() => one.add(scheduleContent(), undefined), "STORE_INVALID", "one more");
    await one.update(added[7]!.id, () => undefined);
    await one.add(scheduleContent(), undefined);
    expectEqual((await one.list()).length, 1_000, "the schedules");
  }),
  onSchedules("add:most-of-owner", "At most 500 schedules of one owner are stored", async (one) => {
    const ada = scheduleContent({ owner: "ada" });
    for (let count = 0; count < 500; count += 1) await one.add(ada, undefined);
    await expectError(() => one.add(ada, undefined), "STORE_INVALID", "one more");
    await one.add(scheduleContent({ owner: "eve" }), undefined);
    await one.add(scheduleContent(), undefined);
    expectEqual((await one.list()).length, 502, "the schedules");
  }),
  onSchedules("add:invalid", "Content that cannot be stored is refused", async (one) => {
    await expectError(() => one.add(scheduleContent({ timeoutMs: Number.NaN }), 1), "STORE_INVALID", "not a number");
    await expectError(() => one.add(scheduleContent(), 1.5), "STORE_INVALID", "half a millisecond");
    await expectError(
      () => one.add(scheduleContent({ command: "x".repeat(1 << 21) }), 1),
      "STORE_INVALID",
      "a long command",
    );
    expectEqual(await one.list(), [], "the list");
  }),
  onSchedules("update", "No update of a schedule is lost, and undefined removes it", async (one, other) => {
    const { id } = await one.add(scheduleContent({ name: "0" }), 100);
    const raise = (at: typeof one) => at.update(id, (old) => ({ ...old, name: String(Number(old.name) + 1) }));
    await Promise.all(Array.from({ length: 10 }, (_, index) => raise(index % 2 === 0 ? one : other)));
    expectEqual([(await one.get(id))?.name, (await one.get(id))?.nextMs], ["10", 100], "the schedule");
    expectEqual(await one.update(id, ({ nextMs: _, ...old }) => old), { ...(await one.get(id)) }, "without a time");
    expectEqual((await one.get(id))?.nextMs, undefined, "the time");
    const { name: _, ...unnamed } = (await one.get(id))!;
    expectEqual((await one.update(id, () => unnamed))?.name, undefined, "a member that the change leaves out");
    expectEqual(await one.update(id, () => undefined), undefined, "the removal");
    expectEqual(await other.update(id, (old) => old), undefined, "an update of a removed one");
    expectEqual(await other.list(), [], "the list");
  }),
  onSchedules("claim:once", "Of several hosts that claim at once, one gets each run", async (one, other, fixture) => {
    for (let count = 0; count < 10; count += 1) await everyMinute(one);
    fixture.advance(MINUTE_MS);
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? one : other).claimDue({ ...QUERY, limit: 3 }, planEvery),
      ),
    );
    const ids = claims.flat().map(({ run }) => run.id);
    expectEqual([ids.length, new Set(ids).size], [10, 10], "runs, and different ones");
    expectThat(new Set(claims.flat().map(({ claim }) => claim)).size === 10, "each claim is random");
    expectEqual(await one.claimDue(QUERY, planEvery), [], "what is left");
  }),
  onSchedules("claim:run", "A run passes through claimed and begun to its end", async (one, other, fixture) => {
    const schedule = await everyMinute(one);
    expectEqual(await one.claimDue(QUERY, planEvery), [], "before it is due");
    fixture.advance(MINUTE_MS);
    const [claimed] = await one.claimDue(QUERY, planEvery);
    const dueMs = schedule.nextMs!;
    const about = { schedule: schedule.id, command: "true", place: "local:/ws" };
    const begun = { id: `${schedule.id}/${dueMs}`, ...about, dueMs, attempt: 1, host: "a" };
    expectEqual(claimed?.run, { ...begun, state: "claimed", claimedMs: dueMs }, "the run");
    expectEqual(claimed?.schedule, { ...schedule, nextMs: dueMs + MINUTE_MS }, "its schedule");
    fixture.advance(1_000);
    expectEqual(await one.begin(claimed!), true, "it begins");
    expectEqual(await one.begin(claimed!), false, "it begins again");
    fixture.advance(1_000);
    expectEqual(await one.settle(claimed!, { state: "succeeded", exitCode: 0, output: "\0" }), true, "it ends");
    expectEqual(await one.settle(claimed!, { state: "failed" }), false, "it ends again");
    const end = { state: "succeeded", exitCode: 0, output: "\0" } as const;
    const times = { claimedMs: dueMs, begunMs: dueMs + 1_000, endedMs: dueMs + 2_000 };
    expectEqual(await other.runs(), [{ ...begun, state: "succeeded", ...times, end }], "the record");
  }),
  onSchedules("claim:forged", "Another claim than that of the run is worth nothing", async (one, other, fixture) => {
    await everyMinute(one);
    fixture.advance(MINUTE_MS);
    const [claimed] = await one.claimDue(QUERY, planEvery);
    const forged = { ...claimed!, claim: "0".repeat(16) };
    expectEqual(await other.begin(forged), false, "begin");
    expectEqual(await other.renew(forged, 1_000), false, "renew");
    expectEqual(await other.settle(forged, { state: "failed" }), false, "settle");
    expectEqual(await one.begin(claimed!), true, "begin with the claim");
  }),
  onSchedules(
    "claim:places",
    "A host gets what it serves, and nothing is planned elsewhere",
    async (one, _, fixture) => {
      const here = await everyMinute(one);
      const there = await everyMinute(one, { target: "box" });
      fixture.advance(MINUTE_MS);
      const claimed = await one.claimDue(QUERY, planEvery);
      expectEqual(
        claimed.map(({ schedule }) => schedule.id),
        [here.id],
        "what the host claims",
      );
      expectEqual((await one.get(there.id))?.nextMs, there.nextMs, "the other one");
      expectEqual(await one.claimDue({ ...QUERY, places: [] }, planEvery), [], "a host that serves nothing");
      const other = await one.claimDue({ ...QUERY, places: ["box:/ws", "x:/y"] }, planEvery);
      expectEqual(
        other.map(({ schedule }) => schedule.id),
        [there.id],
        "what another host claims",
      );
    },
  ),
  onSchedules("claim:one-at-a-time", "Of one schedule one run at a time is under way", async (one, other, fixture) => {
    const { id } = await everyMinute(one, { missed: 3 });
    fixture.advance(3 * MINUTE_MS);
    const [first, ...more] = await one.claimDue(QUERY, planEvery);
    expectEqual(more, [], "more than the first");
    expectEqual(
      (await one.runs()).map(({ state }) => state),
      ["due", "due", "claimed"],
      "the record",
    );
    await one.begin(first!);
    expectEqual(await other.claimDue(QUERY, planEvery), [], "while it runs");
    await one.settle(first!, { state: "failed", exitCode: 1 });
    const [second] = await other.claimDue(QUERY, planEvery);
    expectEqual(second?.run.dueMs, first!.run.dueMs + MINUTE_MS, "the next, the oldest first");
    expectEqual((await one.get(id))?.nextMs, first!.run.dueMs + 3 * MINUTE_MS, "when it is due next");
  }),
  onSchedules("claim:skipped", "What the plan skips is recorded with its reason", async (one, _, fixture) => {
    const { id, nextMs } = await everyMinute(one);
    fixture.advance(MINUTE_MS);
    const plan = () => ({ run: [], skip: [{ dueMs: nextMs!, reason: "No host was up." }] });
    expectEqual(await one.claimDue(QUERY, plan), [], "claims");
    const [run] = await one.runs({ schedule: id });
    expectEqual([run?.state, run?.end?.reason, run?.endedMs], ["skipped", "No host was up.", nextMs], "the record");
    expectEqual((await one.get(id))?.nextMs, undefined, "when it is due next");
  }),
];
