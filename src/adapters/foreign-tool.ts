/** A tool of another SDK as a tool of Haft: under its policy, deadline and audit. */
import {
  type ContentBlock,
  type DefinedTool,
  defineTool,
  HaftError,
  type InputSchema,
  type Json,
  type JsonSchema,
  type ToolContext,
  type ToolResult,
} from "../kernel/index.js";

/** Options of a tool of another SDK. */
export interface ForeignToolOptions {
  /** Default: that of the tool. */
  readonly description?: string;
  /** The JSON Schema of its input, where its own schema gives none, or only a promise of one. */
  readonly parameters?: JsonSchema;
  /** Milliseconds until the call is cancelled. Default 30,000. */
  readonly deadlineMs?: number;
}

export const FOREIGN_OPTIONS: readonly string[] = [
  "description",
  "parameters",
  "deadlineMs",
] satisfies (keyof ForeignToolOptions)[];

interface ForeignTool {
  /** Of its claim. */
  readonly source: "ai-sdk" | "langchain";
  readonly name: string;
  readonly description: unknown;
  readonly title?: string | undefined;
  readonly input: InputSchema;
  /** Whether the policy asks about this call whatever has been allowed before. */
  asksAbout?(input: unknown): unknown;
  run(input: unknown, context: Pick<ToolContext, "callId" | "signal">): Promise<ToolResult<never>>;
}

/** Defines the tool. What it touches is not known, so the policy asks about it. @throws `CONFIG_INVALID` without a description. */
export function foreignTool(
  { source, name, description: own, title, input, asksAbout, run }: ForeignTool,
  { description = own as string, deadlineMs }: ForeignToolOptions,
): DefinedTool {
  if (typeof description !== "string")
    throw refused(source, name, "it has no text as `description`. Pass `description` as an option");
  return defineTool({
    name,
    description,
    input,
    effect: "write",
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(title === undefined ? {} : { annotations: { title } }),
    async claims(args) {
      const asks = await asksAbout?.(args);
      // Anything but a clear no is a question.
      const always = asks === undefined || asks === null || asks === false ? {} : ({ approval: "each-call" } as const);
      return [{ kind: "external", source, tool: name, ...always }];
    },
    run,
  });
}

const SDKS = { "ai-sdk": "AI SDK", langchain: "LangChain" } as const;

export function refused(source: ForeignTool["source"], name: string | undefined, why: string): HaftError {
  const tool = `the ${SDKS[source]} tool${name === undefined ? "" : ` "${name}"`}`;
  return new HaftError(
    "CONFIG_INVALID",
    `Did not take ${tool}: ${why}.`,
    name === undefined ? {} : { details: { name } },
  );
}

export function jsonBlock(value: unknown): ContentBlock {
  return { kind: "json", value: JSON.parse(JSON.stringify(value) ?? "null") as Json };
}
