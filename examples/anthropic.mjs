// An agent on the Anthropic SDK (npm install @anthropic-ai/sdk) that works in the current directory and asks before it does
// more than read and edit there. ANTHROPIC_API_KEY=… node examples/anthropic.mjs "Which TODOs are left?"
import { createInterface } from "node:readline/promises";
import Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { createToolkit } from "haft";
import { toAnthropicTools } from "haft/anthropic";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

const approver = {
  async ask({ call, reason, preview, arguments: input }) {
    if (!process.stdin.isTTY) return { denied: "There is no terminal to ask at." };
    const terminal = createInterface(process.stdin, process.stderr);
    const shown = preview?.diff ?? preview?.command ?? JSON.stringify(input);
    const answer = await terminal
      .question(`${reason}\n${call.tool}: ${shown}\nAllow it? [y/N] `, { signal })
      .finally(() => terminal.close());
    return answer === "y" ? { by: "user", scope: "once" } : { denied: "The user said no." };
  },
};

const toolkit = await createToolkit({ workspace: process.cwd(), approver });
try {
  const { tools } = toAnthropicTools(toolkit.box("coding"), { ToolError });
  const runner = new Anthropic().beta.messages.toolRunner(
    { model: "claude-opus-5", max_tokens: 16_000, messages: [{ role: "user", content: prompt }], tools },
    { signal },
  );
  for await (const { content } of runner) {
    for (const block of content) {
      if (block.type === "text") console.log(block.text);
      if (block.type === "tool_use") console.error(`· ${block.name} ${JSON.stringify(block.input)}`);
    }
  }
} finally {
  await toolkit.close();
}
