// An agent on OpenAI's Agents SDK (npm install @openai/agents) that works in the current directory. Where policy asks, the
// run is interrupted, and the user answers. OPENAI_API_KEY=… node examples/openai-agents.mjs "Run the tests."
import { createInterface } from "node:readline/promises";
import { Agent, Runner } from "@openai/agents";
import { createToolkit } from "haft";
import { toOpenAiAgentsTools } from "haft/openai";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

async function allows(call) {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface(process.stdin, process.stderr);
  const answer = await terminal
    .question(`${call.name} ${call.arguments}\nAllow it? [y/N] `, { signal })
    .finally(() => terminal.close());
  return answer === "y";
}

const toolkit = await createToolkit({ workspace: process.cwd() });
try {
  const tools = toOpenAiAgentsTools(toolkit.box("coding"), { signal });
  const agent = new Agent({ name: "coder", model: "gpt-5", tools });
  const runner = new Runner({ toolNotFoundBehavior: "return_error_to_model" });
  let result = await runner.run(agent, prompt, { signal, maxTurns: 50 });
  while (result.interruptions.length > 0) {
    for (const call of result.interruptions) {
      if (await allows(call)) result.state.approve(call);
      else result.state.reject(call, { message: `Did not run \`${call.name}\`: the user did not allow it.` });
    }
    result = await runner.run(agent, result.state, { signal, maxTurns: 50 });
  }
  console.log(result.finalOutput);
} finally {
  await toolkit.close();
}
