/** Haft's tools for agents of Mastra 1, which takes them in the form of the AI SDK and shows its model what `execute` returns. */
import { requireBox, requireKnownOptions } from "../kernel/index.js";
import { ADAPTER_OPTIONS, type AdaptedBox } from "./adapted-box.js";
import { type AiSdkOptions, type AiSdkTool, toAiSdkTools } from "./ai-sdk.js";

/** Options of `toMastraTools`. */
export type MastraOptions = Omit<AiSdkOptions, "approvals">;

/** Text is returned as it is; with an image among it, as a list of parts. */
type Output = string | Extract<ModelOutput, { type: "content" }>;

type ModelOutput = ReturnType<AiSdkTool["toModelOutput"]>;

/** One tool, in the form that an agent of Mastra takes. */
export interface MastraTool extends Pick<AiSdkTool, "description" | "inputSchema"> {
  readonly id: string;
  readonly execute: (...call: Parameters<AiSdkTool["execute"]>) => Promise<Output>;
  readonly toModelOutput: (output: Output) => ModelOutput;
}

/**
 * The tools of a box for an agent of Mastra 1:
 *
 * ```ts
 * const toolkit = await createToolkit({ workspace: process.cwd(), approver });
 * const agent = new Agent({ id: "coder", name: "coder", instructions, model, tools: toMastraTools(toolkit.box("coding")) });
 * const { text } = await agent.generate("Fix the test.");
 * ```
 *
 * No call throws: the model reads what failed. The agent's `abortSignal` cancels the call. The approver of the toolkit is asked, because
 * Mastra passes no proof of an approval to a tool, and 1.0 takes `resumeData` in a model's own arguments for an approval.
 * Mastra 1.0 shows its model images as base64 text: pass `images: false` there.
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export function toMastraTools(box: AdaptedBox, options: MastraOptions = {}): Record<string, MastraTool> {
  requireBox("toMastraTools", box);
  requireKnownOptions("toMastraTools", options, [...ADAPTER_OPTIONS, "images"]);
  const tools = Object.entries(toAiSdkTools(box, { ...options, approvals: "box" }));
  return Object.fromEntries(tools.map(([name, tool]) => [name, mastraTool(name, tool)]));
}

function mastraTool(id: string, { description, inputSchema, execute, toModelOutput }: AiSdkTool): MastraTool {
  return {
    id,
    description,
    inputSchema,
    async execute(input, call) {
      const output = toModelOutput({ output: await execute(input, call) });
      return output.type === "content" ? output : output.value;
    },
    toModelOutput: (output) => (typeof output === "string" ? { type: "text", value: output } : output),
  };
}
