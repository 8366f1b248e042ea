/** Haft as an MCP server over HTTP on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AuthInfo } from "@modelcontextprotocol/server";
import { shownToken } from "./bearer-token.js";
import { boundConnections, connectionLimits, type RequestTimeouts } from "./http-connections.js";
import { readJson, refuse, sendResponse, webRequest } from "./http-exchange.js";
import { FINAL_RESPONSE_MS } from "./http-limits.js";
import { LegacySessions } from "./legacy-sessions.js";
import { listening } from "./listening.js";
import { type McpCalls, type McpServerOptions, mcpServers } from "./mcp-server.js";
import { RunningCalls } from "./running-calls.js";
import { legacyKey } from "./session-key.js";
import { TokenVerifier } from "./token-verifier.js";

const HOST = "127.0.0.1";
const PATH = "/mcp";
export interface ServeHttpOptions extends McpServerOptions {
  readonly calls: McpCalls;
  /** The token of a request (`Authorization: Bearer …`) that has no token of a client. Valid as long as this server runs. */
  readonly token: string;
  /** The name of the client that a token was issued to; undefined if the token is not valid. Absent: only `token` is valid. */
  clientNamed?(token: string): Promise<string | undefined>;
  /** 0: any free port. If another program uses the port, the next free one of the following 20 is used. */
  readonly port: number;
  /** A name of the loopback interface. Default "127.0.0.1". */
  readonly host?: string;
  readonly timeouts?: RequestTimeouts;
  /** Errors outside of a call, for the operator. */
  onProblem(error: Error): void;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
  /** Milliseconds between two checks for revoked tokens. Default 5000. */
  readonly checkIntervalMs?: number;
}

export interface HttpService {
  readonly url: string;
  /** The requested port, or the one that is used instead. */
  readonly port: number;
  /** Stops accepting requests, cancels running calls, sends their results, and closes the connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens on the loopback address only. A request is handled only if its `Host` and `Origin` are this machine and it has a
 * valid token; its body is not read before that. Clients of the older protocol get sessions with ids; the newer one is
 * stateless.
 *
 * @throws `CONFIG_INVALID` if no port is free.
 */
export async function startHttpService(options: ServeHttpOptions): Promise<HttpService> {
  const { calls, token, onProblem, host = HOST } = options;
  const running = new RunningCalls();
  const [sdk, serverFor] = await Promise.all([import("@modelcontextprotocol/server"), mcpServers(options, running)]);
  const legacy = new LegacySessions({
    ...options,
    serverFor,
    onEnd: (client, id, forgets) => calls.end?.(legacyKey(client, id), forgets),
  });
  const modern = sdk.createMcpHandler(() => serverFor("modern", calls), { legacy: "reject", onerror: onProblem });
  const tokens = new TokenVerifier({
    token,
    isShared: options.shared !== undefined,
    onProblem,
    onRevoked(client) {
      legacy.endOf(client);
      calls.endOf?.(client);
    },
    ...(options.clientNamed === undefined ? {} : { clientNamed: options.clientNamed.bind(options) }),
    ...(options.checkIntervalMs === undefined ? {} : { checkIntervalMs: options.checkIntervalMs }),
  });
  const hosts = sdk.localhostAllowedHostnames();
  const origins = sdk.localhostAllowedOrigins();
  let origin = "";

  const server = createServer(connectionLimits(options.timeouts), (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A connection that breaks within a request needs no report.
      if (!request.destroyed) onProblem(error instanceof Error ? error : new Error(String(error)));
      refuse(response, { status: 500, code: -32_603, message: "The request failed in the server." });
    });
  });
  const connections = boundConnections(server);
  const { port } = await listening(server, options.port, host).catch((error: unknown) => {
    tokens.close();
    throw error;
  });
  // For example no file descriptor for another connection; existing ones continue.
  server.on("error", onProblem);
  origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  let closed: Promise<void> | undefined;
  return {
    port,
    url: `${origin}${PATH}`,
    close() {
      closed ??= closeAll();
      return closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const named = sdk.validateHostHeader(request.headers.host, hosts);
    if (!named.ok) return refuse(response, foreignOriginRefusal(named.message));
    const from = sdk.validateOriginHeader(request.headers.origin, origins);
    if (!from.ok) return refuse(response, foreignOriginRefusal(from.message));
    const authInfo = await tokens.clientFor(shownToken(request));
    if (authInfo === undefined) return refuse(response, UNKNOWN);
    connections.prove(request.socket);
    if ((request.url ?? "").split("?", 1)[0] !== PATH) return refuse(response, NOT_HERE);
    if (running.isStopping) return refuse(response, STOPPING);
    const body = await readJson(request);
    if ("status" in body) return refuse(response, body);
    await sendResponse(await serve(webRequest(request, response, origin), authInfo, body.value), response);
  }

  async function serve(request: Request, authInfo: AuthInfo, parsedBody: unknown): Promise<Response> {
    const passed = { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) };
    const isLegacy = await sdk.isLegacyRequest(request, parsedBody);
    return isLegacy ? legacy.handle(request, passed) : modern.fetch(request, passed);
  }

  async function closeAll(): Promise<void> {
    tokens.close();
    await closing(server, async () => {
      await running.stop();
      await Promise.all([modern.close(), legacy.close()]);
    });
  }
}

/** Stops accepting connections, ends pending requests, and closes the connections once the last responses are sent. */
async function closing(server: Server, end: () => Promise<void>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  await end();
  server.closeIdleConnections();
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, FINAL_RESPONSE_MS))]);
  server.closeAllConnections();
  await closed;
}

const UNKNOWN = { status: 401, code: -32_000, message: "The bearer token is missing or wrong." } as const;
const NOT_HERE = { status: 404, code: -32_000, message: `There is nothing here; the endpoint is ${PATH}.` } as const;
const STOPPING = { status: 503, code: -32_000, message: "The server is stopping; it accepts no new calls." } as const;

function foreignOriginRefusal(message: string) {
  return { status: 403, code: -32_000, message: `${message}. This server answers to names of this machine only.` };
}
