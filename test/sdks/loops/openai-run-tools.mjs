/** OpenAI's SDK, its own loop of chat completions. */
import OpenAI from "openai";
import { wire } from "../wires/openai-chat.mjs";
import { imageInUserMessage } from "./openai-chat.mjs";

export const loop = {
  name: "openai-run-tools",
  wire,
  packages: ["openai"],
  async run({ url, box, haft, prompt, signal }) {
    const { toOpenAiChatTools } = await haft("openai");
    const { tools } = toOpenAiChatTools(box);
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const messages = [{ role: "user", content: prompt }];
    return client.chat.completions.runTools({ model: "gpt-5", messages, tools }, { signal }).finalContent();
  },
  reads: {
    "an image": [[imageInUserMessage("call_1")]],
  },
  cannot: { "an unknown tool": "the SDK answers it itself, and the run continues" },
};
