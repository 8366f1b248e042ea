/** The Claude Agent SDK with a stand-in for the program that it starts. Its AbortController ends the query. */
import { fileURLToPath } from "node:url";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { wire } from "../wires/mcp.mjs";

const standIn = fileURLToPath(new URL("../claude-stand-in.mjs", import.meta.url));

export const loop = {
  name: "claude-agent",
  wire,
  packages: ["@anthropic-ai/claude-agent-sdk"],
  cannot: { "truncated JSON": "the program parses arguments before it calls a server" },
  async run({ signal, ...given }) {
    const abortController = new AbortController();
    signal.addEventListener("abort", () => abortController.abort(signal.reason));
    return resultOf(query({ prompt: given.prompt, options: { ...(await optionsFor(given)), abortController } }));
  },
};

export async function optionsFor({ url, box, haft }) {
  const { createMcpServer } = await haft("mcp");
  return {
    mcpServers: { haft: await createMcpServer(box) },
    allowedTools: ["mcp__haft"],
    pathToClaudeCodeExecutable: standIn,
    env: { ...process.env, ANTHROPIC_BASE_URL: url },
    stderr: (text) => process.stderr.write(text),
  };
}

export async function resultOf(messages) {
  for await (const message of messages)
    if (message.type === "result") return message.is_error ? message.subtype : message.result;
}
