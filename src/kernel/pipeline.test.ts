import { describe, expect, it } from "vitest";
import { bareContext, bareHost, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { createToolBox, defineTool, HaftError, text } from "./index.js";
import { targetOf } from "./target.js";
import { call, plainWriter, writer } from "./writer-tool.fixture.js";

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

  it("distinguishes a cancellation from a deadline", async () => {
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
    const presenter = {
      name: "waiting",
      description: "",
      parameters: {},
      decode: () => ({ input: {} }),
      render: () => ({ content: [] }),
    };
    const tool = presentTool(waiting, presenter, soft.dialect);
    const folded = call(tool, {}, bareContext().withCancel(control.signal));
    control.abort();
    expect((await folded).status).toBe("cancelled");
    const rejected = call(tool, {}, bareContext().withCancel(hard.signal));
    hard.abort(reason);
    await expect(rejected).rejects.toBe(reason);
  });

  verifies("IR-057", "makes one context for a dispatch and gives it the dispatch's signal, heard or not", async () => {
    const { ToolRegistry } = await import("./index.js");
    let made = 0;
    const box = new ToolRegistry().register(waiting).toToolBox(() => {
      made++;
      return bareContext();
    });
    const control = new AbortController();
    const running = [{}, { onEvent: () => {} }].map((more) =>
      box.runner.run({ id: "1", name: "waiting", input: {} }, { signal: control.signal, ...more }),
    );
    control.abort();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(made).toBe(2);
  });

  it("abandons a tool that ignores its signal, revokes its ports, drops and records its late value [KERN-03]", async () => {
    const host = bareHost({
      // Real time, thirty times as fast, so that the six seconds of grace pass soon.
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
    const control = new AbortController();
    const stubborn = writer(async (ctx, path) => {
      setTimeout(() => control.abort(), 5);
      await new Promise<void>((done) => {
        finish = done;
      });
      late = await ctx.fs.writeFile(path, "late").catch((thrown: unknown) => thrown);
    });
    const running = call(stubborn, { path: "a" }, bareContext(host, { backend }).withCancel(control.signal));
    const outcome = await running;
    expect(outcome).toMatchObject({ status: "abandoned", code: "CALL_ABANDONED", isError: true });
    finish();
    await new Promise((done) => setTimeout(done, 20)); // the late value has to arrive first
    expect(HaftError.is(late)).toBe(true);
    expect(touched).toEqual([]);
    expect(host.entries[0]?.ends.map((end) => end.status)).toEqual(["abandoned", "late-value-dropped"]);
  });

  it("ends the call when a host reports a fault outside the tool's promise [KERN-02]", async () => {
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
      throw new HaftError(
        "STORE_UNWRITABLE",
        'The state directory "/s" cannot be written. Name another with `--state`.',
      );
    };
    const host = bareHost({ audit: { begin: refuse, end: refuse } });
    const { backend, touched } = recordingBackend();
    const outcome = await call(plainWriter, { path: "a" }, bareContext(host, { backend }));
    expect(outcome).toMatchObject({ status: "failed", code: "STORE_UNWRITABLE" });
    expect(outcome.output).toContain("--state");
    expect(touched).toEqual([]);
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
    const targets = { here: targetOf(here.backend), there: targetOf(there.backend) };
    const host = bareHost();
    const context = bareContext(host, { backend: here.backend, targets });
    await call(plainWriter, { path: "a", on: "there" }, context);
    await call(plainWriter, { path: "a" }, context);
    expect([here.touched.length, there.touched.length]).toEqual([1, 1]);
    expect(host.entries.map((entry) => entry.begin.backend)).toEqual(["there", "here"]);
    const wrong = await call(plainWriter, { path: "a", on: "ther" }, context);
    expect(wrong.output).toContain('"here", "there"');
  });

  it("leaves `on` to a tool that has such a parameter itself", async () => {
    const [here, there] = [recordingBackend({ name: "here" }), recordingBackend({ name: "there" })];
    const targets = { here: targetOf(here.backend), there: targetOf(there.backend) };
    const lamp = defineTool({
      name: "lamp",
      description: "",
      parameters: { type: "object", properties: { on: { type: "boolean" } } },
      run: (input) => text(JSON.stringify(input)),
    });
    const context = bareContext(bareHost(), { backend: here.backend, targets });
    expect((await call(lamp, { on: true }, context)).output).toBe('{"on":true}');
    const box = createToolBox([lamp, plainWriter], () => context);
    const [own, other] = box.descriptors(["here", "there"]);
    expect(own?.parameters).toEqual(lamp.descriptor().parameters);
    expect(other?.parameters.properties).toMatchObject({ on: { enum: ["here", "there"] } });
  });

  it("reports events with the id of their call", async () => {
    const events: unknown[] = [];
    const tool = defineTool({
      name: "teller",
      description: "",
      parameters: {},
      run(_, ctx) {
        ctx.emit({ kind: "progress", message: "half", progress: 1, total: 2 });
        return text("");
      },
    });
    await call(tool, {}, bareContext(bareHost(), { onEvent: (event) => events.push(event) }));
    expect(events).toEqual([{ kind: "progress", message: "half", progress: 1, total: 2, callId: "c1" }]);
  });
});
