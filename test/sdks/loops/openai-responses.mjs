/** OpenAI's SDK, the Responses API, in a loop of one's own. */
import OpenAI from "openai";
import { wire } from "../wires/openai-responses.mjs";

export const loop = {
  name: "openai-responses",
  wire,
  packages: ["openai"],
  async run({ url, box, haft, prompt, signal }) {
    const { toOpenAiResponsesTools } = await haft("openai");
    const { tools, answer } = toOpenAiResponsesTools(box);
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const input = [{ role: "user", content: prompt }];
    for (;;) {
      const response = await client.responses.create({ model: "gpt-5", input, tools }, { signal });
      if (!response.output.some(({ type }) => type === "function_call")) return response.output_text;
      input.push(...response.output, ...(await answer(response.output, { signal })));
    }
  },
};
