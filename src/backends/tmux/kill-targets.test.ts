import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { processEntry } from "../../host/index.js";
import { endPanesScript, signalGroupScript } from "./kill-script.js";

/** Runs a script with a `kill` that only prints what it was given: none of these tests can signal anything. */
function signalsOf(script: string): string {
  const { stdout } = spawnSync("sh", ["-c", `kill() { echo kill "$@"; }\nsleep() { :; }\n${script}`], {
    encoding: "utf8",
  });
  return stdout.trim();
}

describe.runIf(processEntry(process.pid) !== undefined)("what the scripts for panes signal", () => {
  it("is nothing for a pane without a process, of which tmux gives the pid 0, nor for what is no pid", () => {
    for (const pid of [0, 1, -1, Number.NaN, 1.5]) {
      expect([pid, signalsOf(endPanesScript([pid]))]).toEqual([pid, ""]);
      expect([pid, signalsOf(signalGroupScript("KILL", pid, process.pid))]).toEqual([pid, ""]);
      expect([pid, signalsOf(signalGroupScript("KILL", process.pid, pid))]).toEqual([pid, ""]);
    }
  });

  it("is a process in the session of a shell, and not the shell", async () => {
    const shell = spawn("sh", ["-c", "sleep 600 & echo $!; wait"], { detached: true });
    try {
      const [line] = await once(shell.stdout, "data");
      const child = Number(String(line));
      const signals = signalsOf(endPanesScript([0, shell.pid ?? 0]));
      expect(signals).toContain(`kill -HUP ${child}`);
      expect(signals).not.toMatch(new RegExp(` ${shell.pid}$`, "m"));
    } finally {
      process.kill(-(shell.pid ?? Number.NaN), "SIGKILL");
    }
  });
});
