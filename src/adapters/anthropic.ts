/** Tools for `@anthropic-ai/sdk`: the Messages API, and the tool runner. */
import { HaftError, requireBox, requireKnownOptions, type ToolOutcome } from "../kernel/index.js";
import {
  ADAPTER_OPTIONS,
  type AdaptedBox,
  type AdapterOptions,
  type AnswerOptions,
  callsToAnswer,
  runAdapted,
} from "./adapted-box.js";
import { errorTextOf, type OutcomePart, omittedImage, partsOf } from "./outcome-parts.js";
import { providerSchema } from "./provider-schema.js";

export type { AnswerOptions } from "./adapted-box.js";

/** Options of `toAnthropicTools`. */
export interface AnthropicOptions extends AdapterOptions {
  /**
   * The SDK's class of `@anthropic-ai/sdk/lib/tools/ToolError`, for its tool runner: the only error whose text the runner passes on
   * as it is. Without it, the model reads `Error: ` before each error.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
}

/** A `tool_use` block of a message. */
type ToolUse = {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
};

/** A block of a result. */
type Content =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: (typeof IMAGE_TYPES)[number]; data: string } };

/** The answer to a `tool_use` block, for the next user message. An empty result has no `content`. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content?: Content[];
  is_error?: true;
}

/** A tool of a request. `run` and `parse` are what the SDK's tool runner calls; they are not sent. */
export interface AnthropicTool {
  type: "custom";
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  run(
    input: unknown,
    context?: { readonly toolUse: ToolUse; readonly signal?: AbortSignal | null | undefined },
  ): Promise<Content[]>;
  parse(input: unknown): unknown;
}

/** A message of the model, with what `answer` reads of it. */
type Message = {
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason?: string | null;
};

/** What a loop over messages needs of a box. */
export interface AnthropicTools {
  /** For `tools` of `client.messages.create()`, `.stream()` and `client.beta.messages.toolRunner()`. */
  tools: AnthropicTool[];
  /**
   * Runs all calls of a message at the same time. Without one, the list is empty. A call in the middle of which the message was truncated
   * is answered and not run. Failed calls are results with `is_error`; it does not reject because of one. `signal` cancels the calls.
   */
  answer(message: Message, options?: AnswerOptions): Promise<AnthropicToolResult[]>;
}

/** With these, the last block of a message may be incomplete. */
const TRUNCATED: readonly unknown[] = ["max_tokens", "model_context_window_exceeded"];
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/**
 * The tools of a box for Claude. Approvals are asked of the box's approver. In a loop of your own:
 *
 *     const { tools, answer } = toAnthropicTools(box);
 *     const message = await client.messages.create({ model, max_tokens, messages, tools }, { signal });
 *     messages.push({ role: "assistant", content: message.content });
 *     const results = await answer(message, { signal });
 *     if (results.length > 0) messages.push({ role: "user", content: results });
 *
 * With the tool runner: `client.beta.messages.toolRunner({ …, tools: toAnthropicTools(box, { ToolError }).tools }, { signal })`.
 * @throws `CONFIG_INVALID` for an unknown option, and a `ToolError` that is not a class.
 */
export function toAnthropicTools(box: AdaptedBox, options: AnthropicOptions = {}): AnthropicTools {
  requireBox("toAnthropicTools", box);
  requireKnownOptions("toAnthropicTools", options, [...ADAPTER_OPTIONS, "ToolError"]);
  const { ToolError = Error } = options;
  if (typeof ToolError !== "function") {
    throw new HaftError(
      "CONFIG_INVALID",
      "`ToolError` of `toAnthropicTools` must be the class that `@anthropic-ai/sdk/lib/tools/ToolError` exports.",
    );
  }
  const answerTo = async (toolUse: ToolUse, answerOptions?: AnswerOptions) => {
    const call = { ...toolUse, input: inputOf(toolUse, toolUse.input) };
    return toolResult(toolUse.id, await runAdapted(box, options, call, answerOptions));
  };
  return {
    tools: box.descriptors().map(({ name, description, parameters }) => ({
      type: "custom",
      name,
      description,
      input_schema: { ...providerSchema(parameters, "anthropic").schema, type: "object" },
      parse: (input) => input,
      async run(input, context) {
        const toolUse = context?.toolUse;
        const call = { id: toolUse?.id, name, input: inputOf(toolUse, input) };
        const outcome = await runAdapted(box, options, call, { signal: context?.signal });
        if (outcome.isError) throw new ToolError(errorTextOf(partsOf(outcome)));
        return contentOf(partsOf(outcome));
      },
    })),
    answer: async (message, answerOptions) => {
      const { content, stop_reason } = message ?? {};
      if (!Array.isArray(content))
        throw new HaftError("CONFIG_INVALID", "`answer` takes the whole message of the model, with its `content`.");
      const last = TRUNCATED.includes(stop_reason) ? content.at(-1) : undefined;
      const calls = callsToAnswer(box, content.filter(isToolUse), ({ name }) => name, answerOptions);
      return Promise.all(calls.map((one) => answerTo(one === last ? truncated(one) : one, answerOptions)));
    },
  };
}

const isToolUse = (block: { readonly type: string }): block is ToolUse & { type: string } => block.type === "tool_use";

function toolResult(id: string, outcome: ToolOutcome): AnthropicToolResult {
  const parts = partsOf(outcome);
  // The API accepts only text in an error.
  const content = outcome.isError ? [{ type: "text" as const, text: errorTextOf(parts) }] : contentOf(parts);
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content.length === 0 ? {} : { content }),
    ...(outcome.isError ? { is_error: true } : {}),
  };
}

/** The call with arguments that do not end, unless their text is known. */
function truncated(toolUse: ToolUse): ToolUse {
  return textOfInput(toolUse) === undefined
    ? { ...toolUse, input: JSON.stringify(toolUse.input ?? {}).slice(0, -1) }
    : toolUse;
}

/**
 * `input` of a block that was streamed is what the SDK could read of the arguments: for a truncated call an object that looks complete.
 * The text is then handed on instead, and refused with the place where it ends.
 */
function inputOf(toolUse: ToolUse | undefined, input: unknown): unknown {
  const text = textOfInput(toolUse);
  if (text === undefined) return input;
  try {
    JSON.parse(text);
    return input;
  } catch {
    return text;
  }
}

/** The SDK keeps it with the block, where there is a stream. */
function textOfInput(toolUse: ToolUse | undefined): string | undefined {
  const text = (toolUse as { readonly __json_buf?: unknown } | undefined)?.__json_buf;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The API refuses a text of whitespace alone. */
function contentOf(parts: readonly OutcomePart[]): Content[] {
  const texts = parts.map((part) => (part.type === "text" ? part.text : part.mime));
  if (parts.length > 0 && texts.every((text) => text.trim() === ""))
    return [{ type: "text", text: `Only whitespace: ${JSON.stringify(texts.join(""))}` }];
  return parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const type = IMAGE_TYPES.find((one) => one === part.mime);
    if (type === undefined) return { type: "text", text: omittedImage(part, "Claude takes JPEG, PNG, GIF and WebP") };
    return { type: "image", source: { type: "base64", media_type: type, data: part.data } };
  });
}
