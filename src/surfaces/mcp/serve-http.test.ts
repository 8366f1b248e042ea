import { request as httpRequest } from "node:http";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineTool, type RunOptions, type ToolCall, type ToolOutcome, text } from "../../kernel/index.js";
import { RESULT_META, STRUCTURED_META } from "./call-result.js";
import { bearer, outcomeOf } from "./http-service.fixture.js";
import { type HttpService, MAX_REQUEST_BYTES, serveMcpHttp } from "./index.js";

const TOKEN = "token-of-the-test";
const greet = defineTool({
  name: "greet",
  description: "Greets somebody.",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  run: ({ name }) => text(`Hello ${name}`),
});

let service: HttpService;
/** What reached the calls, and how they were answered. */
let seen: { call: Omit<ToolCall, "id">; session: string; options: RunOptions }[];
let ended: string[];
let answer: (call: Omit<ToolCall, "id">, options: RunOptions) => Promise<Partial<ToolOutcome>>;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  seen = [];
  ended = [];
  answer = async () => ({});
  service = await serveMcpHttp({
    version: "0.0.0",
    tools: [greet],
    token: TOKEN,
    port: 0,
    onProblem: () => {},
    calls: {
      async run(call, options, session) {
        seen.push({ call, session: session.key, options });
        return outcomeOf(await answer(call, options));
      },
      end: (session) => ended.push(session),
    },
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await service.close();
});

const requestInit = bearer(TOKEN);

async function newClient(mode: "legacy" | "auto"): Promise<NewClient> {
  const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new NewTransport(new URL(service.url), { requestInit }));
  closing.push(() => client.close());
  return client;
}

async function oldClient(): Promise<OldClient> {
  const client = new OldClient({ name: "test", version: "1" });
  // The older package states its own transport with types that exactOptionalPropertyTypes refuses.
  await client.connect(new OldTransport(new URL(service.url), { requestInit }) as never);
  closing.push(() => client.close());
  return client;
}

const CLIENTS = {
  "version 1": oldClient,
  "version 2, older protocol": () => newClient("legacy"),
  "version 2, newer protocol": () => newClient("auto"),
};

describe.each(Object.entries(CLIENTS))("an MCP client of %s over HTTP", (_name, connect) => {
  it("lists the tools with their schemas as they are", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: "greet", description: "Greets somebody.", inputSchema: greet.parameters }]);
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: true });
  });

  it("calls a tool and gets all that the answer holds", async () => {
    answer = async () => ({
      isError: true,
      status: "failed",
      code: "SHELL_EXIT",
      content: [
        { kind: "text", text: "out" },
        { kind: "json", value: { a: 1 } },
        { kind: "image", data: Uint8Array.of(1, 2, 3), mime: "image/png" },
        { kind: "resource", uri: "file:///a", text: "b" },
      ],
      structured: { exitCode: 1 },
      truncations: [{ what: "stdout", producedBytes: 9, keptBytes: 3 }],
      repairs: ["`name` was a number."],
    });
    const client = await connect();
    const asked = { name: "greet", arguments: { name: "you" }, _meta: { [STRUCTURED_META]: true } };
    const result = await client.callTool(asked);
    expect(seen).toMatchObject([{ call: { name: "greet", input: { name: "you" } } }]);
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      { type: "text", text: "out" },
      { type: "text", text: '{"a":1}' },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a", text: "b" } },
    ]);
    expect(result._meta).toMatchObject({
      [RESULT_META.status]: "failed",
      [RESULT_META.code]: "SHELL_EXIT",
      [RESULT_META.truncations]: [{ what: "stdout", producedBytes: 9, keptBytes: 3 }],
      [RESULT_META.repairs]: ["`name` was a number."],
      [RESULT_META.facts]: { exitCode: 1 },
    });
  });

  it("leaves facts and notes out where there are none, and where they were not asked for", async () => {
    const client = await connect();
    const keysFor = async (_meta: Record<string, unknown>): Promise<string[]> => {
      const result = await client.callTool({ name: "greet", arguments: { name: "you" }, _meta });
      return Object.keys(result._meta ?? {}).filter((key) => key.startsWith("haft/"));
    };
    expect(await keysFor({ [STRUCTURED_META]: true })).toEqual([]);
    answer = async () => ({ isError: true, status: "failed", code: "SHELL_EXIT", structured: { exitCode: 1 } });
    expect(await keysFor({ [STRUCTURED_META]: true })).toHaveLength(3);
    for (const not of [{}, { [STRUCTURED_META]: false }, { [STRUCTURED_META]: "true" }])
      expect(await keysFor(not)).toEqual([]);
  });

  it("turns what the calls throw into an error for the model", async () => {
    answer = () => Promise.reject(new Error("There is no workspace."));
    const client = await connect();
    const result = await client.callTool({ name: "greet", arguments: { name: "you" } });
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "There is no workspace." }] });
  });

  it("hears of progress", async () => {
    answer = async (_call, options) => {
      options.onEvent?.({
        callId: "c",
        kind: "output",
        stream: "stdout",
        offset: 0,
        bytes: new TextEncoder().encode("half\n"),
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
      return {};
    };
    const client = await connect();
    const reported: unknown[] = [];
    const onprogress = (one: unknown): void => void reported.push(one);
    await callWith(client, { onprogress });
    expect(reported).toEqual([{ progress: 1, message: "half" }]);
  });

  it("cancels a call", async () => {
    const cancelled = new Promise<void>((resolve) => {
      answer = (_call, options) =>
        new Promise((done) => {
          options.signal?.addEventListener("abort", () => {
            resolve();
            done({});
          });
        });
    });
    const client = await connect();
    const stop = new AbortController();
    const called = callWith(client, { signal: stop.signal }).catch((error: unknown) => error);
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(await called).toBeInstanceOf(Error);
    await cancelled;
  });

  it("stays in one session, apart from other clients of the older protocol", async () => {
    const [one, two] = [await connect(), await connect()];
    await one.callTool({ name: "greet", arguments: { name: "1" } });
    await two.callTool({ name: "greet", arguments: { name: "2" } });
    await one.callTool({ name: "greet", arguments: { name: "3" } });
    const [first, second, third] = seen.map((call) => call.session);
    expect(first).toBe(third);
    if (_name.includes("newer")) expect(first).toBe(second);
    else expect(first).not.toBe(second);
  });
});

/** The older client takes a result schema before the options. */
function callWith(
  client: OldClient | NewClient,
  options: { readonly signal?: AbortSignal; readonly onprogress?: (one: unknown) => void },
): Promise<unknown> {
  const params = { name: "greet", arguments: { name: "you" } };
  return client instanceof OldClient ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

describe("the HTTP endpoint", () => {
  it("listens on the loopback address", () => {
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it("refuses a missing or wrong token before it reads the body", async () => {
    for (const authorization of [undefined, "Bearer wrong", `Basic ${TOKEN}`, "Bearer", `Bearer ${TOKEN}x`]) {
      const answered = await post({ authorization });
      expect(answered.status).toBe(401);
      expect(answered.headers["www-authenticate"]).toBe("Bearer");
    }
    expect((await post({ authorization: `Bearer ${TOKEN}` })).status).not.toBe(401);
  });

  it("refuses a foreign host and a foreign origin", async () => {
    const authorization = `Bearer ${TOKEN}`;
    expect((await post({ authorization, host: "evil.example" })).status).toBe(403);
    expect((await post({ authorization, origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ authorization, origin: "null" })).status).toBe(403);
    expect((await post({ authorization, origin: "http://localhost:3000" })).status).not.toBe(403);
  });

  it("refuses a body that is too large", async () => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      params: { x: "x".repeat(MAX_REQUEST_BYTES) },
    });
    expect((await post({ authorization: `Bearer ${TOKEN}` }, body)).status).toBe(413);
  });

  it("knows one path, and no session that it did not open", async () => {
    const authorization = `Bearer ${TOKEN}`;
    expect((await post({ authorization }, "{}", "/other")).status).toBe(404);
    expect((await post({ authorization, "mcp-session-id": "made-up" })).status).toBe(404);
  });

  it("lets a client name its conversation, under its own credential", async () => {
    const client = await newClient("auto");
    await client.callTool({ name: "greet", arguments: { name: "1" }, _meta: { "haft/session": "a" } });
    await client.callTool({ name: "greet", arguments: { name: "1" }, _meta: { "haft/session": "b" } });
    await client.callTool({ name: "greet", arguments: { name: "1" } });
    const sessions = seen.map((call) => call.session);
    expect(sessions[0]).toBe(`${sessions[2]}:a`);
    expect(sessions[1]).toBe(`${sessions[2]}:b`);
    expect(sessions.join()).not.toContain(TOKEN);
  });

  it("reports that a session of the older protocol has ended", async () => {
    const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    const transport = new NewTransport(new URL(service.url), { requestInit });
    await client.connect(transport);
    await client.callTool({ name: "greet", arguments: { name: "1" } });
    await transport.terminateSession();
    expect(ended).toEqual([seen[0]?.session]);
    await client.close();
  });

  it("takes the next free port where another program has the one that is asked for", async () => {
    const again = await serveMcpHttp({ ...NOTHING, port: service.port });
    closing.push(() => again.close());
    expect(again.port).toBeGreaterThan(service.port);
    expect(again.port).toBeLessThan(service.port + 20);
    expect(again.url).toBe(`http://127.0.0.1:${again.port}/mcp`);
    expect(service.url).toBe(`http://127.0.0.1:${service.port}/mcp`);
  });

  it("names the port that it cannot have", async () => {
    // An address of documentation, which no machine has.
    const none = serveMcpHttp({ ...NOTHING, port: 65_535, host: "192.0.2.1" });
    await expect(none).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(none).rejects.toThrow("65535");
  });
});

const NOTHING = {
  version: "0",
  tools: [],
  token: TOKEN,
  onProblem: () => {},
  calls: { run: async () => outcomeOf({}) },
} as const;

function post(
  headers: Readonly<Record<string, string | undefined>>,
  body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  path = "/mcp",
): Promise<{ status: number; headers: Readonly<Record<string, unknown>> }> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      new URL(path, service.url),
      {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...sent },
      },
      (response) => {
        response.resume();
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
