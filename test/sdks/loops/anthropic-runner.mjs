/** The tool runner of the SDK. */
import Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { wire } from "../wires/anthropic.mjs";

const text = (value) => ({ type: "text", text: value });

export const loop = {
  name: "anthropic-runner",
  wire,
  packages: ["@anthropic-ai/sdk"],
  cannot: { "truncated JSON": "the runner ends with a message that was truncated, and runs none of its calls" },
  // The runner answers such a call itself.
  reads: {
    "an unknown tool": [[{ id: "call_1", isError: true, parts: [text("Error: Tool 'frobnicate' not found")] }]],
  },

  async run({ url, box, haft, prompt, signal }) {
    const { toAnthropicTools } = await haft("anthropic");
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
    const { tools } = toAnthropicTools(box, { ToolError });
    const messages = [{ role: "user", content: prompt }];
    const request = { model: "claude", max_tokens: 1024, messages, tools };
    const { content } = await client.beta.messages.toolRunner(request, { signal }).runUntilDone();
    return content.map((block) => block.text ?? "").join("");
  },
};
