/** A loop of one's own over `generateContent`. */
import { GoogleGenAI } from "@google/genai";
import { wire } from "../wires/google.mjs";

export const loop = {
  name: "google-messages",
  wire,
  packages: ["@google/genai"],
  cannot: { "truncated JSON": "the API parses arguments itself, and where it cannot gives no call" },

  async run({ url, box, haft, prompt, signal }) {
    const { toGoogleTools } = await haft("google");
    const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
    const { tools, call } = toGoogleTools(box);
    const contents = [{ role: "user", parts: [{ text: prompt }] }];
    for (;;) {
      const config = { tools, abortSignal: signal };
      const response = await ai.models.generateContent({ model: "gemini", contents, config });
      contents.push(response.candidates[0].content);
      const calls = response.functionCalls ?? [];
      if (calls.length === 0) return response.text;
      contents.push({ role: "user", parts: await Promise.all(calls.map((one) => call(one, { signal }))) });
      signal.throwIfAborted(); // The SDK of major 1 does not look at a signal that is aborted already.
    }
  },
};
