/** Tools of the AI SDK as tools of Haft: under its policy, deadline and audit. */
import {
  type ContentBlock,
  type DefinedTool,
  type InputSchema,
  isRecord,
  type JsonSchema,
  requireKnownOptions,
  type StandardSchema,
  type ToolResult,
} from "../kernel/index.js";
import { FOREIGN_OPTIONS, type ForeignToolOptions, foreignTool, jsonBlock, refused } from "./foreign-tool.js";

/** A tool as `tool()` or `dynamicTool()` of the AI SDK makes it, with `execute`. */
export interface ForeignAiSdkTool {
  readonly description?: string | ((...context: never) => string) | undefined;
  readonly title?: string | undefined;
  readonly inputSchema: unknown;
  readonly execute?: ((input: never, call: never) => unknown) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, call: never) => unknown) | undefined;
}

/** Options of `fromAiSdk`. */
export type FromAiSdkOptions = ForeignToolOptions;

/**
 * A tool of the AI SDK, majors 6 and 7, for `createToolkit({ tools: [...] })`:
 *
 * ```ts
 * const weather = tool({ description: "…", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => … });
 * const toolkit = await createToolkit({ tools: [fromAiSdk("weather", weather)] });
 * ```
 *
 * What it touches is not known, so the policy asks about it until an approver answers for the session or the project, or a rule such
 * as `allow tool:weather` allows it; if it has `needsApproval`, before each such call. What it throws is a failed outcome. Its `abortSignal` fires on cancel and at the deadline; `messages` is empty.
 *
 * @throws `CONFIG_INVALID` for a tool without `execute`, which the provider runs, a schema without a JSON Schema and an unknown option.
 */
export function fromAiSdk<const Name extends string>(
  name: Name,
  tool: ForeignAiSdkTool,
  options: FromAiSdkOptions = {},
): DefinedTool<Name> {
  if (typeof name !== "string")
    throw refused("ai-sdk", undefined, '`fromAiSdk` needs the name first: `fromAiSdk("weather", weather)`');
  requireKnownOptions("fromAiSdk", options, FOREIGN_OPTIONS);
  if (!isRecord(tool)) throw invalid(name, "it is not what `tool()` of the AI SDK returns");
  const { execute, toModelOutput, needsApproval, title } = tool as CallableTool;
  if (typeof execute !== "function") throw invalid(name, "it has no `execute`: the provider or your program runs it");
  if (tool.inputSchema === undefined && options.parameters === undefined)
    throw invalid(name, "it has no `inputSchema`. Haft takes tools of AI SDK 6 and 7");
  return foreignTool(
    {
      source: "ai-sdk",
      name,
      description: tool.description,
      title,
      input: schemaOf(name, tool.inputSchema, options.parameters),
      asksAbout: (input) => (typeof needsApproval === "function" ? needsApproval(input, callOf("")) : needsApproval),
      async run(input, { callId, signal }) {
        const output = await lastOf(
          await execute.call(tool, input, { ...callOf(callId), abortSignal: signal }),
          signal,
        );
        return toModelOutput === undefined
          ? plain(output)
          : fromModelOutput(await toModelOutput.call(tool, { toolCallId: callId, input, output }));
      },
    },
    options,
  ) as DefinedTool<Name>;
}

/** Its functions, called as the AI SDK calls them. */
interface CallableTool {
  readonly title?: string;
  execute?(input: unknown, call: unknown): unknown;
  toModelOutput?(options: unknown): unknown;
  readonly needsApproval?: boolean | ((input: unknown, call: unknown) => unknown);
}

/** `context` is of major 7, `experimental_context` of major 6. */
function callOf(toolCallId: string) {
  return { toolCallId, messages: [], context: undefined, experimental_context: undefined };
}

/** More intermediate outputs come from a tool that does not end, which may never let the deadline fire. */
const MAX_OUTPUTS = 10_000;

/** A tool may give intermediate outputs; the last one is its result. */
async function lastOf(output: unknown, signal: AbortSignal): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  let count = 0;
  for await (const one of output as AsyncIterable<unknown>) {
    signal.throwIfAborted();
    if (++count > MAX_OUTPUTS) throw new Error(`The tool returned more than ${MAX_OUTPUTS} intermediate outputs.`);
    last = one;
  }
  return last;
}

const invalid = (name: string, why: string) => refused("ai-sdk", name, why);

const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/** A schema of `jsonSchema()` and its like, a Standard Schema such as one of zod, or a function that returns one of them. */
function schemaOf(name: string, given: unknown, parameters: JsonSchema | undefined): InputSchema {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? given() : given;
  if (typeof schema !== "object" && typeof schema !== "function") return parameters ?? NO_PARAMETERS;
  if (schema === null) return parameters ?? NO_PARAMETERS;
  const standard = Reflect.get(schema, "~standard") as StandardSchema["~standard"] | undefined;
  if (Reflect.get(schema, AI_SDK_SCHEMA) === true) {
    const json: unknown = parameters ?? Reflect.get(schema, "jsonSchema");
    if (!isRecord(json) || "then" in json) throw invalid(name, `its JSON Schema is a promise. ${PASS_PARAMETERS}`);
    const validate = Reflect.get(schema, "validate") as Validate | undefined | null;
    return validate === undefined || validate === null ? json : standardOf(json, validate);
  }
  if (standard === undefined) throw invalid(name, "its `inputSchema` is not one that the AI SDK 6 or 7 accepts");
  if (parameters === undefined && standard.jsonSchema === undefined)
    throw invalid(name, `its ${standard.vendor} schema gives no JSON Schema. ${PASS_PARAMETERS}`);
  if (parameters === undefined) return { "~standard": standard };
  return {
    "~standard": { ...standard, validate: (value) => standard.validate(value), jsonSchema: jsonOf(parameters) },
  };
}

const NO_PARAMETERS = { type: "object", properties: {}, additionalProperties: false };
const PASS_PARAMETERS = "Pass it: `fromAiSdk(name, tool, { parameters: await asSchema(tool.inputSchema).jsonSchema })`";

type Validate = (value: unknown) => Promise<Validation> | Validation;
type Validation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

function standardOf(json: JsonSchema, check: Validate): StandardSchema {
  const validate = async (value: unknown) => {
    const checked = await check(value);
    return checked.success ? { value: checked.value } : { issues: [{ message: checked.error.message }] };
  };
  return { "~standard": { version: 1, vendor: "ai-sdk", validate, jsonSchema: jsonOf(json) } };
}

function jsonOf(json: JsonSchema) {
  return { input: () => json };
}

function plain(output: unknown): ToolResult<never> {
  const block: ContentBlock = typeof output === "string" ? { kind: "text", text: output } : jsonBlock(output);
  return { content: [block], isError: false };
}

function fromModelOutput(output: unknown): ToolResult<never> {
  const { type, value, reason } = (isRecord(output) ? output : {}) as Readonly<Record<string, unknown>>;
  if (type === "content" && Array.isArray(value)) return { content: value.map(blockOf), isError: false };
  if (type === "execution-denied")
    return {
      content: [{ kind: "text", text: typeof reason === "string" ? reason : "Execution denied." }],
      isError: true,
    };
  if (type === "text" || type === "json") return plain(value);
  if (type === "error-text" || type === "error-json") return { ...plain(value), isError: true };
  return plain(output);
}

/** Images are images, whatever form the majors have for them; of other files the model reads the type and the size. */
function blockOf(part: unknown): ContentBlock {
  if (!isRecord(part)) return jsonBlock(part);
  if (part.type === "text") return { kind: "text", text: String(part.text) };
  const { mediaType = "", data, url } = part;
  const source: unknown = isRecord(data) && "type" in data ? (data.data ?? data.url ?? data.text) : (data ?? url);
  if (source instanceof URL || url !== undefined) return { kind: "resource", uri: String(source) };
  if (typeof source !== "string" && !(source instanceof Uint8Array)) return jsonBlock(part);
  const mime = String(mediaType);
  if (isRecord(data) && data.type === "text") return { kind: "text", text: String(source) };
  const bytes = typeof source === "string" ? new Uint8Array(Buffer.from(source, "base64")) : source;
  if (mime.startsWith("image/")) return { kind: "image", data: bytes, mime };
  return { kind: "text", text: `[${mime === "" ? "a file" : mime}, ${bytes.length} bytes, not shown]` };
}
