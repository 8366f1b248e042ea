/** Haft as an MCP server over HTTP on this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthInfo } from "@modelcontextprotocol/server";
import { HaftError, messageOf } from "../../kernel/index.js";
import { carriesToken, clientOf } from "./bearer-token.js";
import { LegacySessions } from "./legacy-sessions.js";
import { type McpCalls, type McpServerOptions, mcpServers } from "./mcp-server.js";

type HttpServer = ReturnType<typeof createServer>;

/** The largest request body in bytes; a larger one is answered with 413. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const HOST = "127.0.0.1";
/** Ports that are tried, from the one that was asked for on. */
const MAX_PORTS_TRIED = 20;
const LAST_PORT = 65_535;
const PATH = "/mcp";

export interface ServeHttpOptions extends McpServerOptions {
  readonly calls: McpCalls;
  /** What every request must carry as `Authorization: Bearer …`. */
  readonly token: string;
  /** 0 takes a free one. Where another program has it, the next free one of the 20 from there on is taken. */
  readonly port: number;
  /** A name of the loopback interface. Default "127.0.0.1". */
  readonly host?: string;
  /** What goes wrong outside a call, for the operator. */
  onProblem(error: Error): void;
}

export interface HttpService {
  readonly url: string;
  /** The one that was asked for, or the one that was taken instead. */
  readonly port: number;
  /** Stops listening, closes connections and cancels what runs. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens on the loopback address alone. A request is answered only when its `Host` and `Origin` name this machine and it
 * carries the token; nothing of its body is read before. Older clients get sessions with ids; newer ones are served one
 * request at a time.
 *
 * @throws `CONFIG_INVALID` when no port can be had.
 */
export async function serveMcpHttp(options: ServeHttpOptions): Promise<HttpService> {
  const { calls, token, onProblem, host = HOST } = options;
  const [{ createMcpHandler, isLegacyRequest }, node, serverFor] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/node"),
    mcpServers(options),
  ]);
  const limit = { maxRequestBodySize: MAX_REQUEST_BYTES };
  const legacy = new LegacySessions({
    serverFor: () => serverFor("legacy", calls),
    onEnd: (id) => calls.end?.(`mcp:${id}`),
  });
  const modern = createMcpHandler(() => serverFor("modern", calls), { legacy: "reject", onerror: onProblem, ...limit });
  const handle = node.toNodeHandler(
    {
      fetch: async (request, passed) =>
        (await isLegacyRequest(request, undefined, limit))
          ? legacy.handle(request, passed?.authInfo)
          : modern.fetch(request, passed),
    },
    { onerror: onProblem, ...limit },
  );
  const isLocalHost = node.localhostHostValidation();
  const isLocalOrigin = node.localhostOriginValidation();
  const auth: AuthInfo = { token, clientId: clientOf(token), scopes: [] };

  const server = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    if (!carriesToken(request, token)) return refuse(response, 401, "The bearer token is missing or wrong.");
    if (pathOf(request) !== PATH) return refuse(response, 404, `There is nothing here; the endpoint is ${PATH}.`);
    handle(Object.assign(request, { auth }) as Parameters<typeof handle>[0], response).catch(onProblem);
  });
  const { port } = await listening(server, options.port, host);
  let closed: Promise<void> | undefined;
  return {
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}${PATH}`,
    close() {
      closed ??= closeAll();
      return closed;
    },
  };

  async function closeAll(): Promise<void> {
    const ended = new Promise((resolve) => server.close(resolve));
    await Promise.all([modern.close(), legacy.close()]);
    server.closeAllConnections();
    await ended;
  }
}

/** Listens on the port, or on the next one that is free where somebody else has it. */
async function listening(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  const last = port === 0 ? 0 : Math.min(port + MAX_PORTS_TRIED - 1, LAST_PORT);
  for (let next = port; ; next++) {
    try {
      return await listeningOn(server, next, host);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE" && next < last) continue;
      const tried = next === port ? `port ${port}` : `any port from ${port} to ${next}`;
      throw new HaftError(
        "CONFIG_INVALID",
        `Could not listen on ${tried}: ${messageOf(cause)}. Name another with \`--port\`, or leave it out for a free one.`,
        { cause },
      );
    }
  }
}

function listeningOn(server: HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0] ?? "";
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, status === 401 ? { ...headers, "www-authenticate": "Bearer" } : headers);
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}
