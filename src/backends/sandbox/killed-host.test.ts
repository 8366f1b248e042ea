import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { allProcesses, isDead } from "../../host/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-killed-")));
let script: string;
beforeAll(async () => {
  script = await bundleForProcess(new URL("./killed-host.fixture.ts", import.meta.url), base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Live processes whose command line has one of these words. */
function running(words: readonly string[]): number[] {
  return allProcesses()
    .filter((entry) => !isDead(entry))
    .map(({ pid }) => pid)
    .filter((pid) => words.some((word) => commandLine(pid).includes(word)));
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

withBubblewrap("a sandbox whose host is killed", () => {
  it("a host that is killed leaves no process of a sandbox, not in sessions of their own either", async () => {
    const workspace = mkdtempSync(join(base, "ws-"));
    // Long enough for the test, and found by their command line.
    const mark = `7${process.pid}`;
    const marks = [1, 2, 3, 4].map((number) => `${mark}${number}`);
    const host = spawn(process.execPath, [script, workspace, mark], { stdio: "ignore" });
    const ended = new Promise((resolve) => host.once("close", resolve));
    const waits = { timeout: 60_000, interval: 50 };
    await vi.waitFor(() => {
      for (const one of marks) expect(running([one])).not.toEqual([]);
    }, waits);
    host.kill("SIGKILL");
    await ended;
    await vi.waitFor(() => expect(running([...marks, workspace])).toEqual([]), waits);
  }, 150_000);
});
