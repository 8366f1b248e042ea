// An agent of Mastra 1 (npm install @mastra/core @ai-sdk/openai) that works in the current directory and asks before it does
// more than read and edit there. OPENAI_API_KEY=… node examples/mastra.mjs "Which TODOs are left?"
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createToolkit } from "haft";
import { toMastraTools } from "haft/mastra";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too

const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
try {
  const agent = new Agent({
    id: "coder",
    name: "coder",
    instructions: "Work in the current directory.",
    model: openai("gpt-5"),
    tools: toMastraTools(toolkit.box("coding")),
  });
  const { text } = await agent.generate(prompt, { maxSteps: 50, abortSignal: stop.signal });
  console.log(text);
} finally {
  await toolkit.close();
}
