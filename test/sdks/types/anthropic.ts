/** That the tools fit into the types of the SDK as they are. */
import type Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { createToolkit } from "haft";
import { toAnthropicTools } from "haft/anthropic";

export async function messages(client: Anthropic, history: Anthropic.MessageParam[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, call, answer } = toAnthropicTools(toolkit.box("coding"), {
    onOutcome: ({ data }) => console.log(data),
  });
  const request = { model: "claude", max_tokens: 1, messages: history, tools };
  const message = await client.messages.create(request, { signal });
  const calls = message.content.filter((block) => block.type === "tool_use");
  history.push({ role: "assistant", content: message.content });
  history.push({ role: "user", content: await Promise.all(calls.map((one) => call(one, { signal }))) });
  const streamed = await client.messages.stream(request, { signal }).finalMessage();
  history.push({ role: "user", content: await answer(streamed, { signal }) });
}

export async function runner(client: Anthropic, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools } = toAnthropicTools(toolkit.box(), { ToolError });
  const cached = tools.map((tool) => ({ ...tool, cache_control: { type: "ephemeral" as const } }));
  return client.beta.messages.toolRunner({ model: "claude", max_tokens: 1, messages: [], tools: cached }, { signal });
}
