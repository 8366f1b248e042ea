/** Parts of a host or a tool that never come back, or fail: each call still ends as an outcome, and what was not decided does not run. */
import { describe, expect, it } from "vitest";
import {
  type BareHost,
  bareArtifacts,
  bareContext,
  bareHost,
  bareSession,
} from "../testing/fakes/bare-host.fixture.js";
import { call, faster, toolOf } from "../testing/fakes/odd-tool.fixture.js";
import {
  type AuditEnd,
  type Claim,
  createToolBox,
  type DefinedTool,
  type Dialect,
  defineTool,
  EMPTY_GRANT,
  text,
} from "./index.js";

describe("parts that never come back, or fail", () => {
  const never = () => new Promise<never>(() => {});
  const claiming = (claims: () => unknown) =>
    defineTool({
      name: "odd",
      description: "",
      parameters: {},
      effect: "write",
      claims: claims as () => Claim[],
      run: () => text("ran"),
    });
  const soon = () => AbortSignal.timeout(20);

  it("end by a cancel and by a time limit before the call could touch anything", async () => {
    const endless = { "~standard": { version: 1, vendor: "v", validate: never, jsonSchema: { input: () => ({}) } } };
    const unvalidated = defineTool({
      name: "odd",
      description: "",
      input: endless as never,
      run: () => text("ran"),
    } as never);
    for (const tool of [claiming(never), unvalidated]) {
      expect(await call(tool, bareContext().withCancel(soon()))).toMatchObject({ status: "cancelled" });
      const clock = { now: () => 0, timer: faster(1_000) };
      expect(await call(tool, bareContext(bareHost({ clock })))).toMatchObject({
        status: "timed-out",
        code: "CALL_TIMEOUT",
      });
    }
  });

  const whenFaster = (more: Partial<BareHost>) =>
    bareContext(bareHost({ clock: { now: () => 0, timer: faster(1_000) }, ...more }));
  const started: string[] = [];
  const acting = defineTool({
    name: "odd",
    description: "",
    parameters: {},
    effect: "write",
    claims: () => [],
    run() {
      started.push("ran");
      return text("ran");
    },
  });

  it("are not waited for by a record: a call whose begin cannot be kept does not run, and ends", async () => {
    const ends: AuditEnd[] = [];
    const audit = { begin: never, end: async (_: string, end: AuditEnd) => void ends.push(end) };
    started.length = 0;
    expect(await call(acting, whenFaster({ audit }))).toMatchObject({
      status: "timed-out",
      code: "CALL_TIMEOUT",
      output:
        "Did not run `odd` because it could not be written to the audit log. The audit log did not answer within 30000 ms.",
    });
    expect(await call(acting, bareContext(bareHost({ audit })).withCancel(soon()))).toMatchObject({
      status: "cancelled",
    });
    expect([started, ends]).toEqual([[], []]);
    expect(await call(acting, whenFaster({ digest: never }))).toMatchObject({ status: "timed-out" });
    expect(started).toEqual([]);
  });

  it("state claims once: a `then` that calls back again changes nothing any more", async () => {
    const file = (path: string) => [{ kind: "file", path, access: ["read"], scope: "self" }];
    let claimAgain = () => {};
    const twice = (done: (claims: unknown) => void) => {
      claimAgain = () => done(file("/etc"));
      done(file("/ws/a"));
    };
    const host = bareHost();
    const tool = defineTool({
      name: "odd",
      description: "",
      parameters: {},
      effect: "read",
      // biome-ignore lint/suspicious/noThenProperty: the least that `await` takes, as a hostile tool gives it.
      claims: () => ({ then: twice }) as never,
      async run() {
        claimAgain();
        await new Promise((done) => setTimeout(done, 1));
        return text("ran");
      },
    });
    expect(await call(tool, bareContext(host))).toMatchObject({ status: "ok" });
    expect(host.entries[0]?.ends[0]?.claims).toEqual(file("/ws/a"));
  });

  it("do not hold the answer of a call that has run: neither its record nor an artifact", async () => {
    const begin = async () => "a1";
    expect(await call(acting, whenFaster({ audit: { begin, end: never } }))).toMatchObject({ output: "ran" });
    const create = () => Promise.reject(new Error("disk full"));
    const session = { ...bareSession(), artifacts: { ...bareArtifacts(), create } };
    const lines = Array.from({ length: 40 }, () => ({ kind: "text" as const, text: "x".repeat(10_000) }));
    const large = toolOf(() => ({ isError: false, content: lines }));
    const outcome = await call(large, bareContext(bareHost(), { session }));
    expect(outcome).toMatchObject({ status: "ok", artifacts: [] });
    expect(outcome.truncations.length).toBeGreaterThan(0);
  });

  it("decide nothing by an answer of another form, and nothing runs", async () => {
    const failing = () => {
      throw new Error("policy");
    };
    started.length = 0;
    const unexplained = { effect: "allow", rule: "r", risk: "low", grant: EMPTY_GRANT };
    const silent = [
      { effect: "deny" },
      { effect: "deny", rule: "r" },
      { effect: "deny", rule: "r", reason: 1 },
      unexplained,
    ];
    const odds = [undefined, null, "allow", {}, { effect: "maybe" }, { effect: "allow" }, never(), ...silent];
    for (const odd of odds) {
      const policy = { name: "odd", decide: () => odd as never };
      expect(await call(acting, bareContext(bareHost({ policy })))).toMatchObject({
        status: "denied",
        code: "POLICY_DENIED",
        output: expect.stringContaining("The policy did not return a decision, and nothing runs without one: "),
      });
    }
    const policy = { name: "odd", decide: failing };
    expect(await call(acting, bareContext(bareHost({ policy })))).toMatchObject({
      status: "denied",
      code: "POLICY_DENIED",
      output: expect.stringContaining("The policy threw an error (policy), and nothing runs without a decision."),
      decision: { rule: "policy-threw", effect: "deny", approver: null },
    });
    expect(started).toEqual([]);
  });

  /** The unhandled rejections while `body` runs. */
  async function unhandledDuring(body: () => Promise<void>): Promise<unknown[]> {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listener);
    try {
      await body();
      await new Promise((resolve) => setTimeout(resolve, 5)); // unhandled rejections are reported after the microtasks
    } finally {
      process.off("unhandledRejection", listener);
    }
    return unhandled;
  }

  it("deny the call when a policy, a rate limiter or a redactor returns a promise, and handle its rejection", async () => {
    const late = () => Promise.reject(new Error("late")) as never;
    started.length = 0;
    const unhandled = await unhandledDuring(async () => {
      expect(await call(acting, bareContext(bareHost({ policy: { name: "late", decide: late } })))).toMatchObject({
        status: "denied",
        code: "POLICY_DENIED",
        decision: { rule: "no-decision", effect: "deny" },
      });
      expect(await call(acting, bareContext(bareHost({ rate: { reserve: late } })))).toMatchObject({
        status: "denied",
        code: "POLICY_RATE_LIMITED",
        output: "Did not run `odd`: the rate limiter did not return a reservation. Fix its `reserve`.",
      });
      expect(await call(acting, bareContext(bareHost({ redactor: { redact: late } })))).toMatchObject({
        status: "failed",
        output: "`odd` ended, but its result cannot be returned.",
      });
    });
    expect([started, unhandled]).toEqual([[], []]);
  });

  it("handle the rejections of a tool whose hook does not await it, and of a late result that cannot be read", async () => {
    const unhandled = await unhandledDuring(async () => {
      const failing = toolOf(() => {
        throw new Error("broken");
      });
      const aroundRun = async (_: unknown, run: () => Promise<unknown>) => {
        void run();
        return text("hooked");
      };
      const hooks = { aroundRun: aroundRun as never };
      expect((await call(failing, bareContext(bareHost({ hooks })))).output).toBe("hooked");

      let settle = (_: unknown) => {};
      const slow = toolOf(
        () =>
          new Promise((resolve) => {
            settle = resolve;
          }),
      );
      const host = bareHost({ clock: { now: () => 0, timer: faster(1_000) } });
      expect(await call(slow, bareContext(host))).toMatchObject({ status: "abandoned" });
      settle({
        get isError() {
          throw new Error("unreadable");
        },
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(host.entries[0]?.ends.map((end) => end.status)).toEqual(["abandoned", "late-value-dropped"]);
    });
    expect(unhandled).toEqual([]);
  });

  it("settle the rate after the audit entry, and a limiter that throws changes nothing", async () => {
    const order: string[] = [];
    const broken = (outcome: () => unknown) => ({
      reserve: () => ({
        allowed: true as const,
        settle() {
          order.push("settle");
          return outcome() as never;
        },
      }),
    });
    const throwing = () => {
      throw new Error("limiter");
    };
    const unhandled = await unhandledDuring(async () => {
      for (const settle of [throwing, () => Promise.reject(new Error("limiter"))]) {
        const host = bareHost({ rate: broken(settle) });
        const audit = { ...host.audit, end: async () => void order.push("audit") };
        expect(await call(acting, bareContext({ ...host, audit }))).toMatchObject({ status: "ok", output: "ran" });
      }
    });
    expect([order, unhandled]).toEqual([["audit", "settle", "audit", "settle"], []]);
  });

  it("are recorded as what they are: nothing that threw has allowed anything", async () => {
    const throwing = (): never => {
      throw new Error("boom");
    };
    const asks = () =>
      ({ effect: "ask", rule: "r", risk: "low", reason: "Why.", remember: [], grant: EMPTY_GRANT }) as never;
    const parts: [what: string, more: Partial<BareHost>, tool: DefinedTool, recorded: Partial<AuditEnd>][] = [
      [
        "policy",
        { policy: { name: "p", decide: throwing } },
        acting,
        { status: "denied", effect: "deny", rule: "policy-threw" },
      ],
      ["hook", { hooks: { beforeClaims: throwing } }, acting, { status: "failed", effect: "deny", rule: "undecided" }],
      ["claims", {}, claiming(throwing), { status: "failed", effect: "deny", rule: "undecided" }],
      [
        "approver",
        { policy: { name: "p", decide: asks }, approver: { ask: throwing } },
        acting,
        { status: "denied", effect: "ask", approver: null },
      ],
      ["rate limit", { rate: { reserve: throwing } }, acting, { status: "failed", code: "CALL_THREW" }],
    ];
    started.length = 0;
    for (const [what, more, tool, recorded] of parts) {
      const host = bareHost(more);
      await call(tool, bareContext(host));
      expect([what, host.entries[0]?.ends]).toEqual([what, [expect.objectContaining(recorded)]]);
    }
    expect(started).toEqual([]);
  });

  it("give an outcome where the host itself fails: its clock, its ids, its context", async () => {
    const failing = () => {
      throw new Error("broken");
    };
    started.length = 0;
    const contextless = createToolBox([acting], failing);
    for (const options of [undefined, { signal: soon() }]) {
      const outcome = await contextless.runner.run({ id: "c", name: "odd", input: {} }, options);
      expect(outcome).toMatchObject({ isError: true, status: "failed", code: "CALL_THREW" });
    }
    const endless = createToolBox([acting], never);
    expect(await endless.runner.run({ id: "c", name: "odd", input: {} }, { signal: soon() })).toMatchObject({
      status: "cancelled",
      code: "CALL_CANCELLED",
    });
    const clock = { now: () => 0, timer: faster(1_000) };
    const bounded = createToolBox([acting], never, { clock });
    expect(await bounded.runner.run({ id: "c", name: "odd", input: {} })).toMatchObject({
      id: "c",
      status: "timed-out",
      code: "CALL_TIMEOUT",
      output: expect.stringMatching(/^Did not run `odd`: the host did not create a context within 30000 ms\. /),
    });
    await expect(bounded.explain({ id: "c", name: "odd", input: {} })).rejects.toMatchObject({ code: "CALL_TIMEOUT" });
    const dialect = { unknownTool: failing } as unknown as Dialect;
    const host = bareHost();
    const unnamed = createToolBox([], () => bareContext(host, { dialect }));
    expect(await unnamed.runner.run({ id: "c", name: "odd", input: {} })).toMatchObject({ status: "failed" });
    expect(host.entries[0]?.ends).toHaveLength(1);
    expect(started).toEqual([]);
  });

  it("run under a deadline that a timer can hold, whatever the tool says", async () => {
    for (const stated of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e15, undefined]) {
      const tool = defineTool({
        name: "odd",
        description: "",
        parameters: {},
        deadlineMs: (() => stated) as () => number,
        async run(_, ctx) {
          await new Promise((done) => setTimeout(done, 5)); // long enough for a timer of 1 ms to fire
          return text(ctx.signal.aborted ? "stopped" : "whole");
        },
      });
      expect((await call(tool)).output).toBe("whole");
    }
  });

  it("do not take the answer of a call that has run with them", async () => {
    const host = bareHost();
    const failing = () => {
      throw new Error("listener");
    };
    const context = bareContext({ ...host, audit: { ...host.audit, end: failing } }, { onEvent: failing });
    const tool = defineTool({
      name: "odd",
      description: "",
      parameters: {},
      effect: "write",
      claims: () => [],
      run(_, ctx) {
        ctx.emit({ kind: "notice", message: "note" });
        return text("ran");
      },
    });
    expect(await call(tool, context)).toMatchObject({ status: "ok", output: "ran" });
  });

  it("are named where claims are none, and nothing runs", async () => {
    const file = (more: object) => [{ kind: "file", path: "/ws/a", access: ["read"], scope: "self", ...more }];
    const odd: unknown[] = [undefined, "all", text("fine"), [null], [{ kind: "wish" }], [{ kind: "toString" }]];
    odd.push(file({ path: undefined }), file({ access: [] }), file({ access: ["own"] }));
    for (const stated of odd) {
      const outcome = await call(claiming(() => stated));
      expect(outcome).toMatchObject({ status: "failed", code: "CALL_MALFORMED" });
      expect(outcome.output).toContain("Did not run `odd`: ");
    }
  });

  it("judges a path by its meaning: `..` in a claim is gone before policy sees it", async () => {
    const host = bareHost();
    const climbing = [{ kind: "file", path: "/ws/../etc//x/.", access: ["read"], scope: "tree" }];
    await call(
      claiming(() => climbing),
      bareContext(host),
    );
    expect(host.entries[0]?.ends[0]?.claims).toEqual([{ ...climbing[0], path: "/etc/x" }]);
  });
});
