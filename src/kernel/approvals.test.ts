/** That only a user lets an "ask" pass, for exactly what was shown. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, policyOf, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { asking, call, plain, untouching, writer } from "./approvals.fixture.js";
import {
  type ApprovalRequest,
  type Approvals,
  type Approver,
  type Claim,
  type CommandStart,
  defineTool,
  type ToolCall,
  type ToolOutcome,
  text,
} from "./index.js";

describe("approval", () => {
  it("is given by no answer but a grant", async () => {
    const odd: unknown[] = [undefined, null, true, "yes", {}, { approved: false }, { by: "me" }, { scope: "once" }];
    odd.push({ by: "", denied: "no", scope: "once" }, { by: {}, scope: "session" }, { by: "me", scope: "for ever" });
    for (const answer of odd) {
      const { backend, touched } = recordingBackend();
      const approver = { ask: async () => answer } as Approver;
      const context = bareContext(bareHost({ policy: asking, approver }), { backend });
      const outcomes: ToolOutcome[] = [await call(writer, context), await call(writer, context)];
      expect(outcomes.map((one) => [one.status, one.code])).toEqual(Array(2).fill(["denied", "POLICY_DENIED"]));
      expect(touched).toEqual([]);
    }
  });

  it("holds for what would be touched when it was asked for", async () => {
    const links: Record<string, string> = { "/ws/a": "/data/shown" };
    const { backend, touched } = recordingBackend({ links });
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: true }) } });
    const context = bareContext(host, { backend });
    const token = (await call(writer, context)).inputRequired!.token;
    await host.state.approvals.decide(token, { granted: "ada" });
    links["/ws/a"] = "/data/other";
    const swapped = await call(writer, context, { resume: token });
    expect(swapped).toMatchObject({ status: "denied", isError: true });
    expect(swapped.output).toContain("would touch something other than what was approved");
    const moved = bareContext(host, { backend, cwd: "/ws/sub" });
    expect((await call(writer, moved, { resume: token })).status).toBe("denied");
    expect(touched).toEqual([]);
    links["/ws/a"] = "/data/shown";
    const both = await Promise.all([1, 2].map(() => call(writer, context, { resume: token })));
    expect(both.map((one) => one.status).sort()).toEqual(["denied", "ok"]);
    expect(touched).toEqual(["write /data/shown"]);
  });

  it.each(["asked", "remembered", "token", "stored"] as const)(
    "(%s) is for what was shown, also where a symlink is swapped between the answer and the run",
    async (kind) => {
      const links = { "/ws/a": "/data/shown" };
      const { backend, touched } = recordingBackend({ links });
      const swap = () => {
        links["/ws/a"] = "/data/other";
      };
      const { state } = bareHost();
      const approvals: Approvals = {
        ...state.approvals,
        take: (token, one) => state.approvals.take(token, one).finally(swap),
        remembered: (scopes, keys) => state.approvals.remembered(scopes, keys).finally(swap),
      };
      const approver: Approver = {
        async ask() {
          if (kind !== "asked") return { pending: true };
          swap();
          return { by: "ada", scope: "once" };
        },
      };
      const policy = policyOf(() => ({ effect: "ask", remember: kind === "remembered" ? ["all"] : [] }));
      const host = bareHost({ policy, approver, state: { ...state, approvals } });
      const context = bareContext(host, { backend });
      let more: Partial<ToolCall> = {};
      if (kind === "remembered") {
        await approvals.remember(
          { session: context.session.id },
          [String(await host.digest(JSON.stringify([backend.name, backend.name, "all"])))],
          "ada",
        );
      } else if (kind !== "asked") {
        const { token } = (await call(writer, context)).inputRequired!;
        await approvals.decide(token, { granted: "ada" });
        if (kind === "token") more = { resume: token };
      }
      const outcome = await call(writer, context, more);
      expect(outcome).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
      expect(outcome.output).toContain("would touch something other than what was approved");
      expect(touched).toEqual([]);
      expect(host.entries.at(-1)?.ends[0]?.approval).toBe("invalid");
    },
  );

  it("holds for a command only with the environment, stdin and background that were shown, secret or not", async () => {
    const approved = { env: { KEY: "s3cret-1" }, input: "y\n", background: "session" } as const;
    let start: Partial<CommandStart> = approved;
    const tool = defineTool({
      name: "tester",
      description: "",
      parameters: {},
      effect: "write",
      claims: () => [{ kind: "command", command: "npm test", cwd: "/ws", ...start }],
      async run(_, ctx) {
        const { env = {}, input = "" } = start;
        await ctx.shell.exec("npm test", { cwd: "/ws", env, input: new TextEncoder().encode(input) });
        return text("tested");
      },
    });
    const { backend, touched } = recordingBackend();
    const shown: ApprovalRequest[] = [];
    const approver: Approver = {
      async ask(request) {
        shown.push(request);
        return { pending: true };
      },
    };
    const redactor = { redact: (one: string) => one.replaceAll(/s3cret-./g, "[hidden]") };
    const host = bareHost({ policy: asking, approver, redactor });
    const context = bareContext(host, { backend });
    const outcome = await call(tool, context);
    const token = outcome.inputRequired!.token;
    await host.state.approvals.decide(token, { granted: "ada" });
    const others: readonly Partial<CommandStart>[] = [
      { ...approved, env: { KEY: "s3cret-2" } },
      { ...approved, env: { KEY: "s3cret-1", PATH: "/evil" } },
      { input: "y\n", background: "session" },
      { ...approved, input: "n\n" },
      { ...approved, background: "keep" },
    ];
    for (const other of others) {
      start = other;
      expect((await call(tool, context, { resume: token })).output).toContain(
        "or the environment or stdin of a command",
      );
    }
    expect(touched).toEqual([]);
    start = approved;
    expect((await call(tool, context, { resume: token })).output).toBe("tested");
    expect(touched).toEqual(["run npm test"]);
    const preview = { env: { KEY: "[hidden]" }, input: "y\n", background: "session", isTruncated: false };
    expect(shown[0]?.preview).toEqual({ kind: "command", command: "npm test", directory: "/ws", ...preview });
    expect(JSON.stringify([shown, outcome.inputRequired, host.entries])).not.toContain("s3cret");
  });
});

describe("a request that is pending", () => {
  const pendingHost = (more: Parameters<typeof bareHost>[0] = {}) => {
    const shown: ApprovalRequest[] = [];
    const approver: Approver = {
      async ask(request) {
        shown.push(request);
        return { pending: true };
      },
      pendingHint: (token) => `Grant it with: grant ${token}.`,
    };
    return { host: bareHost({ policy: asking, approver, ...more }), shown };
  };

  it("is answered with the same token until it is granted, and then the same call runs, once", async () => {
    const { host, shown } = pendingHost();
    const { backend, touched } = recordingBackend();
    const context = bareContext(host, { backend });
    const first = await call(writer, context);
    const token = first.inputRequired!.token;
    expect(first.output).toContain(`Grant it with: grant ${token}. Then send the same call again.`);
    expect(await call(writer, context)).toMatchObject({ status: "input-required", output: first.output });
    expect([shown.length, (await host.state.approvals.list()).length]).toEqual([1, 1]);
    expect((await call(writer, context, { input: { approved: true, resume: token } })).inputRequired?.token).not.toBe(
      token,
    );
    await host.state.approvals.decide(token, { granted: "ada" });
    expect((await call(writer, context, { input: { other: 1 } })).status).toBe("input-required");
    expect(touched).toEqual([]);
    const both = await Promise.all([1, 2].map(() => call(writer, context)));
    expect(both.map((one) => one.status).sort()).toEqual(["input-required", "ok"]);
    expect(both.find((one) => one.status === "ok")?.decision.approver).toBe("ada");
    expect(touched).toEqual(["write /ws/a"]);
  });

  it("is not granted to a call of another session, or to one that now touches something else", async () => {
    const links: Record<string, string> = {};
    const { backend, touched } = recordingBackend({ links });
    const { host } = pendingHost();
    const context = bareContext(host, { backend });
    const token = (await call(writer, context)).inputRequired!.token;
    await host.state.approvals.decide(token, { granted: "ada" });
    const other = bareContext(host, { backend, session: { ...context.session, id: "another" } });
    expect((await call(writer, other)).inputRequired?.token).not.toBe(token);
    links["/ws/a"] = "/data/other";
    expect((await call(writer, context)).inputRequired?.token).not.toBe(token);
    expect(touched).toEqual([]);
  });

  it("that was denied gives the same call the reason, and the next one is asked about again", async () => {
    const { host, shown } = pendingHost();
    const context = bareContext(host);
    const token = (await call(untouching, context)).inputRequired!.token;
    await host.state.approvals.decide(token, { denied: "Use make." });
    expect(await call(untouching, context)).toMatchObject({
      status: "denied",
      output: "Did not run `writer`: Use make.",
    });
    expect((await call(untouching, context)).status).toBe("input-required");
    expect(shown.length).toBe(2);
  });

  it("is not remembered where the arguments are too long to be shown", async () => {
    const { host, shown } = pendingHost();
    await call(untouching, bareContext(host), { input: { text: "x".repeat(40_000) } });
    expect(shown[0]?.arguments).toEqual({ text: { bytes: 40_000 } });
    expect(shown[0]?.canRemember).toBeUndefined();
  });

  it("is remembered for the scope of its grant once the call runs", async () => {
    const { host, shown } = pendingHost();
    const context = bareContext(host);
    const token = (await call(untouching, context)).inputRequired!.token;
    expect(shown[0]?.canRemember).toBe(true);
    await host.state.approvals.decide(token, { granted: "ada", scope: "project" });
    expect((await call(untouching, context)).decision.approver).toBe("ada");
    expect((await call(untouching, context)).decision.approver).toBe("remembered");
  });
});

describe("the audit log", () => {
  it("has what became of each question", async () => {
    const outcomeFor = async (approver: Approver | undefined, signal?: AbortSignal) => {
      const host = bareHost({ policy: asking, approvalTimeoutMs: 5, ...(approver === undefined ? {} : { approver }) });
      await call(untouching, bareContext(host, signal === undefined ? {} : { signal }));
      return host.entries.at(-1)?.ends[0]?.approval;
    };
    const answering = (answer: Awaited<ReturnType<Approver["ask"]>>): Approver => ({ ask: async () => answer });
    const silent: Approver = { ask: () => new Promise(() => {}) };
    expect(await outcomeFor(answering({ by: "ada", scope: "once" }))).toBe("granted");
    expect(await outcomeFor(answering({ denied: "No." }))).toBe("denied");
    expect(await outcomeFor(answering({ pending: true }))).toBe("pending");
    expect(await outcomeFor(silent)).toBe("timeout");
    const stop = new AbortController();
    const cancelling: Approver = {
      ask() {
        stop.abort();
        return new Promise(() => {});
      },
    };
    expect(await outcomeFor(cancelling, stop.signal)).toBe("cancelled");
    expect(await outcomeFor(undefined)).toBe("no-approver");
    const host = bareHost({ policy: asking, approver: answering({ by: "ada", scope: "session" }) });
    for (const _ of [1, 2]) await call(untouching, bareContext(host));
    expect(host.entries.map(({ ends }) => ends[0]?.approval)).toEqual(["granted", "remembered"]);
    const allowed = bareHost({ policy: policyOf(() => ({ effect: "allow" })) });
    await call(untouching, bareContext(allowed));
    expect(allowed.entries[0]?.ends[0]).not.toHaveProperty("approval");
  });
});

describe("a preview", () => {
  it("is of one command or tool of a server, and of none where a call claims several", async () => {
    const command = (text: string, cwd = "/ws"): Claim => ({ kind: "command", command: text, cwd });
    const server: Claim = { kind: "server", server: "s", tool: "t" };
    const kindShown = async (...claims: readonly Claim[]) => {
      const shown: ApprovalRequest[] = [];
      const approver: Approver = {
        async ask(request) {
          shown.push(request);
          return { denied: "Not now." };
        },
      };
      const tool = defineTool({ ...plain, claims: () => claims });
      const { backend } = recordingBackend({ links: { "/ws/link": "/data" } });
      await call(tool, bareContext(bareHost({ policy: asking, approver }), { backend }));
      return shown[0]?.preview?.kind;
    };
    expect(await kindShown(command("echo safe"))).toBe("command");
    expect(await kindShown(command("echo safe", "/ws/link"))).toBe("command");
    expect(await kindShown(server)).toBe("server");
    expect(await kindShown(command("echo safe"), command("rm -rf /"))).toBeUndefined();
    expect(await kindShown(command("ls"), command("ls", "/other"))).toBeUndefined();
    expect(await kindShown(command("ls"), server)).toBeUndefined();
    expect(await kindShown(server, { ...server, tool: "other" })).toBeUndefined();
  });
});

describe("a request for approval", () => {
  it("of a tool of another server is shown with its arguments", async () => {
    const shown: ApprovalRequest[] = [];
    const approver: Approver = {
      async ask(request) {
        shown.push(request);
        return { denied: "No." };
      },
    };
    const tool = defineTool({
      name: "files__search",
      description: "",
      parameters: { type: "object", properties: { query: { type: "string" } } },
      effect: "write",
      claims: () => [{ kind: "server", server: "files", tool: "search" }],
      run: async () => text("found"),
    });
    const host = bareHost({ policy: policyOf(() => ({ effect: "ask" })), approver });
    await call(tool, bareContext(host), { input: { query: "x" } });
    expect(shown[0]?.preview).toEqual({ kind: "server", server: "files", tool: "search", arguments: { query: "x" } });
  });
});

describe("what a user allowed for longer", () => {
  it("runs the call also where it cannot be remembered, and that is reported", async () => {
    const host = bareHost({
      policy: policyOf(() => ({ effect: "ask", remember: ["all"] })),
      approver: { ask: async () => ({ by: "ada", scope: "session" }) },
    });
    await host.state.close();
    const events: unknown[] = [];
    const { backend, touched } = recordingBackend();
    const context = bareContext(host, { backend, onEvent: (event) => events.push(event) });
    expect((await call(writer, context)).status).toBe("ok");
    expect(touched).toEqual(["write /ws/a"]);
    expect(events).toEqual([
      { kind: "notice", callId: "c1", message: expect.stringContaining("was not remembered for the session: ") },
    ]);
  });

  it("does not run a call whose request cannot be stored", async () => {
    const host = bareHost({
      policy: policyOf(() => ({ effect: "ask" })),
      approver: { ask: async () => ({ pending: true }) },
    });
    await host.state.close();
    const { backend, touched } = recordingBackend();
    const outcomes = [
      await call(untouching, bareContext(host, { backend })),
      await call(untouching, bareContext(host, { backend }), { resume: "approval-1" }),
    ];
    expect(outcomes.map(({ status, code }) => [status, code])).toEqual(Array(2).fill(["failed", "STORE_CLOSED"]));
    expect(touched).toEqual([]);
  });
});
