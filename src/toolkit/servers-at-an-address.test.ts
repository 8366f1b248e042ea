import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { underLoad } from "../testing/under-load.fixture.js";
import { SETTLES_MS, serversBench } from "./configured-servers.fixture.js";
import { handMade } from "./servers.fixture.js";

const bench = serversBench();
const { connect, offered, calling } = bench;

describe("tools of other MCP servers at an address", { timeout: 2 * SETTLES_MS }, () => {
  it("drops servers at an address that answer without end, with nonsense or not at all", async () => {
    const endless = (type: string, text: string) => (response: ServerResponse) => {
      response.writeHead(200, { "content-type": type });
      const go = (): void => {
        while (response.writable && response.write(text));
        response.once("drain", go);
      };
      go();
    };
    const hostile = await Promise.all([
      startHostile(endless("application/json", " ".repeat(100_000))),
      startHostile(endless("text/event-stream", `data: ${"x".repeat(100_000)}\n`)),
      startHostile((response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")),
      startHostile((response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()),
      startHostile(() => {}),
    ]);
    try {
      const entries = hostile.map(({ port }, at) => [`h${at}`, { url: `http://127.0.0.1:${port}/mcp` }] as const);
      const config = { ...Object.fromEntries(entries), docs: handMade(bench.directory, "docs") };
      const servers = await connect(config, { withinMs: underLoad(6_000) });
      expect(await offered(servers)).toEqual(["docs__echo"]);
      const states = servers.states().map(({ name, state }) => `${name} ${state}`);
      // On a loaded machine the wait is longer than the connection's own limit: then a silent server has failed already.
      const silent = expect.stringMatching(/^h[14] (late|failed)$/);
      expect(states).toEqual(["h0 failed", silent, "h2 failed", "h3 failed", silent, "docs there"]);
      expect(bench.notes.join("\n")).toMatch(/"h0".*more than 16 MiB/);
      expect(await servers.close()).toEqual({ left: [] });
    } finally {
      await Promise.all(hostile.map((one) => one.close()));
    }
  });

  it("reaches servers at an address, with their headers, and connects anew to one that was started anew", async () => {
    const tracker = await startTracker(0);
    try {
      const url = `http://127.0.0.1:${tracker.port}/mcp`;
      const servers = await connect({
        tracker: { url, headers: { Authorization: "Bearer t" } },
        refused: { url },
        nobody: { url: "http://127.0.0.1:1/mcp" },
      });
      expect(await offered(servers)).toEqual(["tracker__issue"]);
      expect(servers.states().map(({ state }) => state)).toEqual(["there", "failed", "failed"]);
      const call = await calling(servers);
      expect(await call("tracker__issue")).toMatchObject({ status: "ok", output: "1" });
      await tracker.close();
      expect(await call("tracker__issue")).toMatchObject({ isError: true });
      const again = await startTracker(tracker.port);
      expect(await call("tracker__issue")).toMatchObject({ status: "ok", output: "1" });
      await again.close();
    } finally {
      await tracker.close();
    }
  });
});

/** Answers every request in one hostile way. */
async function startHostile(
  answer: (response: ServerResponse) => void,
): Promise<Awaited<ReturnType<typeof startTracker>>> {
  return listen(
    createServer((_request, response) => answer(response)),
    0,
  );
}

/** A server over HTTP that wants a token; its one tool counts its calls. */
async function startTracker(port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  let count = 0;
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "tracker", version: "1" });
    server.registerTool("issue", { description: "Counts." }, async () => ({
      content: [{ type: "text", text: String(++count) }],
    }));
    return server;
  });
  const listening = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers.authorization !== "Bearer t") return response.writeHead(401).end();
    const { method = "GET" } = request;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method, headers, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    return response.end();
  });
  return listen(listening, port);
}

async function listen(listening: Server, port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve) => listening.listen(port, "127.0.0.1", resolve));
  return {
    port: (listening.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        listening.close(() => resolve());
        listening.closeAllConnections();
      }),
  };
}
