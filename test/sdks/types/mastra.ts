/** What a user of Mastra writes in TypeScript. Compiled against each supported release, never run. */
import { Agent } from "@mastra/core/agent";
import { createToolkit } from "haft";
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
