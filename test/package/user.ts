/** What a user of the package writes in TypeScript. Compiled against the packed types, never run. */
import { createToolkit, defineTool, denyByDefaultPolicy, type ToolOutcome, text } from "haft";
import { toAnthropicTools } from "haft/anthropic";
import { toGoogleCallableTool, toGoogleTools } from "haft/google";
import { toOpenAiAgentsTools, toOpenAiChatTools, toOpenAiResponsesTools } from "haft/openai";
import { artifactsSuite, fsSuite, searchSuite, shellSuite } from "haft/testing";

const greet = defineTool({
  name: "greet",
  description: "Greets somebody.",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  run: ({ name }) => text(`Hello ${name}`),
});

export async function hello(): Promise<ToolOutcome> {
  const toolkit = await createToolkit({ tools: [greet], policy: denyByDefaultPolicy({ roots: ["/tmp"] }) });
  try {
    return await toolkit.box().runner.run({ id: "1", name: "greet", input: { name: "Ada" } });
  } finally {
    await toolkit.close();
  }
}

/** Typed where the name is literal. */
export async function exitCode(): Promise<number | null | undefined> {
  const toolkit = await createToolkit({ autonomy: "full" });
  const outcome = await toolkit.box().runner.run({ id: "1", name: "bash", input: { command: "ls" } });
  await toolkit.close();
  return outcome.data?.exitCode;
}

export const adapters = [
  toAnthropicTools,
  toGoogleTools,
  toGoogleCallableTool,
  toOpenAiChatTools,
  toOpenAiResponsesTools,
  toOpenAiAgentsTools,
];
export const suites = [artifactsSuite, fsSuite, searchSuite, shellSuite];
