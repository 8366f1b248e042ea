import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Backend, ShellResult } from "../../../kernel/index.js";
import { PosixMachine, pause, until } from "../machine.fixture.js";
import { underOneShell } from "../shells.fixture.js";

const MIB = 1024 * 1024;

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underOneShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend;
  beforeEach(async () => {
    machine = new PosixMachine(shell);
    backend = await machine.open();
  });
  afterEach(async () => {
    await backend.close();
    machine.dispose();
  });

  /** Runs with a listener that never takes what it is reported. */
  const withStuckListener = (command: string): Promise<ShellResult> =>
    backend.root.shell.exec(command, { cwd: machine.work, onOutput: () => new Promise<void>(() => {}) });

  it("a slow listener gets more than the remote disk keeps, every byte of it", async () => {
    const bytes = 112 * MIB;
    const reported = createHash("sha256");
    let next = 0;
    const gaps: number[] = [];
    const result = await backend.root.shell.exec(`head -c ${bytes} /dev/zero | tr '\\0' x`, {
      cwd: machine.work,
      async onOutput(_stream, chunk, offset) {
        if (offset !== next) gaps.push(offset);
        next = offset + chunk.length;
        reported.update(chunk);
        await pause(5);
      },
    });
    expect([result.ended, result.stdout.produced, next, gaps]).toEqual(["itself", bytes, bytes, []]);
    const produced = createHash("sha256");
    for (let at = 0; at < bytes; at += 8 * MIB) produced.update("x".repeat(8 * MIB));
    expect(reported.digest("hex")).toBe(produced.digest("hex"));
  });

  it("a pump that reads how much was received while it is written does not end", async () => {
    const bytes = randomBytes(8 * MIB);
    writeFileSync(join(machine.work, "large"), bytes);
    const reported = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = backend.root.shell.exec("echo problem >&2; cat large", {
      cwd: machine.work,
      timeoutMs: 30_000,
      onOutput(stream, chunk) {
        reported[stream].push(chunk);
        return released;
      },
    });
    // Both listeners are busy, so no poll writes it, and the pump of stdout waits.
    await until(() => reported.stdout.length > 0 && reported.stderr.length > 0);
    const spool = join(machine.state, machine.leftovers()[0]!);
    const file = join(spool, readdirSync(spool).find((name) => name.endsWith(".o.t"))!);
    const received = Number.parseInt(readFileSync(file, "utf8"), 10);
    await until(() => statSync(file.replace(/t$/, "0")).size > received + 4 * MIB);
    // What a read finds while "0 0" is replaced: its first byte was read before, the others after.
    writeFileSync(file, "0048576 1048576\n");
    // The pump reads it every 10 ms.
    await pause(300);
    release();
    const result = await running;
    expect([result.ended, result.exit, result.stdout.produced, result.stdout.final]).toEqual([
      "itself",
      { by: "code", code: 0 },
      bytes.length,
      true,
    ]);
    expect(Buffer.concat(reported.stdout).equals(bytes)).toBe(true);
  });

  it("a background process of a finished command does not wait for a stuck listener", async () => {
    const { job = "", tree } = await withStuckListener("yes & sleep 0.3");
    expect(tree.survivors.map(({ name }) => name)).toEqual(["yes"]);
    await expectToFlow(job);
  });

  it("a slow listener gets every byte of a command whose channel was lost and that is waited for", async () => {
    await backend.close();
    backend = await machine.open({ orphanMs: 20_000 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const bytes = randomBytes(16 * MIB);
    writeFileSync(join(machine.work, "large"), bytes);
    const reported: Uint8Array[] = [];
    const running = backend.root.shell.exec("cat large", {
      cwd: machine.work,
      onOutput(_stream, chunk) {
        reported.push(chunk);
        return released;
      },
    });
    await until(() => reported.length > 0);
    const before = machine.opened;
    machine.cut();
    await until(() => machine.opened > before && backend.state() === "open");
    release();
    const { ended, stdout } = await running;
    expect([ended, stdout.produced]).toEqual(["itself", bytes.length]);
    expect(Buffer.concat(reported).equals(bytes)).toBe(true);
  });

  /** More comes than may wait for a listener. */
  async function expectToFlow(job: string): Promise<void> {
    const handle = await backend.root.shell.attach(job);
    const reached = 24 * MIB;
    await until(async () => (await handle!.output("stdout", reached, 10)).bytes.length > 0);
    expect((await handle!.kill("KILL")).state).toBe("gone");
  }
});
