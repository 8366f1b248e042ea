/** Haft's tools for LangChain and LangGraph, `@langchain/core` 0.3 and 1, and tools of LangChain for Haft. */
import { HaftError, isRecord, requireBox, requireKnownOptions, type ToolOutcome } from "../kernel/index.js";
import { ADAPTER_OPTIONS, type AdaptedBox, type AdapterOptions, runAdapted } from "./adapted-box.js";
import { dataUrlOf, partsOf, textOf } from "./outcome-parts.js";

export { type FromLangChainOptions, fromLangChain } from "./from-langchain.js";

/** Options of `toLangChainTools`: `import { DynamicStructuredTool, ToolMessage } from "langchain"`, and what else there is. */
export interface LangChainOptions<Tool> extends AdapterOptions {
  // "never": a class of any fields, since its own are generic and differ between the majors.
  readonly DynamicStructuredTool: new (
    fields: never,
  ) => Tool;
  readonly ToolMessage: new (fields: never) => object;
}

/** The fields of the `ToolMessage` of a call. */
interface Message {
  readonly content: string | readonly Block[];
  /** For your program; a model is not shown it. */
  readonly artifact: ToolOutcome;
  readonly status: "success" | "error";
  readonly tool_call_id: string;
  readonly name: string;
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/** The part of the configuration of a call that is used. */
interface CallConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

/**
 * The tools of a box for `createAgent`, `ToolNode` and `model.bindTools`:
 *
 * ```ts
 * import { createAgent, DynamicStructuredTool, ToolMessage } from "langchain";
 * const tools = toLangChainTools(toolkit.box("coding"), { DynamicStructuredTool, ToolMessage });
 * const agent = createAgent({ model, tools });
 * ```
 *
 * A call never throws, except when it was cancelled: a failure is a message with `status: "error"` that the model reads. The
 * outcome is the message's `artifact`. The `signal` of the agent cancels its calls. What the policy asks about, the approver of the
 * box decides.
 *
 * @throws `CONFIG_INVALID` without the two classes, and for an unknown option.
 */
export function toLangChainTools<Tool>(box: AdaptedBox, options: LangChainOptions<Tool>): Tool[] {
  requireBox("toLangChainTools", box);
  requireKnownOptions("toLangChainTools", options ?? {}, [...CLASSES, ...ADAPTER_OPTIONS]);
  const { DynamicStructuredTool, ToolMessage } = classesOf(options);
  return box.descriptors().map(({ name, description, parameters }) => {
    const func = async (input: unknown, _manager: unknown, config: CallConfig = {}): Promise<object> => {
      const id = config.toolCall?.id ?? "";
      const outcome = await runAdapted(box, options, { id, name, input }, { signal: config.signal });
      config.signal?.throwIfAborted();
      const { content, artifact, status } = messageOf(outcome);
      return new ToolMessage({ content, artifact, status, tool_call_id: id, name } satisfies Message as never);
    };
    return withoutCheck(new DynamicStructuredTool({ name, description, schema: parameters, func } as never));
  });
}

function messageOf(outcome: ToolOutcome): Pick<Message, "content" | "artifact" | "status"> {
  const parts = partsOf(outcome);
  const content =
    textOf(parts) ??
    parts.map((part): Block => {
      if (part.type === "text") return part;
      return { type: "image_url", image_url: { url: dataUrlOf(part) } };
    });
  return { content, artifact: outcome, status: outcome.isError ? "error" : "success" };
}

/**
 * LangChain checks the arguments against the schema before it calls a tool, and its message does not name the parameter. The box
 * checks them too, corrects what can be corrected and says what is wrong, so that the schema is only for the model.
 */
function withoutCheck<Tool>(tool: Tool): Tool {
  if (!isRecord(tool) || typeof tool.call !== "function") return tool;
  const call = tool.call;
  return Object.assign(tool, {
    call: (...args: unknown[]) => call.apply(Object.create(tool, { schema: { value: {} } }), args),
  });
}

const CLASSES = ["DynamicStructuredTool", "ToolMessage"] as const;

function classesOf<Tool>(options: LangChainOptions<Tool> | undefined): LangChainOptions<Tool> {
  const missing = CLASSES.filter((name) => typeof options?.[name] !== "function");
  if (options !== undefined && missing.length === 0) return options;
  throw new HaftError(
    "CONFIG_INVALID",
    `\`toLangChainTools\` needs the class ${missing.map((name) => `\`${name}\``).join(" and the class ")} of LangChain (@langchain/core 0.3 or 1): \`import { DynamicStructuredTool, ToolMessage } from "langchain"\`.`,
  );
}
