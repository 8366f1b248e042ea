/** `generateText` of the AI SDK, with approvals in its messages. */
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { answeringApprovals, WORDS, withErrorForm } from "../ai-sdk-words.mjs";
import { wire } from "../wires/openai-responses.mjs";

export const loop = {
  name: "ai-sdk",
  wire: withErrorForm(wire),
  packages: ["ai", "@ai-sdk/openai"],
  reads: WORDS,

  async run({ url, box, haft, prompt, signal, approve }) {
    const { toAiSdkTools, repairToolCall } = await haft("ai-sdk");
    const model = createOpenAI({ baseURL: url, apiKey: "none" })("scripted");
    const tools = toAiSdkTools(box);
    return answeringApprovals(prompt, approve, async (messages) => {
      const result = await generateText({
        model,
        tools,
        messages,
        experimental_repairToolCall: repairToolCall,
        stopWhen: stepCountIs(10),
        abortSignal: signal,
      });
      // `response.messages` has all steps in 6, and only the last one in 7.
      return {
        text: result.text,
        content: result.content,
        messages: result.responseMessages ?? result.response.messages,
      };
    });
  },
};
