import { describe, expect, it } from "vitest";
import { verifies } from "../../testing/verifies.fixture.js";
import { bashData, readData, seenBy, stream, succeeded } from "../golden.fixture.js";
import { zeroclawDialect } from "./zeroclaw-dialect.js";

const { bash: shell, read: fileRead, write: fileWrite } = zeroclawDialect.tools;

describe("zeroclawDialect", () => {
  verifies(["ZC-006", "ZC-021", "ZC-026"], "its tools have the seed's names and parameters", () => {
    expect([shell?.name, fileRead?.name, fileWrite?.name]).toEqual(["shell", "file_read", "file_write"]);
    expect(shell?.parameters).toMatchObject({
      properties: { command: { type: "string" }, approved: { type: "boolean", default: false } },
      required: ["command"],
    });
    expect(fileRead?.parameters).toMatchObject({ properties: { path: { type: "string" } }, required: ["path"] });
    expect(fileWrite?.parameters).toMatchObject({ required: ["path", "content"] });
    expect(zeroclawDialect.collections).toEqual({ default: ["shell", "file_read", "file_write"] });
  });

  it("a command comes under any of its names or alone, and is trimmed", () => {
    expect(shell?.aliases).toEqual({
      cmd: "command",
      script: "command",
      shell_command: "command",
      bash: "command",
      sh: "command",
    });
    expect(shell?.bareString).toBe("command");
    expect(shell?.decode({ command: "  ls \n" })).toEqual({ input: { command: "ls" }, notes: [] });
  });

  it("never takes the model's word for consent", () => {
    expect(shell?.decode({ command: "rm -rf build", approved: true })).toEqual({
      input: { command: "rm -rf build" },
      notes: ["`approved` was ignored: only a person or the host can approve a call."],
    });
  });

  verifies("ZC-024", "it has the seed's bounds", () => {
    expect(shell?.limits).toEqual({
      defaultTimeoutMs: 60_000,
      maxTimeoutMs: 60_000,
      headBytes: 1_048_576,
      tailBytes: 0,
      redraws: "keep",
      exit: "error",
      autoBackground: false,
    });
    expect(fileRead?.limits).toMatchObject({ truncate: "none" });
    expect(fileWrite?.limits).toEqual({ gate: "off", parents: true });
  });

  verifies("ZC-002", "every outcome is success, output and error, whoever made it", () => {
    const keys = (result: Parameters<typeof seenBy>[2]) =>
      Object.keys(seenBy(zeroclawDialect, "bash", result, {}).envelope as object);
    expect(keys(succeeded(bashData()))).toEqual(["success", "output", "error"]);
    expect(keys({ content: [], isError: true })).toEqual(["success", "output", "error"]);
    const outcome = {
      id: "c1",
      tool: "x",
      output: "",
      isError: true,
      status: "unknown-tool" as const,
      content: [{ kind: "text" as const, text: zeroclawDialect.unknownTool("x", []) }],
      truncations: [],
      repairs: [],
      artifacts: [],
      decision: { rule: "r", effect: "deny" as const, approver: null },
      audit: "a",
    };
    expect(zeroclawDialect.envelope(outcome)).toEqual({ success: false, output: "", error: "Unknown tool: x" });
    expect(zeroclawDialect.envelope({ ...outcome, content: [] })).toEqual({ success: false, output: "", error: "" });
  });

  verifies("ZC-013", "output omitted from a failed run is counted beside its text", () => {
    const data = bashData({ ended: "deadline", exitCode: null, stdout: stream("so far\n", { artifact: "a7" }) });
    const seen = seenBy(zeroclawDialect, "bash", { content: [], isError: true, code: "SHELL_TIMEOUT", data }, {});
    expect(seen.envelope).toMatchObject({ output: "" });
    expect(seen.cuts).toEqual([
      {
        what: "stdout of the unfinished command",
        producedBytes: 7,
        keptBytes: 0,
        artifact: "a7",
        next: "All of it is stored as artifact:a7.",
      },
    ]);
  });

  verifies("ZC-024", "a mebibyte of text comes back as it was", () => {
    const text = `${"0123456789abcde\n".repeat(65_536)}`;
    expect(seenBy(zeroclawDialect, "read", succeeded(readData(text)), { path: "a" }).envelope).toEqual({
      success: true,
      output: text,
      error: null,
    });
  });
});
