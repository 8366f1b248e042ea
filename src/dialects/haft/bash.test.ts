import { describe, expect, it } from "vitest";
import { utf8Length } from "../../text/index.js";
import type { BashData } from "../../tools/bash/contract.js";
import { bashData, failedWith, seenBy, stream, succeeded } from "../golden.fixture.js";
import { haftDialect } from "./haft-dialect.js";

const reported = (more: Partial<BashData>, maxBytes = 65_536, notes: readonly string[] = []) =>
  seenBy(haftDialect, "bash", succeeded(bashData(more)), {}, { budget: { kind: "middle", maxBytes }, notes });
const textOf = (more: Partial<BashData>, maxBytes?: number, notes?: readonly string[]) =>
  String(reported(more, maxBytes, notes).envelope);

describe("bashPresenter", () => {
  it("reports how much of a stream an artifact with a gap has", () => {
    const kept = { tail: "z", bytes: 99_000_000, omittedBytes: 98_999_998, artifact: "a-1", artifactBytes: 67_108_864 };
    expect(textOf({ stdout: stream("a", kept) })).toContain(
      'the path "artifact:a-1" for the first and last 67108864 of 99000000 bytes …]',
    );
  });

  it("keeps both ends of each stream when the budget is small, and counts what it omitted", () => {
    const stdout = stream("a".repeat(8_192), { tail: "z".repeat(24_576), bytes: 32_768 });
    const seen = reported({ stdout, stderr: stream("err\n") }, 4_096);
    const text = String(seen.envelope);
    expect(utf8Length(text)).toBeLessThanOrEqual(4_096);
    expect(text).toMatch(
      /^stdout:\na+\n\[… (\d+) bytes omitted; they were not stored …\]\nz+\nstderr:\nerr\nstatus: exit code 0$/,
    );
    const shown = (text.match(/^a+|^z+/gm) ?? []).join("").length;
    expect(seen.cuts).toEqual([{ what: "stdout beyond the output limit", producedBytes: 32_768, keptBytes: shown }]);
  });

  it("gives both large streams their share", () => {
    const large = () => stream("a".repeat(8_192), { tail: "z".repeat(24_576), bytes: 32_768 });
    const text = textOf({ stdout: large(), stderr: large() }, 20_000);
    expect(utf8Length(text)).toBeLessThanOrEqual(20_000);
    expect(text.match(/bytes omitted/g)).toHaveLength(2);
    expect(utf8Length(text)).toBeGreaterThan(15_000);
  });

  it("reports what ended a process tree and what is left of it", () => {
    const stopped = { ended: "deadline" as const, exitCode: null, endedBy: "TERM" as const, timeoutMs: 500 };
    expect(textOf({ ...stopped, tree: "unseen" })).toContain(
      "status: timed out after 500 ms. Its process tree was terminated with TERM; it is unknown whether any process is left. Raise `timeoutMs`",
    );
    expect(textOf({ ...stopped, tree: "unseen", endedBy: null })).toContain(
      "status: timed out after 500 ms. It could not be ended from here and may still run. Raise `timeoutMs`",
    );
    expect(textOf({ ...stopped, tree: "unseen", endedBy: null, signal: "UNKNOWN" })).toContain(
      "after 500 ms. It was terminated; it is unknown whether any process of it is left. Raise `timeoutMs`",
    );
    expect(textOf({ ...stopped, tree: "unseen", endedBy: "KILL", problem: "it could not be ended" })).toContain(
      "after 500 ms. It could not be ended with TERM, then KILL and may still run.",
    );
    expect(textOf({ ...stopped, tree: "alive" })).toMatch(/still running: an unidentified process$/);
    expect(textOf({ ...stopped, timeoutMs: 600_000 })).toContain("Split the work, or start it in the background");
    expect(textOf({ ended: "output-limit", exitCode: null, endedBy: "KILL" })).toContain("read part of it.");
  });

  it("reports for a lost connection whether the command had started", () => {
    const lost = { ended: "channel-lost" as const, exitCode: null, problem: "the pipe broke" };
    expect(textOf({ ...lost, began: "no" })).toBe(
      "status: connection lost: the pipe broke. The command had not started; it is safe to retry it.",
    );
    expect(textOf({ ...lost, began: "unknown" })).toContain("It is unknown whether the command started;");
    expect(textOf({ ...lost, began: "yes" })).toContain("The command had started;");
  });

  it("ends with what was put right in the arguments, and shows a name on one row", () => {
    const survivors = [{ pid: 7, name: "a\nb\x1b[2J", holds: "none" as const }];
    expect(textOf({ survivors, tree: "alive" }, 65_536, ["`cmd` was taken as `command`."])).toBe(
      "stdout: (empty)\nstderr: (empty)\nstatus: exit code 0\nstill running: a\\nb\\x1b[2J (pid 7). To end it: `kill 7`.\nnote: `cmd` was taken as `command`.",
    );
  });

  it("shows a failure that has no report as its sentence", () => {
    const result = failedWith("CALL_TIMEOUT", "Stopped `bash`: it did not finish within its deadline of 9 ms.");
    expect(seenBy(haftDialect, "bash", result, {}).envelope).toBe(result.message);
  });
});
