/** A service over calls of a test, and ways to reach it that no proper client would take. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defineTool, type RunOptions, type ToolOutcome, text } from "../../kernel/index.js";
import { type HttpService, type ServeHttpOptions, serveMcpHttp } from "./index.js";
import type { McpSession } from "./session-key.js";

export const OWN_TOKEN = "token-of-the-server";

export interface Seen {
  readonly name: string;
  readonly input: unknown;
  readonly session: McpSession;
  readonly signal: AbortSignal | undefined;
}

export interface TestService {
  readonly service: HttpService;
  /** The calls that came. */
  readonly seen: Seen[];
  readonly problems: Error[];
  readonly endedKeys: string[];
  /** How calls are answered; by default at once. */
  answer: (call: Seen, options: RunOptions) => Promise<Partial<ToolOutcome>>;
  /** The tokens of named clients. */
  readonly named: Map<string, string>;
  newClient(mode: "legacy" | "auto", token?: string, at?: URL): Promise<NewClient>;
  oldClient(token?: string, at?: URL): Promise<OldClient>;
  /** Closes its clients, then itself. */
  close(): Promise<void>;
}

const tool = defineTool({
  name: "greet",
  description: "Greets somebody.",
  input: { type: "object", properties: { name: { type: "string" } } },
  run: () => text("Hello"),
});

export async function testService(options: Partial<ServeHttpOptions> = {}): Promise<TestService> {
  const closing: (() => Promise<void>)[] = [];
  const seen: Seen[] = [];
  const problems: Error[] = [];
  const endedKeys: string[] = [];
  const named = new Map<string, string>();
  const service = await serveMcpHttp({
    version: "0.0.0",
    tools: [tool],
    token: OWN_TOKEN,
    port: 0,
    onProblem: (error) => problems.push(error),
    clientNamed: async (token) => named.get(token),
    calls: {
      async run({ name, input }, runOptions, session) {
        const call = { name, input, session, signal: runOptions.signal };
        seen.push(call);
        return outcomeOf(await test.answer(call, runOptions));
      },
      end: (key) => endedKeys.push(key),
    },
    ...options,
  });
  const url = new URL(service.url);
  const test: TestService = {
    service,
    seen,
    problems,
    endedKeys,
    named,
    answer: async () => ({}),
    async newClient(mode, token = OWN_TOKEN, at = url) {
      const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new NewTransport(at, { requestInit: bearer(token) }));
      closing.push(() => client.close());
      return client;
    },
    async oldClient(token = OWN_TOKEN, at = url) {
      const client = new OldClient({ name: "test", version: "1" });
      // The older package states its own transport with types that exactOptionalPropertyTypes refuses.
      await client.connect(new OldTransport(at, { requestInit: bearer(token) }) as never);
      closing.push(() => client.close());
      return client;
    },
    async close() {
      for (const close of closing.splice(0)) await close();
      await service.close();
    },
  };
  return test;
}

export function bearer(token: string): { headers: { authorization: string } } {
  return { headers: { authorization: `Bearer ${token}` } };
}

export function outcomeOf(part: Partial<ToolOutcome>): ToolOutcome {
  return {
    id: "1",
    tool: "greet",
    output: "",
    isError: false,
    status: "ok",
    content: [{ kind: "text", text: "Hello" }],
    truncations: [],
    repairs: [],
    artifacts: [],
    decision: { rule: "none", effect: "allow", approver: null },
    audit: "1",
    ...part,
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request as given; a header that is undefined is not sent. */
export function send(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string | undefined>>;
    readonly body?: string | Buffer;
    readonly path?: string;
  } = {},
): Promise<Answer> {
  const { method = "POST", headers = {}, body, path = "/mcp" } = options;
  const base: Record<string, string | undefined> = {
    authorization: `Bearer ${OWN_TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(base).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, url), { method, headers: sent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

/** A way to the service whose connections can be broken. */
export async function breakableRelay(port: number): Promise<{ readonly url: URL; breakAll(): void; close(): void }> {
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        sockets.delete(one);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: new URL(`http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`),
    breakAll,
    close() {
      breakAll();
      relay.close();
    },
  };
}

/** A connection on which a test sends what it likes. */
export function rawSocket(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A server that closes a connection hard is what some tests are about.
  socket.on("error", () => {});
  return new Promise((resolve) =>
    socket.once("connect", () =>
      resolve({
        socket,
        closed,
        get received() {
          return received;
        },
      }),
    ),
  );
}

export interface RawSocket {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly received: string;
}
