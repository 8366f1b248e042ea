/** A loop of one's own over messages. */
import Anthropic from "@anthropic-ai/sdk";
import { wire } from "../wires/anthropic.mjs";

/** `next` sends a request and gives the message of the model. */
export const messagesLoop = (name, next) => ({
  name,
  wire,
  packages: ["@anthropic-ai/sdk"],

  async run({ url, box, haft, prompt, signal }) {
    const { toAnthropicTools } = await haft("anthropic");
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
    const { tools, answer } = toAnthropicTools(box);
    const messages = [{ role: "user", content: prompt }];
    for (;;) {
      const message = await next(client, { model: "claude", max_tokens: 1024, messages, tools }, { signal });
      messages.push({ role: "assistant", content: message.content });
      const results = await answer(message, { signal });
      if (results.length === 0) return message.content.map((block) => block.text ?? "").join("");
      messages.push({ role: "user", content: results });
    }
  },
});

const INCOMPLETE =
  "Did not run `read`: the arguments are not valid JSON: expected a name in double quotes or `}` at line 1, column 2, but the text ends there. Send one JSON object, complete and by itself.";

export const loop = {
  ...messagesLoop("anthropic-messages", (client, request, options) => client.messages.create(request, options)),
  // Without a stream, the text of the arguments is not known.
  reads: { "truncated JSON": [[{ id: "call_1", isError: true, parts: [{ type: "text", text: INCOMPLETE }] }]] },
};
