/** Haft's tools for OpenAI's Agents SDK, with its approvals. */
import {
  type Approver,
  BoundedMap,
  isRecord,
  requireBox,
  requireKnownOptions,
  type ToolCall,
} from "../kernel/index.js";
import { type AdaptedBox, runAdapted } from "./adapted-box.js";
import { OPENAI_OPTIONS, type OpenAiOptions, openAiSchema } from "./openai-options.js";
import { dataUrlOf, partsOf, textOf } from "./outcome-parts.js";
import { type ApprovalsOption, approvedBy, asksBySdk, MAX_ASKED, sortedJson, touchesIfAsked } from "./sdk-approval.js";

/** Options of `toOpenAiAgentsTools`. */
export interface OpenAiAgentsOptions extends OpenAiOptions {
  /** Who is asked where policy asks. Default "sdk": the run is interrupted. "box": the box's approver. */
  readonly approvals?: ApprovalsOption;
  /** Cancels the calls too. Version 0.12 of the SDK does not pass on the signal of a run. */
  readonly signal?: AbortSignal;
}

/** For the `tools` of an `Agent`. */
export interface OpenAiAgentsTool {
  type: "function";
  name: string;
  description: string;
  parameters: {
    type: "object";
    properties: Record<string, Record<string, unknown>>;
    required: string[];
    additionalProperties: false;
  };
  strict: boolean;
  invoke(runContext: unknown, input: string, details?: CallDetails): Promise<string | ResultPart[]>;
  needsApproval(runContext: unknown, input: unknown, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/** A part of a result that has an image. */
type ResultPart = { type: "text"; text: string } | { type: "image"; image: string };

interface CallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

/**
 * The tools of a box for the Agents SDK. A failed call is a result that says why, and does not end the run. Cancelling the run
 * cancels the calls. Where policy asks, the run is interrupted; what the SDK then shows as approved runs, once and exactly so.
 *
 *     const agent = new Agent({ name: "coder", tools: toOpenAiAgentsTools(toolkit.box()) });
 *     let result = await run(agent, prompt, { signal, toolNotFoundBehavior: "return_error_to_model" });
 *     for (const call of result.interruptions) result.state.approve(call);
 *     result = await run(agent, result.state, { signal });
 *
 * @throws `CONFIG_INVALID` for an unknown option, or value of `approvals`.
 */
export function toOpenAiAgentsTools(box: AdaptedBox, options: OpenAiAgentsOptions = {}): OpenAiAgentsTool[] {
  requireBox("toOpenAiAgentsTools", box);
  requireKnownOptions("toOpenAiAgentsTools", options, [...OPENAI_OPTIONS, "approvals", "signal"]);
  const approvals = asksBySdk("toOpenAiAgentsTools", options.approvals) ? new Approvals(box) : undefined;
  return box.descriptors().map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    ...agentsSchema(openAiSchema(parameters, options.strict ?? "lossless")),
    async invoke(runContext, text, { toolCall, signal } = {}) {
      const call = { id: toolCall?.callId ?? "", name, input: parsed(text) };
      const approver = approvals?.approverOf(call, runContext);
      const signals = [signal, options.signal].filter((one) => one !== undefined);
      const either = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
      const parts = partsOf(await runAdapted(box, options, call, { signal: either, approver }));
      const plain = textOf(parts);
      if (plain !== undefined) return plain;
      return parts.map((part) => (part.type === "text" ? part : { type: "image", image: dataUrlOf(part) }));
    },
    async needsApproval(runContext, input, callId = "") {
      return (await approvals?.areNeeded({ id: callId, name, input }, runContext)) ?? false;
    },
    isEnabled: async () => true,
  }));
}

/** The SDK's type has the members of a strict schema; it sends any other as it is. */
function agentsSchema({ parameters, strict }: ReturnType<typeof openAiSchema>) {
  return { parameters: parameters as unknown as OpenAiAgentsTool["parameters"], strict };
}

/** The SDK has parsed the arguments before: what does not parse never arrives here. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The context of a run, where the SDK keeps its approvals, by the names of tools and the ids of calls. */
interface RunContext {
  isToolApproved(call: { toolName: string; callId: string }): boolean | undefined;
}

interface Waiting {
  readonly context: unknown;
  readonly input: string;
  /** What the call would touch. Absent: the model sent two calls under one id, so an approval could be for either. */
  readonly touches?: string;
}

/** What the SDK's user was asked about, so that an answer holds for exactly that call, once. */
class Approvals {
  readonly #box: AdaptedBox;
  readonly #waiting = new BoundedMap<string, Waiting>(MAX_ASKED);
  readonly #used = new WeakMap<RunContext, Set<string>>();

  constructor(box: AdaptedBox) {
    this.#box = box;
  }

  async areNeeded(call: ToolCall, context: unknown): Promise<boolean> {
    const touches = await touchesIfAsked(this.#box, call);
    if (touches === undefined) return false;
    const input = sortedJson(call.input);
    const other = this.#waiting.get(keyOf(call));
    const isSecond =
      other !== undefined && other.context === context && (other.input !== input || other.touches === undefined);
    this.#waiting.set(keyOf(call), { context, input, ...(isSecond ? {} : { touches }) });
    return true;
  }

  /** The answer of the SDK's user, for a call that the context shows as approved. Undefined: the box's approver is asked. */
  approverOf(call: ToolCall, context: unknown): Approver | undefined {
    if (call.id === "" || !isRunContext(context)) return undefined;
    if (context.isToolApproved({ toolName: call.name, callId: call.id }) !== true) return undefined;
    const key = keyOf(call);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined && !isBoundToInput(context, call.name)) return undefined;
    const touches = waiting?.touches;
    if (waiting !== undefined && (touches === undefined || waiting.input !== sortedJson(call.input))) return undefined;
    const used = this.#used.get(context) ?? new Set();
    if (used.has(key)) return undefined;
    this.#used.set(context, used.add(key));
    this.#waiting.delete(key);
    return approvedBy("openai-agents", touches);
  }
}

function keyOf({ id, name }: ToolCall): string {
  return JSON.stringify([name, id]);
}

function isRunContext(value: unknown): value is RunContext {
  return isRecord(value) && typeof value.isToolApproved === "function";
}

/**
 * For a call that this process was not asked about, such as one of a restored run: whether an approved id stands for its arguments.
 * Newer versions refuse an approved id with other arguments, by this method. "Always approve" stands for any arguments.
 */
function isBoundToInput(context: RunContext & { _validateToolInvocation?: unknown }, toolName: string): boolean {
  const isAlways = context.isToolApproved({ toolName, callId: "a call that does not exist" }) === true;
  return !isAlways && typeof context._validateToolInvocation === "function";
}
