/** That only a user lets an "ask" pass, for exactly what was shown. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, policyOf, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { faster } from "../testing/fakes/odd-tool.fixture.js";
import {
  type ApprovalRequest,
  type Approver,
  type Claim,
  type CommandStart,
  type DefinedTool,
  defineTool,
  EMPTY_GRANT,
  type HostContext,
  type Policy,
  type ToolCall,
  type ToolOutcome,
  text,
} from "./index.js";

const call = (tool: DefinedTool, context: HostContext = bareContext(), more: Partial<ToolCall> = {}) =>
  tool.invoke({ id: "c1", name: tool.name, input: {}, ...more }, context);

const writer = defineTool({
  name: "writer",
  description: "",
  parameters: {},
  effect: "write",
  claims: (_, context) => [{ kind: "file", path: context.resolve("a"), access: ["write"], scope: "self" }],
  async run(_, ctx) {
    await ctx.fs.writeFile(ctx.resolve("a"), "x");
    return text("written");
  },
});

const plain = {
  name: "writer",
  description: "",
  parameters: {},
  effect: "write",
  run: async () => text("written"),
} as const;

/** Needs approval, and touches nothing. */
const untouching = defineTool({ ...plain, claims: () => [] });

const asking = policyOf(() => ({ effect: "ask", remember: ["all"] }));

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

describe("an answer that is not valid", () => {
  it("is refused with the field that is wrong, an approver's and a policy's", async () => {
    const good = { effect: "ask", rule: "r", reason: "Why.", risk: "low", grant: EMPTY_GRANT, remember: [] };
    const outputOf = async (decision: unknown, answer: unknown = { by: "ada", scope: "once" }) => {
      const policy = { name: "p", decide: () => decision } as Policy;
      const host = bareHost({ policy, approver: { ask: async () => answer } as Approver });
      return String((await call(untouching, bareContext(host))).output);
    };
    expect(await outputOf(good)).toBe("written");
    const approver = [
      [{ approved: true }, "`by` is missing"],
      [{ by: "ada" }, "`scope` is missing"],
      [{ by: "ada", scope: "forever" }, '`scope` is "forever"; it must be "once", "session" or "project"'],
      [{ denied: true }, "`denied` is true; it must be a string"],
      [{ pending: "later" }, '`pending` is "later"; it must be true'],
      [true, "it is true"],
    ] as const;
    for (const [answer, problem] of approver) expect(await outputOf(good, answer)).toContain(`: ${problem}`);
    const policy = [
      [undefined, "it returned nothing"],
      [Promise.resolve(good), "it returned a promise, and `decide` must be synchronous"],
      [{ ...good, effect: "maybe" }, '`effect` is "maybe"; it must be "allow", "ask" or "deny"'],
      [{ ...good, reason: undefined }, "`reason` is missing"],
      [{ ...good, grant: undefined }, "`grant` is missing; it must be an object, as `grantFor` makes it"],
      [{ ...good, grant: { ...EMPTY_GRANT, files: undefined } }, "`grant.files` is missing"],
      [
        { ...good, grant: { ...EMPTY_GRANT, exceptNames: [".env", "a/b"] } },
        '`grant.exceptNames[1]` is "a/b"; it must be a glob of one name, without a slash',
      ],
      [{ ...good, remember: "all" }, '`remember` is "all"; it must be a list of strings'],
      [{ ...good, remembers: "all" }, '`remembers` is "all"; it must be a list of strings'],
    ] as const;
    for (const [decision, problem] of policy) expect(await outputOf(decision)).toContain(`: ${problem}`);
  });

  it("may leave out `remember`: nothing is remembered then", async () => {
    const { backend } = recordingBackend();
    let asked = 0;
    const policy = {
      name: "p",
      decide: () => ({ effect: "ask" as const, rule: "r", reason: "Why.", risk: "low" as const, grant: EMPTY_GRANT }),
    };
    const approver: Approver = {
      async ask() {
        asked += 1;
        return { by: "ada", scope: "session" };
      },
    };
    const context = bareContext(bareHost({ policy, approver }), { backend });
    for (const _ of [1, 2]) expect((await call(untouching, context)).status).toBe("ok");
    expect(asked).toBe(2);
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

describe("a state that misbehaves", () => {
  const pending: Approver = { ask: async () => ({ pending: true }) };
  const never = () => new Promise<never>(() => {});
  /** A host with a state of which one method is another, its clock so fast that 10 s take 10 ms. */
  const hostWith = (approvals: object, approver = pending) => {
    const settled: boolean[] = [];
    const rate = {
      reserve: () => ({ allowed: true as const, settle: (succeeded: boolean) => void settled.push(succeeded) }),
    };
    const clock = { now: () => 0, timer: faster(1_000) };
    const host = bareHost({ policy: asking, approver, clock, rate, approvalTimeoutMs: 60_000 });
    const { state } = host;
    return { host: { ...host, state: { ...state, approvals: { ...state.approvals, ...approvals } } }, settled };
  };

  it.each([[[]], [{ rows: [] }], ["false"], [1], [undefined]])("remembers nothing by answering %j", async (answer) => {
    const { host } = hostWith({ remembered: async () => answer });
    expect((await call(untouching, bareContext(host))).status).toBe("input-required");
  });

  it.each([
    [undefined, "it is nothing"],
    [{ state: "ok" }, '`state` is "ok"'],
    [{ state: "granted" }, "`by` is missing"],
    [{ state: "granted", by: "ada", scope: "once" }, '`scope` is "once"'],
    [{ state: "denied" }, "`reason` is missing"],
    [{ state: "pending", request: { token: "t", rule: "r" } }, "`request.reason` is missing"],
  ])("approves nothing by answering %j to `take`", async (answer, problem) => {
    const { host } = hostWith({ take: async () => answer });
    const { backend, touched } = recordingBackend();
    const context = bareContext(host, { backend });
    const token = (await call(writer, context)).inputRequired!.token;
    for (const resume of [token, undefined])
      expect(await call(writer, context, resume === undefined ? {} : { resume })).toMatchObject({
        code: "STORE_CONFLICT",
        output: expect.stringContaining(`an invalid answer to \`take\`: ${problem}`),
      });
    expect(touched).toEqual([]);
  });

  it.each([
    [undefined, "it is nothing, and must be a list"],
    [{ rows: [] }, "it is of type object, and must be a list"],
    [[null], "an entry has no `call`"],
    [[{ call: {} }], "`request` is missing"],
  ])("approves nothing by answering %j to `list`", async (answer, problem) => {
    const { host, settled } = hostWith({ list: async () => answer });
    expect(await call(untouching, bareContext(host))).toMatchObject({
      code: "STORE_CONFLICT",
      output: expect.stringContaining(`an invalid answer to \`list\`: ${problem}`),
    });
    expect(settled).toEqual([false]);
  });

  it("is asked again where `list` throws instead of rejecting", async () => {
    const broken = () => {
      throw new Error("db");
    };
    expect((await call(untouching, bareContext(hostWith({ list: broken }).host))).status).toBe("input-required");
  });

  it.each(["list", "remembered", "add", "take"] as const)(
    "does not hold a call by never answering `%s`: it ends in time, or when it is cancelled",
    async (method) => {
      const { host, settled } = hostWith({ [method]: never });
      const { backend, touched } = recordingBackend();
      const context = bareContext(host, { backend });
      const more = method === "take" ? { resume: "approval-1" } : {};
      expect(await call(writer, context, more)).toMatchObject({
        code: "STORE_CONFLICT",
        output: expect.stringContaining("did not answer within 10000 ms"),
      });
      const slow = bareContext({ ...host, clock: { now: () => 0, timer: () => () => {} } }, { backend });
      expect(await call(writer, slow.withCancel(AbortSignal.timeout(20)), more)).toMatchObject({ status: "cancelled" });
      expect([touched, settled]).toEqual([[], [false, false]]);
    },
  );

  it("runs what a user allowed although it never answers `remember`, unless the call is cancelled", async () => {
    const { host, settled } = hostWith({ remember: never }, { ask: async () => ({ by: "ada", scope: "session" }) });
    const slow = bareContext({ ...host, clock: { now: () => 0, timer: () => () => {} } });
    expect((await call(untouching, slow.withCancel(AbortSignal.timeout(20)))).status).toBe("cancelled");
    expect((await call(untouching, bareContext(host))).status).toBe("ok");
    expect(settled).toEqual([false, true]);
  });
});
