/** The other side of the MCP rows: a server with one tool that does nothing, on the same SDK. */
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const tool = { name: "nothing", description: "Does nothing.", inputSchema: { type: "object" } };

serveStdio(() => {
  const server = new Server({ name: "one", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "done" }] }));
  return server;
});
