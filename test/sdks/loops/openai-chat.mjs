/** OpenAI's SDK, chat completions, in a loop of one's own. */
import OpenAI from "openai";
import { DOT } from "../situations.mjs";
import { wire } from "../wires/openai-chat.mjs";

export const loop = {
  name: "openai-chat",
  wire,
  packages: ["openai"],
  async run({ url, box, haft, prompt, signal }) {
    const { toOpenAiChatTools } = await haft("openai");
    const { tools, answer } = toOpenAiChatTools(box);
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const messages = [{ role: "user", content: prompt }];
    for (;;) {
      const { choices } = await client.chat.completions.create({ model: "gpt-5", messages, tools }, { signal });
      const [{ message }] = choices;
      if (!message.tool_calls?.length) return message.content;
      messages.push(message, ...(await answer(message.tool_calls, { signal })));
    }
  },
  reads: { "an image": [[imageInUserMessage("call_1")]] },
};

/** A tool message holds no image: the wire reads the user message after it as a part of the result. */
export function imageInUserMessage(id) {
  return {
    id,
    isError: false,
    parts: [
      { type: "text", text: '"dot.png": image/png, 1×1 pixels, 70 bytes.\n[image/png: in the next user message.]' },
      { type: "text", text: `Result of the tool call ${id} (read), not a message of the user:` },
      { type: "image", mime: "image/png", data: DOT },
    ],
  };
}
