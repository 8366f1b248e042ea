/** The sessions of clients that speak the protocol of 2025 and before: each has its id and a server instance of its own. */
import { randomUUID } from "node:crypto";
import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

/** A session that had no request for this long has ended; its id is then unknown. */
const LEGACY_IDLE_MS = 24 * 60 * 60 * 1000;
/** The most sessions at once; the one that was idle longest goes. */
const LEGACY_SESSIONS = 200;

interface LegacySession {
  readonly client: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  usedMs: number;
}

export interface LegacySessionsOptions {
  serverFor(): Server;
  /** A session has ended: with its id, for what was kept for it. */
  onEnd(sessionId: string): void;
  now?(): number;
}

export class LegacySessions {
  readonly #sessions = new Map<string, LegacySession>();
  readonly #options: LegacySessionsOptions;
  readonly #now: () => number;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Answers one request. A session answers only to the client that opened it. */
  async handle(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    this.#endIdle();
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#open(request, authInfo);
    const session = this.#sessions.get(id);
    if (session === undefined || session.client !== (authInfo?.clientId ?? ""))
      return refusal(404, "There is no such session, or it has ended. Send `initialize` to start a new one.");
    session.usedMs = this.#now();
    return session.transport.handleRequest(request, authInfo === undefined ? {} : { authInfo });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #open(request: Request, authInfo: AuthInfo | undefined): Promise<Response> {
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/server");
    const server = this.#options.serverFor();
    let isOpen = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        isOpen = true;
        const client = authInfo?.clientId ?? "";
        this.#sessions.set(id, { client, transport, server, usedMs: this.#now() });
        if (this.#sessions.size > LEGACY_SESSIONS) this.#endLongestIdle();
      },
      onsessionclosed: (id) => this.#end(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, authInfo === undefined ? {} : { authInfo });
    if (!isOpen) await server.close();
    return response;
  }

  #endIdle(): void {
    const nowMs = this.#now();
    for (const [id, session] of this.#sessions) {
      if (nowMs - session.usedMs > LEGACY_IDLE_MS) void this.#end(id);
    }
  }

  #endLongestIdle(): void {
    const [longest] = [...this.#sessions].sort(([, a], [, b]) => a.usedMs - b.usedMs);
    if (longest !== undefined) void this.#end(longest[0]);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    await session.server.close();
    this.#options.onEnd(id);
  }
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_001, message }, id: null }, { status });
}
