/** Background commands that do not start leave nothing behind, here and on the remote side. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RemoteJobTable } from "../jobs/job-table.js";
import { PosixMachine, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

let machine: PosixMachine;
beforeEach(() => {
  machine = new PosixMachine("dash");
});
afterEach(() => {
  vi.restoreAllMocks();
  machine.dispose();
});

const inputs = () =>
  readdirSync(machine.state, { recursive: true, encoding: "utf8" }).filter((name) => /input-/.test(name));

it.each(["spawn", "exec"] as const)(
  "%s does not start a command that is cancelled while its long input is sent",
  async (how) => {
    const backend = await machine.open({ maxBulkChannels: 1 });
    await backend.root.fs.exists(machine.work);
    machine.hold();
    const controller = new AbortController();
    const options = { cwd: machine.work, input: randomBytes(2_000_000), signal: controller.signal };
    const { shell } = backend.root;
    const started =
      how === "exec"
        ? shell.exec("cat > taken", options)
        : shell.spawn("cat > taken", { ...options, lifetime: "session" }).catch((thrown: unknown) => thrown);
    setTimeout(() => controller.abort(), 100);
    setTimeout(() => machine.release(), 300);
    if (how === "exec") expect(await started).toMatchObject({ began: "no", ended: "cancelled" });
    else
      expect(await started).toMatchObject({
        code: "CALL_CANCELLED",
        message: "Did not start the command: it was cancelled.",
      });
    // It goes after what was held.
    await backend.root.fs.exists(machine.work);
    await until(() => inputs().length === 0, 5_000);
    await shell.exec("true", { cwd: machine.work });
    expect(existsSync(join(machine.work, "taken"))).toBe(false);
    await backend.close();
  },
);

it("waits for the exit of no command that did not start", async () => {
  const waited = vi.spyOn(RemoteJobTable.prototype, "exited");
  const forgotten = vi.spyOn(RemoteJobTable.prototype, "forgetExit");
  const backend = await machine.open();
  const { shell } = backend.root;
  const lifetime = "session";
  await expect(shell.spawn("true", { cwd: join(machine.work, "absent"), lifetime })).rejects.toThrow("Did not start");
  machine.delay = "never";
  machine.cut();
  await expect(shell.spawn("true", { cwd: machine.work, lifetime })).rejects.toThrow("the line is dead");
  machine.delay = 0;
  const job = await shell.spawn("true", { cwd: machine.work, lifetime });
  await job.result;
  expect(waited).toHaveBeenCalledTimes(3);
  expect(forgotten.mock.calls).toEqual(waited.mock.calls);
  await backend.close();
});
