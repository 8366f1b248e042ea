import { describe, expect, it } from "vitest";
import { type ContentBlock, createToolBox, defineTool, json, type ToolOutcome, text } from "../kernel/index.js";
import { bareContext } from "../testing/fakes/bare-host.fixture.js";
import { toOpenAiChatTools, toOpenAiResponsesTools } from "./openai.js";

const picture: ContentBlock = { kind: "image", data: new Uint8Array([1, 2, 3]), mime: "image/png" };
const URL_OF_PICTURE = "data:image/png;base64,AQID";
const oneText = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
/** Aborted by the tool "wait", in the middle of its call. */
let stop = new AbortController();
const tools = [
  defineTool({ name: "echo", description: "Echoes.", parameters: oneText, run: ({ text: value }) => text(value) }),
  defineTool({ name: "facts", description: "", parameters: {}, run: () => json({ a: [1] }) }),
  defineTool({
    name: "any",
    description: "",
    parameters: { type: "object", additionalProperties: { type: "string" } },
    run: () => text(""),
  }),
  defineTool({
    name: "draw",
    description: "",
    parameters: {},
    run: () => ({ content: [{ kind: "text", text: "drawn" }, picture], isError: false }),
  }),
  defineTool({
    name: "boom",
    description: "",
    parameters: {},
    run: () => {
      throw new Error("boom");
    },
  }),
  defineTool({
    name: "wait",
    description: "",
    parameters: {},
    run: (_, { signal }) => {
      stop.abort();
      return text(`stopped: ${signal.aborted}`);
    },
  }),
];
const CANCELLED = "stopped: true";
const box = createToolBox(tools, () => bareContext());

const called = (id: string, name: string, args = "{}") => ({
  id,
  type: "function" as const,
  function: { name, arguments: args },
});
const item = (call_id: string, name: string, args = "{}") => ({
  type: "function_call" as const,
  call_id,
  name,
  arguments: args,
});
const picturesOf = (id: string) => ({
  role: "user",
  content: [
    { type: "text", text: `Result of the tool call ${id} (draw), not a message of the user:` },
    { type: "image_url", image_url: { url: URL_OF_PICTURE } },
  ],
});
const drawn = (id: string) => ({
  role: "tool",
  tool_call_id: id,
  content: "drawn\n[image/png: in the next user message.]",
});

describe("tools for chat completions", () => {
  const { tools: offered, answer } = toOpenAiChatTools(box);

  it("are descriptions once they are JSON", () => {
    expect(JSON.parse(JSON.stringify(offered[0]))).toEqual({
      type: "function",
      function: { name: "echo", description: "Echoes.", parameters: expect.objectContaining(oneText), strict: false },
    });
    expect(toOpenAiChatTools(box, { strict: true }).tools[0]?.function.strict).toBe(true);
    expect(JSON.stringify(offered)).not.toContain('"function":{}');
    expect(offered).toHaveLength(tools.length);
  });

  it("answer with text as it is, JSON, an error, and nothing", async () => {
    const calls = [
      called("1", "echo", '{"text":"a \\"b\\""}'),
      called("2", "facts"),
      called("3", "boom"),
      called("4", "echo", '{"text":""}'),
      called("5", "none"),
      called("6", "echo", '{"text":"tru'),
    ];
    const messages = await answer(calls);
    expect(messages.map(({ role }) => role)).toEqual(calls.map(() => "tool"));
    expect(messages.map((message) => "tool_call_id" in message && message.tool_call_id)).toEqual([..."123456"]);
    expect(messages.map(({ content }) => content)).toEqual([
      'a "b"',
      '{"a":[1]}',
      expect.stringContaining("boom"),
      "",
      expect.stringContaining('"none"'),
      expect.stringContaining("not valid JSON"),
    ]);
  });

  it("answer all the same where `onOutcome` throws or rejects", async () => {
    const fault = new Error("the log is full");
    for (const onOutcome of [
      () => Promise.reject(fault),
      (): never => {
        throw fault;
      },
    ]) {
      const own = toOpenAiChatTools(box, { onOutcome });
      expect(await own.answer([called("1", "facts"), called("2", "echo", '{"text":"a"}')])).toMatchObject([
        { tool_call_id: "1", content: '{"a":[1]}' },
        { tool_call_id: "2", content: "a" },
      ]);
    }
  });

  it("answer with images in user messages, after the results of all calls", async () => {
    const calls = [called("1", "draw"), called("2", "draw"), called("3", "echo", '{"text":"c"}')];
    expect(await answer(calls)).toEqual([
      drawn("1"),
      drawn("2"),
      { role: "tool", tool_call_id: "3", content: "c" },
      picturesOf("1"),
      picturesOf("2"),
    ]);
  });

  it("answer only the calls of their own tools where asked to", async () => {
    const calls = [called("1", "none"), called("2", "draw"), called("3", "facts")];
    expect(await answer(calls, { ownOnly: true })).toEqual([
      drawn("2"),
      { role: "tool", tool_call_id: "3", content: '{"a":[1]}' },
      picturesOf("2"),
    ]);
  });

  it("answer no calls of other types, and none where there are none", async () => {
    expect(await answer([{ id: "1", type: "custom" }])).toEqual([]);
    expect(await answer(null)).toEqual([]);
    expect(await answer(undefined)).toEqual([]);
  });

  it("are cancelled by a signal", async () => {
    stop = new AbortController();
    expect(await answer([called("1", "wait")], { signal: stop.signal })).toMatchObject([{ content: CANCELLED }]);
  });

  it("report each outcome with its data, and refuse an unknown option", async () => {
    const outcomes: ToolOutcome[] = [];
    const own = toOpenAiChatTools(box, { onOutcome: (outcome) => outcomes.push(outcome) });
    await own.answer([called("1", "boom")]);
    expect(outcomes).toMatchObject([{ id: "1", tool: "boom", status: "failed", isError: true }]);
    expect(() => toOpenAiChatTools(box, { onOutcom: () => {} } as object)).toThrow("Did you mean `onOutcome`?");
  });
});

describe("tools for `runTools`", () => {
  /** As the SDK's runner: it answers the calls of the last message, then adds the results in order. */
  class FakeRunner {
    readonly controller = new AbortController();
    readonly messages: unknown[] = [{ role: "user", content: "Do it." }];
    #listeners: (() => void)[] = [];

    on(_: "message", listener: () => void) {
      this.#listeners.push(listener);
    }

    off(_: "message", listener: () => void) {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    }

    async play(calls: readonly ReturnType<typeof called>[]) {
      this.messages.push({ role: "assistant", content: null, tool_calls: calls });
      const contents = await Promise.all(calls.map(({ function: one }) => run(one.name, one.arguments, this)));
      for (const [index, content] of contents.entries()) {
        this.messages.push({ role: "tool", tool_call_id: calls[index]?.id, content });
        for (const listener of this.#listeners) listener();
      }
    }
  }
  const outcomes: ToolOutcome[] = [];
  const offered = toOpenAiChatTools(box, { onOutcome: (outcome) => outcomes.push(outcome) }).tools;
  const run = (name: string, args: string, runner: unknown) => {
    const tool = offered.find((one) => one.function.name === name);
    if (tool === undefined) throw new Error(`There is no ${name}.`);
    return tool.function.function(args, runner);
  };

  it("add images to the history after the last result of the turn, in every turn", async () => {
    const runner = new FakeRunner();
    await runner.play([called("1", "draw"), called("2", "echo", '{"text":"b"}'), called("3", "draw")]);
    const first = [
      drawn("1"),
      { role: "tool", tool_call_id: "2", content: "b" },
      drawn("3"),
      picturesOf("1"),
      picturesOf("3"),
    ];
    expect(runner.messages.slice(2)).toEqual(first);
    await runner.play([called("4", "draw")]);
    expect(runner.messages.slice(2 + first.length + 1)).toEqual([drawn("4"), picturesOf("4")]);
  });

  it("are called with the ids of the model, also for equal calls", async () => {
    outcomes.length = 0;
    await new FakeRunner().play([called("1", "facts"), called("2", "facts"), called("3", "facts")]);
    expect(outcomes.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  it("are cancelled with the run", async () => {
    const runner = new FakeRunner();
    stop = runner.controller;
    await runner.play([called("1", "wait")]);
    expect(runner.messages.at(-1)).toMatchObject({ content: CANCELLED });
  });

  it("say that an image is not shown where they do not know the runner", async () => {
    expect(await run("draw", "{}", undefined)).toContain("not shown");
    expect(await run("echo", '{"text":"a"}', {})).toBe("a");
  });
});

describe("tools for responses", () => {
  const { tools: offered, answer } = toOpenAiResponsesTools(box);

  it("are descriptions", () => {
    expect(offered[0]).toMatchObject({ type: "function", name: "echo", description: "Echoes." });
    expect(offered.map(({ strict }) => strict)).toEqual(tools.map(({ name }) => name !== "any"));
    expect(offered[0]?.parameters).toMatchObject({ required: ["text"], additionalProperties: false });
    expect(toOpenAiResponsesTools(box, { strict: false }).tools[0]).toMatchObject({ strict: false });
    expect(toOpenAiResponsesTools(box, { strict: true }).tools.every(({ strict }) => strict)).toBe(true);
  });

  it("answer the function calls among the items, with images as images", async () => {
    const items = [
      { type: "reasoning" },
      item("1", "draw"),
      item("2", "boom"),
      { type: "message" },
      item("3", "echo", '{"text":""}'),
    ];
    expect(await answer(items)).toEqual([
      {
        type: "function_call_output",
        call_id: "1",
        output: [
          { type: "input_text", text: "drawn" },
          { type: "input_image", image_url: URL_OF_PICTURE, detail: "auto" },
        ],
      },
      { type: "function_call_output", call_id: "2", output: expect.stringContaining("boom") },
      { type: "function_call_output", call_id: "3", output: "" },
    ]);
  });

  it("answer only the calls of their own tools where asked to", async () => {
    const answers = await answer([item("1", "none"), item("2", "facts")], { ownOnly: true });
    expect(answers.map(({ call_id }) => call_id)).toEqual(["2"]);
  });

  it("are cancelled by a signal, and refuse an unknown option", async () => {
    stop = new AbortController();
    expect(await answer([item("1", "wait")], { signal: stop.signal })).toMatchObject([{ output: CANCELLED }]);
    expect(() => toOpenAiResponsesTools(box, { approvals: "sdk" } as object)).toThrow("no option `approvals`");
  });
});
