// An agent of Mastra 1 (npm install @mastra/core @ai-sdk/openai) that works in the current directory and asks before it does
// more than read and edit there. OPENAI_API_KEY=… node examples/mastra.mjs "Which TODOs are left?"
import { createInterface } from "node:readline/promises";
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createToolkit } from "haft";
import { toMastraTools } from "haft/mastra";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too

const approver = {
  async ask({ call, reason, preview, arguments: input }) {
    if (!process.stdin.isTTY) return { denied: "There is no terminal to ask at." };
    const terminal = createInterface(process.stdin, process.stderr);
    const shown = preview?.diff ?? preview?.command ?? JSON.stringify(input);
    const answer = await terminal
      .question(`${reason}\n${call.tool}: ${shown}\nAllow it? [y/N] `, { signal: stop.signal })
      .finally(() => terminal.close());
    return answer === "y" ? { by: "user", scope: "once" } : { denied: "The user said no." };
  },
};

const toolkit = await createToolkit({ workspace: process.cwd(), approver });
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
