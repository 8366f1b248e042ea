import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostGuard } from "../../policy/host-guard.js";
import { startProxy } from "./proxy.js";

const directory = mkdtempSync(join(tmpdir(), "haft-proxy-"));
const socketPath = join(directory, "proxy");
const asked: string[] = [];
const server = createServer((message, response) => {
  asked.push(
    `${message.method} ${message.url} ${message.headers.host} ${message.headers["proxy-authorization"] ?? ""}`,
  );
  response.end("page");
});
let port: number;
let proxy: { close(): void };

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  proxy = await startProxy(socketPath, hostGuard(["localhost", "169.254.169.254", "*.example.com", "127.0.0.2"]));
});
afterAll(async () => {
  proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

/** A request to an absolute URL, as clients of a proxy send it. */
async function plain(url: string): Promise<[status: number | undefined, body: string]> {
  const headers = { host: "ignored.example", "proxy-authorization": "Basic c2VjcmV0" };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path: url, headers }, resolve).once("error", reject).end();
  });
  return [answer.statusCode, await text(answer)];
}

/** What comes back for a tunnel to `place` and a request through it. */
async function tunneled(place: string): Promise<string> {
  const client: Socket = connect(socketPath);
  client.write(`CONNECT ${place} HTTP/1.1\r\nhost: ${place}\r\n\r\n`);
  client.once("data", (answer) => {
    if (String(answer).includes(" 200 "))
      client.write("GET /tunneled HTTP/1.1\r\nhost: inside\r\nconnection: close\r\n\r\n");
  });
  return text(client);
}

describe("the proxy of a sandbox", () => {
  it("passes plain HTTP to an allowed host, with the host of the URL and without what is for the proxy", async () => {
    expect(await plain(`http://localhost:${port}/a?b=c`)).toEqual([200, "page"]);
    expect(asked.splice(0)).toEqual([`GET /a?b=c localhost:${port} `]);
  });

  it("opens a tunnel to an allowed host", async () => {
    const answer = await tunneled(`localhost:${port}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*page/);
    expect(asked.splice(0)).toEqual(["GET /tunneled inside "]);
  });

  it.each([
    ["a host that is not listed", "other.test", "it is not one of the allowed hosts"],
    ["an address of a listed name", "127.0.0.1", "it is not one of the allowed hosts"],
    ["another form of an address", "0x7f.1", "it is not one of the allowed hosts"],
    ["an IPv6 address", "[::1]", "it is not one of the allowed hosts"],
    ["IPv4 within IPv6", "[::ffff:127.0.0.1]", "it is not one of the allowed hosts"],
    ["metadata of clouds, even if listed", "169.254.169.254", "it is .*metadata"],
    ["the name of metadata", "metadata.google.internal", "it is not one of the allowed hosts"],
    ["a suffix without its dot", "badexample.com", "it is not one of the allowed hosts"],
  ])("refuses %s, by both ways and without a connection", async (_, host, why) => {
    const [status, body] = await plain(`http://${host}:${port}/`);
    expect([status, body]).toEqual([403, expect.stringMatching(why)]);
    const answer = await tunneled(`${host}:${port}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(new RegExp(why));
    expect(asked.splice(0)).toEqual([]);
  });

  it.each(["https://localhost/", "/relative", "http://user:password@localhost/", "file:///etc/passwd"])(
    "refuses a request to %s",
    async (url) => {
      expect((await plain(url))[0]).toBe(403);
      expect(asked).toEqual([]);
    },
  );

  it("reports a listed host that does not answer as a bad gateway", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port: nobody } = closed.address() as AddressInfo;
    await new Promise((resolve) => void closed.close(resolve));
    expect(await plain(`http://localhost:${nobody}/`)).toEqual([502, expect.stringContaining("ECONNREFUSED")]);
    expect(await tunneled(`localhost:${nobody}`)).toMatch(/^HTTP\/1\.1 502 Bad Gateway/);
  });
});
