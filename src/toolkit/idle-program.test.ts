import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { built } from "../testing/built.fixture.js";

/** Nothing of it keeps a process alive but the call itself, whose tool only ends when its time is up. */
const PROGRAM = `
  const { createToolkit, defineTool, text } = await import("${pathToFileURL(built("index.js")).href}");
  const waiting = defineTool({
    name: "waiting",
    description: "Ends when its time is up.",
    input: { type: "object" },
    deadlineMs: 50,
    run: (input, ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(text("late")))),
  });
  const toolkit = await createToolkit({ autonomy: "full", on: "memory", persist: false, tools: [waiting] });
  const outcome = await toolkit.box().runner.run({ id: "settled", name: "waiting", input: {} });
  process.stdout.write(outcome.id);
`;

it("a call settles at its deadline although its program has nothing else to wait for", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", PROGRAM]);
  expect(stdout).toBe("settled");
});
