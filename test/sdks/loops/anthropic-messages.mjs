/** A loop of one's own over streamed messages. */
import Anthropic from "@anthropic-ai/sdk";
import { wire } from "../wires/anthropic.mjs";

export const loop = {
  name: "anthropic-messages",
  wire,
  packages: ["@anthropic-ai/sdk"],

  async run({ url, box, haft, prompt, signal }) {
    const { toAnthropicTools } = await haft("anthropic");
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
    const { tools, call } = toAnthropicTools(box);
    const messages = [{ role: "user", content: prompt }];
    for (;;) {
      const request = { model: "claude", max_tokens: 1024, messages, tools };
      const { role, content } = await client.messages.stream(request, { signal }).finalMessage();
      messages.push({ role, content });
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return content.map((block) => block.text ?? "").join("");
      messages.push({ role: "user", content: await Promise.all(calls.map((one) => call(one, { signal }))) });
    }
  },
};
