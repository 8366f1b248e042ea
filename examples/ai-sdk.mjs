// An agent on the AI SDK 6 or 7 (npm install ai @ai-sdk/openai) that works in the current directory and asks before it does
// more than read and edit there. OPENAI_API_KEY=… node examples/ai-sdk.mjs "Which TODOs are left?"
import { openai } from "@ai-sdk/openai";
import { stepCountIs, streamText } from "ai";
import { createToolkit } from "haft";
import { repairToolCall, toAiSdkTools } from "haft/ai-sdk";
import { askAtTerminal } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too

async function answerOf({ approvalId, toolCall }) {
  const { toolCallId: id, toolName: name, input } = toolCall;
  const explained = await box.explain({ id, name, input });
  const request = explained?.request ?? { call: { tool: name }, reason: "A tool asks.", arguments: input };
  const { denied } = await askAtTerminal(request, stop.signal);
  const answer = { type: "tool-approval-response", approvalId, approved: denied === undefined };
  return denied === undefined ? answer : { ...answer, reason: denied };
}

const toolkit = await createToolkit({ workspace: process.cwd() });
const box = toolkit.box("coding");
const tools = toAiSdkTools(box);
const messages = [{ role: "user", content: prompt }];
try {
  for (let answers = []; ; ) {
    if (answers.length > 0) messages.push({ role: "tool", content: answers });
    const result = streamText({
      model: openai("gpt-5"),
      tools,
      messages,
      experimental_repairToolCall: repairToolCall,
      stopWhen: stepCountIs(50),
      abortSignal: stop.signal,
    });
    for await (const text of result.textStream) process.stdout.write(text);
    console.log();
    messages.push(...((await result.responseMessages) ?? (await result.response).messages)); // of all steps: in 7, and in 6
    answers = [];
    for (const part of await result.content)
      if (part.type === "tool-approval-request" && !part.isAutomatic) answers.push(await answerOf(part));
    if (answers.length === 0) break;
  }
} finally {
  await toolkit.close();
}
