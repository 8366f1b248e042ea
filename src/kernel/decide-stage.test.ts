import { describe, expect, it } from "vitest";
import { bareContext, bareHost, bareSession, policyOf, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { decide } from "./decide-stage.js";
import { type Artifacts, type ArtifactWriter, defineTool, explain, type ToolContext, text } from "./index.js";
import { call, plainWriter, writer } from "./writer-tool.fixture.js";

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

  it("names the real place that policy refuses, where another path of the call leads elsewhere, too", async () => {
    const { backend } = recordingBackend({ links: { "/ws/a": "/data/a", "/ws/b": "/secret/b" } });
    const policy = policyOf((claims) => ({
      effect: claims.some((claim) => claim.kind === "file" && claim.path.startsWith("/secret")) ? "deny" : "ask",
    }));
    const context = bareContext(bareHost({ policy }), { backend });
    const claims = ["/ws/a", "/ws/b"].map(
      (path) => ({ kind: "file", path, access: ["write"], scope: "self" }) as const,
    );
    const run = { tool: { ...plainWriter, body: { claims: () => claims } }, call: { id: "1" }, cwd: "/ws" };
    const ending = await decide({
      ...run,
      stated: claims,
      claims,
      context,
      opened: backend,
      target: context.target,
    } as never);
    expect(ending).toMatchObject({ status: "denied", result: { details: { real: "/secret/b" } } });
  });

  it("resolves the paths first when a user is asked, and lets the approved real place pass", async () => {
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

  describe("an optional claim", () => {
    const curious = defineTool({
      name: "curious",
      description: "",
      parameters: {},
      effect: "read",
      claims: () => [
        { kind: "file", path: "/ws/a", access: ["read"], scope: "self" },
        { kind: "file", path: "/beside", access: ["read"], scope: "self", optional: "if-allowed" },
        { kind: "file", path: "/ws", access: ["read"], scope: "self", optional: "if-allowed" },
      ],
      async run(_, ctx) {
        await ctx.fs.readText("/ws/a");
        await ctx.fs.readText("/ws");
        await ctx.fs.readText("/beside");
        return text("");
      },
    });
    const judged = (effect: "ask" | "deny") =>
      policyOf((claims) => ({
        effect: claims.every((claim) => claim.kind === "file" && claim.path.startsWith("/ws")) ? "allow" : effect,
      }));

    it.each(["ask", "deny"] as const)(
      "that policy answers with %s alone does not hold the call, and is not granted",
      async (effect) => {
        const context = bareContext(bareHost({ policy: judged(effect) }), { backend: recordingBackend().backend });
        const explained = await explain(curious, { id: "1", name: "curious", input: {} }, context);
        expect(explained).toMatchObject({
          decision: { effect: "allow" },
          claims: [{ path: "/ws/a" }, { path: "/ws" }],
        });
        expect(explained.claims).toHaveLength(2);
        expect(await call(curious, {}, context)).toMatchObject({
          code: "CALL_UNCLAIMED",
          output: expect.stringContaining("/beside"),
        });
      },
    );

    it("does not let a call pass whose other claims do not", async () => {
      const context = bareContext(bareHost({ policy: policyOf(() => ({ effect: "deny", reason: "No." })) }));
      expect(await call(curious, {}, context)).toMatchObject({ status: "denied" });
    });
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

  it("is denied without an approver, when the approver does not answer, and when it fails", async () => {
    const none = await call(plainWriter, { path: "a" }, bareContext(bareHost({ policy: asking })));
    expect(none).toMatchObject({ status: "denied", code: "POLICY_APPROVAL_REQUIRED" });
    expect(none.output).toContain("It needs an approval, and no user can be asked here.");
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

  it("is denied with the cause, redacted, when the approver fails", async () => {
    const fail = (): never => {
      throw new Error("cannot reach https://s3cret@desk.");
    };
    for (const ask of [fail, async () => fail()]) {
      const redactor = { redact: (one: string) => one.replaceAll("s3cret", "[hidden]") };
      const outcome = await call(
        plainWriter,
        { path: "a" },
        bareContext(bareHost({ policy: asking, approver: { ask }, redactor })),
      );
      expect(outcome.output).toContain(
        "The approver failed, and nothing runs without an answer: cannot reach https://[hidden]@desk.",
      );
      expect(JSON.stringify(outcome)).not.toContain("s3cret");
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

  it("is remembered for the session when the user says so", async () => {
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
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: true }) } });
    const context = bareContext(host, { backend });
    const first = await call(plainWriter, { path: "a" }, context);
    expect(first).toMatchObject({ status: "input-required", isError: true });
    const token = first.inputRequired!.token;
    expect((await host.state.approvals.list()).map(({ request }) => request.token)).toEqual([token]);
    expect((await call(plainWriter, { path: "a" }, context, token)).status).toBe("input-required");

    await host.state.approvals.decide(token, { granted: "operator" });
    expect(await call(plainWriter, { path: "b" }, context, token)).toMatchObject({ status: "denied", isError: true });
    const other = bareContext(host, { backend, session: bareSession("other") });
    expect((await call(plainWriter, { path: "a" }, other, token)).status).toBe("denied");
    expect(touched).toEqual([]);
    const done = await call(plainWriter, { path: "a" }, context, token);
    expect(done).toMatchObject({ status: "ok", decision: { approver: "operator" } });
    expect((await call(plainWriter, { path: "a" }, context, token)).status).toBe("denied");
    expect(touched).toEqual(["write /ws/a"]);
    expect(await host.state.approvals.decide("unknown", { granted: "operator" })).toBe(false);
  });

  it("is refused for good when the host refuses the token", async () => {
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: true }) } });
    const context = bareContext(host);
    const { inputRequired } = await call(plainWriter, { path: "a" }, context);
    const { approvals } = host.state;
    expect(await approvals.decide(inputRequired!.token, { granted: "operator" })).toBe(true);
    expect(await approvals.decide(inputRequired!.token, { denied: "Not today." })).toBe(true);
    expect(await approvals.decide(inputRequired!.token, { granted: "operator" })).toBe(false);
    const outcome = await call(plainWriter, { path: "a" }, context, inputRequired!.token);
    expect(outcome).toMatchObject({ status: "denied" });
    expect(outcome.output).toContain("Not today.");
  });
});
