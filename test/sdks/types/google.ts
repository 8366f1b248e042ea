/** That the tools fit into the types of the SDK as they are. */
import type { Content, GoogleGenAI } from "@google/genai";
import { createToolkit } from "haft";
import { toGoogleCallableTool, toGoogleTools } from "haft/google";

export async function messages(ai: GoogleGenAI, contents: Content[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, call, answer } = toGoogleTools(toolkit.box("coding"), { jsonSchema: false, images: false });
  const response = await ai.models.generateContent({ model: "gemini", contents, config: { tools } });
  const parts = await Promise.all((response.functionCalls ?? []).map((one) => call(one, { signal })));
  contents.push({ role: "user", parts });
  contents.push({ role: "user", parts: await answer(response.functionCalls, { signal }) });
}

export async function automatic(ai: GoogleGenAI, contents: Content[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const tools = [toGoogleCallableTool(toolkit.box(), { signal })];
  return ai.models.generateContent({ model: "gemini", contents, config: { tools, abortSignal: signal } });
}
