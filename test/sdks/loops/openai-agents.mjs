/** OpenAI's Agents SDK, with its approvals. */
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import OpenAI from "openai";
import { wire } from "../wires/openai-responses.mjs";

/** `restored` gives the state of an interrupted run as the process gets it that continues the run, with its agent. */
export const agentsLoop = (name, restored) => ({
  name,
  wire,
  packages: ["@openai/agents"],
  async run({ url, box, haft, prompt, signal, approve }) {
    const { toOpenAiAgentsTools } = await haft("openai");
    const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true });
    const runner = new Runner({ modelProvider, toolNotFoundBehavior: "return_error_to_model" });
    const newAgent = () => new Agent({ name: "coder", model: "gpt-5", tools: toOpenAiAgentsTools(box, { signal }) });
    let agent = newAgent();
    let result = await runner.run(agent, prompt, { signal });
    while (result.interruptions.length > 0) {
      const next = await restored({ agent, state: result.state, newAgent });
      for (const call of next.state.getInterruptions()) {
        if (await approve(call)) next.state.approve(call);
        else next.state.reject(call, { message: "The user said no." });
      }
      agent = next.agent;
      result = await runner.run(agent, next.state, { signal });
    }
    return result.finalOutput;
  },
  // The SDK answers these two itself.
  reads: {
    "an approval denied": [[answerOf("The user said no.")]],
    "an unknown tool": [[answerOf("Tool 'frobnicate' not found.")]],
  },
  cannot: { "truncated JSON": "the SDK parses the arguments, and answers itself or asks for approval where it cannot" },
});

export const loop = agentsLoop("openai-agents", (run) => run);

function answerOf(text) {
  return { id: "call_1", isError: true, parts: [{ type: "text", text }] };
}
