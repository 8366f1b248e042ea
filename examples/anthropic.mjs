// An agent on the Anthropic SDK (npm install @anthropic-ai/sdk) that works in the current directory and asks before it does
// more than read and edit there. ANTHROPIC_API_KEY=… node examples/anthropic.mjs "Which TODOs are left?"
import Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { createToolkit } from "haft";
import { toAnthropicTools } from "haft/anthropic";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
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
