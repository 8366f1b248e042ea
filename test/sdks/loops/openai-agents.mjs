/** OpenAI's Agents SDK, with its approvals. */
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import OpenAI from "openai";
import { wire } from "../wires/openai-responses.mjs";

export const loop = {
  name: "openai-agents",
  wire,
  packages: ["@openai/agents"],
  async run({ url, box, haft, prompt, signal, approve }) {
    const { toOpenAiAgentsTools } = await haft("openai");
    const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true });
    const runner = new Runner({ modelProvider, toolNotFoundBehavior: "return_error_to_model" });
    const agent = new Agent({ name: "coder", model: "gpt-5", tools: toOpenAiAgentsTools(box, { signal }) });
    let result = await runner.run(agent, prompt, { signal });
    while (result.interruptions.length > 0) {
      for (const call of result.interruptions) {
        if (await approve(call)) result.state.approve(call);
        else result.state.reject(call, { message: "The user said no." });
      }
      result = await runner.run(agent, result.state, { signal });
    }
    return result.finalOutput;
  },
  // The SDK answers these two itself.
  reads: {
    "an approval denied": [[answerOf("The user said no.")]],
    "an unknown tool": [[answerOf("Tool 'frobnicate' not found.")]],
  },
  cannot: { "truncated JSON": "the SDK parses the arguments, and answers itself or asks for approval where it cannot" },
};

function answerOf(text) {
  return { id: "call_1", isError: true, parts: [{ type: "text", text }] };
}
