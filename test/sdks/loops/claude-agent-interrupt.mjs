/** The Claude Agent SDK with a prompt that is a stream, where `interrupt()` ends the turn and the program continues. */
import { query } from "@anthropic-ai/claude-agent-sdk";
import { optionsFor, resultOf, loop as single } from "./claude-agent.mjs";

export const loop = {
  ...single,
  name: "claude-agent-interrupt",
  async run({ signal, ...given }) {
    const running = query({ prompt: only(given.prompt), options: await optionsFor(given) });
    signal.addEventListener("abort", () => running.interrupt());
    return resultOf(running);
  },
};

async function* only(content) {
  yield { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content } };
}
