/** Tools for `@google/genai`: function calling in a loop of your own, and automatic function calling. */
import { requireBox, requireKnownOptions, type ToolOutcome } from "../kernel/index.js";
import {
  ADAPTER_OPTIONS,
  type AdaptedBox,
  type AdapterOptions,
  type AnswerOptions,
  type CancelOptions,
  callsToAnswer,
  listToAnswer,
  runAdapted,
} from "./adapted-box.js";
import { type OutcomeImage, omittedImage, partsOf, textOf } from "./outcome-parts.js";
import { providerSchema } from "./provider-schema.js";

export type { AnswerOptions } from "./adapted-box.js";

/** Options of `toGoogleTools`. */
export interface GoogleOptions extends AdapterOptions {
  /**
   * Whether schemas are sent as JSON Schema, in `parametersJsonSchema` (default). False: in the older `parameters`, which can say
   * less: what it has no keyword for is in the descriptions.
   */
  readonly jsonSchema?: boolean;
  /** Whether the model takes images in function responses, as Gemini 3 does (default). Gemini 2 refuses them: with false, a text replaces each. */
  readonly images?: boolean;
}

/** Options of `toGoogleCallableTool`. */
export interface GoogleCallableOptions extends GoogleOptions {
  /** Cancels the calls and ends the loop: `generateContent` rejects with its reason. The SDK does not hand its `abortSignal` on to tools. */
  readonly signal?: AbortSignal | undefined;
  /** For a request with other callable tools: leaves calls of other names to them. Else an unknown name is answered with an error. */
  readonly ownOnly?: boolean;
}

/** A call of the model, as `response.functionCalls` has it. */
type FunctionCall = {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
};

/** The answer to a call, for the next user content. `response` has `output` or `error`, a text. */
export interface GoogleResponsePart {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** The declarations of all tools of a box, each with one of the two schemas. */
type Tool = {
  functionDeclarations: { name: string; description: string; parametersJsonSchema?: object; parameters?: object }[];
};

/** What a loop over `generateContent` needs of a box. */
export interface GoogleTools {
  /** For `config.tools`. */
  tools: Tool[];
  /**
   * Runs the calls of a response at the same time, none for undefined. Failed calls are responses with `error`; it does not reject because
   * of one. `signal` cancels the calls; once they have ended it rejects with its reason.
   */
  answer(calls: readonly FunctionCall[] | undefined, options?: AnswerOptions): Promise<GoogleResponsePart[]>;
}

/** What the SDK takes for a `CallableTool`. */
export interface GoogleCallableTool {
  tool(): Promise<Tool>;
  callTool(calls: readonly FunctionCall[]): Promise<GoogleResponsePart[]>;
}

const OPTIONS = ["jsonSchema", "images", ...ADAPTER_OPTIONS];
const CALLABLE_OPTIONS = [...OPTIONS, "signal", "ownOnly"];
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];

/**
 * The tools of a box for Gemini, for a loop of your own. Approvals are asked of the box's approver.
 *
 *     const { tools, answer } = toGoogleTools(box);
 *     const response = await ai.models.generateContent({ model, contents, config: { tools, abortSignal: signal } });
 *     contents.push(response.candidates[0].content);
 *     const parts = await answer(response.functionCalls, { signal });
 *     if (parts.length > 0) contents.push({ role: "user", parts });
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export function toGoogleTools(box: AdaptedBox, options: GoogleOptions = {}): GoogleTools {
  requireBox("toGoogleTools", box);
  requireKnownOptions("toGoogleTools", options, OPTIONS);
  return toolsOf(box, options);
}

/**
 * The tools of a box as one `CallableTool`, for automatic function calling. The calls of a turn run in parallel, except in
 * `generateContentStream`, which calls one by one.
 *
 *     const tool = toGoogleCallableTool(box, { signal });
 *     const config = { tools: [tool], abortSignal: signal, automaticFunctionCalling: { maximumRemoteCalls: 50 } };
 *     const response = await ai.models.generateContent({ model, contents, config });
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export function toGoogleCallableTool(box: AdaptedBox, options: GoogleCallableOptions = {}): GoogleCallableTool {
  requireBox("toGoogleCallableTool", box);
  requireKnownOptions("toGoogleCallableTool", options, CALLABLE_OPTIONS);
  const { signal, ownOnly } = options;
  const { tools, answer } = toolsOf(box, options);
  const functionDeclarations = tools.flatMap((tool) => tool.functionDeclarations);
  return {
    tool: async () => ({ functionDeclarations }),
    callTool: (calls) => answer(calls, { signal, ownOnly }),
  };
}

function toolsOf(box: AdaptedBox, options: GoogleOptions): GoogleTools {
  const { jsonSchema = true, images = true } = options;
  const partOf = async ({ id, name = "", args }: FunctionCall, callOptions: CancelOptions) => {
    const outcome = await runAdapted(box, options, { id, name, input: args ?? {} }, callOptions);
    return { functionResponse: { ...(id === undefined ? {} : { id }), name, ...responseOf(outcome, images) } };
  };
  const functionDeclarations = box.descriptors().map(({ name, description, parameters }) => ({
    name,
    description,
    ...(jsonSchema
      ? { parametersJsonSchema: providerSchema(parameters, "google-json-schema").schema }
      : { parameters: providerSchema(parameters, "google").schema }),
  }));
  return {
    tools: [{ functionDeclarations }],
    async answer(received = [], answerOptions = {}) {
      const calls = callsToAnswer(
        box,
        listToAnswer(received, "response.functionCalls"),
        ({ name }) => name,
        answerOptions,
      );
      const parts = await Promise.all(calls.map((call) => partOf(call, answerOptions)));
      // The SDK of major 1 would send the next request in spite of its `abortSignal`.
      answerOptions.signal?.throwIfAborted();
      return parts;
    },
  };
}

type Response = Pick<GoogleResponsePart["functionResponse"], "response" | "parts">;

function responseOf(outcome: ToolOutcome, takesImages: boolean): Response {
  const all = partsOf(outcome);
  const isShown = (image: OutcomeImage) => takesImages && IMAGE_TYPES.includes(image.mime);
  const why = takesImages
    ? "Gemini takes PNG, JPEG, WebP, HEIC and HEIF"
    : "this model takes no images in function responses";
  const text = textOf(
    all.filter((part) => part.type === "text" || !isShown(part)),
    (image) => omittedImage(image, why),
  );
  const parts = all.flatMap((part) =>
    part.type === "image" && isShown(part) ? [{ inlineData: { mimeType: part.mime, data: part.data } }] : [],
  );
  return { response: outcome.isError ? { error: text } : { output: text }, ...(parts.length === 0 ? {} : { parts }) };
}
