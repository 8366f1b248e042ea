import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { HaftError } from "../../kernel/index.js";
import { EXPIRED_CERTIFICATE, SELF_SIGNED_CERTIFICATE, TEST_AUTHORITY } from "./certificates.fixture.js";
import { failureOf, openHttp, serveHttp, serveRaw, serveTls, signalled } from "./http.fixture.js";

const HEAD = "HTTP/1.1 200 OK\r\n";

/** Fetches and reads. */
const exchange = async (url: string, request: Parameters<ReturnType<typeof openHttp>["fetch"]>[1] = {}) =>
  (await openHttp().fetch(url, request)).read(1_000_000);

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

describe("a connection that cannot be made is reported in words", () => {
  it("refused", async () => {
    const url = `http://site.test:${await closedPort()}/`;
    expect(await failureOf(exchange(url))).toEqual({
      code: "WEB_UNREACHABLE",
      message: `Did not fetch "${url}": the connection was refused. Check the host and the port, and that the server is running.`,
      details: { url, why: "the connection was refused", system: "ECONNREFUSED" },
    });
  });

  it("refused by each of several addresses", async () => {
    const url = `http://site.test:${await closedPort()}/`;
    const { fetch } = openHttp({ lookup: async () => ["93.184.215.14", "2606:2800::1"] });
    expect(await failureOf(fetch(url))).toMatchObject({ details: { url, system: "ECONNREFUSED" } });
  });

  it("a name without an address", async () => {
    const lookup = async () => Promise.reject(Object.assign(new Error("queryA"), { code: "ENOTFOUND" }));
    const failure = await failureOf(openHttp({ lookup }).fetch("http://no.test/"));
    expect(failure).toMatchObject({ code: "WEB_UNREACHABLE", details: { system: "ENOTFOUND" } });
    expect(failure.message).toContain("the host name does not exist. Check the spelling");
    for (const answer of [[], ["not an address"]]) {
      const none = await failureOf(openHttp({ lookup: async () => answer }).fetch("http://no.test/"));
      expect(none).toMatchObject({ details: { system: "ENOTFOUND" } });
    }
  });

  it.each([
    [
      "self-signed",
      SELF_SIGNED_CERTIFICATE,
      "site.test",
      "self-signed. The user can add its certificate with `web.ca`",
    ],
    ["expired", EXPIRED_CERTIFICATE, "site.test", "has expired. The owner of the server has to renew it"],
    ["other name", undefined, "other.test", "is for another host name. Request a name that the certificate has"],
  ])("TLS: %s", async (_, certificate, host, words) => {
    let requests = 0;
    const port = await serveTls((_, response) => response.end(`${++requests}`), certificate);
    const { code, message } = await failureOf(exchange(`https://${host}:${port}/`));
    expect({ code, message, requests }).toEqual({
      code: "WEB_UNREACHABLE",
      message: expect.stringContaining(`its certificate ${words.startsWith("self") ? "is " : ""}${words}`),
      requests: 0,
    });
  });

  it("TLS: an unknown authority, also where the environment would accept it", async () => {
    const port = await serveTls((_, response) => response.end());
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const { message } = await failureOf(
        openHttp({ ca: SELF_SIGNED_CERTIFICATE }).fetch(`https://site.test:${port}/`),
      );
      expect(message).toContain("unknown authority");
      expect(message).toContain("The user can add the certificate of the authority with `web.ca`.");
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it("TLS: a server without it, and a path where certificates belong", async () => {
    const port = await serveHttp((_, response) => response.end());
    const { message } = await failureOf(exchange(`https://site.test:${port}/`));
    expect(message).toContain("the server did not answer with TLS. Use http:");
    const { code } = await failureOf(openHttp({ ca: "/etc/ca.pem" }).fetch(`https://site.test:${port}/`));
    expect(code).toBe("CONFIG_INVALID");
    expect(TEST_AUTHORITY).toContain("CERTIFICATE");
  });
});

describe("a response that breaks is reported in words", () => {
  const INVALID = /the response is not valid HTTP. Check that an HTTP server/;
  const WRONG_LENGTH = /the body is not as long as its Content-Length/;
  const CLOSED = /the server closed the connection before the response was complete/;
  it.each<[name: string, wire: string, words: RegExp]>([
    ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", INVALID],
    ["no answer", "", CLOSED],
    ["half a header", `${HEAD}Content-`, CLOSED],
    ["a body that is too short", `${HEAD}Content-Length: 10\r\n\r\nshort`, CLOSED],
    ["a chunk without a size", `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nx`, INVALID],
    ["a chunk that is too short", `${HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\nx`, CLOSED],
    ["two lengths", `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, WRONG_LENGTH],
    ["a length beside chunks", `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, WRONG_LENGTH],
    ["huge headers", `${HEAD}X: ${"x".repeat(100_000)}\r\n\r\n`, /larger than 64 KiB/],
    ["headers without an end", `${HEAD}${"X: xxxxxxxx\r\n".repeat(10_000)}`, /larger than 64 KiB/],
    [
      "an upgrade that was not asked for",
      "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      INVALID,
    ],
  ])("%s", async (_, wire, words) => {
    const port = await serveRaw((socket) => socket.end(wire));
    const { code, message, details } = await failureOf(exchange(`http://site.test:${port}/`));
    expect({ code, url: details.url }).toEqual({ code: "WEB_UNREACHABLE", url: `http://site.test:${port}/` });
    expect(message).toMatch(words);
    expect(message).not.toContain("processed");
  });

  it("with a warning when a request that changes something may have arrived", async () => {
    const port = await serveRaw((socket) => socket.resetAndDestroy());
    const { message } = await failureOf(exchange(`http://site.test:${port}/`, { method: "POST", body: "x" }));
    expect(message).toContain("The server may have processed the request: check before you send it again.");
    const refused = await failureOf(exchange(`http://site.test:${await closedPort()}/`, { method: "POST" }));
    expect(refused.message).not.toContain("processed");
  });

  it("not for information before it", async () => {
    const port = await serveRaw((socket) =>
      socket.end(
        `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nok`,
      ),
    );
    expect((await exchange(`http://site.test:${port}/`)).bytes).toEqual(new Uint8Array(Buffer.from("ok")));
  });
});

/** Each holds the exchange at another place. */
const STALLS: readonly [name: string, scheme: string, answer: (socket: Socket) => void][] = [
  ["no answer", "http", () => {}],
  ["TLS that is never negotiated", "https", () => {}],
  ["headers without an end, slowly", "http", (socket) => drip(socket, `${HEAD}X: `)],
  ["information without an end", "http", (socket) => drip(socket, "", "HTTP/1.1 103 Early\r\n\r\n")],
  ["a body byte by byte", "http", (socket) => drip(socket, `${HEAD}Content-Length: 1000000\r\n\r\n`)],
  ["a body that stops", "http", (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nab`)],
  [
    "an encoded body that stops",
    "http",
    (socket) => socket.write(`${HEAD}Content-Encoding: gzip\r\n\r\n\x1f`, "latin1"),
  ],
];

function drip(socket: Socket, first: string, piece = "x"): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(piece), 10);
  socket.on("close", () => clearInterval(timer));
}

describe("an exchange ends, and its socket with it", () => {
  it.each(STALLS)("when its time is over: %s", async (_, scheme, answer) => {
    const closed = signalled();
    const port = await serveRaw((socket) => {
      socket.on("close", () => closed.resolve());
      answer(socket);
    });
    const url = `${scheme}://site.test:${port}/`;
    expect(await failureOf(exchange(url, { timeoutMs: 150 }))).toEqual({
      code: "WEB_TIMEOUT",
      message: `Did not fetch "${url}": it was not complete within 150 ms. Try again later.`,
      details: { url, timeoutMs: 150 },
    });
    await closed.promise;
  });

  it.each(STALLS)("when it is cancelled: %s", async (_, scheme, answer) => {
    const control = new AbortController();
    const closed = signalled();
    const port = await serveRaw((socket) => {
      socket.on("close", () => closed.resolve());
      answer(socket);
      setTimeout(() => control.abort(), 50);
    });
    const url = `${scheme}://site.test:${port}/`;
    expect(await failureOf(exchange(url, { signal: control.signal }))).toMatchObject({
      code: "CALL_CANCELLED",
      message: `Stopped the request to "${url}": it was cancelled.`,
    });
    await closed.promise;
  });

  it("with the error of the pipeline where that aborts it, before anything is resolved", async () => {
    const control = new AbortController();
    const reason = new HaftError("CALL_TIMEOUT", "too late");
    control.abort(reason);
    const lookup = async () => expect.fail("not looked up");
    const { fetch } = openHttp({ lookup });
    await expect(fetch("http://site.test/", { signal: control.signal })).rejects.toBe(reason);
  });

  it("while a name is resolved, and while an address is judged", async () => {
    const never = () => new Promise<never>(() => {});
    expect(await failureOf(openHttp({ lookup: never }).fetch("http://site.test/", { timeoutMs: 50 }))).toMatchObject({
      code: "WEB_TIMEOUT",
    });
    const signal = AbortSignal.timeout(50);
    expect(await failureOf(openHttp().fetch("http://site.test/", { hop: never, signal }))).toMatchObject({
      code: "CALL_CANCELLED",
    });
  });

  it("but what a user takes to decide is not counted", async () => {
    const port = await serveHttp((_, response) => response.end("x"));
    const hop = () => new Promise<void>((resolve) => setTimeout(resolve, 400));
    const { text } = openHttp();
    await text(`http://site.test:${port}/`); // loads the packages
    expect(await text(`http://site.test:${port}/`, { hop, timeoutMs: 300 })).toBe("x");
  });
});
