/** What others than a proper client with its token can do to the server over HTTP: nothing. */

import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LONG } from "../../testing/long.fixture.js";
import { MAX_UNAUTHENTICATED_CONNECTIONS } from "./http-connections.js";
import {
  INITIALIZE,
  OWN_TOKEN,
  type RawSocket,
  rawSocket,
  send,
  type TestService,
  testService,
} from "./http-service.fixture.js";
import { MAX_REQUEST_BYTES } from "./index.js";

let test: TestService;
let url: string;
const start = async (options: Parameters<typeof testService>[0] = {}): Promise<void> => {
  test = await testService(options);
  url = test.service.url;
};
beforeEach(() => start());
afterEach(() => test.close());

/** A proper client is served as if nothing had happened. */
const stillServes = async (): Promise<void> => {
  const client = await test.newClient("legacy");
  expect((await client.callTool({ name: "greet", arguments: {} })).content).toEqual([{ type: "text", text: "Hello" }]);
  await client.close();
};
const head = (...lines: readonly string[]): string => `${["POST /mcp HTTP/1.1", ...lines].join("\r\n")}\r\n\r\n`;
const withToken = ["Host: 127.0.0.1", `Authorization: Bearer ${OWN_TOKEN}`, "Content-Type: application/json"];

describe("a web page in a browser", () => {
  it("cannot reach the server by a name that it made lead here, whatever the token, and no session is made [MCP-18]", async () => {
    for (const host of [
      "evil.test",
      "evil.test:80",
      "localhost.evil.test",
      "127.0.0.1.evil.test",
      "localhost@evil.test",
    ]) {
      const answer = await send(url, { headers: { host }, body: INITIALIZE });
      expect([host, answer.status, answer.headers["mcp-session-id"]]).toEqual([host, 403, undefined]);
    }
    const both = { host: "evil.test", origin: "http://evil.test", authorization: undefined };
    expect((await send(url, { headers: both, body: INITIALIZE })).status).toBe(403);
  });

  it("has its Host checked where it sends no Origin, and loopback names pass with and without a port [MCP-19]", async () => {
    const { port } = new URL(url);
    for (const name of ["localhost", "127.0.0.1", "[::1]"])
      for (const host of [name, `${name}:${port}`])
        expect([host, (await send(url, { headers: { host }, body: INITIALIZE })).status]).toEqual([host, 200]);
    const none = await rawSocket(url);
    none.socket.write(`POST /mcp HTTP/1.0\r\nAuthorization: Bearer ${OWN_TOKEN}\r\nContent-Length: 0\r\n\r\n`);
    await none.closed;
    expect(none.received).toMatch(/^HTTP\/1\.1 403 /);
  });

  it("is rejected for its origin before its token is checked, and never gets a CORS header to read the answer", async () => {
    for (const origin of [
      "http://evil.test",
      "null",
      "file://",
      "http://localhost.evil.test",
      "chrome-extension://abc",
    ]) {
      const answer = await send(url, { headers: { origin, authorization: undefined }, body: INITIALIZE });
      expect([origin, answer.status]).toEqual([origin, 403]);
    }
    const asked = {
      origin: "http://localhost:3000",
      "access-control-request-method": "POST",
      authorization: undefined,
    };
    const preflight = await send(url, { method: "OPTIONS", headers: asked });
    expect(preflight.status).toBe(401);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("cannot send what a form sends", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      expect([type, (await send(url, { headers: { "content-type": type }, body: INITIALIZE })).status]).toEqual([
        type,
        415,
      ]);
  });
});

describe("a peer without a token", () => {
  it("gets the same short answer whatever it asks for", async () => {
    for (const method of ["GET", "POST", "DELETE", "PUT", "OPTIONS", "PATCH"])
      for (const path of ["/mcp", "/", "/mcp/../../etc/passwd", `/${"x".repeat(4_000)}`]) {
        const answer = await send(url, { method, path, headers: { authorization: undefined } });
        expect([method, path.slice(0, 30), answer.status]).toEqual([method, path.slice(0, 30), 401]);
        expect(answer.body).not.toContain("greet");
      }
    expect(test.seen).toEqual([]);
  });

  it("is not read: an endless body is answered and cut off at once", async () => {
    const peer = await rawSocket(url);
    peer.socket.write(head("Host: 127.0.0.1", "Transfer-Encoding: chunked"));
    const pour = setInterval(() => peer.socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`), 1);
    await peer.closed;
    clearInterval(pour);
    expect(peer.socket.bytesWritten).toBeLessThan(MAX_REQUEST_BYTES);
    await stillServes();
  });

  it("does not keep a client out by thousands of idle connections", async () => {
    const idle: RawSocket[] = [];
    for (let round = 0; round < (LONG ? 100 : 20); round++) {
      idle.push(...(await Promise.all(Array.from({ length: 100 }, () => rawSocket(url)))));
      if (round % 9 === 0) await stillServes();
    }
    await stillServes();
    const open = idle.filter(({ socket }) => !socket.closed).length;
    expect(open).toBeLessThanOrEqual(MAX_UNAUTHENTICATED_CONNECTIONS + 100);
    for (const { socket } of idle) socket.destroy();
  }, 60_000);

  it("does not keep out many clients that start at the same moment", async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => send(url, { body: INITIALIZE })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it("loses its connection when it sends the head of a request slowly, or nothing", async () => {
    await test.close();
    await start({ timeouts: { headMs: 150 } });
    const [silent, slow] = [await rawSocket(url), await rawSocket(url)];
    slow.socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    const drip = setInterval(() => slow.socket.write("X: y\r\n"), 20);
    await Promise.all([silent.closed, slow.closed]);
    clearInterval(drip);
    await stillServes();
  });

  it("finds the server on the loopback address only [MCP-20]", async () => {
    const outward = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of outward) {
      const refused = await new Promise((resolve) => {
        connect(test.service.port, address)
          .on("error", () => resolve(true))
          .on("connect", () => resolve(false));
      });
      expect([address, refused]).toEqual([address, true]);
    }
    expect(new URL(url).hostname).toBe("127.0.0.1");
  });

  it("cannot end the server by what is no HTTP", async () => {
    const garbage = [
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "GET\r\n\r\n",
      "\0".repeat(100_000),
      `GET /mcp HTTP/1.1\r\nX: ${"y".repeat(100_000)}\r\n\r\n`,
    ];
    for (const bytes of garbage) {
      const peer = await rawSocket(url);
      peer.socket.write(bytes);
      await peer.closed;
    }
    const smuggled = await rawSocket(url);
    smuggled.socket.write(`${head(...withToken, "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`);
    await smuggled.closed;
    expect(smuggled.received).toMatch(/^HTTP\/1\.1 400 /);
    await stillServes();
  });
});

describe("a client with a token", () => {
  it("gets the limit when its body is too large, with or without a content length", async () => {
    const large = `{"x":"${"x".repeat(MAX_REQUEST_BYTES)}"}`;
    const declared = await rawSocket(url);
    declared.socket.write(head(...withToken, `Content-Length: ${large.length}`));
    await declared.closed;
    const chunked = await rawSocket(url);
    chunked.socket.write(head(...withToken, "Transfer-Encoding: chunked"));
    const pour = setInterval(() => chunked.socket.write(`40000\r\n${"x".repeat(0x40000)}\r\n`), 1);
    await chunked.closed;
    clearInterval(pour);
    for (const { received } of [declared, chunked]) {
      expect(received).toMatch(/^HTTP\/1\.1 413 /);
      expect(received).toContain(`${MAX_REQUEST_BYTES} bytes`);
    }
    await stillServes();
  });

  it("loses its connection when it sends a body too slowly", async () => {
    await test.close();
    await start({ timeouts: { headMs: 150, requestMs: 300 } });
    const slow = await rawSocket(url);
    slow.socket.write(head(...withToken, "Content-Length: 1000"));
    const drip = setInterval(() => slow.socket.write(" "), 20);
    await slow.closed;
    clearInterval(drip);
    await stillServes();
  });

  it("gets an error about what was not understood, and the server continues", async () => {
    const bodies: readonly (string | Buffer)[] = [
      "",
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      "{}",
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{}}}',
      '{"__proto__":{"polluted":true},"jsonrpc":"2.0","id":1,"method":"ping"}',
      Buffer.from([0x22, 0xff, 0xfe, 0x22]),
      "[".repeat(2_000_000),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`,
      `[${Array.from({ length: 50_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`).join()}]`,
    ];
    for (const body of bodies) {
      const { status, body: said } = await send(url, { body });
      expect([String(body).slice(0, 60), status]).toEqual([
        String(body).slice(0, 60),
        expect.toSatisfy((code) => code >= 400 && code < 500),
      ]);
      expect(said).toMatch(/"(message|error)"/);
      expect(said).not.toMatch(/node_modules|\n\s+at /);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(test.seen).toEqual([]);
    await stillServes();
  }, 30_000);

  it("sends a character in two pieces, and it arrives whole [MCP-24]", async () => {
    const client = await send(url, { body: INITIALIZE });
    const session = String(client.headers["mcp-session-id"]);
    const body = Buffer.from(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "greet", arguments: { name: "Zoë 🪓 ß" } },
      }),
    );
    const cut = body.indexOf(Buffer.from("🪓")) + 2;
    const peer = await rawSocket(url);
    peer.socket.setNoDelay(true);
    peer.socket.write(
      head(
        ...withToken,
        "Accept: application/json, text/event-stream",
        `Mcp-Session-Id: ${session}`,
        `Content-Length: ${body.length}`,
        "Connection: close",
      ),
    );
    peer.socket.write(body.subarray(0, cut));
    // The two pieces have to arrive apart.
    await new Promise((resolve) => setTimeout(resolve, 50));
    peer.socket.write(body.subarray(cut));
    await peer.closed;
    expect(test.seen.map(({ input }) => input)).toEqual([{ name: "Zoë 🪓 ß" }]);
  });

  it("finds no session under an id that it guessed or that is a path", async () => {
    const ids = [
      "made-up",
      "../../etc/passwd",
      "..",
      "/",
      "%2e%2e%2f",
      "a".repeat(8_000),
      "__proto__",
      "constructor",
      "*",
    ];
    for (const id of ids)
      for (const method of ["POST", "GET", "DELETE"]) {
        const answer = await send(url, {
          method,
          headers: { "mcp-session-id": id },
          ...(method === "POST" ? { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {}),
        });
        expect([id.slice(0, 20), method, answer.status]).toEqual([id.slice(0, 20), method, 404]);
      }
  });
});

describe("a client with another token", () => {
  it("finds none of the first one's sessions, also by their ids, and cannot end them", async () => {
    test.named.set("token-a", "a").set("token-b", "b");
    const opened = await send(url, { headers: { authorization: "Bearer token-a" }, body: INITIALIZE });
    const id = String(opened.headers["mcp-session-id"]);
    for (const method of ["POST", "GET", "DELETE"])
      for (const token of ["token-b", OWN_TOKEN]) {
        const headers = { authorization: `Bearer ${token}`, "mcp-session-id": id };
        const answer = await send(url, {
          method,
          headers,
          ...(method === "POST" ? { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {}),
        });
        expect([method, token, answer.status]).toEqual([method, token, 404]);
      }
    expect(test.endedKeys).toEqual([]);
    const headers = { authorization: "Bearer token-a", "mcp-session-id": id };
    expect((await send(url, { headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status).toBe(200);
  });

  it("is a client of its own under every name that it gives its conversation", async () => {
    test.named.set("token-a", "a").set("token-b", "b");
    for (const token of ["token-a", "token-b"]) {
      const client = await test.newClient("auto", token);
      for (const name of [undefined, "daily", "../b"])
        await client.callTool({ name: "greet", arguments: {}, _meta: { "haft/session": name } });
    }
    const keys = test.seen.map(({ session }) => session.key);
    expect(new Set(keys).size).toBe(6);
    expect(keys.join()).not.toContain("token");
    expect(test.seen.every(({ session }) => session.isLasting)).toBe(true);
  });

  it("is let in no more once its token was taken back", async () => {
    test.named.set("token-a", "a");
    const client = await test.newClient("legacy", "token-a");
    await client.callTool({ name: "greet", arguments: {} });
    test.named.delete("token-a");
    await expect(client.callTool({ name: "greet", arguments: {} })).rejects.toThrow();
    expect(test.seen).toHaveLength(1);
  });

  it("loses what it had begun, too, once its token was taken back", async () => {
    await test.close();
    const endedOf: string[] = [];
    const calls = {
      run: (_call: unknown, { signal }: { readonly signal?: AbortSignal }) =>
        new Promise<never>((_done, failed) => {
          signal?.addEventListener("abort", () => failed(new Error("ended")));
          begin();
        }),
      endOf: (client: string) => endedOf.push(client),
    };
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await start({ checkIntervalMs: 10, calls });
    test.named.set("token-a", "a");
    const client = await test.newClient("legacy", "token-a");
    const called = client.callTool({ name: "greet", arguments: {} }).catch((error: unknown) => error);
    await begun;
    test.named.delete("token-a");
    while (endedOf.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(endedOf).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    await client.close();
    await called;
  });

  it("loses its own sessions by opening too many, never those of others", async () => {
    test.named.set("token-a", "a").set("token-b", "b");
    const quiet = await test.newClient("legacy", "token-a");
    await quiet.callTool({ name: "greet", arguments: {} });
    const headers = { authorization: "Bearer token-b" };
    for (let round = 0; round < 21; round++)
      await Promise.all(Array.from({ length: 50 }, () => send(url, { headers, body: INITIALIZE })));
    await quiet.callTool({ name: "greet", arguments: {} });
    expect(test.endedKeys.length).toBe(51);
    expect(new Set(test.endedKeys.map((key) => key.split(":")[1])).size).toBe(1);
  }, 60_000);
});
