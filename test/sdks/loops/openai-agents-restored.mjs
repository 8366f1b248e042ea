/** OpenAI's Agents SDK, where another process continues a run that was interrupted for an approval. */
import { RunContext, RunState } from "@openai/agents";
import { agentsLoop } from "./openai-agents.mjs";

const inAnotherProcess = async ({ state, newAgent }) => {
  const agent = newAgent();
  return { agent, state: await RunState.fromString(agent, state.toString()) };
};
const restored = agentsLoop("openai-agents-restored", inAnotherProcess);
const isBound = "_validateToolInvocation" in RunContext.prototype;
const ASKED_AGAIN = "this version binds an approval to an id alone, so the box's approver is asked again";

export const loop = {
  ...restored,
  cannot: {
    ...restored.cannot,
    ...(isBound ? {} : { "an approval granted": ASKED_AGAIN, "two questions after a read": ASKED_AGAIN }),
  },
};
