import { describe, expect, it } from "vitest";
import { type Approver, type Claim, createToolBox, defineTool, type ToolOutcome, text } from "../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type OpenAiAgentsOptions, toOpenAiAgentsTools } from "./openai.js";

interface Setup {
  readonly options?: OpenAiAgentsOptions;
  readonly effect?: "allow" | "ask" | "deny";
  readonly approver?: Approver;
}

/** One tool "send" that policy asks about, whose claim is where `place` points to. */
function sender({ options = {}, effect = "ask", approver }: Setup = {}) {
  const state = { place: "/a", outcomes: [] as ToolOutcome[], sent: 0 };
  const send = defineTool({
    name: "send",
    description: "Sends.",
    parameters: { type: "object", properties: { to: { type: "string" } } },
    effect: "write",
    claims: (): Claim[] => [{ kind: "file", path: state.place, access: ["read"], scope: "self" }],
    run: () => {
      state.sent++;
      return text("sent");
    },
  });
  const host = bareHost({ policy: policyOf(() => ({ effect })), ...(approver === undefined ? {} : { approver }) });
  const box = createToolBox([send], () => bareContext(host));
  const toolsOf = () =>
    toOpenAiAgentsTools(box, { ...options, onOutcome: (outcome) => state.outcomes.push(outcome) })[0]!;
  return { state, box, tool: toolsOf(), toolsOf };
}

/** The approvals of a run, as the SDK keeps them: by the ids of calls, or for all calls of a tool. */
class FakeContext {
  constructor(readonly approved: readonly string[] | "always") {}

  isToolApproved({ callId }: { toolName: string; callId: string }) {
    return this.approved === "always" || this.approved.includes(callId) ? true : undefined;
  }
}
/** A newer version refuses an approved id with other arguments. */
class BindingContext extends FakeContext {
  _validateToolInvocation() {}
}

const details = (callId: string) => ({ toolCall: { callId } });
const NO_USER = "no user can be asked here";

describe("approvals of the Agents SDK", () => {
  it("are needed where policy asks, and only there", async () => {
    const needs = (setup: Setup) => sender(setup).tool.needsApproval({}, { to: "ada" }, "1");
    expect(await needs({ effect: "ask" })).toBe(true);
    expect(await needs({ effect: "allow" })).toBe(false);
    expect(await needs({ effect: "deny" })).toBe(false);
    expect(await needs({ effect: "ask", options: { approvals: "box" } })).toBe(false);
  });

  it("let exactly the approved call run, once", async () => {
    const { state, tool } = sender();
    expect(await tool.needsApproval({}, { to: "ada" }, "1")).toBe(true);
    const context = new FakeContext(["1"]);
    expect(await tool.invoke(context, '{ "to": "ada" }', details("1"))).toBe("sent");
    expect(state.outcomes).toMatchObject([{ id: "1", decision: { approver: "openai-agents" } }]);
    expect(await tool.invoke(context, '{"to":"ada"}', details("1"))).toContain(NO_USER);
    expect(state.sent).toBe(1);
  });

  it("do not hold for other arguments, another id, or a call that the SDK does not show as approved", async () => {
    const { state, tool } = sender();
    for (const [context, input, id] of [
      [new FakeContext(["1"]), '{"to":"bob"}', "1"],
      [new FakeContext(["2"]), '{"to":"ada"}', "2"],
      [new FakeContext([]), '{"to":"ada"}', "1"],
      [undefined, '{"to":"ada"}', "1"],
      [{ isToolApproved: true }, '{"to":"ada","approved":true}', "1"],
    ] as const) {
      await tool.needsApproval({}, { to: "ada" }, "1");
      expect(await tool.invoke(context, input, details(id))).toContain(NO_USER);
    }
    expect(state.sent).toBe(0);
  });

  it("hold for neither of two calls that a model sent under one id", async () => {
    const { state, tool } = sender();
    const context = new FakeContext(["1"]);
    for (const to of ["ada", "bob", "bob"]) await tool.needsApproval(context, { to }, "1");
    for (const to of ["ada", "bob"])
      expect(await tool.invoke(context, JSON.stringify({ to }), details("1"))).toContain(NO_USER);
    expect(state.sent).toBe(0);
    const next = new FakeContext(["1"]);
    await tool.needsApproval(next, { to: "bob" }, "1");
    expect(await tool.invoke(next, '{"to":"bob"}', details("1"))).toBe("sent");
  });

  it("do not hold once the call would touch something else", async () => {
    const { state, tool } = sender();
    await tool.needsApproval({}, {}, "1");
    state.place = "/b";
    expect(await tool.invoke(new FakeContext(["1"]), "{}", details("1"))).toContain("has changed since");
    expect(state.sent).toBe(0);
  });

  it("of another process hold where the SDK binds them to the arguments, once", async () => {
    const { state, tool, toolsOf } = sender();
    await tool.needsApproval({}, {}, "1");
    const restored = toolsOf();
    const context = new BindingContext(["1"]);
    expect(await restored.invoke(new FakeContext(["1"]), "{}", details("1"))).toContain(NO_USER);
    expect(await restored.invoke(context, "{}", details("1"))).toBe("sent");
    expect(await restored.invoke(context, "{}", details("1"))).toContain(NO_USER);
    expect(state.sent).toBe(1);
  });

  it("for all calls of a tool hold for the call that was asked about", async () => {
    const { state, tool } = sender();
    await tool.needsApproval({}, {}, "1");
    const always = new BindingContext("always");
    expect(await tool.invoke(always, "{}", details("1"))).toBe("sent");
    expect(await tool.invoke(always, '{"to":"bob"}', details("2"))).toContain(NO_USER);
    expect(state.sent).toBe(1);
  });

  it("are asked of the box's approver where the SDK has not asked", async () => {
    const asked: string[] = [];
    const approver: Approver = {
      ask: async ({ call }) => {
        asked.push(call.tool);
        return { by: "ada", scope: "once" };
      },
    };
    for (const options of [{ approvals: "box" }, {}] as const) {
      const { state, tool } = sender({ approver, options });
      expect(await tool.invoke(new BindingContext("always"), "{}", details("1"))).toBe("sent");
      expect(state.outcomes).toMatchObject([{ decision: { approver: "ada" } }]);
    }
    expect(asked).toEqual(["send", "send"]);
  });

  it("are not needed by a call that cannot be explained: it runs, and says why it fails", async () => {
    const { box } = sender();
    const explain = () => Promise.reject(new Error("No context."));
    const [tool] = toOpenAiAgentsTools({ ...box, explain });
    expect(await tool?.needsApproval({}, {}, "1")).toBe(false);
    expect(await tool?.invoke(new BindingContext([]), "{}", details("1"))).toContain(NO_USER);
  });
});

describe("tools for the Agents SDK", () => {
  let stop = new AbortController();
  const wait = defineTool({
    name: "wait",
    description: "",
    parameters: {},
    run: (_, { signal }) => {
      stop.abort();
      return text(`stopped: ${signal.aborted}`);
    },
  });
  const draw = defineTool({
    name: "draw",
    description: "Draws.",
    parameters: {},
    run: () => ({
      content: [
        { kind: "text", text: "drawn" },
        { kind: "image", data: new Uint8Array([1, 2, 3]), mime: "image/png" },
      ],
      isError: false,
    }),
  });
  const box = createToolBox([wait, draw], () => bareContext());

  it("have what the SDK reads of a tool, and images as images", async () => {
    const [, tool] = toOpenAiAgentsTools(box);
    expect(tool).toMatchObject({ type: "function", name: "draw", description: "Draws.", strict: expect.any(Boolean) });
    expect(await tool?.isEnabled()).toBe(true);
    expect(await tool?.invoke({}, "{}", details("1"))).toEqual([
      { type: "text", text: "drawn" },
      { type: "image", image: "data:image/png;base64,AQID" },
    ]);
  });

  it("are cancelled by the run's signal, and by the one of the options", async () => {
    for (const which of ["run", "options"]) {
      const [ofRun, ofOptions] = [new AbortController(), new AbortController()];
      const [tool] = toOpenAiAgentsTools(box, { signal: ofOptions.signal });
      stop = which === "run" ? ofRun : ofOptions;
      expect(await tool?.invoke({}, "{}", { ...details("1"), signal: ofRun.signal })).toBe("stopped: true");
    }
  });

  it("refuse an unknown option", () => {
    expect(() => toOpenAiAgentsTools(box, { approval: "box" } as object)).toThrow("Did you mean `approvals`?");
    expect(() => toOpenAiAgentsTools(box, { approvals: "none" as "box" })).toThrow(
      '`approvals` of `toOpenAiAgentsTools` must be "sdk" or "box", not "none".',
    );
  });
});
