import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createToolkit, type Toolkit } from "../../toolkit/index.js";

let workspace: string;
let toolkit: Toolkit;
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "haft-arguments-"));
  writeFileSync(join(workspace, "a"), "a\n");
  toolkit = await createToolkit({ autonomy: "full", workspace, persist: false });
});
afterAll(async () => {
  await toolkit.close();
  rmSync(workspace, { recursive: true, force: true });
});

const run = (name: string, input: object) => toolkit.box().runner.run({ id: "c", name, input });

const PAIR = { oldText: "a", newText: "b" };

const REFUSED: readonly (readonly [tool: string, args: object, parameter: string])[] = [
  ["read", {}, "path"],
  ["read", { path: "a", offset: 0 }, "offset"],
  ["read", { path: "a", offset: 1.5 }, "offset"],
  ["read", { path: "a", limit: 0 }, "limit"],
  ["ls", { limit: -1 }, "limit"],
  ["ls", { limit: 1.5 }, "limit"],
  ["write", { path: "a" }, "content"],
  ["write", { path: "a", content: "", expect: "ABC" }, "expect"],
  ["edit", { path: "a", edits: [] }, "oldText"],
  ["edit", { path: "a", edits: [{ oldText: 1 }] }, "edits[0].newText"],
  ["edit", { path: "a", edits: [PAIR], ...PAIR }, "edits"],
  ["move", { to: "b" }, "from"],
  ["move", { from: "a" }, "to"],
  ["delete", {}, "path"],
  ["bash", { command: " " }, "command"],
  ["bash", { command: "true", timeoutMs: 0.5 }, "timeoutMs"],
  ["process", { action: "look" }, "action"],
  ["process", { action: "wait", id: "job-1", timeoutMs: 0 }, "timeoutMs"],
  ["time", { format: "short" }, "format"],
  ["todo_set", {}, "items"],
];

it.each(REFUSED)("%s refuses %o, naming `%s`", async (tool, args, parameter) => {
  const outcome = await run(tool, args);
  expect(outcome).toMatchObject({ isError: true, code: "CALL_INVALID" });
  expect(outcome.output).toContain(`\`${parameter}\``);
});

it.each([
  ["read", { path: "a", limit: 9_999 }, "`limit` 9999 exceeds the maximum and was reduced to 2000."],
  ["ls", { limit: 9_999 }, "`limit` 9999 exceeds the maximum and was reduced to 5000."],
  [
    "bash",
    { command: "true", timeoutMs: 1e9 },
    "`timeoutMs` 1000000000 exceeds the maximum and was reduced to 600000.",
  ],
])("%s reduces a number in %o that is too large, and says so", async (tool, args, note) => {
  const outcome = await run(tool, args);
  expect(outcome).toMatchObject({ isError: false });
  expect(outcome.output).toContain(note);
});
