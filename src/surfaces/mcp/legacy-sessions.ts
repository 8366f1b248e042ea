/** The sessions of clients with the protocol of 2025 or earlier, each with an id and its own server instance. */
import { randomUUID } from "node:crypto";
import type {
  AuthInfo,
  HandleRequestOptions,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { messageOf, SESSION_IDLE_MS } from "../../kernel/index.js";
import { EventLog } from "./event-log.js";
import { type Evictable, MAX_SESSIONS, sessionToEvict } from "./fair-eviction.js";
import type { McpCalls, ServerFor } from "./mcp-server.js";
import { OpenRequests } from "./message-refusal.js";

type PassedOn = HandleRequestOptions & { readonly authInfo: AuthInfo };

interface LegacySession extends Evictable {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly use: Use;
  readonly open: OpenRequests;
}

/** Whether a session is in use, and since when it is idle. */
interface Use {
  running: number;
  usedMs: number;
}

interface LegacySessionsOptions {
  readonly serverFor: ServerFor;
  readonly calls: McpCalls;
  /** A session has ended; what was stored for it can be deleted. */
  onEnd(client: string, sessionId: string): void;
  /** Closing a session in the background failed. */
  onProblem(error: Error): void;
  now?(): number;
}

export class LegacySessions {
  /** The least recently used first. */
  readonly #sessions = new Map<string, LegacySession>();
  readonly #options: LegacySessionsOptions;
  readonly #now: () => number;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Handles one request. A session is visible only to the client that opened it. */
  async handle(request: Request, passed: PassedOn): Promise<Response> {
    this.#endIdle();
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#open(request, passed);
    const session = this.#sessions.get(id);
    if (session === undefined || session.client !== passed.authInfo.clientId)
      return refusal(404, "There is no such session, or it has ended. Send `initialize` to start a new one.");
    session.use.usedMs = this.#now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const refused = session.open.received(passed.parsedBody);
    if (refused !== undefined) return Response.json(refused, { status: 400 });
    let isServed = false;
    try {
      const response = await session.transport.handleRequest(request, passed);
      isServed = response.ok;
      return response;
    } finally {
      // It gets no response later either.
      if (!isServed) session.open.refused(passed.parsedBody);
    }
  }

  /** Ends all sessions of a client. */
  endOf(client: string): void {
    for (const [id, session] of this.#sessions) {
      if (session.client === client) this.#endUnwaited(id);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #open(request: Request, passed: PassedOn): Promise<Response> {
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/server");
    const client = passed.authInfo.clientId;
    const use: Use = { running: 0, usedMs: this.#now() };
    const server = this.#options.serverFor("legacy", this.#counted(use));
    const open = new OpenRequests();
    let isOpen = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventLog(),
      onsessioninitialized: (id) => {
        isOpen = true;
        const isBusy = () => use.running > 0;
        this.#sessions.set(id, {
          client,
          transport,
          server,
          use,
          open,
          get isBusy() {
            return isBusy();
          },
        });
        if (this.#sessions.size > MAX_SESSIONS) this.#endOne();
      },
      onsessionclosed: (id) => this.#end(id),
    });
    await server.connect(transport);
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      open.sent(message);
      return send(message, options);
    };
    try {
      return await transport.handleRequest(request, passed);
    } finally {
      if (!isOpen) await server.close();
    }
  }

  /** The idle time of a session counts from the end of its last call. */
  #counted(use: Use): McpCalls {
    const { calls } = this.#options;
    const { artifacts } = calls;
    return {
      run: async (call, options, session) => {
        use.running++;
        try {
          return await calls.run(call, options, session);
        } finally {
          use.running--;
          use.usedMs = this.#now();
        }
      },
      ...(calls.decide === undefined ? {} : { decide: calls.decide.bind(calls) }),
      ...(artifacts === undefined ? {} : { artifacts: (session) => artifacts.call(calls, session) }),
    };
  }

  #endIdle(): void {
    const nowMs = this.#now();
    for (const [id, { use }] of this.#sessions) {
      if (use.running === 0 && nowMs - use.usedMs > SESSION_IDLE_MS) this.#endUnwaited(id);
    }
  }

  #endOne(): void {
    const id = sessionToEvict(this.#sessions);
    if (id !== undefined) this.#endUnwaited(id);
  }

  #endUnwaited(id: string): void {
    const { onProblem } = this.#options;
    this.#end(id).catch((error: unknown) => onProblem(error instanceof Error ? error : new Error(messageOf(error))));
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    try {
      await session.server.close();
    } finally {
      this.#options.onEnd(session.client, id);
    }
  }
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_001, message }, id: null }, { status });
}
