/** Haft's tools for OpenAI's Responses API. */
import { requireBox, requireKnownOptions } from "../kernel/index.js";
import {
  type AdaptedBox,
  type AnswerOptions,
  callsToAnswer,
  listToAnswer,
  requireNone,
  runAdapted,
} from "./adapted-box.js";
import { OPENAI_OPTIONS, type OpenAiOptions, openAiSchema } from "./openai-options.js";
import { dataUrlOf, type OutcomePart, partsOf, textOf } from "./outcome-parts.js";

/** For the parameter `tools` of `responses.create`. */
type ResponsesTool = {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
};

/** A call of a model: an item of the type "function_call". */
type FunctionCall = {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
};

/** The result of a call, for the `input` of the next request. */
export interface OpenAiFunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output:
    | string
    | ({ type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" })[];
}

/** What `toOpenAiResponsesTools` returns. */
export interface OpenAiResponsesTools {
  readonly tools: ResponsesTool[];
  /** Runs the function calls among these items at the same time: their outputs, in order. */
  answer(items: readonly { readonly type: string }[], options?: AnswerOptions): Promise<OpenAiFunctionCallOutput[]>;
}

/**
 * The tools of a box for the Responses API. A failed call has an output that says why: `answer` does not reject. Its `signal`
 * cancels the calls. Where policy asks, the box's approver is asked.
 *
 *     const { tools, answer } = toOpenAiResponsesTools(toolkit.box());
 *     const { output } = await client.responses.create({ model, input, tools });
 *     input.push(...output, ...(await answer(output, { signal })));
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export function toOpenAiResponsesTools(box: AdaptedBox, options: OpenAiOptions = {}): OpenAiResponsesTools {
  requireBox("toOpenAiResponsesTools", box);
  requireKnownOptions("toOpenAiResponsesTools", options, OPENAI_OPTIONS);
  async function outputOf({ call_id, name, arguments: input }: FunctionCall, answerOptions?: AnswerOptions) {
    const parts = partsOf(await runAdapted(box, options, { id: call_id, name, input }, answerOptions));
    return { type: "function_call_output" as const, call_id, output: textOf(parts) ?? parts.map(inputItem) };
  }
  return {
    tools: box.descriptors().map(({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      ...openAiSchema(parameters, options.strict ?? "lossless"),
    })),
    async answer(items, answerOptions) {
      const given = listToAnswer(items, "response.output");
      requireNone(given, "function", "toOpenAiChatTools");
      const calls = callsToAnswer(box, given.filter(isFunctionCall), ({ name }) => name, answerOptions);
      return Promise.all(calls.map((call) => outputOf(call, answerOptions)));
    },
  };
}

function isFunctionCall(item: { readonly type: string }): item is FunctionCall {
  return item.type === "function_call";
}

function inputItem(part: OutcomePart) {
  if (part.type === "text") return { type: "input_text" as const, text: part.text };
  return { type: "input_image" as const, image_url: dataUrlOf(part), detail: "auto" as const };
}
