/** That the tools fit into the types of the SDK as they are. */
import { type Content, GoogleGenAI } from "@google/genai";
import { type Approver, createToolkit, type ToolBox } from "haft";
import { toGoogleCallableTool, toGoogleTools } from "haft/google";

export async function messages(ai: GoogleGenAI, contents: Content[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, answer } = toGoogleTools(toolkit.box("coding"), { jsonSchema: false, images: false });
  const response = await ai.models.generateContent({ model: "gemini", contents, config: { tools } });
  contents.push({ role: "user", parts: await answer(response.functionCalls, { signal, ownOnly: true }) });
}

export async function automatic(ai: GoogleGenAI, contents: Content[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const tools = [toGoogleCallableTool(toolkit.box(), { signal })];
  return ai.models.generateContent({ model: "gemini", contents, config: { tools, abortSignal: signal } });
}

/** The loops of the guide. */
export async function guideAutomatic(prompt: string, model: string, approver: Approver, signal: AbortSignal) {
  const ai = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY! });
  const contents: Content[] = [{ role: "user", parts: [{ text: prompt }] }];
  const toolkit = await createToolkit({ workspace: process.cwd(), approver });
  const tool = toGoogleCallableTool(toolkit.box("coding"), { signal });
  const automaticFunctionCalling = { maximumRemoteCalls: 50 }; // turns with calls; 10 by default
  const config = { tools: [tool], abortSignal: signal, automaticFunctionCalling };
  const response = await ai.models.generateContent({ model, contents, config });
  return response.text;
}

export async function guide(ai: GoogleGenAI, model: string, contents: Content[], box: ToolBox, signal: AbortSignal) {
  const { tools, answer } = toGoogleTools(box);
  for (;;) {
    const response = await ai.models.generateContent({ model, contents, config: { tools, abortSignal: signal } });
    const content = response.candidates?.[0]?.content;
    if (content !== undefined) contents.push(content);
    const parts = await answer(response.functionCalls, { signal }); // runs the calls at the same time
    if (parts.length === 0) break;
    contents.push({ role: "user", parts });
  }
}
