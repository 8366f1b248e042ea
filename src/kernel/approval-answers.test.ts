/** That no answer which is not one, of an approver, a policy or a state, lets a call pass or holds it. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { faster } from "../testing/fakes/odd-tool.fixture.js";
import { asking, call, untouching, writer } from "./approvals.fixture.js";
import { type Approver, EMPTY_GRANT, type Policy } from "./index.js";

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
      [{ ...good, rememberedText: "all" }, '`rememberedText` is "all"; it must be a list of strings'],
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
