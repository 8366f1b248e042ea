/** What a user of LangChain writes in TypeScript. Compiled against each supported release, never run. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, DynamicTool, tool } from "@langchain/core/tools";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { createToolkit, type ToolOutcome } from "haft";
import { fromLangChain, toLangChainTools } from "haft/langchain";
import { z } from "zod";

export async function agent(prompt: string, signal: AbortSignal) {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  const tools = toLangChainTools(toolkit.box("coding"), { DynamicStructuredTool, ToolMessage });
  const llm = new ChatOpenAI({ model: "gpt" });
  const made = createReactAgent({ llm, tools });
  const { messages } = await made.invoke({ messages: [{ role: "user", content: prompt }] }, { signal });
  for (const message of messages) {
    if (!(message instanceof ToolMessage)) continue;
    const outcome: ToolOutcome = message.artifact;
    console.log(outcome.status);
  }
}

export async function others(model: BaseChatModel) {
  const toolkit = await createToolkit();
  const tools = toLangChainTools(toolkit.box(), {
    DynamicStructuredTool,
    ToolMessage,
    onEvent: ({ callId }) => callId,
  });
  const [first] = tools;
  await first?.invoke({ path: "a.txt" });
  return [new ToolNode(tools), model.bindTools?.(tools)];
}

const city = z.object({ city: z.string() });
const fields = { name: "weather", description: "The weather of a city." };
// LangChain 0.3 does not infer the input from a schema of zod 4.6.
const func = async (input: unknown) => JSON.stringify(input);
const json = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

export const own = () =>
  createToolkit({
    tools: [
      fromLangChain(tool(func, { ...fields, schema: city })),
      fromLangChain(new DynamicStructuredTool({ ...fields, schema: city, func }), { name: "weather_2" }),
      fromLangChain(tool(func, { ...fields, schema: json }), { deadlineMs: 60_000 }),
      fromLangChain(new DynamicTool({ ...fields, func: async (input) => input }), { parameters: {} }),
    ],
  });
