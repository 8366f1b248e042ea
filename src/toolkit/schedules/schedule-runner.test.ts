import { expect, it, onTestFinished } from "vitest";
import { duePlan, nextDue } from "../../engines/schedule/index.js";
import { systemClock } from "../../host/index.js";
import { type ClaimedRun, type Clock, HaftError, type ScheduleRunEnd, type Schedules } from "../../kernel/index.js";
import { scheduleContent } from "../../testing/state/schedules-fixture.js";
import { ScheduleRunner } from "./schedule-runner.js";
import { type ScheduleBench, scheduleBench } from "./schedules.fixture.js";

const PLACE = "local:/ws";

/** A run that ends when the test says so. */
function openRun() {
  let end = (_end: ScheduleRunEnd): void => {};
  const ended = new Promise<ScheduleRunEnd>((resolve) => {
    end = resolve;
  });
  const signals: AbortSignal[] = [];
  const run = (_: ClaimedRun, signal: AbortSignal) => {
    signals.push(signal);
    return ended;
  };
  return { run, signals, end };
}

/** Timers that end when the test says so. */
function stillClock() {
  const timers = new Set<{ readonly ms: number; readonly end: () => void }>();
  const clock: Clock = {
    ...systemClock,
    timer(ms, end) {
      const one = { ms, end };
      timers.add(one);
      return () => void timers.delete(one);
    },
  };
  /** Ends those that are set; of so many milliseconds, where it is given. */
  const fire = (only?: number) => {
    for (const one of [...timers]) {
      if (only !== undefined && one.ms !== only) continue;
      timers.delete(one);
      one.end();
    }
  };
  return { clock, fire, waits: () => [...timers].map(({ ms }) => ms) };
}

function runnerOn(
  schedules: Schedules,
  run: (claimed: ClaimedRun, signal: AbortSignal) => Promise<ScheduleRunEnd>,
  clock: Clock,
) {
  const runner = new ScheduleRunner({
    schedules,
    clock,
    host: "a",
    places: async () => [PLACE],
    plan: duePlan,
    nextDue,
    run,
  });
  onTestFinished(() => runner.stop());
  return runner;
}

async function dueNow({ state }: ScheduleBench): Promise<void> {
  const nowMs = await state.schedules!.now();
  await state.schedules!.add(scheduleContent({ timing: { kind: "at", atMs: nowMs }, retries: 2 }), nowMs);
}

const isBegun = (runs: readonly { readonly state: string }[]) => runs[0]?.state === "begun";

it("a clock that jumps forward neither ends nor repeats a run that is under way", async () => {
  const bench = scheduleBench();
  const { clock, fire } = stillClock();
  const { run, signals, end } = openRun();
  await dueNow(bench);
  await runnerOn(bench.state.schedules!, run, clock).start();
  await bench.runs(isBegun);
  const { polledMs } = (await bench.state.schedules!.hosts())[0]!;
  bench.clock.aheadMs = 1_800_000;
  fire(15_000);
  const hasLooked = async () => (await bench.state.schedules!.hosts())[0]!.polledMs > polledMs;
  await expect.poll(hasLooked).toBe(true);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  end({ state: "succeeded" });
  const runs = await bench.runs((all) => all[0]?.endedMs !== undefined);
  expect(runs.map(({ state, attempt }) => [state, attempt])).toEqual([["succeeded", 1]]);
});

it("the end of a run is recorded once the store is there again, however often it was away", async () => {
  const bench = scheduleBench();
  const { clock, fire, waits } = stillClock();
  const { run, end } = openRun();
  const stored = bench.state.schedules!;
  let away = 9;
  let renewed = 0;
  const schedules: Schedules = {
    ...stored,
    async settle(claimed, how) {
      if (away > 0) {
        away -= 1;
        throw new HaftError("STORE_UNWRITABLE", "Away.");
      }
      return stored.settle(claimed, how);
    },
    async renew(claimed, leaseMs) {
      renewed += 1;
      if (away > 0) throw new HaftError("STORE_UNWRITABLE", "Away.");
      return stored.renew(claimed, leaseMs);
    },
  };
  await dueNow(bench);
  await runnerOn(schedules, run, clock).start();
  await bench.runs(isBegun);
  end({ state: "succeeded", output: "made" });
  const longest: number[] = [];
  await expect
    .poll(async () => {
      longest.push(...waits());
      fire();
      return (await stored.runs())[0]?.state;
    })
    .toBe("succeeded");
  expect(Math.max(...longest)).toBeLessThanOrEqual(20_000);
  expect([away, renewed > 1]).toEqual([0, true]);
});

it("a stop waits for a few more attempts to record an end, and no longer", async () => {
  const bench = scheduleBench();
  const { clock, fire } = stillClock();
  const { run, end } = openRun();
  const away = async (): Promise<never> => {
    throw new HaftError("STORE_UNWRITABLE", "Away.");
  };
  await dueNow(bench);
  const runner = runnerOn({ ...bench.state.schedules!, settle: away }, run, clock);
  await runner.start();
  await bench.runs(isBegun);
  end({ state: "succeeded" });
  let isStopped = false;
  void runner.stop().then(() => {
    isStopped = true;
  });
  await expect
    .poll(() => {
      fire();
      return isStopped;
    })
    .toBe(true);
  expect((await bench.state.schedules!.runs())[0]?.state).toBe("begun");
});

it("looks at once when this process adds a schedule or makes one due", async () => {
  const bench = scheduleBench();
  const { clock } = stillClock();
  const schedules = bench.state.schedules!;
  await runnerOn(schedules, async () => ({ state: "succeeded" }), clock).start();
  await dueNow(bench);
  await bench.runs((runs) => runs[0]?.state === "succeeded");
  const { id } = await schedules.add(scheduleContent(), undefined);
  await schedules.trigger(id);
  const runs = await bench.runs((all) => all.filter(({ state }) => state === "succeeded").length === 2);
  expect(runs).toHaveLength(2);
});
