/** That only a user lets an "ask" pass, for exactly what was shown. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, policyOf, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import {
  type Approver,
  type DefinedTool,
  defineTool,
  type HostContext,
  type ToolCall,
  type ToolOutcome,
  text,
} from "./index.js";

const call = (tool: DefinedTool, context: HostContext = bareContext(), more: Partial<ToolCall> = {}) =>
  tool.invoke({ id: "c1", name: tool.name, input: {}, ...more }, context);

describe("approval", () => {
  const asking = policyOf(() => ({ effect: "ask", remember: ["all"] }));
  const writer = defineTool({
    name: "writer",
    description: "",
    parameters: {},
    effect: "write",
    claims: (_, look) => [{ kind: "file", path: look.resolve("a"), access: ["write"], scope: "self" }],
    async run(_, ctx) {
      await ctx.fs.writeFile(ctx.resolve("a"), "x");
      return text("written");
    },
  });

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
    const host = bareHost({ policy: asking, approver: { ask: async () => ({ pending: "" }) } });
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
});
