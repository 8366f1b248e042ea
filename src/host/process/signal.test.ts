import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { cannotRunApart, runApart, straySignals, untraced } from "./apart.fixture.js";
import type { SignalsSent } from "./signal.fixture.js";

let directory: string;
let script: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "haft-signal-"));
  script = await bundleForProcess(new URL("./signal.fixture.ts", import.meta.url), join(directory, "built"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("sendSignal", () => {
  const title = `reaches what it is certain of, and no other process${untraced}`;
  if (cannotRunApart !== undefined) it.skip(`${title}: not run, for ${cannotRunApart}`);
  else
    it(title, () => {
      const ran = runApart(128, [process.execPath, script]);
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      const { wrong, right } = JSON.parse(ran.stdout) as SignalsSent;
      expect(wrong).toEqual([]);
      expect(right).toEqual(["child SIGTERM", "0 SIGINT", "1 SIGTERM", "2 SIGHUP", "3 SIGKILL"]);
      if (untraced === "") expect(ran.stray).toEqual([]);
    }, 60_000);
});

it("a trace distinguishes a stray signal from one to a process of ours", () => {
  const log = [
    "5 clone3({flags=CLONE_VM}, 88) = 7",
    "5 vfork( <unfinished ...>",
    "5 <... vfork resumed>) = 8",
    "5 kill(7, SIGKILL) = 0",
    "5 kill(-8, SIGTERM) = 0",
    "5 kill(99, 0) = -1 ESRCH (No such process)",
  ];
  const stray = ["5 kill(-1, SIGKILL) = 0", "5 kill(0, SIGKILL) = 0", "7 kill(21888, SIGKILL) = -1 ESRCH"];
  expect(straySignals([...log, ...stray].join("\n"))).toEqual(stray);
});
