/** How the arguments of a model reach a tool through the AI SDK: unchecked, so that the box corrects them or says what is wrong. */
import { isRecord, type JsonSchema } from "../kernel/index.js";

/** A schema of the AI SDK that leaves the check of arguments to the box, which also corrects them. */
export interface AiSdkSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/** The parameter under which arguments that are not JSON reach a tool: an SDK stores and sends arguments as an object only. */
const UNPARSED = "unparsedArguments";

/**
 * For `repairToolCall` (AI SDK 7) and `experimental_repairToolCall` (6): arguments of a model that are not JSON reach Haft's tools as
 * they are, and the model reads what is wrong with them and where. Other tools are left to the SDK.
 */
export async function repairToolCall<Call extends { toolName: string; input: string }>({
  toolCall,
  tools,
}: {
  toolCall: Call;
  tools: object;
}): Promise<Call | null> {
  const tool: unknown = Object.hasOwn(tools, toolCall.toolName) ? Reflect.get(tools, toolCall.toolName) : undefined;
  if (!isRecord(tool) || !isRecord(tool.inputSchema) || !(HAFT in tool.inputSchema)) return null;
  return { ...toolCall, input: JSON.stringify({ [UNPARSED]: toolCall.input }) };
}

/** What the model sent: the runner parses a text, or says what is wrong with it. Beside other arguments the text is one of them. */
export function argumentsOf(given: unknown): unknown {
  if (!isRecord(given) || Object.keys(given).length !== 1) return given;
  const text = given[UNPARSED];
  return typeof text === "string" ? text : given;
}

/** The mark of our schemas. */
const HAFT = Symbol.for("haft.schema");

/** The mark of the AI SDK, by which it takes a schema of ours as its own and sends `jsonSchema` to the model as it is. */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/** The schema of a tool of ours. */
export function schemaOf(parameters: JsonSchema): AiSdkSchema {
  const json = () => parameters;
  return Object.assign(
    {
      "~standard": {
        version: 1 as const,
        vendor: "haft",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: json, output: json },
      },
    },
    { [HAFT]: true, [AI_SDK_SCHEMA]: true },
    { jsonSchema: parameters, validate: (value: unknown) => ({ success: true, value }) },
  );
}
