/** The loop of the guide, with AI SDK 7. Compiled against that major, never run. */
import { openai } from "@ai-sdk/openai";
import { generateText, type ModelMessage, stepCountIs, type ToolApprovalResponse } from "ai";
import { createToolkit } from "haft";
import { repairToolCall, toAiSdkTools } from "haft/ai-sdk";

const model = openai("gpt-5");

export async function guide(
  prompt: string,
  signal: AbortSignal,
  allows: (call: { toolName: string; input: unknown }) => Promise<boolean>,
) {
  const toolkit = await createToolkit({ workspace: process.cwd() });
  const tools = toAiSdkTools(toolkit.box("coding"));
  const messages: ModelMessage[] = [{ role: "user", content: prompt }];
  for (;;) {
    const { content, responseMessages } = await generateText({
      model,
      tools,
      messages,
      experimental_repairToolCall: repairToolCall, // in 7 also without "experimental_"
      stopWhen: stepCountIs(50),
      abortSignal: signal,
    });
    messages.push(...responseMessages); // in 6: `response.messages`, which in 7 has the last step alone
    const answers: ToolApprovalResponse[] = [];
    for (const part of content) {
      if (part.type !== "tool-approval-request") continue;
      if ("isAutomatic" in part && part.isAutomatic) continue; // answered by `toolApproval` of AI SDK 7
      const { approvalId, toolCall } = part;
      answers.push({ type: "tool-approval-response", approvalId, approved: await allows(toolCall) });
    }
    if (answers.length === 0) break;
    messages.push({ role: "tool", content: answers });
  }
}
