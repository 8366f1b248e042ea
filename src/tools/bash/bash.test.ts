import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import type { Captured, Shell, ShellOptions, ShellResult, ToolEvent } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, newSession, type ToolBench, toolBench } from "../tool-bench.fixture.js";
import type { BashData } from "./contract.js";

const encode = (text: string) => new TextEncoder().encode(text);

function bash(bench: ToolBench, input: string | object, limits?: object, signal?: AbortSignal) {
  return bench.call<BashData>("bash", typeof input === "string" ? { command: input } : input, limits, signal);
}

const captured = (text: string, more: Partial<Captured> = {}): Captured => {
  const head = encode(text);
  return { head, tail: new Uint8Array(), produced: head.length, omittedBytes: 0, final: true, ...more };
};

/** A bench whose shell answers as the test says and remembers how it was asked. */
function answering(result: Partial<ShellResult>, during?: (options: ShellOptions) => void) {
  const asked: { command: string; options: ShellOptions }[] = [];
  const memory = createMemoryBackend();
  const shell: Partial<Shell> = {
    async exec(command, options) {
      asked.push({ command, options });
      during?.(options);
      return {
        began: "yes",
        exit: { by: "code", code: 0 },
        ended: "itself",
        stdout: captured(""),
        stderr: captured(""),
        tree: { state: "gone", survivors: [], endedBy: null },
        startedMs: 1,
        tookMs: 12,
        ...result,
      };
    },
  };
  const bind: typeof memory.bind = (grant, call) => ({ ...memory.bind(grant, call), shell: shell as Shell });
  const events: ToolEvent[] = [];
  const bench = toolBench({
    backend: { ...memory, bind },
    session: newSession("s"),
    onEvent: (one) => events.push(one),
  });
  return { bench, asked, events };
}

describe("a command", () => {
  it("runs in the shell and reports both streams and its status", async () => {
    const bench = memoryBench();
    const { data, isError } = await bash(bench, "echo out; printf 'err\\n' >&2");
    expect(isError).toBe(false);
    expect(data).toMatchObject({
      ended: "itself",
      exitCode: 0,
      signal: null,
      stdout: { head: "out\n", tail: "", bytes: 4, omittedBytes: 0, notable: [] },
      timeoutMs: 120_000,
      survivors: [],
    });
  });

  verifies("IR-098", "must not be empty; a comment alone may be", async () => {
    const bench = memoryBench();
    for (const command of ["", "   ", "\n"]) expect(await bash(bench, command)).toMatchObject({ code: "CALL_INVALID" });
    const comment = await bash(bench, "   # just a note");
    expect(comment.message ?? "").not.toMatch(/policy|security/i);
    expect(await bash(bench, "echo a\0b")).toMatchObject({ code: "CALL_INVALID" });
  });

  verifies(["IR-099", "IP-026"], "has two minutes, at most ten", async () => {
    const { bench, asked } = answering({});
    await bash(bench, "a");
    await bash(bench, { command: "b", timeoutMs: 5_000 });
    const capped = await bash(bench, { command: "c", timeoutMs: 999_999_999 });
    expect(asked.map(({ options }) => options.timeoutMs)).toEqual([120_000, 5_000, 600_000]);
    expect(capped.data?.timeoutMs).toBe(600_000);
    for (const timeoutMs of [0, -1, "soon"])
      expect((await bash(bench, { command: "d", timeoutMs })).isError).toBe(true);
  });

  it("gets its directory and its input, and claims no more than itself", async () => {
    const { bench, asked } = answering({});
    await bash(bench, { command: "cat", cwd: "sub/../x", input: "né" });
    expect(asked[0]).toMatchObject({ command: "cat", options: { cwd: "/workspace/x", input: encode("né") } });
    const real = memoryBench({ "x/": "" });
    expect((await bash(real, { command: "cat", cwd: "x", input: "hello" })).data?.stdout.head).toBe("hello");
    expect((await bash(real, { command: "pwd", cwd: "x" })).data?.stdout.head).toBe("/workspace/x\n");
  });
});

it("refuses half a character in any text: another command would run than was judged", async () => {
  const { bench, asked } = answering({});
  for (const odd of [
    { command: "rm \ud800" },
    { command: "cat", input: "\udc00" },
    { command: "ls", cwd: "a\ud800" },
  ]) {
    const failed = await bash(bench, odd);
    expect([failed.code, failed.message?.includes("half a character")]).toEqual(["CALL_INVALID", true]);
  }
  expect(asked).toEqual([]);
});

describe("a failure", () => {
  verifies("IR-103", "is any exit but 0, and any signal, with the output", async () => {
    const bench = memoryBench();
    expect(await bash(bench, "echo one; exit 7")).toMatchObject({
      isError: true,
      code: "SHELL_EXIT",
      details: { exitCode: 7 },
      data: { exitCode: 7, stdout: { head: "one\n" } },
    });
    const killed = await bash(bench, "echo before; kill -KILL $$");
    expect(killed).toMatchObject({ isError: true, code: "SHELL_SIGNALLED", data: { stdout: { head: "before\n" } } });
    expect(killed.message).toContain("KILL");
  });

  it("is an answer like any other where the dialect wants it so", async () => {
    const bench = memoryBench();
    const call = await bash(bench, "exit 3", { exit: "result" });
    expect(call).toMatchObject({ isError: false, data: { exitCode: 3 } });
  });

  it("of a status that may mean a signal reports the ambiguity", async () => {
    const { bench } = answering({ exit: { by: "status", status: 137 } });
    const call = await bash(bench, "x");
    expect(call).toMatchObject({ code: "SHELL_EXIT", data: { exitCode: 137, signal: null, ambiguous: true } });
    expect(call.message).toContain("may also mean a signal");
  });

  const stopped = (state: "gone" | "alive" | "unseen") => ({
    exit: { by: "none" } as const,
    stdout: captured("so far\n"),
    tree: { state, survivors: [{ pid: 7, name: "node", holds: "stdout" as const }], endedBy: "KILL" as const },
  });

  it.each([
    [
      "deadline",
      "SHELL_TIMEOUT",
      "timed-out",
      /after 120000 ms, and all its processes were terminated with KILL\. Raise `timeoutMs`/,
    ],
    ["cancelled", "SHELL_CANCELLED", "cancelled", /the call was cancelled, and all its processes/],
    ["output-limit", "SHELL_OUTPUT_LIMIT", "failed", /its output exceeded the limit/],
  ] as const)("by %s is %s and keeps what was printed", async (ended, code, status, words) => {
    const { bench } = answering({ ...stopped("gone"), ended });
    const call = await bash(bench, "npm test");
    expect(call).toMatchObject({ code, status, data: { ended, endedBy: "KILL", stdout: { head: "so far\n" } } });
    expect(call.message).toMatch(words);
  });

  it("claims no end of processes that was not seen", async () => {
    const alive = await bash(answering({ ...stopped("alive"), ended: "deadline" }).bench, "x");
    expect(alive.message).toContain("some of its processes still run: 7 (node)");
    const unseen = await bash(answering({ ...stopped("unseen"), ended: "cancelled" }).bench, "x");
    expect(unseen.message).toContain("it is unknown whether all its processes ended");
    const tree = { ...stopped("unseen").tree, endedBy: null };
    const far = await bash(answering({ ...stopped("unseen"), tree, ended: "deadline", began: "unknown" }).bench, "x");
    expect(far.message).toContain('Stopped waiting for "x" after 120000 ms, and it could not be ended from here');
    expect(far.message).toContain("may still run. It is unknown whether it had started");
    const exit = { by: "signal", signal: "UNKNOWN" } as const;
    const seen = await bash(answering({ ...stopped("unseen"), tree, exit, ended: "deadline" }).bench, "x");
    expect(seen.message).toContain(
      'Stopped "x" after 120000 ms, and it is unknown whether all its processes ended. Raise `timeoutMs`',
    );
  });

  it("to start reports why, with the directory as the model spelled it", async () => {
    const call = await bash(memoryBench(), { command: "true", cwd: "./gone" });
    expect(call).toMatchObject({ code: "SHELL_SPAWN", data: { began: "no", ended: "spawn-error" } });
    expect(call.message).toContain('"./gone"');
    expect(call.message).not.toContain("/workspace");
  });

  it("of the connection reports whether the command had started", async () => {
    const lost = { ended: "channel-lost", exit: { by: "none" } } as const;
    const call = await bash(answering({ ...lost, began: "unknown" }).bench, "x");
    expect(call).toMatchObject({ code: "BACKEND_UNAVAILABLE", details: { began: "unknown" } });
    expect(call.message).toBe(
      'Lost the connection before "x" was seen to run. It is unknown whether it had started; check its effects before you retry it.',
    );
  });
});

describe("output", () => {
  const DATA = { keepHead: 8_192, keepTail: 24_576 };

  it("that fits is whole, and makes no artifact", async () => {
    const text = "界".repeat(8_000);
    const bytes = encode(text);
    const whole = {
      head: bytes.subarray(0, 8_192),
      tail: bytes.subarray(8_192),
      produced: bytes.length,
      omittedBytes: 0,
    };
    const { bench } = answering({ stdout: { ...whole, final: true } }, (options) =>
      options.onOutput?.("stdout", bytes, 0),
    );
    const { data, truncations: cuts } = await bash(bench, "x");
    expect(data?.stdout).toEqual({ head: text, tail: "", notable: [], bytes: bytes.length, omittedBytes: 0 });
    expect(cuts).toEqual([]);
  });

  it("that does not fit is truncated between characters, counted, and stored whole as an artifact", async () => {
    const bytes = encode("界".repeat(60_000));
    const stdout: Captured = {
      head: bytes.subarray(0, DATA.keepHead),
      tail: bytes.subarray(bytes.length - DATA.keepTail + 1),
      produced: bytes.length,
      omittedBytes: bytes.length - DATA.keepHead - DATA.keepTail + 1,
      final: true,
    };
    const reused = new Uint8Array(65_536);
    const { bench } = answering({ stdout }, (options) => {
      for (let at = 0; at < bytes.length; at += reused.length) {
        const chunk = bytes.subarray(at, at + reused.length);
        reused.set(chunk);
        options.onOutput?.("stdout", reused.subarray(0, chunk.length), at);
      }
    });
    const { data, truncations: cuts } = await bash(bench, "x");
    const { head, tail, bytes: size, omittedBytes: dropped, artifact, invalid } = data!.stdout;
    expect(head + tail).not.toContain("\ufffd");
    expect(invalid).toBeUndefined();
    expect(encode(head).length + encode(tail).length + dropped).toBe(size);
    expect(cuts).toMatchObject([
      { what: "stdout", producedBytes: 180_000, artifact, next: expect.stringContaining(artifact!) },
    ]);
    const kept = await bench.session.artifacts.read(artifact!, 0, 1_000_000);
    expect(typeof kept !== "string" && kept.bytes).toEqual(bytes);
  });

  it("that is not UTF-8 is counted", async () => {
    const { bench } = answering({ stdout: captured("", { head: Uint8Array.of(0x61, 0xff, 0xfe), produced: 3 }) });
    expect((await bash(bench, "x")).data?.stdout).toMatchObject({ head: "a\ufffd\ufffd", invalid: 2 });
  });

  it("is emitted as it arrives with its offset, and only counted after 64 KiB", async () => {
    const bytes = encode(`é${"x".repeat(3_000_000)}`);
    const { bench, events } = answering({}, (options) => {
      options.onOutput?.("stderr", bytes.slice(0, 1), 0);
      for (let at = 1; at < bytes.length; at += 100_000)
        options.onOutput?.("stderr", bytes.slice(at, at + 100_000), at);
    });
    await bash(bench, "x");
    const reported = events.filter((event) => event.kind === "output");
    const whole = Buffer.concat(reported.map((event) => event.bytes));
    expect(whole.equals(bytes.subarray(0, 65_536))).toBe(true);
    expect(reported.slice(0, 2).map(({ offset }) => offset)).toEqual([0, 1]);
    expect(reported.filter((event) => event.bytes.length === 0).map(({ offset }) => offset)).toEqual([
      1_100_001, 2_100_001,
    ]);
    expect(reported.every(({ stream }) => stream === "stderr")).toBe(true);
  });

  it("dropped by a backend leaves a marker in the artifact, and is counted", async () => {
    const chunk = encode("x".repeat(50_000));
    const { bench } = answering({ stdout: captured("x", { produced: 140_000, omittedBytes: 139_999 }) }, (options) => {
      options.onOutput?.("stdout", chunk, 0);
      options.onOutput?.("stdout", chunk, 60_000);
    });
    const { data, truncations: cuts } = await bash(bench, "x");
    const { artifact = "" } = data!.stdout;
    const kept = await bench.session.artifacts.read(artifact, 0, 1_000_000);
    const xs = "x".repeat(50_000);
    expect(typeof kept !== "string" && new TextDecoder().decode(kept.bytes)).toBe(
      `${xs}\n[10000 bytes could not be stored]\n${xs}\n[30000 bytes could not be stored]\n`,
    );
    expect(cuts).toMatchObject([{ producedBytes: 140_000, next: expect.stringContaining("for 100000 bytes of it") }]);
  });

  it("is only truncated where nothing can be stored", async () => {
    const session = newSession("full");
    const artifacts = { ...session.artifacts, create: () => Promise.reject(new Error("disk full")) };
    const memory = answering({ stdout: captured("a", { produced: 100_000, omittedBytes: 99_999 }) }, (options) =>
      options.onOutput?.("stdout", new Uint8Array(100_000), 0),
    );
    const bench = toolBench({ backend: memory.bench.backend, session: { ...session, artifacts } });
    const { data, truncations: cuts } = await bash(bench, "x");
    expect(data?.stdout.artifact).toBeUndefined();
    expect(cuts).toMatchObject([{ what: "stdout", next: expect.stringContaining("less output") }]);
  });
});

it("names survivors and the job that they became", async () => {
  const survivors = [{ pid: 7, name: "vite", holds: "stdout" as const }];
  const { bench } = answering({ tree: { state: "alive", survivors, endedBy: null }, job: "job-1" });
  const { data, isError } = await bash(bench, "vite &");
  expect(isError).toBe(false);
  expect(data).toMatchObject({ survivors, job: "job-1", tree: "alive" });
});

verifies("IR-101", "a cancel ends a running command as an error outcome", async () => {
  const bench = memoryBench();
  const control = new AbortController();
  const running = bash(bench, "echo begun; sleep 30", undefined, control.signal);
  await Promise.resolve();
  control.abort();
  expect(await running).toMatchObject({ isError: true, status: "cancelled" });
});
