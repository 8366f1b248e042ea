// An agent of LangChain 1 (npm install langchain @langchain/openai) that works in the current directory and asks before it
// does more than read and edit there. OPENAI_API_KEY=… node examples/langchain.mjs "Which TODOs are left?"
import { ChatOpenAI } from "@langchain/openai";
import { createToolkit } from "haft";
import { toLangChainTools } from "haft/langchain";
import { createAgent, DynamicStructuredTool, ToolMessage } from "langchain";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
try {
  const model = new ChatOpenAI({ model: "gpt-5", useResponsesApi: true }); // the older API has no images in results
  const tools = toLangChainTools(toolkit.box("coding"), { DynamicStructuredTool, ToolMessage });
  const agent = createAgent({ model, tools });
  const input = { messages: [{ role: "user", content: prompt }] };
  const { messages } = await agent.invoke(input, { signal, recursionLimit: 100 });
  console.log(messages.at(-1).text);
} finally {
  await toolkit.close();
}
