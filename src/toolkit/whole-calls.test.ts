import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { defineTool, type Policy, text } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { verifies } from "../testing/verifies.fixture.js";
import { createToolkit, type Toolkit, type ToolkitOptions } from "./index.js";

let directory: string;
const open: Toolkit[] = [];
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-buddy-")));
});
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close();
  rmSync(directory, { recursive: true, force: true });
});

async function caller(options: ToolkitOptions) {
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: directory,
    persist: false,
    dialect: "buddy",
    ...options,
  });
  open.push(toolkit);
  const { runner } = toolkit.box();
  return (name: string, input: object) => runner.run({ id: "c1", name, input });
}

describe("buddy, from the call to the answer", () => {
  verifies(
    "BD-016",
    "a number to wait counts seconds: the command is ended after them, and the answer names them",
    async () => {
      const call = await caller({});
      const outcome = await call("run_shell", { command: "sleep 5; touch late", wait: 1 });
      expect([outcome.isError, outcome.output]).toEqual([true, "execution failed: local command timed out after 1s"]);
      expect(outcome.structured).toMatchObject({ ended: "deadline" });
      const { durationMs } = outcome.structured as { readonly durationMs: number };
      expect(durationMs).toBeGreaterThanOrEqual(1_000);
      expect(durationMs).toBeLessThan(5_000);
      expect(existsSync(join(directory, "late"))).toBe(false);
      expect(await call("run_shell", { command: "echo soon", wait: 60 })).toMatchObject({
        isError: false,
        output: "exit code: 0\nstdout:\nsoon\n\nstderr:\n",
      });
    },
  );

  verifies(
    "BD-024",
    "a command that the user denies is a plain result with its own text, and does not run",
    async () => {
      const all = allowAllPolicy();
      const policy: Policy = {
        name: "asking",
        decide: (claims, call) => {
          const allowed = all.decide(claims, call);
          if (allowed.effect !== "allow" || !claims.some(({ kind }) => kind === "command")) return allowed;
          return { ...allowed, effect: "ask", rule: "asks", risk: "medium", reason: "A command.", remember: [] };
        },
      };
      const asked: string[] = [];
      const approver = {
        ask: async () => {
          asked.push("asked");
          return { denied: "not now" } as const;
        },
      };
      const call = await caller({ policy, approver });
      const outcome = await call("run_shell", { command: "touch ran" });
      expect([outcome.isError, outcome.output]).toEqual([false, "Command execution denied by user."]);
      expect([asked, existsSync(join(directory, "ran"))]).toEqual([["asked"], false]);
    },
  );

  verifies(
    "BD-033",
    "on a remote machine the content arrives byte for byte, and missing parents are not made",
    async () => {
      const call = await caller({ on: ["posix:sh"] });
      const content = `quote ' " $HOME \`x\` \\n é\u{1f600}\n${"long ".repeat(60_000)}\nEOF\n`;
      mkdirSync(join(directory, "there"));
      const wrote = await call("write_file", { path: "there/a file.txt", content });
      expect([wrote.isError, wrote.output]).toEqual([
        false,
        `Wrote ${Buffer.byteLength(content)} bytes to there/a file.txt`,
      ]);
      expect(readFileSync(join(directory, "there/a file.txt"), "utf8")).toBe(content);
      const failed = await call("write_file", { path: "missing/deep/a.txt", content: "x" });
      expect([failed.isError, failed.output]).toEqual([
        true,
        "execution failed: missing/deep/a.txt: No such file or directory (os error 2)",
      ]);
      expect(existsSync(join(directory, "missing"))).toBe(false);
    },
  );
});

describe("indusagi, from the call to the answer", () => {
  verifies(
    "IR-042",
    "a middle cut keeps both ends of an answer and leaves alone one whose ends would meet",
    async () => {
      const words = defineTool({
        name: "words",
        description: "Words.",
        input: { type: "object", properties: { length: { type: "integer" } }, required: ["length"] },
        effect: "none",
        run: async ({ length }: { length: number }) => text(`<${"é".repeat(length)}>`),
      });
      const budget = { kind: "middle", maxBytes: 2_000 } as const;
      const run = await caller({ dialect: "indusagi", tools: [words], budget });
      const call = async (length: number) => (await run("words", { length })).output;
      for (const length of [499, 998, 999]) expect(await call(length)).toBe(`<${"é".repeat(length)}>`);
      const end = "é".repeat(499);
      expect(await call(1_000)).toBe(`<${end}\n… trimmed 4 bytes to fit the window …\n${end}>`);
      expect(await call(5_000)).toBe(`<${end}\n… trimmed 8004 bytes to fit the window …\n${end}>`);
    },
  );
});
