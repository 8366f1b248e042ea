/** What a user of the Claude Agent SDK writes in TypeScript. Compiled against each supported release, never run. */
import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { type Approver, createToolkit } from "haft";
import { createMcpServer } from "haft/mcp";

export async function asked(prompt: string, abortController: AbortController) {
  const toolkit = await createToolkit({ workspace: "/srv/app" });
  const box = toolkit.box("coding");
  const running = query({ prompt, options: { mcpServers: { haft: await createMcpServer(box) } } });
  for await (const message of running) if (message.type === "result") console.log(message.subtype);

  const haft = await createMcpServer(box, { facts: true, onEvent: ({ callId }) => console.log(callId) });
  const options: Options = { mcpServers: { haft }, tools: [], allowedTools: ["mcp__haft"], abortController };
  await query({ prompt, options }).setMcpServers({ haft });
  await haft.close();
}

/** The program of the guide. */
export async function guide(prompt: string, approver: Approver, abortController: AbortController) {
  const toolkit = await createToolkit({ workspace: process.cwd(), approver });
  const haft = await createMcpServer(toolkit.box("coding"));
  const options: Options = { mcpServers: { haft }, tools: [], allowedTools: ["mcp__haft"], abortController };
  for await (const message of query({ prompt, options })) {
    if (message.type === "result") console.log(message.subtype === "success" ? message.result : message.errors);
  }
}
