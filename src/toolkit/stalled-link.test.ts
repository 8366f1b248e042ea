/** What a model reads when the line to a machine falls silent while a command runs there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { PosixMachine, until } from "../backends/posix/machine.fixture.js";
import { createToolkit } from "../index.js";

vi.setConfig({ testTimeout: 60_000 });

/** The text of the call, and its data. The line is silent from the start of the command on. */
async function onStalledLink(how: "deadline" | "cancelled") {
  const machine = new PosixMachine("dash");
  const far = await machine.open({ orphanMs: 600_000 });
  const toolkit = await createToolkit({ on: "far", backends: { far }, persist: false, autonomy: "full" });
  try {
    const cancel = new AbortController();
    const input = { command: "touch begun; exec sleep 600", ...(how === "deadline" ? { timeoutMs: 2_000 } : {}) };
    const running = toolkit.box().runner.run({ id: "c", name: "bash", input }, { signal: cancel.signal });
    await until(() => existsSync(join(machine.work, "begun")));
    machine.isMute = true;
    if (how === "cancelled") cancel.abort();
    const { output, data } = await running;
    machine.isMute = false;
    machine.cut();
    return { text: String(output), data };
  } finally {
    await toolkit.close();
    await far.close();
    machine.dispose();
  }
}

describe("a command on a line that fell silent", () => {
  it.each(["deadline", "cancelled"] as const)("is not said to have ended, after its %s", async (how) => {
    const { text, data } = await onStalledLink(how);
    expect(text).not.toContain("terminated");
    // A cancelled call is waited for a moment only, and then ends without the tool.
    if (how === "cancelled" && data === undefined) return;
    expect(data).toMatchObject({ ended: how, began: "unknown", tree: "unseen", endedBy: null });
    expect(text).toContain(
      "It could not be ended from here and may still run. It is unknown whether the command started;",
    );
  });
});
