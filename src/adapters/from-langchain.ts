/** Tools of LangChain as tools of Haft: under its policy, deadline and audit. */
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

/** A tool as `tool()` or a class of LangChain makes it. */
export interface ForeignLangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema?: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** Options of `fromLangChain`. */
export interface FromLangChainOptions extends ForeignToolOptions {
  /** Its name in Haft. Default: that of the tool. */
  readonly name?: string;
}

/**
 * A tool of LangChain, `@langchain/core` 0.3 or 1, for `createToolkit({ tools: [...] })`:
 *
 * ```ts
 * const toolkit = await createToolkit({ tools: [fromLangChain(new WikipediaQueryRun())] });
 * ```
 *
 * What it touches is not known, so the policy asks about it until an approver answers for the session or the project. What it throws is a failed outcome, as is a message
 * with `status: "error"`. Its `signal` fires on cancel and at the deadline.
 *
 * @throws `CONFIG_INVALID` for anything but such a tool, a schema without a JSON Schema and an unknown option.
 */
export function fromLangChain(tool: ForeignLangChainTool, options: FromLangChainOptions = {}): DefinedTool {
  requireKnownOptions("fromLangChain", options, ["name", ...FOREIGN_OPTIONS]);
  if (typeof tool?.invoke !== "function" || typeof tool.name !== "string")
    throw refused(
      "langchain",
      undefined,
      "it has no `name` and `invoke`, as a tool of LangChain (@langchain/core 0.3 or 1) has",
    );
  return foreignTool(
    {
      source: "langchain",
      name: options.name ?? tool.name,
      description: tool.description,
      input: schemaOf(tool, options.parameters),
      async run(args, { callId, signal }) {
        const call = { type: "tool_call", id: callId, name: tool.name, args };
        return resultOf(await tool.invoke(call as never, { signal } as never));
      },
    },
    options,
  );
}

function schemaOf(tool: ForeignLangChainTool, parameters: JsonSchema | undefined): InputSchema {
  const { schema } = tool;
  if (parameters !== undefined) return parameters;
  if (schema === undefined || isOneText(schema)) return { type: "object", properties: { input: { type: "string" } } };
  if (isRecord(schema) && "~standard" in schema) {
    const standard = schema["~standard"] as StandardSchema["~standard"];
    // LangChain converts the arguments itself, so that it gets them as they were.
    const own: StandardSchema = {
      "~standard": {
        ...standard,
        async validate(value) {
          const { issues } = await standard.validate(value);
          return issues === undefined ? { value } : { issues };
        },
      },
    };
    if (standard.jsonSchema !== undefined) return own;
  } else if (isRecord(schema) && !("_def" in schema)) return schema;
  throw refused(
    "langchain",
    tool.name,
    "its schema gives no JSON Schema. Pass `parameters`, such as `toJsonSchema(tool.schema)` of LangChain",
  );
}

/** Whether it is the schema of `Tool` and `DynamicTool`, of zod 3: an object with an optional text `input`, converted to that text. */
function isOneText(schema: unknown): boolean {
  const effects = schema as {
    readonly _def?: { readonly schema?: { readonly shape?: Readonly<Record<string, ZodOptional>> } };
  };
  const { input, ...others } = effects?._def?.schema?.shape ?? {};
  return input?._def?.innerType?._def?.typeName === "ZodString" && Object.keys(others).length === 0;
}

interface ZodOptional {
  readonly _def?: { readonly innerType?: { readonly _def?: { readonly typeName?: string } } };
}

/** A `ToolMessage`; a tool that returns something else than one is called without LangChain's base class. */
function resultOf(output: unknown): ToolResult<never> {
  if (!isRecord(output) || !("content" in output)) return { content: [blockOf(output)], isError: false };
  const { content, status } = output;
  return { content: Array.isArray(content) ? content.map(blockOf) : [blockOf(content)], isError: status === "error" };
}

function blockOf(part: unknown): ContentBlock {
  if (typeof part === "string") return { kind: "text", text: part };
  if (isRecord(part) && part.type === "text" && typeof part.text === "string") return { kind: "text", text: part.text };
  return imageOf(part) ?? jsonBlock(part);
}

/** An image of chat completions (`image_url`), or a standard block with `data` as base64. */
function imageOf(part: unknown): ContentBlock | undefined {
  if (!isRecord(part)) return undefined;
  const url = isRecord(part.image_url) ? part.image_url.url : part.image_url;
  const [, mime = part.mimeType ?? part.mime_type, data = part.data] =
    (typeof url === "string" && /^data:([^;,]+);base64,(.*)$/s.exec(url)) || [];
  const isImage = part.type === "image_url" || part.type === "image";
  if (!isImage || typeof mime !== "string" || typeof data !== "string") return undefined;
  return { kind: "image", mime, data: Buffer.from(data, "base64") };
}
