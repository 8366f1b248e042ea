/** That a host which is killed in the middle of a claim has claimed all of it or nothing. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { duePlan } from "../../engines/schedule/index.js";
import type { State } from "../../kernel/index.js";
import { postgresState } from "../../stores/postgres/index.js";
import { sqliteDriver, sqliteState } from "../../stores/sqlite/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { newSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { MINUTE_MS, QUERY, scheduleContent } from "../../testing/state/schedules-fixture.js";

const SCHEDULES = 3;
/** Statements of the claim from one kill to the next. */
const STEP = LONG ? 2 : 5;

let built: string;
let script: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-claim-worker-"));
  script = await bundleForProcess(new URL("./claim-worker.fixture.ts", import.meta.url), built);
}, 60_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Kills a host that claims, before one of its statements; what it said. */
async function killedAt(store: string, statement: number, nowMs: number): Promise<string> {
  const child = spawn(process.execPath, [script, store, `${statement}`, `${nowMs}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const said = await Promise.race([once(child.stdout, "data"), exit]);
  child.kill("SIGKILL");
  expect(await exit).toEqual([null, "SIGKILL"]);
  return String(said[0]);
}

interface Opened {
  /** For the worker. */
  readonly store: string;
  readonly state: State;
}

/** Returns whether the host had claimed when it was killed. */
async function expectAllOrNothing({ store, state }: Opened, statement: number, clock: { nowMs: number }) {
  const schedules = state.schedules!;
  for (let count = 0; count < SCHEDULES; count += 1) {
    const timing = { kind: "at", atMs: clock.nowMs } as const;
    await schedules.add(scheduleContent({ name: `${count}`, timing }), clock.nowMs);
  }
  const before = await schedules.list();
  const said = await killedAt(store, statement, clock.nowMs);
  const claim = async () => (await schedules.claimDue({ ...QUERY, host: "next" }, duePlan)).length;
  const states = async () => (await schedules.runs()).map(({ state }) => state).sort();
  if (said === "stopped") {
    expect(await schedules.runs()).toEqual([]);
    expect(await schedules.list()).toEqual(before);
    expect(await schedules.hosts()).toEqual([]);
    expect(await claim()).toBe(SCHEDULES);
    return false;
  }
  expect(said).toBe("claimed");
  expect(await states()).toEqual(["begun", "claimed", "claimed"]);
  expect((await schedules.runs()).map(({ host }) => host)).toEqual(["killed", "killed", "killed"]);
  expect(await claim()).toBe(0);
  clock.nowMs += MINUTE_MS;
  expect(await claim()).toBe(SCHEDULES - 1);
  expect(await states()).toEqual(["claimed", "claimed", "interrupted"]);
  return true;
}

/** Kills at each statement of a claim, up to its end. */
async function killAll(open: (now: () => number) => Promise<Opened>): Promise<void> {
  let statement = 0;
  const clock = { nowMs: 1_800_000_000_000 };
  while (!(await expectAllOrNothing(await open(() => clock.nowMs), statement, clock))) statement += STEP;
  expect(statement).toBeGreaterThan(2 * SCHEDULES);
}

it("a host killed in the middle of a claim on SQLite has claimed all or nothing", async () => {
  await killAll(async (now) => {
    const directory = mkdtempSync(join(tmpdir(), "haft-claim-state-"));
    const store = join(directory, "state.db");
    const state = sqliteState({ driver: sqliteDriver()!, path: store, now });
    onTestFinished(async () => {
      await state.close();
      rmSync(directory, { recursive: true, force: true });
    });
    return { store, state };
  });
}, 600_000);

withServices(["postgres"], "claims on PostgreSQL", () => {
  it("a host killed in the middle of a claim on PostgreSQL has claimed all or nothing", async () => {
    await killAll(async (now) => {
      const store = await newSchema(service("postgres").url);
      const state = postgresState({ url: store, now });
      onTestFinished(() => state.close());
      return { store, state };
    });
  }, 600_000);
});
