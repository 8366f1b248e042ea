/** Haft's tools for the AI SDK, majors 6 and 7, and tools of the AI SDK for Haft. */
import { type OutcomeOf, requireBox, requireKnownOptions, type ToolBox, type ToolOutcome } from "../kernel/index.js";
import { ADAPTER_OPTIONS, type AdapterOptions, runAdapted } from "./adapted-box.js";
import { AiSdkApprovals, type CallId } from "./ai-sdk-approvals.js";
import { type AiSdkSchema, argumentsOf, schemaOf } from "./ai-sdk-arguments.js";
import { errorTextOf, type OutcomeImage, type OutcomePart, omittedImage, partsOf, textOf } from "./outcome-parts.js";
import { type ApprovalsOption, asksBySdk } from "./sdk-approval.js";

export { repairToolCall } from "./ai-sdk-arguments.js";
export { type FromAiSdkOptions, fromAiSdk } from "./from-ai-sdk.js";
export type { OutcomePart } from "./outcome-parts.js";

/** Options of `toAiSdkTools`. */
export interface AiSdkOptions extends AdapterOptions {
  /**
   * Who asks the user about a call that the policy asks about. "sdk" (default): `needsApproval` is true for it, and the call runs
   * once the messages have the user's approval of exactly this call. "box": the approver of the box.
   */
  readonly approvals?: ApprovalsOption;
  /** False for an API whose tool results hold only text, such as chat completions: an image becomes a text that says so. Default true. */
  readonly images?: boolean;
}

/**
 * What `execute` returns, for your program: how the call ended and, in `data`, what the tool returned. It survives JSON, so that it
 * can be part of a UI message. The model reads only `content`.
 */
export type AiSdkOutput<Outcome extends ToolOutcome = ToolOutcome> = Omit<Outcome, "content" | "output"> & {
  readonly content: readonly OutcomePart[];
};

/** What the model reads, in the form of the AI SDK. */
type ModelOutput =
  | { type: "text" | "error-text"; value: string }
  | {
      type: "content";
      value: ({ type: "text"; text: string } | { type: "image-data"; mediaType: string; data: string })[];
    };

/** What the AI SDK passes with a call; of it, the adapter uses these. */
type Call = {
  readonly toolCallId: string;
  readonly messages?: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
};

/** One tool, as `tool()` of the AI SDK makes it. */
export interface AiSdkTool<Output = AiSdkOutput> {
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  readonly needsApproval?: (input: unknown, call: Call) => Promise<boolean>;
  readonly execute: (input: unknown, call: Call) => Promise<Output>;
  readonly toModelOutput: (options: { readonly output: Output }) => ModelOutput;
}

/** The tools by name; the names of a typed box complete in an editor. */
export type AiSdkTools<Tools extends object = object> = [keyof Tools] extends [never]
  ? Record<string, AiSdkTool>
  : { [Name in keyof Tools & string]: AiSdkTool<AiSdkOutput<OutcomeOf<Tools, Name>>> };

/**
 * The tools of a box for `generateText`, `streamText` and agents of the AI SDK:
 *
 * ```ts
 * const toolkit = await createToolkit({ workspace: process.cwd() });
 * const tools = toAiSdkTools(toolkit.box("coding"));
 * const { text } = await generateText({ model, tools, repairToolCall, stopWhen: stepCountIs(20), prompt });
 * ```
 *
 * No call throws: a failure is an `error-text` that the model reads. The `abortSignal` of the SDK cancels the call. Pass
 * `repairToolCall` too, so that the model reads what is wrong with arguments that are not JSON.
 *
 * @throws `CONFIG_INVALID` for an unknown option, or value of `approvals`.
 */
export function toAiSdkTools<Tools extends object = object>(
  box: Pick<ToolBox<Tools>, "descriptors" | "runner" | "explain">,
  options: AiSdkOptions = {},
): AiSdkTools<Tools> {
  requireBox("toAiSdkTools", box);
  requireKnownOptions("toAiSdkTools", options, [...ADAPTER_OPTIONS, "approvals", "images"]);
  const { images = true } = options;
  const asked = asksBySdk("toAiSdkTools", options.approvals) ? new AiSdkApprovals(box) : undefined;
  // Major 7 says so with each call, and warns of the form that both majors take.
  let isSeven = false;
  const tools = box.descriptors().map(({ name, description, parameters }): [string, AiSdkTool] => {
    const callOf = (given: unknown, call: Partial<Call> | undefined): CallId => {
      return { id: call?.toolCallId ?? "", name, given, input: argumentsOf(given) };
    };
    const tool: AiSdkTool = {
      description,
      inputSchema: schemaOf(parameters),
      ...(asked === undefined
        ? {}
        : { needsApproval: (given, call) => asked.needsApproval(callOf(given, call), call?.messages) }),
      async execute(given, sdk) {
        isSeven ||= sdk !== undefined && "context" in sdk;
        const call = callOf(given, sdk);
        const approver = asked?.approverOf(call, sdk?.messages);
        const outcome = await runAdapted(box, options, call, { signal: sdk?.abortSignal, approver });
        const { content: _, output: __, ...facts } = outcome;
        return { ...facts, content: partsOf(outcome) };
      },
      toModelOutput: ({ output }) => modelOutput(output, images, isSeven ? imageOf7 : imageOf6),
    };
    return [name, tool];
  });
  return Object.fromEntries(tools) as AiSdkTools<Tools>;
}

type ModelPart = Extract<ModelOutput, { type: "content" }>["value"][number];
function modelOutput(
  { content, isError }: Pick<AiSdkOutput, "content" | "isError">,
  takesImages: boolean,
  imageOf: (image: OutcomeImage) => ModelPart,
): ModelOutput {
  // A result with an image cannot say that it is an error.
  if (isError) return { type: "error-text", value: errorTextOf(content) };
  const text = takesImages ? textOf(content) : textOf(content, (image) => omittedImage(image, ONLY_TEXT));
  if (text !== undefined) return { type: "text", value: text };
  const value = content.map((part) => (part.type === "image" ? imageOf(part) : { type: part.type, text: part.text }));
  return { type: "content", value };
}

function imageOf6({ mime, data }: OutcomeImage): ModelPart {
  return { type: "image-data", mediaType: mime, data };
}

/** The types of major 6 do not know this form, so it is not in ours. */
function imageOf7({ mime, data }: OutcomeImage): ModelPart {
  return { type: "file", mediaType: mime, data: { type: "data", data } } as unknown as ModelPart;
}

const ONLY_TEXT = "tool results of this API hold only text";
