/** A write whose channel is lost is sent again while the lost channel may still be writing. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isAlive, PosixMachine, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

let machine: PosixMachine;
beforeEach(() => {
  machine = new PosixMachine("dash");
});
afterEach(() => machine.dispose());

it.each(["before", "after"])(
  "the lost one ends %s the other: the new bytes are written, and nothing is left",
  async (order) => {
    // Putting staged bytes into the new file waits for a go, each time for its own.
    const bin = join(machine.directory, "bin");
    mkdirSync(bin);
    const cat = execFileSync("sh", ["-c", "command -v cat"], { encoding: "utf8" }).trim();
    const wait = `case $* in *stage-*) echo $$ >>pids; until [ -e go-$$ ]; do sleep 0.02; done ;; esac`;
    writeFileSync(join(bin, "cat"), `#!/bin/sh\n(cd ${bin}; ${wait})\nexec ${cat} "$@"\n`, {
      mode: 0o755,
    });
    const backend = await machine.open({}, { PATH: `${bin}:${process.env.PATH}` });
    const [file, fresh] = [join(machine.work, "file"), randomBytes(1_000_000)];
    const waiting = () =>
      existsSync(join(bin, "pids")) ? readFileSync(join(bin, "pids"), "utf8").trim().split("\n").map(Number) : [];
    const release = (pid: number) => writeFileSync(join(bin, `go-${pid}`), "");

    writeFileSync(file, "old");
    const writing = backend.root.fs.writeFile(file, fresh);
    await until(() => waiting().length === 1);
    machine.cut();
    await until(() => waiting().length === 2);
    const [lost = 0, other = 0] = waiting();
    // It is in a pipeline of a subshell.
    const lostShell = parentOf(parentOf(lost));
    release(order === "before" ? lost : other);
    if (order === "before") await until(() => !isAlive(lostShell));
    else await writing;
    release(order === "before" ? other : lost);
    await writing;
    await until(() => !isAlive(lostShell));
    expect(readFileSync(file).equals(fresh)).toBe(true);
    expect(readdirSync(machine.work)).toEqual(["file"]);
    await backend.close();
  },
);

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
