import { describe, expect, it } from "vitest";
import type { ToolOutcome } from "../kernel/index.js";
import { type AnthropicTools, toAnthropicTools } from "./anthropic.js";
import { IMAGE_BASE64, providerBox } from "./provider-box.fixture.js";

class ToolError extends Error {
  constructor(readonly content: string) {
    super(content);
  }
}
const use = (name: string, input: unknown = {}) => ({ type: "tool_use" as const, id: "toolu_1", name, input });
const text = (value: string) => ({ type: "text", text: value });
const result = (content?: unknown, isError = false) => ({
  type: "tool_result",
  tool_use_id: "toolu_1",
  ...(content === undefined ? {} : { content }),
  ...(isError ? { is_error: true } : {}),
});
/** The answer to one call. */
async function answerTo({ answer }: AnthropicTools, call: ReturnType<typeof use>, signal?: AbortSignal) {
  const [first, ...others] = await answer({ content: [call] }, { signal });
  if (first === undefined || others.length > 0) throw new Error("not one answer");
  return first;
}
const called = (name: string, input?: unknown, box = providerBox()) =>
  answerTo(toAnthropicTools(box), use(name, input));
const runnable = ({ tools }: AnthropicTools, name: string) => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no ${name}`);
  return (input: unknown = {}, signal?: AbortSignal) =>
    tool.run(tool.parse(input), { toolUse: use(name, input), ...(signal ? { signal } : {}) });
};
/** The block of a stream: the SDK keeps the text of the arguments, and what it could parse of it. */
const streamed = (name: string, json: string, input: unknown) =>
  Object.defineProperty(use(name, input), "__json_buf", { value: json, enumerable: false });

describe("the tools for the Messages API", () => {
  it("are the descriptors of the box, and as JSON no more than the API knows", () => {
    const [echo] = JSON.parse(JSON.stringify(toAnthropicTools(providerBox()).tools));
    expect(Object.keys(echo)).toEqual(["type", "name", "description", "input_schema"]);
    expect(echo).toMatchObject({ type: "custom", name: "echo", description: "Runs echo." });
    expect(echo.input_schema).toMatchObject({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    });
  });

  it("answer with text and images in their order", async () => {
    expect(await called("echo", { text: "a\nb" })).toEqual(result([text("a\nb")]));
    const source = { type: "base64", media_type: "image/webp", data: IMAGE_BASE64 };
    expect(await called("show", { mime: "image/webp" })).toEqual(
      result([text("Before"), { type: "image", source }, text("after")]),
    );
  });

  it("say in a text which image Claude does not take", async () => {
    expect(await called("show", { mime: "image/tiff" })).toEqual(
      result([
        text("Before"),
        text("[image/tiff, 3 bytes, not shown: Claude takes JPEG, PNG, GIF and WebP.]"),
        text("after"),
      ]),
    );
  });

  it("answer a failed call with an error of text alone, whatever it was", async () => {
    expect(await called("boom")).toEqual(result([text("`boom` failed: boom")], true));
    expect(await called("frobnicate")).toMatchObject({ is_error: true, content: [{ type: "text" }] });
    expect(await called("echo", { text: 5, more: {} })).toMatchObject({ is_error: true });
    expect(await called("faulty")).toEqual(
      result([text("It broke.\n[image/png, 3 bytes, not shown: an error holds only text.]")], true),
    );
    const { content } = await called("mute");
    expect(content).toEqual([text("The call failed without a message (failed).")]);
  });

  it("have no content for an empty result, and a text that the API accepts for whitespace", async () => {
    expect(await called("nothing")).toEqual(result());
    expect(await called("blank")).toEqual(result([text('Only whitespace: " \\n"')]));
  });

  it("answer broken and truncated JSON of a stream, though the SDK has read an object from it", async () => {
    const adapted = toAnthropicTools(providerBox(), { ToolError });
    const block = streamed("echo", '{"text":"half a te', { text: "half a te" });
    const { content, is_error } = await answerTo(adapted, block);
    expect(is_error).toBe(true);
    expect(JSON.stringify(content)).toContain("not valid JSON");
    const tool = adapted.tools.find(({ name }) => name === "echo");
    await expect(tool?.run(block.input, { toolUse: block })).rejects.toThrow("not valid JSON");
    // A host may have changed the input of a complete call.
    expect(await answerTo(adapted, streamed("echo", '{"text":"whole"}', { text: "mine" }))).toEqual(
      result([text("mine")]),
    );
    expect(await answerTo(adapted, streamed("nothing", "", {}))).toEqual(result());
  });

  it("answer all calls of a message, in order, and a message without one with nothing", async () => {
    const { answer } = toAnthropicTools(providerBox());
    const content = [
      { type: "text", text: "Well." },
      use("echo", { text: "1" }),
      use("boom"),
      use("echo", { text: "2" }),
    ];
    expect(await answer({ content, stop_reason: "tool_use" })).toEqual([
      result([text("1")]),
      result([text("`boom` failed: boom")], true),
      result([text("2")]),
    ]);
    expect(await answer({ content: [{ type: "text" }] })).toEqual([]);
  });

  it("answer only the calls of their own tools where asked to", async () => {
    const { answer } = toAnthropicTools(providerBox());
    const content = [use("other"), use("echo", { text: "1" })];
    expect(await answer({ content }, { ownOnly: true })).toEqual([result([text("1")])]);
    expect(await answer({ content })).toHaveLength(2);
  });

  it("do not run the call in which a message was truncated", async () => {
    const { answer } = toAnthropicTools(providerBox());
    const content = [use("echo", { text: "whole" }), use("echo", { text: "half a te" })];
    for (const stop_reason of ["max_tokens", "model_context_window_exceeded"]) {
      const [first, last] = await answer({ content, stop_reason });
      expect(first).toEqual(result([text("whole")]));
      expect(last?.is_error).toBe(true);
      expect(JSON.stringify(last)).toContain("not valid JSON");
    }
    const complete = [streamed("echo", '{"text":"whole"}', { text: "whole" })];
    expect(await answer({ content: complete, stop_reason: "max_tokens" })).toEqual([result([text("whole")])]);
    const before = [...content, { type: "text", text: "And th" }];
    expect((await answer({ content: before, stop_reason: "max_tokens" })).map((one) => one.is_error)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("cancel a call by its signal", async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const outcomes: ToolOutcome[] = [];
    const adapted = toAnthropicTools(providerBox({ ran }), { onOutcome: (one) => outcomes.push(one) });
    const waiting = answerTo(adapted, use("wait"), stop.signal);
    await expect.poll(() => ran).toEqual(["wait"]);
    stop.abort();
    await waiting;
    expect((await answerTo(adapted, use("echo", { text: "a" }), stop.signal)).is_error).toBe(true);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "cancelled"]);
  });

  it("ask the approver of the box", async () => {
    const ran: string[] = [];
    const granting = { ask: async () => ({ by: "ada", scope: "once" as const }) };
    expect(await called("asked", {}, providerBox({ ran }))).toMatchObject({ is_error: true });
    expect(ran).toEqual([]);
    expect(await called("asked", {}, providerBox({ ran, approver: granting }))).toEqual(result([text("ran")]));
  });

  it("hand the whole outcome to the host", async () => {
    const outcomes: ToolOutcome[] = [];
    const adapted = toAnthropicTools(providerBox(), { onOutcome: (one) => outcomes.push(one) });
    await answerTo(adapted, use("echo", { text: "a" }));
    expect(outcomes).toMatchObject([{ id: "toolu_1", tool: "echo", status: "ok", output: "a" }]);
  });
});

describe("the tools for the tool runner", () => {
  it("return content, and throw the SDK's error with the text of a failed call", async () => {
    const adapted = toAnthropicTools(providerBox(), { ToolError });
    expect(await runnable(adapted, "echo")({ text: "a" })).toEqual([text("a")]);
    expect(await runnable(adapted, "nothing")()).toEqual([]);
    const thrown = await runnable(adapted, "boom")().catch((error) => error);
    expect(thrown).toBeInstanceOf(ToolError);
    expect(thrown).toMatchObject({ content: "`boom` failed: boom" });
  });

  it("throw a plain error without the SDK's class", async () => {
    await expect(runnable(toAnthropicTools(providerBox()), "boom")()).rejects.toThrow(/^`boom` failed: boom$/);
  });

  it("pass on the id and the signal of the runner", async () => {
    const outcomes: ToolOutcome[] = [];
    const adapted = toAnthropicTools(providerBox(), { ToolError, onOutcome: (one) => outcomes.push(one) });
    await runnable(adapted, "wait")({}, AbortSignal.abort()).catch(() => {});
    expect(outcomes).toMatchObject([{ id: "toolu_1", status: "cancelled" }]);
  });
});

it("anything but a class as `ToolError`, and an unknown option, is refused", () => {
  const wrong = (options: object) => () => toAnthropicTools(providerBox(), options);
  expect(wrong({ ToolError: {} })).toThrow("must be the class that `@anthropic-ai/sdk/lib/tools/ToolError` exports");
  expect(wrong({ onOutcomes: () => {} })).toThrow("Did you mean `onOutcome`?");
});
