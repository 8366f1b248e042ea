// An agent on OpenAI's Agents SDK (npm install @openai/agents) that works in the current directory. Where policy asks, the
// run is interrupted, and the user answers. OPENAI_API_KEY=… node examples/openai-agents.mjs "Run the tests."
import { Agent, Runner } from "@openai/agents";
import { createToolkit } from "haft";
import { toOpenAiAgentsTools } from "haft/openai";
import { askAtTerminal } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

async function answerOf({ name, arguments: input }) {
  const explained = await box.explain({ name, input });
  return askAtTerminal(explained?.request ?? { call: { tool: name }, reason: "", arguments: input }, signal);
}

const toolkit = await createToolkit({ workspace: process.cwd() });
const box = toolkit.box("coding");
try {
  const tools = toOpenAiAgentsTools(box, { signal });
  const agent = new Agent({ name: "coder", model: "gpt-5", tools });
  const runner = new Runner({ toolNotFoundBehavior: "return_error_to_model" });
  let result = await runner.run(agent, prompt, { signal, maxTurns: 50 });
  while (result.interruptions.length > 0) {
    for (const call of result.interruptions) {
      const { denied } = await answerOf(call);
      if (denied === undefined) result.state.approve(call);
      else result.state.reject(call, { message: `Did not run \`${call.name}\`: ${denied}` });
    }
    result = await runner.run(agent, result.state, { signal, maxTurns: 50 });
  }
  console.log(result.finalOutput);
} finally {
  await toolkit.close();
}
