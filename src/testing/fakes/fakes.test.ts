import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import type { ApprovalRequest, ToolOutcome } from "../../kernel/index.js";
import {
  bindAll,
  fakeClock,
  playTranscript,
  recordingAudit,
  recordingBackend,
  scriptedApprover,
  sequentialIds,
} from "../index.js";

describe("fakeClock", () => {
  it("calls timers in the order of their times, including those set meanwhile", async () => {
    const clock = fakeClock(1_000);
    const called: string[] = [];
    clock.timer(20, () => called.push(`b ${clock.now()}`));
    clock.timer(10, () => {
      called.push(`a ${clock.now()}`);
      clock.timer(5, () => called.push(`a2 ${clock.now()}`));
    });
    clock.timer(100, () => called.push("late"));
    const cancel = clock.timer(1, () => called.push("cancelled"));
    cancel();
    expect(called).toEqual([]);
    await clock.advance(50);
    expect(called).toEqual(["a 1010", "a2 1015", "b 1020"]);
    expect([clock.now(), clock.waiting]).toEqual([1_050, 1]);
  });

  it("settles promises that a timer woke before the next timer", async () => {
    const clock = fakeClock(0);
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.timer(ms, resolve));
    const seen: number[] = [];
    const work = (async () => {
      for (let round = 0; round < 5; round += 1) {
        await pause(10);
        seen.push(clock.now());
      }
    })();
    await clock.advance(100);
    await work;
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });
});

describe("the other fakes", () => {
  it("counts ids, answers in order, and denies unscripted requests", async () => {
    const ids = sequentialIds();
    expect([ids.next("call"), ids.next("job")]).toEqual(["call-1", "job-2"]);
    const approver = scriptedApprover([{ by: "person", scope: "once" }, (request) => ({ denied: request.reason })]);
    const request = { token: "t", reason: "because" } as ApprovalRequest;
    expect(await approver.ask(request, {})).toEqual({ by: "person", scope: "once" });
    expect(await approver.ask(request, {})).toEqual({ denied: "because" });
    expect(await approver.ask(request, {})).toHaveProperty("denied");
    expect(approver.requests).toHaveLength(3);
  });

  it("records audit entries and rejects an end without a begin, and a second end", async () => {
    const audit = recordingAudit();
    const begin = {
      callId: "c",
      sessionId: "s",
      tool: "read",
      backend: "memory",
      workspace: "",
      inputDigest: "",
      input: "",
    };
    const id = await audit.begin(begin);
    await audit.end(id, { status: "ok", tookMs: 1 });
    expect(audit.entries).toEqual([{ id, begin, end: { status: "ok", tookMs: 1 } }]);
    await expect(audit.end(id, { status: "ok", tookMs: 1 })).rejects.toThrow(/ended already/);
    await expect(audit.end("other", { status: "ok", tookMs: 1 })).rejects.toThrow(/never begun/);
  });

  it("records every path and command that the ports of a backend get", async () => {
    const clock = fakeClock();
    const backend = recordingBackend(createMemoryBackend({ clock }));
    const { fs, shell } = bindAll({ backend, clock }, { commands: [{ command: "true", cwd: "/tmp" }] });
    await fs.writeFile("/tmp/a", "x");
    await fs.rename("/tmp/a", "/tmp/b", { replace: false });
    await fs.readText("/tmp/gone").catch(() => {});
    await shell.exec("true", { cwd: "/tmp" });
    expect(backend.touched).toEqual([
      { operation: "writeFile", path: "/tmp/a" },
      { operation: "rename", path: "/tmp/a" },
      { operation: "rename", path: "/tmp/b" },
      { operation: "readText", path: "/tmp/gone" },
      { operation: "exec", path: "/tmp", command: "true" },
    ]);
  });

  it("replays a transcript and reports the first call that differs", async () => {
    const outcome = (output: unknown) => ({ output, isError: false, status: "ok" }) as ToolOutcome;
    const box = { runner: { run: async (call: { readonly name: string }) => outcome(`from ${call.name}`) } };
    const call = (name: string) => ({ id: "1", name, input: {} });
    await playTranscript([{ call: call("a"), outcome: { output: "from a", isError: false } }], box);
    const wrong = [
      { call: call("a"), outcome: { output: "from a" } },
      { call: call("b"), outcome: { output: "something else" } },
    ];
    await expect(playTranscript(wrong, box)).rejects.toThrow(/Call 2 \(b\), output/);
  });
});
