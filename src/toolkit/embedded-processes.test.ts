/** The state of a state directory under several processes, some of which are killed. */
import { type ChildProcess, fork } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { State } from "../kernel/index.js";
import { bundleForProcess } from "../testing/bundle.fixture.js";
import { collect } from "../testing/case-setup.js";
import { LONG } from "../testing/long.fixture.js";
import { approvalOf } from "../testing/state/state-fixture.js";
import { openFileState } from "./index.js";
import { openEmbedded } from "./open-state.js";

let built: string;
let script: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-embedded-worker-"));
  script = await bundleForProcess(new URL("./embedded-worker.fixture.ts", import.meta.url), built);
}, 120_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-embedded-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function using<T>(work: (state: State) => Promise<T>): Promise<T> {
  const { state } = await openEmbedded(root);
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}

interface Worker {
  readonly child: ChildProcess;
  /** What it has sent so far. */
  readonly sent: string[];
  readonly end: Promise<number | null>;
}

function worker(...args: readonly string[]): Worker {
  const child = fork(script, [root, ...args], { execArgv: [] });
  const sent: string[] = [];
  child.on("message", (one) => sent.push(String(one)));
  return { child, sent, end: new Promise((resolve) => child.once("close", resolve)) };
}

/** Ends with the worker, killed after a random time if it is still there. */
async function killed(one: Worker, atMostMs: number): Promise<void> {
  await Promise.race([one.end, pause(Math.random() * atMostMs)]);
  one.child.kill("SIGKILL");
  await one.end;
}

describe("the state of several processes", () => {
  it("keeps every update of one document", async () => {
    const [processes, updates] = LONG ? [12, 834] : [4, 60];
    const workers = Array.from({ length: processes }, () => worker("count", String(updates)));
    expect(await Promise.all(workers.map(({ end }) => end))).toEqual(workers.map(() => 0));
    expect(await using(async (state) => (await state.documents("count").get("n"))?.value)).toBe(processes * updates);
  }, 600_000);

  it("keeps every note of two processes that store at once [MEM-10]", async () => {
    const workers = Array.from({ length: 2 }, () => worker("remember", "20"));
    expect(await Promise.all(workers.map(({ end }) => end))).toEqual([0, 0]);
    const found = await using((state) => state.memories!("n").recall({ text: "many", limit: 50 }));
    expect(new Set(found.map(({ key }) => key)).size).toBe(40);
  });

  it("gives each of 50 grants to one of 20 processes that race for them", async () => {
    const processes = LONG ? 20 : 4;
    const tokens = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await using(async ({ approvals }) => {
      for (const token of tokens) await approvals.add(approvalOf(token));
      for (const token of tokens) await approvals.decide(token, { granted: "ada" });
    });
    const workers = Array.from({ length: processes }, () => worker("take", ...tokens));
    await Promise.all(workers.map(({ end }) => end));
    expect(workers.flatMap(({ sent }) => sent).sort()).toEqual([...tokens].sort());
  }, 600_000);
});

describe("after kill -9", () => {
  const rounds = LONG ? 40 : 4;

  it("in the middle of storing, all that was reported is stored, and nothing by halves", async () => {
    const reported: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const workers = [worker("store"), worker("store")];
      await Promise.all(workers.map((one) => killed(one, 1_500)));
      reported.push(...workers.flatMap(({ sent }) => sent));
    }
    await using(async (state) => {
      const ids = new Set((await collect(state.sessions.list())).map(({ id }) => id));
      const pairs = new Map((await collect(state.documents("pairs").list())).map(({ key, value }) => [key, value]));
      expect(reported.filter((id) => !ids.has(id) || !pairs.has(id))).toEqual([]);
      for (const [key, value] of pairs) expect(value).toEqual([key, expect.any(String), key]);
      for (const { request } of await state.approvals.list()) expect(ids.has(request.token)).toBe(true);
    });
  }, 600_000);

  it("in the middle of a take, a grant is there or used, and used once", async () => {
    const tokens = Array.from({ length: 40 }, (_, index) => `t${index}`);
    await using(async ({ approvals }) => {
      for (const token of tokens) await approvals.add(approvalOf(token));
      for (const token of tokens) await approvals.decide(token, { granted: "ada" });
    });
    const workers = Array.from({ length: 4 }, () => worker("take", ...tokens));
    await Promise.all(workers.map((one) => killed(one, 600)));
    const used = workers.flatMap(({ sent }) => sent);
    expect(new Set(used).size).toBe(used.length);
    const left = await using(async ({ approvals }) => (await approvals.list()).map(({ request }) => request.token));
    expect(left.filter((token) => used.includes(token))).toEqual([]);
    // Of each process, one take at most may have been done and not reported.
    expect(tokens.length - left.length - used.length).toBeLessThanOrEqual(workers.length);
  }, 600_000);

  it("in the middle of the first opening, which moves what files held, all of it is there", async () => {
    const files = await openFileState(root);
    const session = await files.sessions.open("daily");
    for (let count = 0; count < 60; count += 1) {
      await files.documents("pairs").update(`k${count}`, () => ["x".repeat(10_000), count]);
      await files.documents("pairs", session).update(`k${count}`, () => count);
    }
    await files.approvals.add(approvalOf("t"));
    const before = mkdtempSync(join(tmpdir(), "haft-before-"));
    cpSync(root, before, { recursive: true, preserveTimestamps: true });
    let interrupted = 0;
    for (let round = 0; round < 2 * rounds; round += 1) {
      rmSync(root, { recursive: true });
      cpSync(before, root, { recursive: true, preserveTimestamps: true });
      const workers = [worker("open"), worker("open")];
      await Promise.all(workers.map((one) => killed(one, 900)));
      if (workers.every(({ sent }) => sent.length === 0) && existsSync(join(root, "state.db"))) interrupted += 1;
      await using(async (state) => {
        expect(await collect(state.documents("pairs").list())).toHaveLength(60);
        expect(await collect(state.documents("pairs", session).list())).toHaveLength(60);
        expect(await state.approvals.list()).toHaveLength(1);
        expect((await collect(state.sessions.list())).map(({ version }) => version)).toEqual([session.version]);
      });
      expect(readdirSync(root)).toContain("state.db");
    }
    rmSync(before, { recursive: true });
    if (LONG) expect(interrupted).toBeGreaterThan(0);
  }, 600_000);
});
