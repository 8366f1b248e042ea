import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PosixMachine, until } from "../machine.fixture.js";
import { FACTS } from "../remote/facts.sh.js";
import { TREE } from "../remote/tree.sh.js";
import { WORKER } from "../remote/worker.sh.js";
import { underOneShell } from "../shells.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe("a record of several commands", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "haft-records-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** What the remote scripts know of a command, "" for the last one: its leader, its status, the counts of its output. */
  function known(record: string, id: string): string {
    writeFileSync(join(directory, "w0-1.1.r"), record);
    const say =
      'printf "%s" "$hf_rec_id:$hf_rec_pid:$hf_rec_status:$hf_rec_o:$hf_rec_e:$hf_rec_pace:$hf_rec_f:$hf_rec_over"';
    const script = [FACTS, TREE, `hf_s='${directory}'; hf_read_record "$hf_s/w0-1.1.r" "${id}"`, say].join("\n");
    return spawnSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: process.env.PATH } }).stdout;
  }

  const first = "reserved\nr 3 tag- hold\np 70 900\nx 0\no 0 0 0 0\ne 0 0 0 0\n";
  const second = "r 5 tag- hold\np 80 950\n";

  it("gives each what is its own", () => {
    expect(known(first + second, "3")).toBe("3:70:0:0 0 0 0:0 0 0 0:go:no:no");
    expect(known(first + second, "5")).toBe("5:80::::hold:no:no");
    expect(known(first + second, "")).toBe("5:80::::hold:no:no");
    expect(known(`${first}${second}x 7\n`, "5")).toBe("5:80:7:::go:no:no");
    expect(known(first + second, "4")).toBe("::::::no:no");
  });

  it("does not take a line that is not there whole", () => {
    expect(known(`${first}r 5 tag- ho`, "5")).toBe("::::::no:no");
    expect(known(`${first}${second}x 13`, "5")).toBe("5:80::::hold:no:no");
    expect(known(`${first}r 5 tag- hold\np 8`, "5")).toBe("5:::::hold:no:no");
  });

  it("is not needed any more when its last command is not, whatever was said of those before", () => {
    expect(known(`${first}f 3\n`, "")).toMatch(/:yes:no$/);
    expect(known(`${first}${second}f 3\n`, "")).toMatch(/:no:no$/);
    expect(known(`${first}f 3\n${second}`, "")).toMatch(/:no:no$/);
    expect(known(`${first}${second}over\nf 5\n`, "")).toMatch(/:yes:yes$/);
  });
});

describe("what is looked at after a command", () => {
  /** The orphans that are looked at, of those that are there. `before`: those that were there before the command. */
  function looked(orphans: string, before: string): string {
    const script = [
      ...[
        FACTS,
        TREE,
        WORKER,
        'hf_look() { printf "%s " "$1"; return 1; }',
        `hf_orphans() { hf_adopted="${orphans}"; }`,
      ],
      `hf_facts=proc hf_rec_pid=2 hf_adopted_before="${before}"; hf_survivors`,
    ].join("\n");
    return spawnSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: process.env.PATH } }).stdout.trim();
  }

  // No system gives numbers that high, so both are from before the numbers wrapped around, or the system reports a wrong last one.
  const high = "5000000 5000001";

  it.runIf(existsSync("/proc/loadavg"))(
    "is each orphan but one that was there and whose number was not given since",
    () => {
      expect(looked(high, "5000000")).toBe("/proc/5000001");
      expect(looked(high, "")).toBe("/proc/5000000 /proc/5000001");
      expect(looked(`1 3 ${high}`, `1 3 ${high}`)).toBe("/proc/3");
    },
  );
});

underOneShell((shell) => {
  let machine: PosixMachine;
  beforeEach(() => {
    machine = new PosixMachine(shell);
  });
  afterEach(() => machine.dispose());

  it("commands with and without output, one after the other, get their own, and their files are removed", async () => {
    const backend = await machine.open();
    const { shell: port } = backend.root;
    for (let turn = 0; turn < 48; turn += 1) {
      const kinds = [
        { command: "true" },
        { command: `echo out ${turn}`, stdout: `out ${turn}\n` },
        { command: "true" },
        { command: `echo problem ${turn} >&2`, stderr: `problem ${turn}\n` },
        { command: "true" },
        { command: "exit 7", code: 7 },
      ];
      const { command, stdout = "", stderr = "", code = 0 } = kinds[turn % kinds.length]!;
      const reported = { stdout: "", stderr: "" };
      const onOutput = (stream: "stdout" | "stderr", bytes: Uint8Array) => {
        reported[stream] += Buffer.from(bytes).toString();
      };
      const isHeard = turn % 4 < 2;
      const result = await port.exec(command, { cwd: machine.work, ...(isHeard ? { onOutput } : {}) });
      const got = { stdout: text(result.stdout), stderr: text(result.stderr) };
      expect([turn, result.ended, result.exit]).toEqual([turn, "itself", { by: "code", code }]);
      expect([turn, got]).toEqual([turn, { stdout, stderr }]);
      if (isHeard) expect([turn, reported]).toEqual([turn, { stdout, stderr }]);
    }
    // What is left are the records that the workers use next.
    const spool = join(machine.state, machine.leftovers()[0]!);
    await until(() => readdirSync(spool).filter((name) => name.endsWith(".r")).length < 15);
    await backend.close();
    expect(machine.leftovers()).toEqual([]);
  });

  it("a command that became a job keeps its output while its worker runs others", async () => {
    const backend = await machine.open();
    const { shell: port } = backend.root;
    const left = await port.exec("(sleep 1; echo late) & true", { cwd: machine.work });
    const job = await port.attach(left.job ?? "");
    await job?.result;
    for (let turn = 0; turn < 20; turn += 1) await port.exec("echo other", { cwd: machine.work });
    const output = await job?.output("stdout", 0, 100);
    expect([Buffer.from(output?.bytes ?? []).toString(), output?.ended]).toEqual(["late\n", true]);
    await backend.close();
  });
});

const text = ({ head }: { readonly head: Uint8Array }) => Buffer.from(head).toString();
