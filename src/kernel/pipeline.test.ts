import { describe, expect, it } from "vitest";
import { bareContext, bareHost, bareSession, policyOf, recordingBackend } from "../../test/support/bare-host.js";
import { verifies } from "../../test/verifies.js";
import {
  type Artifacts,
  type ArtifactWriter,
  type DefinedTool,
  defineTool,
  explain,
  HaftError,
  type HostContext,
  type ToolContext,
  text,
} from "./index.js";

const call = (tool: DefinedTool, input: unknown, context: HostContext, resume?: string) =>
  tool.invoke({ id: "c1", name: tool.name, input, ...(resume === undefined ? {} : { resume }) }, context);

const PATH_SCHEMA = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;

/** A tool that claims to write its path and then does what `act` says. */
function writer(act: (ctx: ToolContext, path: string) => Promise<unknown>) {
  return defineTool({
    name: "writer",
    description: "",
    parameters: PATH_SCHEMA,
    effect: "act",
    claims: ({ path }, look) => [{ kind: "file", path: look.resolve(path), access: ["write"], scope: "self" }],
    async run({ path }, ctx) {
      await act(ctx, ctx.resolve(path));
      return text("written");
    },
  });
}

const plainWriter = writer((ctx, path) => ctx.fs.writeFile(path, "x"));

describe("cancel and failure", () => {
  verifies(["IR-015", "IP-005"], "does not run a tool whose signal has already fired", async () => {
    let ran = false;
    const tool = defineTool({
      name: "spy",
      description: "",
      parameters: {},
      run() {
        ran = true;
        return text("");
      },
    });
    const outcome = await call(tool, {}, bareContext().withCancel(AbortSignal.abort()));
    expect(outcome).toMatchObject({ status: "cancelled", isError: true, output: "Cancelled before spy could begin." });
    expect(ran).toBe(false);
  });

  verifies(["IR-016", "IP-003"], "folds whatever a tool throws into an outcome without its stack", async () => {
    for (const thrown of [new Error("boom"), "boom", new TypeError("boom")]) {
      const tool = defineTool({
        name: "thrower",
        description: "",
        parameters: {},
        run() {
          throw thrown;
        },
      });
      const outcome = await call(tool, {}, bareContext());
      expect(outcome).toMatchObject({ status: "failed", code: "CALL_THREW", isError: true });
      expect(outcome.output).toContain("boom");
      expect(outcome.output).not.toContain("at ");
    }
  });

  const waiting = defineTool({
    name: "waiting",
    description: "",
    parameters: {},
    deadlineMs: 60_000,
    run: (_, ctx) =>
      new Promise<never>((_done, failed) => {
        ctx.signal.addEventListener("abort", () => failed(ctx.signal.reason));
      }),
  });

  it("tells a cancel from a deadline", async () => {
    const control = new AbortController();
    const cancelled = call(waiting, {}, bareContext().withCancel(control.signal));
    control.abort();
    expect(await cancelled).toMatchObject({ status: "cancelled", code: "CALL_CANCELLED" });
    const brief = defineTool({
      name: "brief",
      description: "",
      parameters: {},
      deadlineMs: 20,
      run: waiting.body.run as never,
    });
    const late = await call(brief, {}, bareContext());
    expect(late).toMatchObject({ status: "timed-out", code: "CALL_TIMEOUT" });
    expect(late.output).toContain("20 ms");
  });

  verifies("IP-004", "rejects for a hard cancel where the dialect asks for it, and folds a plain one", async () => {
    const control = new AbortController();
    const dialect = {
      name: "d",
      tools: {},
      collections: {},
      unknownParameter: "ignore" as const,
      hardCancelRejects: true,
    };
    const soft = { ...waiting, dialect: { ...dialect, unknownTool: () => "", envelope: () => "" } };
    const hard = new AbortController();
    const reason = Object.assign(new Error("the task was ended"), { hard: true });
    const { presentTool } = await import("./index.js");
    const face = {
      name: "waiting",
      description: "",
      parameters: {},
      decode: () => ({ input: {} }),
      render: () => ({ content: [] }),
    };
    const tool = presentTool(waiting, face, soft.dialect);
    const folded = call(tool, {}, bareContext().withCancel(control.signal));
    control.abort();
    expect((await folded).status).toBe("cancelled");
    const rejected = call(tool, {}, bareContext().withCancel(hard.signal));
    hard.abort(reason);
    await expect(rejected).rejects.toBe(reason);
  });

  verifies("IR-057", "makes one context for a dispatch and gives it the dispatch's signal", async () => {
    const { ToolRegistry } = await import("./index.js");
    let made = 0;
    const box = new ToolRegistry().register(waiting).toToolBox(() => {
      made++;
      return bareContext();
    });
    const control = new AbortController();
    const running = box.runner.run({ id: "1", name: "waiting", input: {} }, { signal: control.signal });
    control.abort();
    expect((await running).status).toBe("cancelled");
    expect(made).toBe(1);
  });

  it("KERN-03: abandons a tool that ignores its signal, revokes its ports, drops and records its late value", async () => {
    const host = bareHost({
      // Real time, thirty times as fast, so that the six seconds of patience pass soon.
      clock: {
        now: () => Date.now(),
        timer(ms, done) {
          const timer = setTimeout(done, ms / 30);
          return () => clearTimeout(timer);
        },
      },
    });
    const { backend, touched } = recordingBackend();
    let finish = () => {};
    let late: unknown;
    const stubborn = writer(async (ctx, path) => {
      await new Promise<void>((done) => {
        finish = done;
      });
      late = await ctx.fs.writeFile(path, "late").catch((thrown: unknown) => thrown);
    });
    const control = new AbortController();
    const running = call(stubborn, { path: "a" }, bareContext(host, { backend }).withCancel(control.signal));
    setTimeout(() => control.abort(), 5);
    const outcome = await running;
    expect(outcome).toMatchObject({ status: "abandoned", code: "CALL_ABANDONED", isError: true });
    finish();
    await new Promise((done) => setTimeout(done, 20)); // the late value has to arrive first
    expect(HaftError.is(late)).toBe(true);
    expect(touched).toEqual([]);
    expect(host.entries[0]?.ends.map((end) => end.status)).toEqual(["abandoned", "late-value-dropped"]);
  });

  it("KERN-02: ends the call when a host reports a fault outside the tool's promise", async () => {
    const host = bareHost({
      faults: {
        watch(body, onFault) {
          setTimeout(() => onFault(new Error("from a timer")), 5);
          return body();
        },
      },
    });
    const outcome = await call(waiting, {}, bareContext(host));
    expect(outcome).toMatchObject({ status: "failed", code: "CALL_THREW" });
    expect(outcome.output).toContain("from a timer");
  });
});

describe("record", () => {
  it("has a begin and an end for every call, however it ends", async () => {
    const host = bareHost();
    const { ToolRegistry } = await import("./index.js");
    const box = new ToolRegistry().register(plainWriter).toToolBox(() => bareContext(host));
    await box.runner.run({ id: "1", name: "writer", input: { path: "a" } });
    await box.runner.run({ id: "2", name: "writer", input: {} });
    await box.runner.run({ id: "3", name: "nope", input: {} });
    await box.runner.run({ id: "4", name: "writer", input: { path: "a" } }, { signal: AbortSignal.abort() });
    expect(host.entries.map((entry) => [entry.begin.tool, entry.ends[0]?.status])).toEqual([
      ["writer", "ok"],
      ["writer", "invalid"],
      ["nope", "unknown-tool"],
      ["writer", "cancelled"],
    ]);
    expect(host.entries[0]?.begin.inputDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(host.entries[0]?.ends[0]?.claims).toEqual([
      { kind: "file", path: "/ws/a", access: ["write"], scope: "self" },
    ]);
  });

  it("does not run a call whose record cannot be kept", async () => {
    const refuse = async () => {
      throw new HaftError("STORE_UNWRITABLE", 'The state folder "/s" cannot be written. Name another with `--state`.');
    };
    const host = bareHost({ audit: { begin: refuse, end: refuse } });
    const { backend, touched } = recordingBackend();
    const outcome = await call(plainWriter, { path: "a" }, bareContext(host, { backend }));
    expect(outcome).toMatchObject({ status: "failed", code: "STORE_UNWRITABLE" });
    expect(outcome.output).toContain("--state");
    expect(touched).toEqual([]);
  });
});

describe("claims and guarded ports", () => {
  verifies("IR-036", "reaches the world only through what it was handed, and only where it claimed", async () => {
    const { backend, touched } = recordingBackend();
    expect((await call(plainWriter, { path: "a" }, bareContext(bareHost(), { backend }))).status).toBe("ok");
    const hostile: Record<string, (ctx: ToolContext) => Promise<unknown>> = {
      "writes elsewhere": (ctx) => ctx.fs.writeFile("/ws/other", "x"),
      "reads what it claimed to write": (ctx) => ctx.fs.readText("/ws/a"),
      "runs a command": (ctx) => ctx.shell.exec("id", { cwd: "/ws" }),
    };
    for (const act of Object.values(hostile)) {
      const outcome = await call(writer(act), { path: "a" }, bareContext(bareHost(), { backend }));
      expect(outcome).toMatchObject({ isError: true, code: "CALL_UNCLAIMED" });
    }
    expect(touched).toEqual(["write /ws/a"]);
  });

  it("gives a tool without claims ports that refuse everything", async () => {
    const { backend, touched } = recordingBackend();
    const pure = defineTool({
      name: "pure",
      description: "",
      parameters: {},
      async run(_, ctx) {
        await ctx.fs.writeFile("/ws/a", "x");
        return text("");
      },
    });
    expect(await call(pure, {}, bareContext(bareHost(), { backend }))).toMatchObject({ code: "CALL_UNCLAIMED" });
    expect(touched).toEqual([]);
  });

  it("revokes a port that the tool kept when the call settles", async () => {
    const { backend, touched } = recordingBackend();
    let kept: ToolContext | undefined;
    const keeper = writer(async (ctx) => {
      kept = ctx;
    });
    await call(keeper, { path: "a" }, bareContext(bareHost(), { backend }));
    await expect(kept!.fs.writeFile("/ws/a", "x")).rejects.toMatchObject({ code: "CALL_REVOKED" });
    expect(touched).toEqual([]);
  });

  it("ends the artifacts that the tool left open, and takes no more bytes for them", async () => {
    const session = bareSession();
    const ended: string[] = [];
    const artifacts: Artifacts = {
      ...session.artifacts,
      async create(about) {
        const made = await session.artifacts.create(about);
        return { ...made, end: () => made.end().finally(() => ended.push(made.id)) };
      },
    };
    const left: ArtifactWriter[] = [];
    const keeper = writer(async (ctx) => {
      for (const what of ["ended", "left"]) left.push(await ctx.artifacts.create({ what }));
      await left[1]!.write(new TextEncoder().encode("kept"));
      await left[0]!.end();
    });
    await call(keeper, { path: "a" }, bareContext(bareHost(), { session: { ...session, artifacts } }));
    await expect(left[1]!.write(new Uint8Array(1))).rejects.toMatchObject({ code: "CALL_REVOKED" });
    expect(ended).toEqual(["1", "2"]);
  });

  it("judges a path that leads elsewhere again at the real place, and remembers that it did", async () => {
    const { backend, touched } = recordingBackend({ links: { "/ws/a": "/secret/a" } });
    const inside = policyOf((claims) => ({
      effect: claims.every((claim) => claim.kind === "file" && claim.path.startsWith("/ws/")) ? "allow" : "deny",
    }));
    const context = bareContext(bareHost({ policy: inside }), { backend });
    const first = await call(plainWriter, { path: "a" }, context);
    expect(first).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(first.output).toContain('"/secret/a"');
    const second = await call(plainWriter, { path: "a" }, context);
    expect(second).toMatchObject({ status: "denied", decision: { effect: "deny" } });
    expect(touched).toEqual([]);
  });

  it("resolves the paths first when a person is asked, and lets the approved real place pass", async () => {
    const { backend, touched } = recordingBackend({ links: { "/ws/a": "/data/a" } });
    const asked: unknown[] = [];
    const host = bareHost({
      policy: policyOf(() => ({ effect: "ask" })),
      approver: {
        async ask(request) {
          asked.push(request.claims.map((claim) => claim.kind === "file" && claim.path));
          return { by: "tester", scope: "once" };
        },
      },
    });
    const outcome = await call(plainWriter, { path: "a" }, bareContext(host, { backend }));
    expect(outcome).toMatchObject({ status: "ok", decision: { approver: "tester", effect: "ask" } });
    expect(asked).toEqual([["/ws/a", "/data/a"]]);
    expect(touched).toEqual(["write /data/a"]);
  });

  it("explains without recording, asking or running", async () => {
    const host = bareHost({ policy: policyOf(() => ({ effect: "deny", reason: "No." })) });
    const { backend, touched } = recordingBackend();
    const context = bareContext(host, { backend });
    const explained = await explain(plainWriter, { id: "1", name: "writer", input: { Path: "a" } }, context);
    expect(explained).toMatchObject({
      decision: { effect: "deny" },
      claims: [{ path: "/ws/a" }],
      input: { path: "a" },
    });
    expect(host.entries).toEqual([]);
    expect(touched).toEqual([]);
  });
});

describe("approval", () => {
  const asking = policyOf(() => ({ effect: "ask", remember: ["write /ws"] }));

  it("is a no when nobody can be asked, on silence, and when the approver fails", async () => {
    const none = await call(plainWriter, { path: "a" }, bareContext(bareHost({ policy: asking })));
    expect(none).toMatchObject({ status: "denied", code: "POLICY_APPROVAL_REQUIRED" });
    const approvers = [
      { ask: () => new Promise<never>(() => {}) },
      { ask: () => Promise.reject(new Error("down")) },
      { ask: async () => ({ denied: "no" }) },
    ];
    for (const approver of approvers) {
      const host = bareHost({ policy: asking, approver, approvalTimeoutMs: 20 });
      expect(await call(plainWriter, { path: "a" }, bareContext(host))).toMatchObject({
        status: "denied",
        isError: true,
      });
    }
  });

  it("is not waited for once the call has been cancelled, at whatever moment", async () => {
    const control = new AbortController();
    const approver = { ask: () => new Promise<never>(() => {}) };
    const reserve = () => {
      control.abort();
      return { allowed: true as const, settle() {} };
    };
    const host = bareHost({ policy: asking, approver, rate: { reserve } });
    const outcome = await call(plainWriter, { path: "a" }, bareContext(host).withCancel(control.signal));
    expect(outcome).toMatchObject({ status: "cancelled", isError: true });
  });

  it("is remembered for the session when the person says so", async () => {
    let asked = 0;
    const approver = {
      async ask() {
        asked++;
        return { by: "tester", scope: "session" as const };
      },
    };
    const host = bareHost({ policy: asking, approver });
    const session = bareSession();
    for (const path of ["a", "b"]) await call(plainWriter, { path }, bareContext(host, { session }));
    expect(asked).toBe(1);
    await call(plainWriter, { path: "c" }, bareContext(host, { session: bareSession("other") }));
    expect(asked).toBe(2);
  });

  it("can be put off: the call ends, and runs when it comes back with the granted token and the same input", async () => {
    const { backend, touched } = recordingBackend();
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: "by mail" }) } });
    const context = bareContext(host, { backend });
    const first = await call(plainWriter, { path: "a" }, context);
    expect(first).toMatchObject({ status: "input-required", isError: true });
    const token = first.inputRequired!.token;
    expect(host.approvals.list().map((request) => request.token)).toEqual([token]);
    expect((await call(plainWriter, { path: "a" }, context, token)).status).toBe("input-required");

    host.approvals.grant(token, "operator");
    expect(await call(plainWriter, { path: "b" }, context, token)).toMatchObject({ status: "denied", isError: true });
    const other = bareContext(host, { backend, session: bareSession("other") });
    expect((await call(plainWriter, { path: "a" }, other, token)).status).toBe("denied");
    expect(touched).toEqual([]);
    const done = await call(plainWriter, { path: "a" }, context, token);
    expect(done).toMatchObject({ status: "ok", decision: { approver: "operator" } });
    expect((await call(plainWriter, { path: "a" }, context, token)).status).toBe("denied");
    expect(touched).toEqual(["write /ws/a"]);
    expect(() => host.approvals.grant("unknown")).toThrow(/No approval waits/);
  });

  it("is refused for good when the host refuses the token", async () => {
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: "" }) } });
    const context = bareContext(host);
    const { inputRequired } = await call(plainWriter, { path: "a" }, context);
    host.approvals.grant(inputRequired!.token);
    host.approvals.deny(inputRequired!.token, "Not today.");
    expect(() => host.approvals.grant(inputRequired!.token)).toThrow(/No approval waits/);
    const outcome = await call(plainWriter, { path: "a" }, context, inputRequired!.token);
    expect(outcome).toMatchObject({ status: "denied" });
    expect(outcome.output).toContain("Not today.");
  });
});

describe("hooks, rate, targets and events", () => {
  it("lets a host change the input before claims and wrap the run, whose input is frozen", async () => {
    const { backend, touched } = recordingBackend();
    const order: string[] = [];
    const host = bareHost({
      hooks: {
        beforeClaims: ({ input }) => ({ ...(input as object), path: "hooked" }),
        async aroundRun({ input }, run) {
          order.push(Object.isFrozen(input) ? "frozen" : "loose");
          return run();
        },
      },
    });
    await call(plainWriter, { path: "a" }, bareContext(host, { backend }));
    expect(touched).toEqual(["write /ws/hooked"]);
    expect(order).toEqual(["frozen"]);
  });

  it("counts an act only when it succeeded, and refuses when the rate is used up", async () => {
    const settled: boolean[] = [];
    let allowed = true;
    const rate = {
      reserve: () =>
        allowed
          ? ({ allowed: true, settle: (ok: boolean) => void settled.push(ok) } as const)
          : ({ allowed: false, reason: "20 an hour are used up." } as const),
    };
    const host = bareHost({ rate });
    await call(plainWriter, { path: "a" }, bareContext(host));
    const failing = writer(async () => {
      throw new Error("no");
    });
    await call(failing, { path: "a" }, bareContext(host));
    allowed = false;
    expect(await call(plainWriter, { path: "a" }, bareContext(host))).toMatchObject({
      code: "POLICY_RATE_LIMITED",
      status: "denied",
    });
    expect(settled).toEqual([true, false]);
  });

  it("aims a call at the backend that `on` names, and names the known ones otherwise", async () => {
    const here = recordingBackend({ name: "here" });
    const there = recordingBackend({ name: "there" });
    const targets = { here: here.backend, there: there.backend };
    const host = bareHost();
    const context = bareContext(host, { backend: here.backend, targets });
    await call(plainWriter, { path: "a", on: "there" }, context);
    await call(plainWriter, { path: "a" }, context);
    expect([here.touched.length, there.touched.length]).toEqual([1, 1]);
    expect(host.entries.flatMap((entry) => entry.ends).map((end) => end.backend)).toEqual(["there", "here"]);
    const wrong = await call(plainWriter, { path: "a", on: "ther" }, context);
    expect(wrong.output).toContain('"here", "there"');
  });

  it("tells events with the id of their call", async () => {
    const events: unknown[] = [];
    const tool = defineTool({
      name: "teller",
      description: "",
      parameters: {},
      run(_, ctx) {
        ctx.emit({ kind: "progress", data: 1 });
        return text("");
      },
    });
    await call(tool, {}, bareContext(bareHost(), { onEvent: (event) => events.push(event) }));
    expect(events).toEqual([{ kind: "progress", data: 1, callId: "c1" }]);
  });
});
