/** What the three views of OpenAI's SDKs share: options and schemas. */
import type { JsonSchema } from "../kernel/index.js";
import { ADAPTER_OPTIONS, type AdapterOptions } from "./adapted-box.js";
import { providerSchema } from "./provider-schema.js";

/** Options of all tools for OpenAI. */
export interface OpenAiOptions extends AdapterOptions {
  /**
   * Whether the API lets the model write nothing but what the schema allows. Default: for Responses and the Agents SDK, where the whole
   * schema can be strict; not for Chat Completions, whose helpers `runTools` and `stream` reject when the arguments of a strict tool
   * are not complete.
   */
  readonly strict?: boolean;
}

export const OPENAI_OPTIONS: readonly string[] = [...ADAPTER_OPTIONS, "strict"];

/** The schema as OpenAI takes it. "lossless": strict where a strict schema says all that this one does. */
export function openAiSchema(parameters: JsonSchema, strict: boolean | "lossless") {
  const written = strict === false ? undefined : providerSchema(parameters, "openai-strict");
  if (written !== undefined && (strict === true || written.notes.length === 0))
    return { parameters: { ...written.schema }, strict: true };
  return { parameters: { ...providerSchema(parameters, "openai").schema }, strict: false };
}
