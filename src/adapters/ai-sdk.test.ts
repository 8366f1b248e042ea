/** Without the AI SDK: its messages are written by hand. The loops in test/sdks play the real one. */
import { describe, expect, it } from "vitest";
import {
  type Approver,
  type Claim,
  createToolBox,
  defineTool,
  failure,
  json,
  type ToolResult,
  text,
} from "../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type AiSdkOptions, repairToolCall, toAiSdkTools } from "./ai-sdk.js";
import { userApprovalOf } from "./ai-sdk-approvals.js";
import { toMastraTools } from "./mastra.js";

const image = { kind: "image", data: new Uint8Array([1, 2, 3]), mime: "image/png" } as const;
const inputOf = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
let touched = "/a";
const tools = [
  defineTool({ name: "count", description: "Counts.", parameters: inputOf, run: ({ n }) => json({ n }) }),
  defineTool({ name: "fail", description: "", parameters: {}, run: () => failure("It broke.") }),
  defineTool({
    name: "picture",
    description: "",
    parameters: {},
    run: () => ({ content: [{ kind: "text", text: "a dot" }, image], isError: false }),
  }),
  defineTool({
    name: "broken",
    description: "",
    parameters: {},
    run: () => ({ content: [{ kind: "text", text: "It broke." }, image], isError: true }),
  }),
  defineTool({ name: "mute", description: "", parameters: {}, run: () => ({ content: [], isError: true }) }),
  defineTool({
    name: "wait",
    description: "",
    parameters: {},
    run: (_, { signal }) =>
      new Promise<ToolResult<never>>((resolve) =>
        signal.addEventListener("abort", () => resolve(text("stopped")), { once: true }),
      ),
  }),
  defineTool({
    name: "save",
    description: "",
    parameters: {},
    effect: "write",
    claims: (): Claim[] => [{ kind: "file", path: touched, access: ["write"], scope: "self" }],
    run: () => text("saved"),
  }),
] as const;

const asking = policyOf((claims) => ({ effect: claims.length > 0 ? "ask" : "allow" }));
const noUser: Approver = { ask: async () => ({ denied: "nobody asked the user" }) };
const boxOf = () => createToolBox(tools, () => bareContext(bareHost({ policy: asking, approver: noUser })));
const toolsOf = (options?: AiSdkOptions) => toAiSdkTools(boxOf(), options);

describe("a tool for the AI SDK", () => {
  it("is described as in the box, with the schema that the SDK sends as it is", () => {
    expect(toolsOf().count).toMatchObject({ description: "Counts." });
    expect(toolsOf().count.inputSchema).toMatchObject({
      [Symbol.for("vercel.ai.schema")]: true,
      jsonSchema: inputOf,
    });
    expect(toolsOf().count.inputSchema["~standard"].jsonSchema.input()).toBe(inputOf);
  });

  it("returns the outcome for the program, which survives JSON, and its text for the model", async () => {
    const { count } = toolsOf();
    const output = await count.execute({ n: "2" }, { toolCallId: "call_1" });
    expect(output).toMatchObject({
      id: "call_1",
      tool: "count",
      status: "ok",
      isError: false,
      repairs: [expect.anything()],
    });
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
    expect(count.toModelOutput({ output })).toEqual({ type: "text", value: '{"n":2}' });
  });

  it("answers a failure and arguments that do not fit with an error that the model reads", async () => {
    const { fail, count } = toolsOf();
    const failed = await fail.execute({}, { toolCallId: "1" });
    expect(fail.toModelOutput({ output: failed })).toEqual({ type: "error-text", value: "It broke." });
    const invalid = await count.execute({ n: "many" }, { toolCallId: "2" });
    expect(count.toModelOutput({ output: invalid })).toEqual({
      type: "error-text",
      value: 'Did not run `count`: `n` must be an integer, not the string "many".',
    });
  });

  it("answers a failure with an image, and one without a text, with an error that is a text", async () => {
    const { broken, mute } = toolsOf();
    const value = "It broke.\n[image/png, 3 bytes, not shown: an error holds only text.]";
    const output = await broken.execute({}, { toolCallId: "1" });
    expect(output.content).toHaveLength(2);
    expect(broken.toModelOutput({ output })).toEqual({ type: "error-text", value });
    expect(await toMastraTools(boxOf()).broken!.execute({}, { toolCallId: "1" })).toBe(value);
    expect(mute.toModelOutput({ output: await mute.execute({}, { toolCallId: "1" }) })).toEqual({
      type: "error-text",
      value: "The call failed without a message (failed).",
    });
  });

  it("shows an image in the form of the major that calls it, or says that there is one", async () => {
    const call = { toolCallId: "1" };
    const six = toolsOf().picture;
    expect(six.toModelOutput({ output: await six.execute({}, call) })).toEqual({
      type: "content",
      value: [
        { type: "text", text: "a dot" },
        { type: "image-data", mediaType: "image/png", data: "AQID" },
      ],
    });
    const seven = toolsOf().picture;
    const output = await seven.execute({}, { ...call, context: undefined } as never);
    expect(seven.toModelOutput({ output })).toMatchObject({
      value: [{ type: "text" }, { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } }],
    });
    const none = toolsOf({ images: false }).picture;
    expect(none.toModelOutput({ output: await none.execute({}, call) })).toEqual({
      type: "text",
      value: "a dot\n[image/png, 3 bytes, not shown: tool results of this API hold only text.]",
    });
  });

  it("is cancelled by the signal of the SDK, and reports events and outcomes", async () => {
    const outcomes: string[] = [];
    const stop = new AbortController();
    const { wait } = toolsOf({ onOutcome: ({ id, tool }) => outcomes.push(`${id} ${tool}`) });
    const running = wait.execute({}, { toolCallId: "c", abortSignal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ id: "c", status: expect.stringMatching(/ok|cancelled/) });
    expect(outcomes).toEqual(["c wait"]);
  });

  it("refuses an option that there is not", () => {
    expect(() => toolsOf({ aproval: "sdk" } as never)).toThrow("`toAiSdkTools` has no option `aproval`");
    for (const approvals of ["SDK", "none", null])
      expect(() => toolsOf({ approvals } as never)).toThrow(
        `\`approvals\` of \`toAiSdkTools\` must be "sdk" or "box", not ${JSON.stringify(approvals)}.`,
      );
  });
});

describe("arguments that are not JSON", () => {
  const toolCall = { toolCallId: "1", toolName: "count", input: '{"n":' };

  it("reach the tool through the hook of the SDK, and the model reads what is wrong with them", async () => {
    const own = toolsOf();
    const repaired = await repairToolCall({ toolCall, tools: own });
    expect(repaired).toMatchObject({ toolCallId: "1", toolName: "count" });
    const output = await own.count.execute(JSON.parse(repaired!.input), { toolCallId: "1" });
    expect(own.count.toModelOutput({ output })).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("the arguments are not valid JSON"),
    });
  });

  it("are taken for none where the model sends others beside them", async () => {
    const { content } = await toolsOf().count.execute({ n: 1, unparsedArguments: '{"n":2}' }, { toolCallId: "1" });
    expect(content).toEqual([{ type: "text", text: '{"n":1}' }]);
  });

  it("of tools that are not ours are left to the SDK", async () => {
    expect(await repairToolCall({ toolCall, tools: { count: { inputSchema: {} } } })).toBeNull();
    expect(await repairToolCall({ toolCall, tools: {} })).toBeNull();
    expect(await repairToolCall({ toolCall: { ...toolCall, toolName: "toString" }, tools: toolsOf() })).toBeNull();
  });
});

const asked = (id: string, input: unknown, approvalId = `ask_${id}`) => [
  { type: "tool-call", toolCallId: id, toolName: "save", input },
  { type: "tool-approval-request", approvalId, toolCallId: id },
];
const answer = (approvalId: string, approved: unknown = true) => ({
  type: "tool-approval-response",
  approvalId,
  approved,
});
const history = (parts: readonly object[], answers: readonly object[]) => [
  { role: "user", content: "Save it." },
  { role: "assistant", content: parts },
  { role: "tool", content: answers },
];

describe("an approval of the AI SDK", () => {
  const call = { id: "c", name: "save", given: { a: 1, b: [2] }, input: {} };
  const isApproved = (...args: Parameters<typeof userApprovalOf>) => userApprovalOf(...args) !== undefined;
  const approved = history(asked("c", { b: [2], a: 1 }), [answer("ask_c")]);

  it("holds for exactly the call that was approved", () => {
    expect(isApproved(call, approved)).toBe(true);
    expect(isApproved({ ...call, given: { a: 1, b: [3] } }, approved)).toBe(false);
    expect(isApproved({ ...call, given: { ...call.given, c: 1 } }, approved)).toBe(false);
    expect(isApproved({ ...call, name: "count" }, approved)).toBe(false);
    expect(isApproved({ ...call, id: "d" }, approved)).toBe(false);
  });

  it.each([
    ["there is no answer", history(asked("c", call.given), [])],
    ["the answer is no", history(asked("c", call.given), [answer("ask_c", false)])],
    ["the answer is not a clear yes", history(asked("c", call.given), [answer("ask_c", "yes")])],
    ["there are a yes and a no", history(asked("c", call.given), [answer("ask_c"), answer("ask_c", false)])],
    ["the answer is about another call", history(asked("c", call.given), [answer("ask_d")])],
    [
      "the call has run since",
      history(asked("c", call.given), [answer("ask_c"), { type: "tool-result", toolCallId: "c" }]),
    ],
    ["a later message follows", [...approved, { role: "user", content: "Go on." }]],
    ["the user wrote the answer as text", [{ role: "user", content: [answer("ask_c")] }]],
    [
      "two calls have its id",
      history([...asked("c", { a: 0 }, "one"), ...asked("c", call.given, "two")], [answer("one")]),
    ],
    [
      "two calls were asked about under its id",
      history([...asked("c", call.given), asked("c", {}, "x")[1]!], [answer("ask_c")]),
    ],
    ["two messages ask under one id", [approved[1]!, ...approved]],
    ["there are no messages", []],
  ] as const)("does not hold where %s", (_, messages) => expect(isApproved(call, messages)).toBe(false));

  it("does not hold for a call without an id", () => {
    expect(isApproved({ ...call, id: "" }, history(asked("", call.given), [answer("ask_")]))).toBe(false);
  });

  it("holds where an id comes again in a later message, as some models number their calls", () => {
    const before = history(asked("c", { a: 0 }, "earlier"), [{ type: "tool-result", toolCallId: "c" }]);
    expect(isApproved(call, [...before, ...approved])).toBe(true);
  });
});

describe("a call that the policy asks about", () => {
  const messages = history(asked("c", {}), [answer("ask_c")]);

  it("needs an approval, and runs once the messages have it", async () => {
    const { save, count } = toolsOf();
    expect(await count.needsApproval?.({ n: 1 }, { toolCallId: "c", messages: [] })).toBe(false);
    expect(await save.needsApproval?.({}, { toolCallId: "c", messages: [] })).toBe(true);
    // Asked again by the SDK before it runs the approved call, which major 6 else takes for denied.
    expect(await save.needsApproval?.({}, { toolCallId: "c", messages })).toBe(true);
    expect(await save.execute({}, { toolCallId: "c", messages })).toMatchObject({
      status: "ok",
      decision: { approver: "ai-sdk" },
    });
  });

  it("runs once by an approval", async () => {
    const { save } = toolsOf();
    expect(await save.execute({}, { toolCallId: "c", messages })).toMatchObject({ status: "ok" });
    expect(await save.execute({}, { toolCallId: "c", messages })).toMatchObject({ status: "denied" });
  });

  it("is compared with what the user was shown, also where another conversation has a call with its id", async () => {
    const { save } = toolsOf();
    await save.needsApproval?.({}, { toolCallId: "c", messages: [] });
    await save.needsApproval?.({ other: 1 }, { toolCallId: "c", messages: [] });
    touched = "/b";
    const output = await save.execute({}, { toolCallId: "c", messages });
    touched = "/a";
    expect(output).toMatchObject({ status: "denied" });
  });

  it("is not taken for another input than the one that this process asked about", async () => {
    const { save } = toolsOf();
    await save.needsApproval?.({ shown: 1 }, { toolCallId: "c", messages: [] });
    expect(await save.execute({}, { toolCallId: "c", messages })).toMatchObject({ status: "denied" });
  });

  it("runs in another process than the one that asked", async () => {
    expect(await toolsOf().save.execute({}, { toolCallId: "c", messages })).toMatchObject({ status: "ok" });
  });

  it("is left to the approver of the box without that approval, and where the SDK is not to ask", async () => {
    const denied = { status: "denied", content: [{ text: expect.stringContaining("nobody asked the user") }] };
    expect(await toolsOf().save.execute({}, { toolCallId: "c" })).toMatchObject(denied);
    expect(await toolsOf().save.execute({ approved: true }, { toolCallId: "c", messages })).toMatchObject(denied);
    const { save } = toolsOf({ approvals: "box" });
    expect(save.needsApproval).toBeUndefined();
    expect(await save.execute({}, { toolCallId: "c", messages })).toMatchObject(denied);
  });

  it("does not run where it would touch something else by now", async () => {
    const { save } = toolsOf();
    await save.needsApproval?.({}, { toolCallId: "c", messages: [] });
    touched = "/b";
    const { status, content } = await save.execute({}, { toolCallId: "c", messages });
    touched = "/a";
    expect([status, content]).toEqual([
      "denied",
      [{ type: "text", text: expect.stringContaining("has changed since") }],
    ]);
  });
});

describe("a tool for Mastra", () => {
  it("returns what the model reads: a text, or parts with an image", async () => {
    const { count, fail, picture } = toMastraTools(boxOf());
    expect(await count!.execute({ n: 1 }, { toolCallId: "1" })).toBe('{"n":1}');
    expect(await fail!.execute({}, { toolCallId: "2" })).toBe("It broke.");
    expect(fail!.toModelOutput("It broke.")).toEqual({ type: "text", value: "It broke." });
    const shown = await picture!.execute({}, { toolCallId: "3" });
    expect(shown).toMatchObject({ type: "content", value: [{ type: "text" }, { type: "image-data" }] });
    expect(picture!.toModelOutput(shown)).toBe(shown);
  });

  it("never takes an approval of Mastra for one", async () => {
    const { save } = toMastraTools(boxOf());
    expect(save).not.toHaveProperty("needsApproval");
    const messages = history(asked("c", {}), [answer("ask_c")]);
    expect(await save!.execute({ resumeData: { approved: true } }, { toolCallId: "c", messages })).toMatch(
      /nobody asked/,
    );
  });
});
