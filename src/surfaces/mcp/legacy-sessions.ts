/** The sessions of clients with the protocol of 2025 or earlier, each with an id and its own server instance. */
import { randomUUID } from "node:crypto";
import type {
  AuthInfo,
  HandleRequestOptions,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { messageOf, SESSION_IDLE_MS, type State } from "../../kernel/index.js";
import { EventLog } from "./event-log.js";
import { type Evictable, MAX_SESSIONS, sessionToEvict } from "./fair-eviction.js";
import type { McpCalls, ServerFor } from "./mcp-server.js";
import { OpenRequests } from "./message-refusal.js";
import {
  isForAnother,
  isForHere,
  isMarkedElsewhere,
  markedId,
  type SharedSession,
  sharedSession,
  shareSession,
  withMarkedId,
  withOwnId,
} from "./shared-session.js";

/** Milliseconds between two looks for what other servers have received for a call of this one. */
const MAIL_CHECK_MS = 250;
/** Milliseconds between two checks for sessions that other servers have ended. */
const END_CHECK_MS = 60_000;

type PassedOn = HandleRequestOptions & { readonly authInfo: AuthInfo };

interface LegacySession extends Evictable {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly use: Use;
  readonly open: OpenRequests;
  /** Set where other servers serve it too. */
  readonly shared?: SharedSession;
}

/** Whether a session is in use, and since when it is idle. */
interface Use {
  running: number;
  usedMs: number;
  /** While a call runs that other servers may get messages for. */
  checking?: NodeJS.Timeout;
}

interface LegacySessionsOptions {
  readonly serverFor: ServerFor;
  readonly calls: McpCalls;
  /** A session has ended. With `forgets`, what was stored for it can be deleted; else other servers still have it. */
  onEnd(client: string, sessionId: string, forgets: boolean): void;
  /** Closing a session in the background, or storing it for other servers failed. */
  onProblem(error: Error): void;
  /** The state that other servers use too. Absent: this one is alone. */
  shared?(): Promise<State>;
  now?(): number;
}

export class LegacySessions {
  /** The least recently used first. */
  readonly #sessions = new Map<string, LegacySession>();
  readonly #options: LegacySessionsOptions;
  readonly #now: () => number;
  /** Sessions of other servers that are being taken on. */
  readonly #taking = new Map<string, Promise<LegacySession | undefined>>();
  #endCheck: NodeJS.Timeout | undefined;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    if (options.shared !== undefined)
      this.#endCheck = setInterval(() => void this.#endGone().catch(options.onProblem), END_CHECK_MS).unref();
  }

  /** Handles one request. A session is visible only to the client that opened it. */
  async handle(request: Request, passed: PassedOn): Promise<Response> {
    this.#endIdle();
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#open(request, passed);
    const session = await this.#find(id, passed.authInfo);
    if (session === undefined)
      return refusal(404, "There is no such session, or it has ended. Send `initialize` to start a new one.");
    session.use.usedMs = this.#now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const { shared, open } = session;
    if (shared === undefined) return this.#pass(session, request, passed);
    const has = (one: unknown) => open.has(one);
    if (isForAnother(passed.parsedBody, has)) {
      await shared.post(passed.parsedBody);
      return new Response(null, { status: 202 });
    }
    if (isMarkedElsewhere(request.headers.get("last-event-id")))
      return refusal(503, "Another server has what is missing of this answer. Connect again to reach it.");
    return this.#pass(session, request, { ...passed, parsedBody: withOwnId(passed.parsedBody) });
  }

  async #pass({ open, transport }: LegacySession, request: Request, passed: PassedOn): Promise<Response> {
    const refused = open.received(passed.parsedBody);
    if (refused !== undefined) return Response.json(refused, { status: 400 });
    let isServed = false;
    try {
      const response = await transport.handleRequest(request, passed);
      isServed = response.ok;
      return response;
    } finally {
      // It gets no response later either.
      if (!isServed) open.refused(passed.parsedBody);
    }
  }

  /** Ends all sessions of a client. */
  endOf(client: string): void {
    for (const [id, session] of this.#sessions) {
      if (session.client === client) this.#endUnwaited(id, true);
    }
  }

  /** Sessions that other servers have too continue there. */
  async close(): Promise<void> {
    clearInterval(this.#endCheck);
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id, this.#isOnlyHere(id))));
  }

  /** The session of this id: of this server, or of another one that shares its state. */
  async #find(id: string, authInfo: AuthInfo): Promise<LegacySession | undefined> {
    const { clientId: client } = authInfo;
    const session = this.#sessions.get(id);
    if (session !== undefined && session.client !== client) return undefined;
    if (session?.shared !== undefined && !(await session.shared.isThere())) {
      await this.#end(id, true);
      return undefined;
    }
    if (session !== undefined || this.#stateFor(authInfo) === undefined) return session;
    // Requests of one session may come at once.
    const key = `${client} ${id}`;
    const taking = this.#taking.get(key) ?? this.#take(id, authInfo).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  /** The state that other servers use too; undefined for a token that they do not know. */
  #stateFor({ extra }: AuthInfo): LegacySessionsOptions["shared"] {
    return extra?.isLasting === true ? this.#options.shared?.bind(this.#options) : undefined;
  }

  /** Takes on the session of another server: the client's first messages are repeated here, for what was agreed on. */
  async #take(id: string, authInfo: AuthInfo): Promise<LegacySession | undefined> {
    const state = await this.#stateFor(authInfo)?.();
    const shared = state && (await sharedSession(state, authInfo.clientId, id));
    if (shared === undefined) return undefined;
    const connected = await this.#connect(authInfo, id, async () => shared);
    for (const message of [shared.begin, { jsonrpc: "2.0", method: "notifications/initialized" }]) {
      const answer = await connected.transport.handleRequest(posted(id), { authInfo, parsedBody: message });
      await answer.text();
    }
    return this.#sessions.get(id);
  }

  /** Ends sessions here that another server has ended. */
  async #endGone(): Promise<void> {
    for (const [id, { shared }] of this.#sessions) {
      if (shared !== undefined && !(await shared.isThere())) this.#endUnwaited(id, true);
    }
  }

  async #open(request: Request, passed: PassedOn): Promise<Response> {
    const { authInfo, parsedBody } = passed;
    const state = this.#stateFor(authInfo);
    const connected = await this.#connect(authInfo, undefined, async (id) => {
      try {
        return state && (await shareSession(await state(), authInfo.clientId, id, parsedBody));
      } catch (error) {
        // It is served here alone.
        this.#options.onProblem(errorOf(error));
        return undefined;
      }
    });
    try {
      return await connected.transport.handleRequest(request, passed);
    } finally {
      if (!connected.isOpen()) await connected.server.close();
    }
  }

  /** A server and its transport, which become a session once the client's first message is handled. */
  async #connect(
    authInfo: AuthInfo,
    id: string | undefined,
    share: (id: string) => Promise<SharedSession | undefined>,
  ) {
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/server");
    const isShared = this.#stateFor(authInfo) !== undefined;
    const use: Use = { running: 0, usedMs: this.#now() };
    const server = this.#options.serverFor(
      "legacy",
      this.#counted(use, () => isShared && this.#checkMail(use, opened)),
    );
    const open = new OpenRequests();
    let opened: (LegacySession & { readonly id: string }) | undefined;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id ?? randomUUID(),
      eventStore: new EventLog(isShared ? markedId("") : ""),
      onsessioninitialized: async (id) => {
        const shared = await share(id);
        const isBusy = () => use.running > 0;
        opened = {
          id,
          client: authInfo.clientId,
          transport,
          server,
          use,
          open,
          ...(shared === undefined ? {} : { shared }),
          get isBusy() {
            return isBusy();
          },
        };
        this.#sessions.set(id, opened);
        if (this.#sessions.size > MAX_SESSIONS) this.#endOne();
      },
      onsessionclosed: (id) => this.#end(id, true),
    });
    await server.connect(transport);
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      open.sent(message);
      return send(isShared ? withMarkedId(message) : message, options);
    };
    return { transport, server, isOpen: () => opened !== undefined };
  }

  /** While a call runs: what another server has received for it is handled here. */
  #checkMail(use: Use, session: (LegacySession & { readonly id: string }) | undefined): void {
    const { shared, client } = session ?? {};
    if (session === undefined || shared === undefined || client === undefined || use.checking !== undefined) return;
    const check = async () => {
      const found = await shared.take((message) => isForHere(message, (request) => session.open.has(request)));
      for (const message of found) {
        const authInfo = { token: "", clientId: client, scopes: [] };
        await this.#pass(session, posted(session.id), { authInfo, parsedBody: withOwnId(message) });
      }
    };
    let isChecking = false;
    use.checking = setInterval(() => {
      if (isChecking) return;
      isChecking = true;
      // A state that is away is asked again.
      void check()
        .catch(() => {})
        .finally(() => {
          isChecking = false;
        });
    }, MAIL_CHECK_MS).unref();
  }

  /** The idle time of a session counts from the end of its last call. */
  #counted(use: Use, onRun: () => void): McpCalls {
    const { calls } = this.#options;
    const { artifacts } = calls;
    return {
      run: async (call, options, session) => {
        use.running++;
        onRun();
        try {
          return await calls.run(call, options, session);
        } finally {
          use.running--;
          if (use.running === 0) {
            clearInterval(use.checking);
            delete use.checking;
          }
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
      if (use.running === 0 && nowMs - use.usedMs > SESSION_IDLE_MS) this.#endUnwaited(id, this.#isOnlyHere(id));
    }
  }

  #endOne(): void {
    const id = sessionToEvict(this.#sessions);
    if (id !== undefined) this.#endUnwaited(id, this.#isOnlyHere(id));
  }

  /** Whether no other server can serve it. */
  #isOnlyHere(id: string): boolean {
    return this.#sessions.get(id)?.shared === undefined;
  }

  #endUnwaited(id: string, forgets: boolean): void {
    this.#end(id, forgets).catch((error: unknown) => this.#options.onProblem(errorOf(error)));
  }

  async #end(id: string, forgets: boolean): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    clearInterval(session.use.checking);
    const stored = forgets ? session.shared?.end() : undefined;
    const closed = await Promise.allSettled([session.server.close(), stored]);
    this.#options.onEnd(session.client, id, forgets);
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  }
}

/** A message as if the client had sent it to this server. */
function posted(id: string): Request {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-session-id": id,
  };
  return new Request("http://127.0.0.1/", { method: "POST", headers });
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_001, message }, id: null }, { status });
}
