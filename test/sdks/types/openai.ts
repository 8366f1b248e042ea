/** That the tools fit into the types of the SDKs as they are. */
import { Agent, Runner, type RunToolApprovalItem } from "@openai/agents";
import { type Approver, createToolkit, type ToolBox } from "haft";
import { toOpenAiAgentsTools, toOpenAiChatTools, toOpenAiResponsesTools } from "haft/openai";
import OpenAI from "openai";

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[];

export async function chat(client: OpenAI, messages: Messages, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, answer } = toOpenAiChatTools(toolkit.box("coding"), {
    onOutcome: ({ data }) => console.log(data),
  });
  const { choices } = await client.chat.completions.create({ model: "gpt", messages, tools }, { signal });
  for (const { message } of choices) {
    messages.push(message, ...(await answer(message.tool_calls, { signal, ownOnly: true })));
  }
  await client.chat.completions.stream({ model: "gpt", messages, tools }, { signal }).finalMessage();
  await client.chat.completions.runTools({ model: "gpt", messages, tools, stream: true }).finalContent();
  return client.chat.completions.runTools({ model: "gpt", messages, tools }, { signal }).finalContent();
}

export async function responses(client: OpenAI, input: OpenAI.Responses.ResponseInput, signal: AbortSignal) {
  const toolkit = await createToolkit();
  const { tools, answer } = toOpenAiResponsesTools(toolkit.box(), { strict: false });
  const { output } = await client.responses.create({ model: "gpt", input, tools }, { signal });
  input.push(...(await answer(output, { signal, ownOnly: true })));
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

/** The loops of the guide. */
export async function guideResponses(prompt: string, model: string, approver: Approver, signal: AbortSignal) {
  const client = new OpenAI();
  const toolkit = await createToolkit({ workspace: process.cwd(), approver });
  const { tools, answer } = toOpenAiResponsesTools(toolkit.box("coding"));
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
  for (;;) {
    const { output } = await client.responses.create({ model, input, tools }, { signal });
    const results = await answer(output, { signal }); // runs its calls at the same time
    if (results.length === 0) break;
    input.push(...(output as OpenAI.Responses.ResponseInput), ...results);
  }
}

export async function guideChat(client: OpenAI, model: string, messages: Messages, box: ToolBox, signal: AbortSignal) {
  const { tools, answer } = toOpenAiChatTools(box);
  for (;;) {
    const { choices } = await client.chat.completions.create({ model, messages, tools }, { signal });
    const { message } = choices[0]!;
    const results = await answer(message.tool_calls, { signal });
    messages.push(message, ...results);
    if (results.length === 0) break;
  }
  const run = client.chat.completions.runTools({ model, messages, tools }, { signal, maxChatCompletions: 50 });
  const text = await run.finalContent();
  return text;
}

export async function guideAgents(
  prompt: string,
  model: string,
  signal: AbortSignal,
  allows: (call: RunToolApprovalItem) => Promise<boolean>,
) {
  const toolkit = await createToolkit({ workspace: process.cwd() });
  const agent = new Agent({ name: "coder", model, tools: toOpenAiAgentsTools(toolkit.box("coding"), { signal }) });
  const runner = new Runner({ toolNotFoundBehavior: "return_error_to_model" });
  let result = await runner.run(agent, prompt, { signal, maxTurns: 50 });
  while (result.interruptions.length > 0) {
    for (const call of result.interruptions) {
      if (await allows(call)) result.state.approve(call);
      else result.state.reject(call, { message: "The user said no." });
    }
    result = await runner.run(agent, result.state, { signal, maxTurns: 50 });
  }
  return result.finalOutput;
}
