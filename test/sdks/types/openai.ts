/** That the tools fit into the types of the SDKs as they are. */
import { Agent, Runner } from "@openai/agents";
import { createToolkit } from "haft";
import { toOpenAiAgentsTools, toOpenAiChatTools, toOpenAiResponsesTools } from "haft/openai";
import type OpenAI from "openai";

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[];

export async function chat(client: OpenAI, messages: Messages, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, call, answer } = toOpenAiChatTools(toolkit.box("coding"), {
    onOutcome: ({ data }) => console.log(data),
  });
  const { choices } = await client.chat.completions.create({ model: "gpt", messages, tools }, { signal });
  for (const { message } of choices) {
    messages.push(message, ...(await answer(message.tool_calls, { signal })));
    for (const one of message.tool_calls ?? []) if (one.type === "function") messages.push(await call(one));
  }
  await client.chat.completions.stream({ model: "gpt", messages, tools }, { signal }).finalMessage();
  await client.chat.completions.runTools({ model: "gpt", messages, tools, stream: true }).finalContent();
  return client.chat.completions.runTools({ model: "gpt", messages, tools }, { signal }).finalContent();
}

export async function responses(client: OpenAI, input: OpenAI.Responses.ResponseInput, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, call, answer } = toOpenAiResponsesTools(toolkit.box(), { strict: false });
  const { output } = await client.responses.create({ model: "gpt", input, tools }, { signal });
  input.push(...(await answer(output, { signal })));
  for (const item of output) if (item.type === "function_call") input.push(item, await call(item, { signal }));
}

export async function agents(signal: AbortSignal) {
  const toolkit = await createToolkit();
  const tools = toOpenAiAgentsTools(toolkit.box(), { approvals: "sdk", signal });
  const agent = new Agent({ name: "coder", tools });
  const runner = new Runner({ toolNotFoundBehavior: "return_error_to_model" });
  const result = await runner.run(agent, "Do it.", { signal });
  for (const call of result.interruptions) result.state.approve(call);
  return runner.run(agent, result.state, { signal });
}
