// An agent on the Google Gen AI SDK (npm install @google/genai) that works in the current directory and asks before
// it does more than read and edit there. GEMINI_API_KEY=… node examples/google.mjs "Which TODOs are left?"
import { GoogleGenAI } from "@google/genai";
import { createToolkit } from "haft";
import { toGoogleCallableTool } from "haft/google";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too

const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
try {
  const tool = toGoogleCallableTool(toolkit.box("coding"), {
    signal: stop.signal,
    onOutcome: ({ tool: name, status }) => console.error(`· ${name}: ${status}`),
  });
  const ai = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
  const response = await ai.models.generateContent({
    model: "gemini-3.8-flash",
    contents: prompt,
    config: {
      tools: [tool],
      abortSignal: stop.signal,
      automaticFunctionCalling: { maximumRemoteCalls: 50 }, // turns with calls; the SDK's default is 10
    },
  });
  const [candidate] = response.candidates ?? [];
  console.log(response.text ?? `No answer: ${candidate?.finishReason}`);
} finally {
  await toolkit.close();
}
