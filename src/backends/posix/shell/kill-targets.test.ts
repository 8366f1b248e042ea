import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processStart } from "../../../host/index.js";
import { FACTS } from "../remote/facts.sh.js";
import { JOBS } from "../remote/jobs.sh.js";
import { TREE } from "../remote/tree.sh.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-kill-targets-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the scripts with a `kill` that only prints what it was given: none of these tests can signal anything. */
function signalsOf(commands: string): string {
  const fake = 'kill() { printf "%s " "$@"; }';
  const script = [FACTS, TREE, JOBS, fake, `hf_s='${directory}' hf_setsid=/bin/setsid hf_facts=proc`, commands].join(
    "\n",
  );
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: process.env.PATH } });
  return stdout.trim();
}

const own = process.pid;
const started = () => processStart(own) ?? Number.NaN;

describe.runIf(processStart(own) !== undefined)("what the remote scripts signal", () => {
  it("is the process of a note only while that one runs", () => {
    const notes = ["", "\n", "0 5\n", "1 5\n", "-1 5\n", "x 5\n", `1 ${processStart(1)}\n`, "0\n", "-1\n", "1\n"];
    const ofOthers = [`${own}\n`, `${own} ${started() + 1}\n`, `${own} ${started()}`, `0${own} ${started()}\n`];
    for (const note of [...notes, ...ofOthers]) {
      writeFileSync(join(directory, "note"), note);
      expect([note, signalsOf('hf_kill_noted TERM "$hf_s/note"')]).toEqual([note, ""]);
    }
    writeFileSync(join(directory, "note"), `${own} ${started()}\n`);
    expect(signalsOf('hf_kill_noted TERM "$hf_s/note"')).toBe(`-TERM ${own}`);
    expect(signalsOf('hf_kill_noted TERM "$hf_s/missing"')).toBe("");
  });

  it("is the group of a leader only where the note of the leader is whole", () => {
    const signal = "hf_found= hf_groups= hf_looked=no; hf_leader_of 1; hf_signal TERM $hf_leader";
    const record = (note: string) => writeFileSync(join(directory, "1.r"), `r 1 tag- go\np ${note}`);
    for (const note of ["", "0\n", "1\n", "-1\n", "0 5\n", "1 5\n", `${own}`, `${own} ${started() + 1}\n`]) {
      record(note);
      expect([note, signalsOf(signal)]).toEqual([note, ""]);
    }
    record(`${own} ${started()}\n`);
    expect(signalsOf(signal)).toBe(`-TERM -${own}`);
  });

  it("is never init, whatever ties it to a command", () => {
    const take = (pid: number) =>
      `hf_tagged=/proc/${pid}/environ; if hf_look /proc/${pid} "" ""; then kill "$hf_q"; fi`;
    expect(signalsOf(take(1))).toBe("");
    expect(signalsOf(take(own))).toBe(`${own}`);
  });
});
