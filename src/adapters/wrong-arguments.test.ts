/** What a program passes by mistake to the adapters, and what it reads then. */
import { describe, expect, it } from "vitest";
import { toAiSdkTools } from "./ai-sdk.js";
import { toAnthropicTools } from "./anthropic.js";
import { toGoogleCallableTool, toGoogleTools } from "./google.js";
import { toLangChainTools } from "./langchain.js";
import { toMastraTools } from "./mastra.js";
import { toOpenAiAgentsTools, toOpenAiChatTools, toOpenAiResponsesTools } from "./openai.js";
import { providerBox, type Ran } from "./provider-box.fixture.js";

const ADAPTERS = {
  toAiSdkTools,
  toAnthropicTools,
  toGoogleTools,
  toGoogleCallableTool,
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentsTools,
  toOpenAiChatTools,
  toOpenAiResponsesTools,
} as unknown as Readonly<Record<string, (box: unknown) => unknown>>;

describe.each(Object.entries(ADAPTERS))("%s", (name, adapt) => {
  it.each([
    ["the toolkit", { box: () => providerBox() }],
    ["a promise", Promise.resolve(providerBox())],
    ["undefined", undefined],
  ])("needs a box, not %s", (given, box) => {
    const message = `\`${name}\` needs a box: pass \`toolkit.box("coding")\`, not ${given}.`;
    expect(() => adapt(box)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID", message }));
  });
});

type Answer = (given: unknown, options?: object) => Promise<unknown>;
const chat = { id: "1", type: "function", function: { name: "echo", arguments: '{"text":"a"}' } };
const item = { type: "function_call", call_id: "1", name: "echo", arguments: '{"text":"a"}' };
const anthropic = { content: [{ type: "tool_use", id: "1", name: "echo", input: { text: "a" } }] };

describe.each([
  ["toOpenAiChatTools", toOpenAiChatTools, [chat], { tool_calls: [chat] }, "pass `message.tool_calls`, not object."],
  ["toOpenAiResponsesTools", toOpenAiResponsesTools, [item], { output: [item] }, "pass `response.output`, not object."],
  [
    "toGoogleTools",
    toGoogleTools,
    [{ name: "echo", args: { text: "a" } }],
    { candidates: [] },
    "pass `response.functionCalls`",
  ],
  ["toAnthropicTools", toAnthropicTools, anthropic, anthropic.content, "takes the whole message of the model"],
] as const)("`answer` of %s", (_name, adapt, right, wrong, message) => {
  const answerOf = (ran: Ran = []) => adapt(providerBox({ ran })).answer as Answer;

  it("says what it takes", async () => {
    await expect(answerOf()(wrong)).rejects.toThrow(message);
    expect(await answerOf()(right)).toHaveLength(1);
  });

  it("refuses an unknown option, and runs nothing", async () => {
    await expect(answerOf()(right, { sginal: AbortSignal.abort() })).rejects.toThrow("Did you mean `signal`?");
    expect(await answerOf()(right, { ownOnly: true })).toHaveLength(1);
  });
});

it("a call of OpenAI's other API is refused, not left out", async () => {
  const ofChat = toOpenAiChatTools(providerBox()).answer as Answer;
  const ofResponses = toOpenAiResponsesTools(providerBox()).answer as Answer;
  await expect(ofChat([chat, item])).rejects.toThrow(
    'An item of the type "function_call" is for `answer` of `toOpenAiResponsesTools`.',
  );
  await expect(ofResponses([chat])).rejects.toThrow(
    'An item of the type "function" is for `answer` of `toOpenAiChatTools`.',
  );
});
