/** What a user of Mastra writes in TypeScript. Compiled against each supported release, never run. */
import { Agent } from "@mastra/core/agent";
import { type Approver, createToolkit } from "haft";
import { toMastraTools } from "haft/mastra";

export async function agent() {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  return new Agent({
    id: "coder",
    name: "coder",
    instructions: "Do it.",
    model: "openai/gpt-5",
    tools: toMastraTools(toolkit.box("coding"), { images: false }),
  });
}

/** The agent of the guide. */
export async function guide(prompt: string, instructions: string, approver: Approver, signal: AbortSignal) {
  const model = "openai/gpt-5";
  const toolkit = await createToolkit({ workspace: process.cwd(), approver });
  const agent = new Agent({
    id: "coder",
    name: "coder",
    instructions,
    model,
    tools: toMastraTools(toolkit.box("coding")),
  });
  const { text } = await agent.generate(prompt, { maxSteps: 50, abortSignal: signal });
  return text;
}
