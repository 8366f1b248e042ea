import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { expect, it, vi } from "vitest";
import { LegacySessions } from "./legacy-sessions.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const passed = { authInfo: { token: "t", clientId: "me", scopes: [] } };

function initialize(): Request {
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  return new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
}

/** Sessions whose servers do not close. */
function sessions() {
  const ended: string[] = [];
  const problems: string[] = [];
  const clock = { ms: 0 };
  const legacy = new LegacySessions({
    serverFor: () => {
      const server = new Server({ name: "x", version: "1" }, { capabilities: {} });
      server.close = () => Promise.reject(new Error("it does not close"));
      return server;
    },
    calls: { run: () => Promise.reject(new Error("not called")) },
    onEnd: (client, id) => ended.push(`${client} ${id}`),
    onProblem: (error) => problems.push(error.message),
    now: () => clock.ms,
  });
  const open = async () => {
    const answer = await legacy.handle(initialize(), passed);
    await answer.body?.cancel();
    return `me ${answer.headers.get("mcp-session-id")}`;
  };
  return { legacy, open, ended, problems, clock };
}

it("a session whose server does not close has ended all the same, and the operator gets a notice", async () => {
  const { legacy, open, ended, problems, clock } = sessions();
  const first = await open();
  legacy.endOf("me");
  await expect.poll(() => problems).toEqual(["it does not close"]);
  expect(ended).toEqual([first]);
  const second = await open();
  clock.ms += DAY_MS;
  const kept = await open();
  expect(ended).toEqual([first]);
  clock.ms += 1;
  const third = await open();
  await expect.poll(() => problems).toHaveLength(2);
  expect(ended).toEqual([first, second]);
  await expect(legacy.close()).rejects.toThrow("it does not close");
  expect(ended).toEqual([first, second, kept, third]);
});

it("the id of a request that could not be handled is free again", async () => {
  const { legacy, open } = sessions();
  const id = (await open()).replace("me ", "");
  const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
  const send = () =>
    legacy.handle(new Request("http://127.0.0.1/mcp", { method: "POST", headers: { "mcp-session-id": id } }), {
      ...passed,
      parsedBody: ping,
    });
  const handle = vi.spyOn(WebStandardStreamableHTTPServerTransport.prototype, "handleRequest");
  try {
    handle.mockRejectedValueOnce(new Error("the body broke off"));
    await expect(send()).rejects.toThrow("the body broke off");
    handle.mockResolvedValue(new Response(null, { status: 202 }));
    expect((await send()).status).toBe(202);
    const second = await send();
    expect([second.status, await second.json()]).toMatchObject([
      400,
      { id: 7, error: { message: "Request id 7 is already in use. Send the request with another id." } },
    ]);
  } finally {
    handle.mockRestore();
  }
});
