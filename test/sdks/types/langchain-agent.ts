/** What a user of LangChain 1 writes in TypeScript. Compiled where `langchain` is beside it, never run. */
import { createToolkit } from "haft";
import { toLangChainTools } from "haft/langchain";
import { createAgent, DynamicStructuredTool, ToolMessage } from "langchain";

export async function agent(prompt: string, signal: AbortSignal) {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  const tools = toLangChainTools(toolkit.box("coding"), { DynamicStructuredTool, ToolMessage });
  const made = createAgent({ model: "openai:gpt-5", tools });
  const input = { messages: [{ role: "user", content: prompt }] };
  const { messages } = await made.invoke(input, { signal, recursionLimit: 100 });
  return messages.at(-1)?.text;
}

export const inOne = async () =>
  createAgent({
    model: "openai:gpt-5",
    tools: toLangChainTools((await createToolkit()).box(), { DynamicStructuredTool, ToolMessage }),
  });
