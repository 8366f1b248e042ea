/** That the tools fit into the types of the SDK as they are. */
import Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { type Approver, createToolkit, type ToolBox } from "haft";
import { toAnthropicTools } from "haft/anthropic";

export async function messages(client: Anthropic, history: Anthropic.MessageParam[], signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, answer } = toAnthropicTools(toolkit.box("coding"), {
    onOutcome: ({ data }) => console.log(data),
  });
  const request = { model: "claude", max_tokens: 1, messages: history, tools };
  const message = await client.messages.create(request, { signal });
  history.push({ role: "assistant", content: message.content });
  history.push({ role: "user", content: await answer(message, { signal, ownOnly: true }) });
  const streamed = await client.messages.stream(request, { signal }).finalMessage();
  history.push({ role: "user", content: await answer(streamed, { signal }) });
}

export async function runner(client: Anthropic, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools } = toAnthropicTools(toolkit.box(), { ToolError });
  const cached = tools.map((tool) => ({ ...tool, cache_control: { type: "ephemeral" as const } }));
  return client.beta.messages.toolRunner({ model: "claude", max_tokens: 1, messages: [], tools: cached }, { signal });
}

/** The loops of the guide. */
export async function guide(prompt: string, model: string, approver: Approver, signal: AbortSignal) {
  const client = new Anthropic();
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
  const toolkit = await createToolkit({ workspace: process.cwd(), approver });
  const { tools, answer } = toAnthropicTools(toolkit.box("coding"));
  for (;;) {
    const message = await client.messages.create({ model, max_tokens: 16_000, messages, tools }, { signal });
    messages.push({ role: "assistant", content: message.content });
    const results = await answer(message, { signal }); // runs its calls at the same time
    if (results.length === 0) break;
    messages.push({ role: "user", content: results });
  }
}

export async function guideRunner(
  client: Anthropic,
  model: string,
  messages: Anthropic.MessageParam[],
  box: ToolBox,
  signal: AbortSignal,
) {
  const { tools } = toAnthropicTools(box, { ToolError });
  const message = await client.beta.messages.toolRunner({ model, max_tokens: 16_000, messages, tools }, { signal });
  return message;
}
