/** Other MCP servers as small programs: honest ones on both versions of the SDK, and all kinds of faulty ones. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const resolve = (name: string): string => pathToFileURL(createRequire(import.meta.url).resolve(name)).href;

/** A server in a few lines: `tools` are listed, `call` answers. */
const HAND_MADE = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const schema = { type: "object", properties: { text: { type: "string" } } };
let tools = [{ name: "echo", description: "Says it again.", inputSchema: schema }];
let call = async ({ name, arguments: input }) => ({ content: [{ type: "text", text: name + ": " + (input?.text ?? "") }] });
let heard = () => {};
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "x", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": (params, id) => call(params, id),
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return heard(method, params);
  const answer = answers[method];
  if (answer === undefined) return send({ id, error: { code: -32601, message: "no such method" } });
  const result = await answer(params, id);
  if (result !== undefined) send({ id, result });
});
process.stdin.on("end", () => process.exit(0));
`;

/** The entry of a configuration for a server made of the few lines above and `more`. */
export function handMade(directory: string, name: string, more = ""): { command: string; args: string[] } {
  return program(directory, name, HAND_MADE + more);
}

export function program(directory: string, name: string, source: string): { command: string; args: string[] } {
  const path = join(directory, `${name}.mjs`);
  writeFileSync(path, source);
  return { command: process.execPath, args: [path] };
}

const HONEST = `
server.registerTool("add", { description: "Adds.", inputSchema: z.object(NUMBERS), outputSchema: z.object({ sum: z.number() }) }, async ({ a, b }) => ({
  content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b },
}));
server.registerTool("refuse", { description: "Fails.", inputSchema: z.object({}) }, async () => ({
  content: [{ type: "text", text: "no" }], isError: true,
}));
`;

export const SDK_1 = `
import { McpServer } from "${resolve("@modelcontextprotocol/sdk/server/mcp.js")}";
import { StdioServerTransport } from "${resolve("@modelcontextprotocol/sdk/server/stdio.js")}";
import { z } from "${resolve("zod")}";
const NUMBERS = { a: z.number(), b: z.number() };
const server = new McpServer({ name: "one", version: "1" });
${HONEST}
await server.connect(new StdioServerTransport());
`;

export const SDK_2 = `
import { McpServer } from "${resolve("@modelcontextprotocol/server")}";
import { serveStdio } from "${resolve("@modelcontextprotocol/server/stdio")}";
import { z } from "${resolve("zod")}";
const NUMBERS = { a: z.number(), b: z.number() };
const make = () => {
  const server = new McpServer({ name: "two", version: "1" });
  ${HONEST}
  return server;
};
serveStdio(make);
`;
