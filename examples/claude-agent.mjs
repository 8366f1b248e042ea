// The Claude Agent SDK with Haft's tools in place of its own (npm install @anthropic-ai/claude-agent-sdk), in the current
// directory; asks before it does more than read and edit there. ANTHROPIC_API_KEY=… node examples/claude-agent.mjs "Which TODOs are left?"
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createToolkit } from "haft";
import { createMcpServer } from "haft/mcp";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const abortController = new AbortController();
process.once("SIGINT", () => abortController.abort()); // stops what the model has started, too

const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
try {
  const haft = await createMcpServer(toolkit.box("coding"));
  const options = {
    mcpServers: { haft },
    tools: [], // none of the SDK's own, which do not ask Haft
    allowedTools: ["mcp__haft"], // Haft asks, not the SDK
    abortController,
  };
  for await (const message of query({ prompt, options }))
    if (message.type === "result") console.log(message.subtype === "success" ? message.result : message.errors);
} finally {
  await toolkit.close();
}
