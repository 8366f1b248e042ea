/** What the three views of OpenAI's SDKs share: options, schemas, and the run of one call. */
import type { CallEvent, JsonSchema, RunOptions, ToolCall, ToolOutcome } from "../kernel/index.js";
import type { AdaptedBox } from "./adapter-options.js";
import { type OutcomePart, partsOf } from "./outcome-parts.js";
import { providerSchema } from "./provider-schema.js";

/** Options of all tools for OpenAI. */
export interface OpenAiOptions {
  /**
   * Whether the API lets the model write nothing but what the schema allows. Default: for Responses and the Agents SDK, where the whole
   * schema can be strict; not for Chat Completions, whose helpers `runTools` and `stream` reject when the arguments of a strict tool
   * are not complete.
   */
  readonly strict?: boolean;
  /** Progress of each call. */
  readonly onEvent?: (event: CallEvent) => void;
  /** Each outcome, with the data that no model is shown. Its `id` is the id of the model's call. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

export const OPENAI_OPTIONS: readonly string[] = ["strict", "onEvent", "onOutcome"] satisfies (keyof OpenAiOptions)[];

/** Options of one call, or of several. */
export interface OpenAiCallOptions {
  /** Cancels the calls: what they started ends. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs one call. What the model reads of it, in parts. */
export async function runOpenAiCall(
  box: AdaptedBox,
  { onEvent, onOutcome }: OpenAiOptions,
  call: ToolCall,
  { signal, approver }: OpenAiCallOptions & Pick<RunOptions, "approver"> = {},
): Promise<readonly OutcomePart[]> {
  const outcome = await box.runner.run(call, {
    ...(signal === undefined ? {} : { signal }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(approver === undefined ? {} : { approver }),
  });
  onOutcome?.(outcome);
  return partsOf(outcome);
}

/** The schema as OpenAI takes it. "lossless": strict where a strict schema says all that this one does. */
export function openAiSchema(parameters: JsonSchema, strict: boolean | "lossless") {
  const written = strict === false ? undefined : providerSchema(parameters, "openai-strict");
  if (written !== undefined && (strict === true || written.notes.length === 0))
    return { parameters: { ...written.schema }, strict: true };
  return { parameters: { ...providerSchema(parameters, "openai").schema }, strict: false };
}

export function dataUrlOf({ mime, data }: Extract<OutcomePart, { type: "image" }>): string {
  return `data:${mime};base64,${data}`;
}
