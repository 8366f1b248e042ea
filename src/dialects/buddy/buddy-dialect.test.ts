import { describe, expect, it } from "vitest";
import { verifies } from "../../testing/verifies.fixture.js";
import { bashData, failedWith, readData, seenBy, stream, succeeded } from "../golden.fixture.js";
import { buddyDialect } from "./buddy-dialect.js";

const { bash: runShell, read: readFile, write: writeFile } = buddyDialect.tools;
const shown = (result: Parameters<typeof seenBy>[2], more = {}) =>
  seenBy(buddyDialect, "bash", result, {}, more).envelope;

describe("buddyDialect", () => {
  it("has the seed's names and bounds", () => {
    expect([runShell?.name, readFile?.name, writeFile?.name]).toEqual(["run_shell", "read_file", "write_file"]);
    expect(runShell?.limits).toMatchObject({ tailBytes: 0, exit: "result" });
    expect((runShell!.limits as { headBytes: number }).headBytes).toBeGreaterThan(4 * 4_000);
    expect(writeFile?.limits).toEqual({ gate: "off", parents: false });
  });

  verifies("BD-012", "wait is a boolean, text or a whole number, true unless given", () => {
    expect(runShell?.parameters).toMatchObject({
      properties: {
        wait: { oneOf: [{ type: "boolean" }, { type: "string" }, { type: "integer" }], default: true },
      },
      required: ["command"],
    });
    expect(runShell?.decode({ command: "ls" })).toEqual({ input: { command: "ls" } });
  });

  verifies("BD-015", "a bounded wait becomes a time limit, a bad one names what is accepted", () => {
    expect(runShell?.decode({ command: "ls", wait: "10m" })).toEqual({ input: { command: "ls", timeoutMs: 600_000 } });
    expect(runShell?.decode({ command: "ls", wait: 5 })).toEqual({ input: { command: "ls", timeoutMs: 5_000 } });
    expect(runShell?.decode({ command: "ls", wait: "soon" })).toMatchObject({
      parameter: "wait",
      problem: expect.stringContaining('"30s", "10m", "1h"'),
    });
  });

  verifies("BD-014", "wait=false fails with the words that a tmux session is required", () => {
    expect(runShell?.decode({ command: "ls", wait: false })).toEqual({ input: { command: "ls", background: true } });
    const refused = failedWith("BACKEND_UNSUPPORTED", "m", { backend: "local", feature: "terminal" });
    expect(shown(refused)).toBe("execution failed: an active tmux session is required for wait=false");
  });

  verifies("BD-002", "arguments that are no JSON are invalid arguments", () => {
    const problem = 'the arguments were the text "{"; an object is accepted, with the parameters `command`, `wait`';
    const result = failedWith("CALL_INVALID", `Did not run \`run_shell\`: ${problem}.`, { problem });
    expect(shown(result)).toBe(`invalid arguments: ${problem}`);
  });

  verifies("BD-017", "a time-out names the backend and the limit in short units", () => {
    const data = bashData({ ended: "deadline", exitCode: null, timeoutMs: 1_250 });
    const result = failedWith("SHELL_TIMEOUT", "m", {}, data);
    expect(shown(result, { backend: "container:web" })).toBe(
      "execution failed: container:web command timed out after 1.250s",
    );
  });

  verifies(["BD-005", "BD-007"], "every answer is one string, that of an unknown tool too", () => {
    expect(buddyDialect.unknownTool("nope", ["read_file"])).toBe("execution failed: unknown tool: nope");
    expect(typeof shown({ content: [], isError: true })).toBe("string");
    expect(typeof seenBy(buddyDialect, "read", succeeded(readData("a")), {}).envelope).toBe("string");
  });

  verifies(["BD-019", "BD-020"], "each stream keeps 4000 characters, not bytes, and never half of one", () => {
    const at = (stdout: string) => String(shown(succeeded(bashData({ stdout: stream(stdout) })))).slice(21);
    expect(at("é".repeat(4_000))).toBe(`${"é".repeat(4_000)}\nstderr:\n`);
    expect(at("x".repeat(5_000))).toBe(`${"x".repeat(4_000)}...[truncated]\nstderr:\n`);
    expect(at(`${"x".repeat(3_999)}😀y`)).toBe(`${"x".repeat(3_999)}😀...[truncated]\nstderr:\n`);
  });

  verifies("BD-029", "a file that fits 8000 characters has no mark, however many bytes they are", () => {
    const at = (text: string) => seenBy(buddyDialect, "read", succeeded(readData(text)), { path: "a" }).envelope;
    expect(at("😀".repeat(8_000))).toBe("😀".repeat(8_000));
    expect(at("😀".repeat(8_001))).toBe(`${"😀".repeat(8_000)}...[truncated]`);
    expect((readFile!.limits as { maxBytes: number }).maxBytes).toBeGreaterThan(4 * 8_000);
  });
});
