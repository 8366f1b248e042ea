/** How sessions, calls and the service itself begin and end over HTTP. */
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bearer,
  breakableRelay,
  INITIALIZE,
  OWN_TOKEN,
  rawSocket,
  type Seen,
  send,
  type TestService,
  testService,
} from "./http-service.fixture.js";

const HOUR = 60 * 60 * 1000;

let test: TestService;
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  test = await testService({ now: () => nowMs });
});
afterEach(() => test.close());

const greet = { name: "greet", arguments: {} };
const call = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: greet });
const PING = JSON.stringify({ jsonrpc: "2.0", id: 9, method: "ping" });

/** Calls that wait until they are released, or their signal fires. */
function held(): { readonly begun: Promise<Seen>; release(): void; readonly cancelled: Promise<void> } {
  let release = (): void => {};
  let onCancel = (): void => {};
  const cancelled = new Promise<void>((resolve) => {
    onCancel = resolve;
  });
  const begun = new Promise<Seen>((resolve) => {
    test.answer = (one) =>
      new Promise((done) => {
        release = () => done({});
        one.signal?.addEventListener("abort", () => {
          onCancel();
          done({ isError: true, status: "cancelled", content: [{ kind: "text", text: "It was cancelled." }] });
        });
        resolve(one);
      });
  });
  return { begun, release: () => release(), cancelled };
}

async function openSession(): Promise<string> {
  const { headers } = await send(test.service.url, { body: INITIALIZE });
  return String(headers["mcp-session-id"]);
}

/** Sends a call and closes the connection once it runs. */
async function callAndLeave(headers: readonly string[], body: string, begun: Promise<unknown>): Promise<void> {
  const peer = await rawSocket(test.service.url);
  const lines = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${OWN_TOKEN}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  peer.socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  await begun;
  peer.socket.destroy();
  await peer.closed;
}

describe("a call over HTTP", () => {
  it("continues when the connection of a client of the older protocol breaks, and ends when it is cancelled", async () => {
    const session = await openSession();
    const { begun, cancelled } = held();
    await callAndLeave([`Mcp-Session-Id: ${session}`], call(2), begun);
    const { signal } = await begun;
    // The server answers others, so it has seen that the connection is gone.
    const headers = { "mcp-session-id": session };
    expect((await send(test.service.url, { headers, body: PING })).status).toBe(200);
    expect(signal?.aborted).toBe(false);
    const params = { requestId: 2, reason: "not wanted any more" };
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    expect((await send(test.service.url, { headers, body: cancel })).status).toBe(202);
    await cancelled;
  });

  it("is answered once more to a client of either package whose connection broke", async () => {
    const relay = await breakableRelay(test.service.port);
    const clients = [() => test.newClient("legacy", OWN_TOKEN, relay.url), () => test.oldClient(OWN_TOKEN, relay.url)];
    for (const connectClient of clients) {
      const client = await connectClient();
      const { begun, release } = held();
      const called = client.callTool(greet);
      await begun;
      // The client has to have seen the beginning of its answer, to know what it comes back for.
      await new Promise((resolve) => setTimeout(resolve, 150));
      relay.breakAll();
      release();
      expect(await called).toMatchObject({ content: [{ type: "text", text: "Hello" }] });
      await client.close();
    }
    relay.close();
    expect(test.seen).toHaveLength(2);
  });

  it("is one of many that run at once, each with its own answer", async () => {
    test.answer = async ({ input }) => {
      const { name } = input as { readonly name: string };
      await new Promise((resolve) => setTimeout(resolve, Number(name) % 7));
      return { content: [{ kind: "text", text: `Hello ${name}` }] };
    };
    for (const client of [await test.newClient("legacy"), await test.newClient("auto"), await test.oldClient()]) {
      const names = Array.from({ length: 40 }, (_, index) => String(index));
      const answers = await Promise.all(
        names.map(async (name) => {
          const { content } = await client.callTool({ name: "greet", arguments: { name } });
          return (content as { text: string }[])[0]?.text;
        }),
      );
      expect(answers).toEqual(names.map((name) => `Hello ${name}`));
    }
  });
});

describe("a session of the older protocol", () => {
  it("continues for a client that comes back with its id", async () => {
    const first = await test.newClient("legacy");
    await first.callTool(greet);
    const id = test.seen[0]?.session.key.split(":")[2];
    await first.close();
    const headers = { "mcp-session-id": id };
    expect((await send(test.service.url, { headers, body: call(3) })).status).toBe(200);
    expect(test.seen[1]?.session).toEqual(test.seen[0]?.session);
  });

  it("ends a day after the end of its last call, and is then unknown", async () => {
    const headers = { "mcp-session-id": await openSession() };
    const { begun, release } = held();
    const long = send(test.service.url, { headers, body: call(2) });
    await begun;
    nowMs += 30 * HOUR;
    // Somebody else's request is when it is looked for what has ended.
    await openSession();
    release();
    expect((await long).status).toBe(200);
    nowMs += 23 * HOUR;
    expect((await send(test.service.url, { headers, body: PING })).status).toBe(200);
    nowMs += 25 * HOUR;
    const late = await send(test.service.url, { headers, body: PING });
    expect(late.status).toBe(404);
    expect(late.body).toContain("initialize");
    expect(test.endedKeys).toContainEqual(expect.stringContaining(headers["mcp-session-id"]));
  });

  it("ends when its client says so, and is then unknown", async () => {
    const headers = { "mcp-session-id": await openSession() };
    expect((await send(test.service.url, { method: "DELETE", headers })).status).toBe(200);
    expect((await send(test.service.url, { headers, body: PING })).status).toBe(404);
    expect(test.endedKeys).toHaveLength(1);
  });
});

describe("a session that a user has named in the client's configuration", () => {
  it("is found by every connection of either protocol, and only with the same token", async () => {
    test.named.set("token-a", "a");
    const named = async (token: string, more: Readonly<Record<string, string>>) => {
      const authorization = `Bearer ${token}`;
      const opened = await send(test.service.url, { headers: { authorization, ...more }, body: INITIALIZE });
      const session = String(opened.headers["mcp-session-id"]);
      const headers = { authorization, "mcp-session-id": session, ...more };
      expect((await send(test.service.url, { headers, body: call(2) })).status).toBe(200);
      return test.seen.at(-1)?.session;
    };
    const first = await named("token-a", { "haft-session": "daily" });
    expect(await named("token-a", { "haft-session": "daily" })).toEqual(first);
    expect(first).toMatchObject({ key: expect.stringMatching(/^mcp:[0-9a-f]{16}:daily$/), isLasting: true });
    expect((await named("token-a", { "haft-session": "other" }))?.key).not.toBe(first?.key);
    expect((await named(OWN_TOKEN, { "haft-session": "daily" }))?.key).not.toBe(first?.key);
    const unnamed = await named("token-a", { "haft-session": "x".repeat(101) });
    expect(unnamed).toMatchObject({ isLasting: false });
  });
});

describe("the service, when it is closed", () => {
  it("cancels what runs, and its client still hears how it ended", async () => {
    for (const mode of ["legacy", "auto"] as const) {
      const client = await test.newClient(mode);
      const { begun } = held();
      const called = client.callTool(greet);
      await begun;
      const closing = test.service.close();
      expect(await called).toMatchObject({ isError: true, content: [{ text: "It was cancelled." }] });
      await closing;
      await test.close().catch(() => {});
      test = await testService();
    }
  });

  it("begins nothing more, closes every connection and frees its port", async () => {
    const [idle, listening] = [await rawSocket(test.service.url), await rawSocket(test.service.url)];
    const session = await openSession();
    listening.socket.write(
      `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${OWN_TOKEN}\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\n\r\n`,
    );
    while (!listening.received.includes("200 OK")) await new Promise((resolve) => setTimeout(resolve, 5));
    await test.service.close();
    await test.service.close();
    await Promise.all([idle.closed, listening.closed]);
    const refused = await new Promise((resolve) => {
      connect(test.service.port, "127.0.0.1")
        .on("error", () => resolve(true))
        .on("connect", () => resolve(false));
    });
    expect(refused).toBe(true);
  });

  it("does not wait for a call that does not end", async () => {
    const client = await test.newClient("legacy");
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    test.answer = () => {
      begin();
      return new Promise(() => {});
    };
    const called = client.callTool(greet).catch((error: unknown) => error);
    await begun;
    await test.service.close();
    await client.close();
    expect(await called).toBeInstanceOf(Error);
  }, 20_000);
});

it("is reached with the token in its header alone, not in the address", async () => {
  const path = `/mcp?token=${OWN_TOKEN}&authorization=Bearer%20${OWN_TOKEN}`;
  const answer = await send(test.service.url, { path, headers: { authorization: undefined }, body: INITIALIZE });
  expect(answer.status).toBe(401);
  expect(bearer(OWN_TOKEN).headers.authorization).toContain(OWN_TOKEN);
});
