/** Haft's tools for OpenAI's Chat Completions, and for the loop `runTools` of its SDK. */
import { isRecord, requireBox, requireKnownOptions } from "../kernel/index.js";
import {
  type AdaptedBox,
  type AnswerOptions,
  type CancelOptions,
  callsToAnswer,
  listToAnswer,
  requireNone,
  runAdapted,
} from "./adapted-box.js";
import { OPENAI_OPTIONS, type OpenAiOptions, openAiSchema } from "./openai-options.js";
import { dataUrlOf, type OutcomeImage, type OutcomePart, omittedImage, partsOf, textOf } from "./outcome-parts.js";

/** For the parameter `tools` of `chat.completions.create`, `stream` and `runTools`. */
type ChatTool = {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: boolean;
    /** Called by `runTools`. As a function, it is not part of the JSON of a request. */
    function(args: string, runner: unknown): Promise<string>;
  };
};

/** A call of a model. */
type ModelCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

/** The result of a call, for the history. */
export interface OpenAiToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The images of a result, which a tool message cannot hold. */
export interface OpenAiImageMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

/** What `toOpenAiChatTools` returns. */
export interface OpenAiChatTools {
  readonly tools: ChatTool[];
  /** Runs the calls of a message at the same time: their tool messages in order, then a user message for each with images. */
  answer(
    toolCalls: readonly { readonly id: string; readonly type: string }[] | null | undefined,
    options?: AnswerOptions,
  ): Promise<(OpenAiToolMessage | OpenAiImageMessage)[]>;
}

/**
 * The tools of a box for Chat Completions. A failed call has a message that says why: `answer` does not reject. Its `signal`
 * cancels the calls; `runTools` uses its own. Where policy asks, the box's approver is asked.
 *
 *     const { tools, answer } = toOpenAiChatTools(toolkit.box());
 *     const { choices: [{ message }] } = await client.chat.completions.create({ model, messages, tools });
 *     messages.push(message, ...(await answer(message.tool_calls, { signal })));
 *     // or the whole loop:
 *     await client.chat.completions.runTools({ model, messages, tools }, { signal }).finalContent();
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export function toOpenAiChatTools(box: AdaptedBox, options: OpenAiOptions = {}): OpenAiChatTools {
  requireBox("toOpenAiChatTools", box);
  requireKnownOptions("toOpenAiChatTools", options, OPENAI_OPTIONS);
  const run = async ({ id, function: { name, arguments: input } }: ModelCall, callOptions?: CancelOptions) =>
    partsOf(await runAdapted(box, options, { id, name, input }, callOptions));
  const toolOf = (name: string) => async (args: string, received: unknown) => {
    const runner = isRunner(received) ? received : undefined;
    const call = callOf(runner, name, args);
    const parts = await run(call, { signal: runner?.controller.signal });
    if (runner === undefined) return toolMessage(call, parts, missingImage).content;
    for (const message of imageMessages(call, parts)) addAfterResults(runner, message);
    return toolMessage(call, parts, followingImage).content;
  };
  return {
    tools: box.descriptors().map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, ...openAiSchema(parameters, options.strict ?? false), function: toolOf(name) },
    })),
    async answer(toolCalls, answerOptions) {
      const given = listToAnswer(toolCalls ?? [], "message.tool_calls");
      requireNone(given, "function_call", "toOpenAiResponsesTools");
      const received = given.filter(isFunctionCall);
      const calls = callsToAnswer(box, received, (call) => call.function.name, answerOptions);
      const answers = await Promise.all(calls.map(async (call) => ({ call, parts: await run(call, answerOptions) })));
      return [
        ...answers.map(({ call, parts }) => toolMessage(call, parts, followingImage)),
        ...answers.flatMap(({ call, parts }) => imageMessages(call, parts)),
      ];
    },
  };
}

const followingImage = ({ mime }: OutcomeImage) => `[${mime}: in the next user message.]`;
const missingImage = (image: OutcomeImage) =>
  omittedImage(image, "a tool message holds only text. Ask the user to attach the file if you need to see it");

function toolMessage(
  { id }: ModelCall,
  parts: readonly OutcomePart[],
  imageText: (image: OutcomeImage) => string,
): OpenAiToolMessage {
  return { role: "tool", tool_call_id: id, content: textOf(parts, imageText) };
}

function imageMessages({ id, function: { name } }: ModelCall, parts: readonly OutcomePart[]) {
  const images = parts.filter((part) => part.type === "image");
  if (images.length === 0) return [];
  const text = `Result of the tool call ${id} (${name}), not a message of the user:`;
  const message: OpenAiImageMessage = {
    role: "user",
    content: [
      { type: "text", text },
      ...images.map((image) => ({ type: "image_url" as const, image_url: { url: dataUrlOf(image) } })),
    ],
  };
  return [message];
}

function isFunctionCall(call: { readonly type: string }): call is ModelCall {
  return call.type === "function";
}

/** The part of the SDK's runner that is used: its history can be added to, and its listeners are called synchronously. */
interface Runner {
  readonly controller: AbortController;
  readonly messages: unknown[];
  on(event: "message", listener: () => void): unknown;
  off(event: "message", listener: () => void): unknown;
}

function isRunner(value: unknown): value is Runner {
  if (!isRecord(value)) return false;
  const { controller, messages, on, off } = value;
  return isRecord(controller) && Array.isArray(messages) && typeof on === "function" && typeof off === "function";
}

/** `runTools` gives a tool its arguments only, so its call is looked up: the first one that equals it and has not begun. */
function callOf(runner: Runner | undefined, name: string, args: string): ModelCall {
  const isIt = (call: ModelCall) => call.function.name === name && call.function.arguments === args;
  const found = calledLast(runner).find((call) => isIt(call) && !BEGUN.has(call));
  if (found !== undefined) BEGUN.add(found);
  return found ?? { id: "", type: "function", function: { name, arguments: args } };
}

const BEGUN = new WeakSet<ModelCall>();

/** The calls of the last message of the model. */
function calledLast(runner: Runner | undefined): readonly ModelCall[] {
  const message = runner?.messages.findLast((one) => isRecord(one) && one.role === "assistant");
  return isRecord(message) && Array.isArray(message.tool_calls) ? message.tool_calls.filter(isFunctionCall) : [];
}

/** A user message may not stand between the results of one turn: it is added when the last of them is in the history. */
function addAfterResults(runner: Runner, message: OpenAiImageMessage): void {
  const calls = calledLast(runner);
  const listener = () => {
    const answered = new Set(runner.messages.map((one) => (isRecord(one) ? one.tool_call_id : undefined)));
    if (!calls.every(({ id }) => answered.has(id))) return;
    runner.off("message", listener);
    runner.messages.push(message);
  };
  runner.on("message", listener);
}
