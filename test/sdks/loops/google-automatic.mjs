/** Automatic function calling of the SDK. */
import { GoogleGenAI } from "@google/genai";
import { wire } from "../wires/google.mjs";

export const loop = {
  name: "google-automatic",
  wire,
  packages: ["@google/genai"],
  cannot: { "truncated JSON": "the API parses arguments itself, and where it cannot gives no call" },

  async run({ url, box, haft, prompt, signal }) {
    const { toGoogleCallableTool } = await haft("google");
    const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
    const config = { tools: [toGoogleCallableTool(box, { signal })], abortSignal: signal };
    const response = await ai.models.generateContent({ model: "gemini", contents: prompt, config });
    return response.text;
  },
};
