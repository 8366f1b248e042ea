/** `streamText` of the AI SDK, with approvals in its messages. */
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText } from "ai";
import { answeringApprovals, WORDS, withErrorForm } from "../ai-sdk-words.mjs";
import { wire } from "../wires/openai-responses.mjs";

export const loop = {
  name: "ai-sdk-stream",
  wire: withErrorForm(wire),
  packages: ["ai", "@ai-sdk/openai"],
  reads: WORDS,

  async run({ url, box, haft, prompt, signal, approve }) {
    const { toAiSdkTools, repairToolCall } = await haft("ai-sdk");
    const model = createOpenAI({ baseURL: url, apiKey: "none" })("scripted");
    const tools = toAiSdkTools(box);
    return answeringApprovals(prompt, approve, async (messages) => {
      const result = streamText({
        model,
        tools,
        messages,
        experimental_repairToolCall: repairToolCall,
        stopWhen: stepCountIs(10),
        abortSignal: signal,
        onError() {},
      });
      const messagesOfAllSteps = (await result.responseMessages) ?? (await result.response).messages; // in 7, and in 6
      return { text: await result.text, content: await result.content, messages: messagesOfAllSteps };
    });
  },
};
