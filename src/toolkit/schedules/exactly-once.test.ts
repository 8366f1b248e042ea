/** That each due run starts once, whatever happens to the hosts that run schedules. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { State } from "../../kernel/index.js";
import { postgresState } from "../../stores/postgres/index.js";
import { sqliteDriver, sqliteState } from "../../stores/sqlite/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { createSchema, dropSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { scheduleContent } from "../../testing/state/schedules-fixture.js";

let built: string;
let script: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-schedule-worker-"));
  script = await bundleForProcess(new URL("./runner-worker.fixture.ts", import.meta.url), built);
}, 60_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

interface Crowd {
  readonly runs: number;
  readonly hosts: number;
  readonly kills: number;
}

/** Starts hosts on the store, kills some of them with SIGKILL, starts others, and returns what came of it. */
async function runAmongKills(store: string, state: State, { runs, hosts, kills }: Crowd) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "haft-schedule-once-")));
  const schedules = state.schedules!;
  const dueMs = (await schedules.now()) - 1_000;
  for (let count = 0; count < runs; count += 1) {
    const command = `echo started >> run-${count}; sleep 0.0${count % 10}`;
    const timing = { kind: "at", atMs: dueMs } as const;
    await schedules.add(
      scheduleContent({ name: String(count), timing, command, workspace, cwd: workspace, autonomy: "full" }),
      dueMs,
    );
  }
  const children = new Set<ChildProcess>();
  const start = () => {
    const child = fork(script, [store, workspace], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    children.add(child);
    child.on("exit", () => children.delete(child));
  };
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(workspace, { recursive: true, force: true });
  });
  for (let count = 0; count < hosts; count += 1) start();
  const endedRuns = async () => (await schedules.runs({ limit: 1_000 })).filter(({ endedMs }) => endedMs !== undefined);
  const killed = new Set<number>();
  for (;;) {
    const ended = (await endedRuns()).length;
    if (ended === runs) break;
    if (killed.size < kills && ended > (runs * (killed.size + 1)) / (kills + 2)) {
      const victim = [...children][Math.floor(Math.random() * children.size)];
      killed.add(victim!.pid!);
      victim!.kill("SIGKILL");
      start();
    }
    await pause(20);
  }
  const stopped = [...children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) if (child.connected) child.send("stop");
  await Promise.all(stopped);
  const started = new Map(
    readdirSync(workspace).map((name) => [
      name.slice(4),
      readFileSync(join(workspace, name), "utf8").split("\n").length - 1,
    ]),
  );
  const names = new Map((await schedules.list()).map(({ id, name }) => [id, name ?? ""]));
  const ended = (await endedRuns()).map(({ schedule, state, host }) => ({
    state,
    isOfKilled: [...killed].some((pid) => host?.endsWith(`/${pid}`) === true),
    starts: started.get(names.get(schedule)!) ?? 0,
  }));
  return { ended, records: (await schedules.runs({ limit: 1_000 })).length };
}

function expectEachOnce({ ended, records }: Awaited<ReturnType<typeof runAmongKills>>, { runs }: Crowd): void {
  const of = (state: string) => ended.filter((run) => run.state === state);
  expect([records, ended.length, of("succeeded").length + of("interrupted").length]).toEqual([runs, runs, runs]);
  expect(of("succeeded").filter(({ starts }) => starts !== 1)).toEqual([]);
  expect(of("interrupted").filter(({ starts }) => starts > 1)).toEqual([]);
  const lapsed = of("interrupted").filter(({ isOfKilled }) => !isOfKilled);
  // Leases of 3 s may end on a host that waits for a processor; those of 15 s, in a long run, must not.
  if (!LONG) return;
  process.stderr.write(
    `${runs} runs: ${of("succeeded").length} succeeded, ${of("interrupted").length} interrupted, ${lapsed.length} of them on hosts that lived\n`,
  );
  expect(lapsed).toEqual([]);
}

it("each due run starts and ends once among processes on one SQLite file that are killed at random", async () => {
  const directory = mkdtempSync(join(tmpdir(), "haft-schedule-state-"));
  const path = join(directory, "state.db");
  const state = sqliteState({ driver: sqliteDriver()!, path });
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const crowd = LONG ? { runs: 1_000, hosts: 12, kills: 20 } : { runs: 60, hosts: 4, kills: 2 };
  expectEachOnce(await runAmongKills(path, state, crowd), crowd);
}, 600_000);

withServices(["postgres"], "schedules on PostgreSQL", () => {
  it("each due run starts and ends once among hosts that are killed at random", async () => {
    const url = await createSchema(service("postgres").url);
    const state = postgresState({ url });
    onTestFinished(async () => {
      await state.close();
      await dropSchema(url);
    });
    const crowd = LONG ? { runs: 1_000, hosts: 4, kills: 20 } : { runs: 40, hosts: 2, kills: 1 };
    expectEachOnce(await runAmongKills(url, state, crowd), crowd);
  }, 600_000);
});
