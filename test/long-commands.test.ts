/** Commands and typed text that are too long to be analyzed, at the level that asks least. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalBackend } from "../src/backends/local/index.js";
import { type Approver, createToolkit } from "../src/index.js";
import { withFakeTerminal } from "../src/testing/fakes/fake-terminal.fixture.js";

let root: string;
let ws: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-long-")));
  ws = join(root, "ws");
  mkdirSync(join(ws, "kept"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function opened(approver?: Approver) {
  const pane = withFakeTerminal(createLocalBackend({ cwd: ws }));
  const toolkit = await createToolkit({
    on: "pane",
    backends: { pane },
    persist: false,
    autonomy: "full",
    rules: ["deny git push *"],
    ...(approver === undefined ? {} : { approver }),
  });
  const { runner } = toolkit.session("s").box();
  const run = (name: string, input: object) => runner.run({ id: "c", name, input });
  return { toolkit, run, seen: pane.fake.seen };
}

const padding = `#${"x".repeat(70_000)}`;

describe("at full, what is too long to be analyzed", () => {
  it("does not run without an approver, as a command or as text for one", async () => {
    const { toolkit, run, seen } = await opened();
    await using _ = toolkit;
    const remove = `rm -rf ${ws} ${padding}\n`;

    for (const [name, input] of [
      ["bash", { command: remove }],
      ["bash", { command: `${":;".repeat(5_000)} rm -rf ${ws}` }],
      ["send_keys", { text: remove }],
      ["send_keys", { text: `git push ${padding}`, enter: true }],
    ] as const) {
      const { status, code, output } = await run(name, input);
      expect([name, status, code, output]).toEqual([
        name,
        "denied",
        "POLICY_APPROVAL_REQUIRED",
        expect.stringContaining("Send it in shorter parts"),
      ]);
    }
    expect(existsSync(join(ws, "kept"))).toBe(true);
    expect(seen).toEqual([]);
  });

  it("runs if the user allows it", async () => {
    const { toolkit, run } = await opened({ ask: async () => ({ by: "ada", scope: "once" }) });
    await using _ = toolkit;
    expect(await run("bash", { command: `rmdir kept ${padding}` })).toMatchObject({ status: "ok" });
    expect(existsSync(join(ws, "kept"))).toBe(false);
  });
});

describe("at full, what a rule denies", () => {
  it("is not typed either, as text or letter by letter", async () => {
    const { toolkit, run, seen } = await opened();
    await using _ = toolkit;
    for (const input of [
      { text: "git push origin", enter: true },
      { text: "git pus", keys: ["h", "Space", "x"], enter: true },
      { keys: [..."rm"].concat("Space", ..."-rf", "Space", "/", "Enter") },
    ])
      expect(await run("send_keys", input)).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(seen).toEqual([]);
    expect(await run("send_keys", { text: "git status", enter: true })).toMatchObject({ status: "ok" });
  });
});
