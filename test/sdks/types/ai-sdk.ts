/** What a user of the AI SDK writes in TypeScript. Compiled against each supported major, never run. */
import { openai } from "@ai-sdk/openai";
import { dynamicTool, generateText, jsonSchema, stepCountIs, streamText, ToolLoopAgent, type ToolSet, tool } from "ai";
import { type Approver, createToolkit } from "haft";
import { fromAiSdk, repairToolCall, toAiSdkTools } from "haft/ai-sdk";
import { z } from "zod";

const model = openai("gpt-5");

export async function generated() {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  const { text } = await generateText({ model, tools: toAiSdkTools(toolkit.box("coding")), prompt: "Fix it." });
  const tools = toAiSdkTools(toolkit.box("coding"), { approvals: "sdk", onEvent: ({ callId }) => callId });
  const result = await generateText({
    model,
    tools,
    experimental_repairToolCall: repairToolCall,
    stopWhen: stepCountIs(20),
    prompt: "Fix it.",
  });
  for (const one of result.toolResults) {
    if (one.dynamic || one.toolName !== "bash") continue;
    const code: number | null | undefined = one.output.data?.exitCode;
    console.log(code, one.output.status);
  }
  // @ts-expect-error a tool that there is not
  tools.frobnicate;
  // @ts-expect-error data that `read` does not have
  result.toolResults.flatMap((one) => (one.toolName === "read" && !one.dynamic ? one.output.data?.exitCode : []));
  return text;
}

export async function others(set: ToolSet) {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  const tools = { ...toAiSdkTools(toolkit.box()), ...set };
  const agent = new ToolLoopAgent({ model, tools, stopWhen: stepCountIs(20) });
  const { text } = await agent.generate({ prompt: "Fix it." });
  const stream = streamText({ model, tools, experimental_repairToolCall: repairToolCall, prompt: text });
  return stream.text;
}

const weather = tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  needsApproval: ({ city }) => city !== "Ulm",
  execute: async ({ city }) => ({ city, sun: true }),
  toModelOutput: ({ output }) => ({ type: "text", value: output.city }),
});
const search = dynamicTool({
  description: "Searches.",
  inputSchema: jsonSchema({ type: "object", properties: {} }),
  execute: async (input) => input,
});

export async function own() {
  const tools = [fromAiSdk("weather", weather), fromAiSdk("search", search, { deadlineMs: 60_000 })];
  // The names of own tools are not known to the compiler, and reach the SDK all the same.
  const box = (await createToolkit({ workspace: "/srv/app", tools })).box();
  const { text } = await generateText({ model, tools: toAiSdkTools(box), prompt: "Is it sunny?" });
  return text;
}

/** The tools of the guide. */
export async function guideTools(approver: Approver) {
  const toolkit = await createToolkit({ workspace: process.cwd(), tools: [fromAiSdk("weather", weather)], approver });
  return toolkit.box();
}
