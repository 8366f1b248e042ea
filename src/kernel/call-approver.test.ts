/** That a host which has asked its user itself can give the answer with the call. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type Approver, createToolBox, defineTool, text } from "./index.js";

const tool = defineTool({
  name: "writer",
  description: "",
  parameters: {},
  effect: "write",
  claims: () => [],
  run: async () => text("written"),
});
const granting: Approver = { ask: async () => ({ by: "ada", scope: "session" }) };
const denying: Approver = { ask: async () => ({ denied: "no" }) };
const call = { id: "c1", name: "writer", input: {} };

function boxWith(policy: ReturnType<typeof policyOf>, approver?: Approver) {
  const context = bareContext(bareHost({ policy, ...(approver === undefined ? {} : { approver }) }));
  return createToolBox([tool], () => context);
}
const asking = policyOf(() => ({ effect: "ask", remember: ["all"] }));

describe("an approver of one call", () => {
  it("is asked instead of the host's, and about no other call", async () => {
    const { runner } = boxWith(asking, denying);
    expect(await runner.run(call, { approver: granting })).toMatchObject({
      status: "ok",
      decision: { approver: "ada" },
    });
    const other = boxWith(asking, denying);
    expect(await other.runner.run(call)).toMatchObject({ status: "denied" });
    expect(await other.runner.run(call, { approver: denying })).toMatchObject({ status: "denied" });
  });

  it("cannot allow what the policy denies", async () => {
    const { runner } = boxWith(policyOf(() => ({ effect: "deny" })));
    expect(await runner.run(call, { approver: granting })).toMatchObject({ status: "denied" });
  });
});

describe("an explanation", () => {
  it("says whether the call would be asked about, which ends once an approval is remembered", async () => {
    const box = boxWith(asking);
    expect(await box.explain(call)).toMatchObject({ decision: { effect: "ask" }, needsApproval: true });
    await box.runner.run(call, { approver: granting });
    expect(await box.explain(call)).toMatchObject({ decision: { effect: "ask" }, needsApproval: false });
    expect(await boxWith(policyOf(() => ({ effect: "deny" }))).explain(call)).toMatchObject({ needsApproval: false });
  });

  it("has what an approver would get, without a token, only where the call would be asked about", async () => {
    const requests: unknown[] = [];
    const box = boxWith(asking, {
      async ask({ token: _, ...request }) {
        requests.push(request);
        return { by: "ada", scope: "session" };
      },
    });
    const before = await box.explain(call);
    await box.runner.run(call);
    expect(requests).toEqual([before?.request]);
    expect(await box.explain(call)).not.toHaveProperty("request");
  });

  it("has no request where the redactor fails", async () => {
    const redactor = { redact: () => 1 as never };
    const box = createToolBox([tool], () => bareContext(bareHost({ policy: asking, redactor })));
    const explained = await box.explain(call);
    expect(explained).toMatchObject({ needsApproval: true });
    expect(explained).not.toHaveProperty("request");
  });
});
