/** Tools for `@anthropic-ai/sdk`: the Messages API, and the tool runner. */
import { type CallEvent, HaftError, type ToolOutcome } from "../kernel/index.js";
import { type AdaptedBox, requireKnownOptions } from "./adapter-options.js";
import { omittedImage } from "./omitted-image.js";
import { type OutcomePart, partsOf } from "./outcome-parts.js";
import { providerSchema } from "./provider-schema.js";

/** Options of `toAnthropicTools`. */
export interface AnthropicOptions {
  /**
   * The SDK's class of `@anthropic-ai/sdk/lib/tools/ToolError`, for its tool runner: the only error whose text the runner passes on
   * as it is. Without it, the model reads `Error: ` before each error.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
  readonly onEvent?: (event: CallEvent) => void;
  /** Gets the whole outcome of each call, with what the model is not shown. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

/** A `tool_use` block of a message. */
export interface AnthropicToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A block of a result. */
export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: AnthropicImageType; data: string } };
/** The types of images that the API takes. */
export type AnthropicImageType = (typeof IMAGE_TYPES)[number];

/** The answer to a `tool_use` block, for the next user message. An empty result has no `content`. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content?: AnthropicContent[];
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
    context?: { readonly toolUse: AnthropicToolUse; readonly signal?: AbortSignal | null | undefined },
  ): Promise<AnthropicContent[]>;
  parse(input: unknown): unknown;
}

/** A message of the model, with what `answer` reads of it. */
export interface AnthropicMessage {
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason?: string | null;
}

/** What a loop over messages needs of a box. */
export interface AnthropicTools {
  /** For `tools` of `client.messages.create()`, `.stream()` and `client.beta.messages.toolRunner()`. */
  tools: AnthropicTool[];
  /**
   * Runs all calls of a message at the same time. Without one, the list is empty. A call in the middle of which the message was truncated
   * is answered and not run. Failed calls are results with `is_error`; it does not reject because of one. `signal` cancels the calls.
   */
  answer(message: AnthropicMessage, options?: Cancel): Promise<AnthropicToolResult[]>;
  /** Runs one call, for a message that also calls tools of your own. */
  call(toolUse: AnthropicToolUse, options?: Cancel): Promise<AnthropicToolResult>;
}

type Cancel = { readonly signal?: AbortSignal | undefined };

const OPTIONS = ["ToolError", "onEvent", "onOutcome"];
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
  requireKnownOptions("toAnthropicTools", options, OPTIONS);
  const { ToolError = Error, onEvent, onOutcome } = options;
  if (typeof ToolError !== "function") {
    throw new HaftError(
      "CONFIG_INVALID",
      "`ToolError` of `toAnthropicTools` must be the class that `@anthropic-ai/sdk/lib/tools/ToolError` exports.",
    );
  }
  const run = async ({ id, name, input }: AnthropicToolUse, signal: AbortSignal | null | undefined) => {
    const outcome = await box.runner.run(
      { id, name, input },
      { ...(signal ? { signal } : {}), ...(onEvent ? { onEvent } : {}) },
    );
    onOutcome?.(outcome);
    return outcome;
  };
  const call: AnthropicTools["call"] = async (toolUse, { signal } = {}) =>
    toolResult(toolUse.id, await run({ ...toolUse, input: inputOf(toolUse, toolUse.input) }, signal));
  return {
    tools: box.descriptors().map(({ name, description, parameters }) => ({
      type: "custom",
      name,
      description,
      input_schema: { ...providerSchema(parameters, "anthropic").schema, type: "object" },
      parse: (input) => input,
      async run(input, context) {
        const toolUse = context?.toolUse;
        const outcome = await run({ id: toolUse?.id ?? "", name, input: inputOf(toolUse, input) }, context?.signal);
        if (outcome.isError) throw new ToolError(errorText(outcome));
        return contentOf(partsOf(outcome));
      },
    })),
    call,
    answer: ({ content, stop_reason }, options) => {
      const last = TRUNCATED.includes(stop_reason) ? content.at(-1) : undefined;
      return Promise.all(content.filter(isToolUse).map((one) => call(one === last ? truncated(one) : one, options)));
    },
  };
}

const isToolUse = (block: { readonly type: string }): block is AnthropicToolUse & { type: string } =>
  block.type === "tool_use";

function toolResult(id: string, outcome: ToolOutcome): AnthropicToolResult {
  const content = outcome.isError ? [{ type: "text" as const, text: errorText(outcome) }] : contentOf(partsOf(outcome));
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content.length === 0 ? {} : { content }),
    ...(outcome.isError ? { is_error: true } : {}),
  };
}

/** The call with arguments that do not end, unless their text is known. */
function truncated(toolUse: AnthropicToolUse): AnthropicToolUse {
  return textOfInput(toolUse) === undefined
    ? { ...toolUse, input: JSON.stringify(toolUse.input ?? {}).slice(0, -1) }
    : toolUse;
}

/**
 * `input` of a block that was streamed is what the SDK could read of the arguments: for a truncated call an object that looks complete.
 * The text is then handed on instead, and refused with the place where it ends.
 */
function inputOf(toolUse: AnthropicToolUse | undefined, input: unknown): unknown {
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
function textOfInput(toolUse: AnthropicToolUse | undefined): string | undefined {
  const text = (toolUse as { readonly __json_buf?: unknown } | undefined)?.__json_buf;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The API refuses a text of whitespace alone. */
function contentOf(parts: readonly OutcomePart[]): AnthropicContent[] {
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

/** The API accepts only text in an error, and no empty one. */
function errorText(outcome: ToolOutcome): string {
  const texts = partsOf(outcome).map((part) =>
    part.type === "text" ? part.text : omittedImage(part, "an error holds only text"),
  );
  const text = texts.join("\n");
  return text.trim() === "" ? `The call failed without a message (${outcome.code ?? outcome.status}).` : text;
}
