/** Four processes that stand for hosts, on one database. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { State } from "../../kernel/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { newSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { postgresState } from "./postgres-state.js";

const HOSTS = 4;
const call = { tool: "write", session: "s1", digest: "d1", touches: "t1" };

withServices(["postgres"], "four hosts on one database", () => {
  let built = "";
  let script = "";
  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), "haft-host-worker-"));
    script = await bundleForProcess(new URL("./host-worker.fixture.ts", import.meta.url), built);
  }, 120_000);
  afterAll(() => rmSync(built, { recursive: true, force: true }));

  const start = (...args: readonly string[]) =>
    Array.from({ length: HOSTS }, () => fork(script, [...args], { execArgv: [] }));
  const sentBy = async (child: ChildProcess): Promise<unknown[]> => {
    const sent: unknown[] = [];
    child.on("message", (one) => sent.push(one));
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    return sent;
  };
  const open = (url: string): State => {
    const state = postgresState({ url });
    onTestFinished(() => state.close());
    return state;
  };

  it(
    "lose none of 10,000 updates; 400 except in a long run",
    async () => {
      const updates = LONG ? 10_000 : 400;
      const url = await newSchema(service("postgres").url);
      await Promise.all(start(url, "count", `${updates / HOSTS}`).map(sentBy));
      let sum = 0;
      for await (const { value } of open(url).documents("count").list()) sum += Number(value);
      expect(sum).toBe(updates);
    },
    LONG ? 600_000 : 60_000,
  );

  it("get 50 grants for 50 approvals that 20 race for", async () => {
    const url = await newSchema(service("postgres").url);
    const { approvals } = open(url);
    const tokens = Array.from({ length: 50 }, (_, index) => `approval-${index}`);
    for (const token of tokens) {
      await approvals.add({ request: { token, reason: "It writes." } as never, call });
      await approvals.decide(token, { granted: "ada" });
    }
    const taken = await Promise.all(start(url, "take", JSON.stringify(tokens), "5").map(sentBy));
    expect(taken.flat().reduce((sum: number, one) => sum + Number(one), 0)).toBe(50);
    expect(await approvals.list()).toEqual([]);
  }, 120_000);
});
