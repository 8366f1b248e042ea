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
    const { tools, answer } = toGoogleTools(box);
    const contents = [{ role: "user", parts: [{ text: prompt }] }];
    for (;;) {
      const config = { tools, abortSignal: signal };
      const response = await ai.models.generateContent({ model: "gemini", contents, config });
      contents.push(response.candidates[0].content);
      const parts = await answer(response.functionCalls, { signal });
      if (parts.length === 0) return response.text;
      contents.push({ role: "user", parts });
    }
  },
};
