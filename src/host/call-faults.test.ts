import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForProcess } from "../testing/bundle.fixture.js";
import { createCallFaults } from "./call-faults.js";

// A process of its own: the test runner listens to the same events.
let built: string;
let script: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-faults-"));
  script = await bundleForProcess(new URL("./call-faults.fixture.ts", import.meta.url), built);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

it("a fault of a timer, a stream or a promise reaches the call that started it, and the host continues [KERN-02]", () => {
  const ran = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 20_000 });
  const lines = ran.stdout.trim().split("\n");
  expect(lines.slice(0, 4).sort()).toEqual([
    "emitter: without a listener",
    "rejection: unheard",
    "stream: ENOENT: no such file or directory, open '/nowhere/at/all'",
    "timer: late",
  ]);
  expect([lines.slice(4), ran.status]).toEqual([["continues", "to the end"], 0]);
});

it("leaves a fault of no call to Node, which ends the process", () => {
  const ran = spawnSync(process.execPath, [script, "own"], { encoding: "utf8", timeout: 20_000 });
  expect(ran.stdout).toContain("continues");
  expect(ran.stdout).not.toContain("to the end");
  expect(ran.stderr).toContain("Error: of no call");
  expect(ran.status).toBe(1);
});

it("listens only while a call is watched", async () => {
  const faults = createCallFaults();
  const count = () => process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection");
  const before = count();
  const [value] = await Promise.all([
    faults.watch(
      async () => count(),
      () => {},
    ),
    faults.watch(
      async () => {},
      () => {},
    ),
  ]);
  expect(value).toBe(before + 2);
  expect(count()).toBe(before);
  await expect(
    faults.watch(
      async () => {
        throw new Error("its own");
      },
      () => {},
    ),
  ).rejects.toThrow("its own");
});
