import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hostGuard } from "../../policy/host-guard.js";
import { startProxy } from "./proxy.js";

/** Names that only this file resolves, so that no test asks a server. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "several.test": ["::1", "127.0.0.3", "127.0.0.1"],
  "none.test": ["127.0.0.3", "127.0.0.4"],
  "slow.test": ["127.0.0.1"],
  "mixed.test": ["127.0.0.1", "169.254.169.254"],
};
/** What the answer for "slow.test" waits for. */
let slowly: () => Promise<void>;
vi.mock("node:dns/promises", async (original) => {
  const real = await original<typeof import("node:dns/promises")>();
  return {
    ...real,
    lookup: async (name: string, options: { readonly all: true }) => {
      if (name === "slow.test") await slowly();
      const addresses = NAMES[name]?.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      return addresses ?? real.lookup(name, options);
    },
  };
});

const directory = mkdtempSync(join(tmpdir(), "haft-proxy-"));
const socketPath = join(directory, "proxy");
const asked: string[] = [];
const server = createServer((message, response) => {
  asked.push(
    `${message.method} ${message.url} ${message.headers.host} ${message.headers["proxy-authorization"] ?? ""}`,
  );
  if (message.url?.startsWith("/kept")) response.setHeader("connection", "keep-alive");
  response.end("page");
});
let port: number;
let proxy: { close(): void };

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  proxy = await startProxy(
    socketPath,
    hostGuard(["localhost", "169.254.169.254", "*.example.com", "127.0.0.2", ...Object.keys(NAMES)]),
  );
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
    ["a name with one address that is refused", "mixed.test", "it resolves to 169.254.169.254"],
  ])("refuses %s, by both ways and without a connection", async (_, host, why) => {
    const [status, body] = await plain(`http://${host}:${port}/`);
    expect([status, body]).toEqual([403, expect.stringMatching(why)]);
    const answer = await tunneled(`${host}:${port}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(new RegExp(why));
    expect(asked.splice(0)).toEqual([]);
  });

  it.each(["https://localhost/", "/relative", "http://user:password@localhost/", "file:///etc/passwd"])(
    "rejects a request to %s as a bad one",
    async (url) => {
      expect((await plain(url))[0]).toBe(400);
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

  it("reports a listed name that does not resolve as a bad gateway", async () => {
    // Too long for a name, so that no server is asked.
    const host = `${"x".repeat(64)}.example.com`;
    const why = /does not resolve \(.*ENOTFOUND/;
    expect(await plain(`http://${host}/`)).toEqual([502, expect.stringMatching(why)]);
    const answer = await tunneled(`${host}:443`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(answer).toMatch(why);
  });

  it("tries the other addresses of a name where the first does not connect", async () => {
    expect(await plain(`http://several.test:${port}/several`)).toEqual([200, "page"]);
    expect(await tunneled(`several.test:${port}`)).toMatch(/^HTTP\/1\.1 200 [\s\S]*page/);
    expect(asked.splice(0)).toEqual([`GET /several several.test:${port} `, "GET /tunneled inside "]);
  });

  it("reports what each address answered where none connects", async () => {
    const why = new RegExp(`ECONNREFUSED 127.0.0.3:${port}; .*ECONNREFUSED 127.0.0.4:${port}`);
    expect(await plain(`http://none.test:${port}/`)).toEqual([502, expect.stringMatching(why)]);
    expect(await tunneled(`none.test:${port}`)).toMatch(why);
  });

  it("does not connect for a client that leaves while the name of the host is resolved", async () => {
    let connections = 0;
    const count = () => connections++;
    server.on("connection", count);
    const resolved = new Promise<void>((resolve) => {
      slowly = async () => {
        client.destroy();
        // The proxy has noticed that once it has answered a later request.
        await plain(`http://localhost:${port}/later`);
        setImmediate(resolve);
      };
    });
    const client = connect(socketPath);
    client.write(`GET http://slow.test:${port}/ HTTP/1.1\r\nhost: slow.test\r\n\r\n`);
    await resolved;
    await plain(`http://localhost:${port}/last`);
    expect(connections).toBe(2);
    server.removeListener("connection", count);
    asked.splice(0);
  });

  it("has one connection to a host for several requests at once in one connection, and none once the client has left", async () => {
    const hosts = new Set<Socket>();
    const silent = createTcpServer(
      (socket) => void hosts.add(socket.resume().once("close", () => hosts.delete(socket))),
    );
    await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
    const client = connect(socketPath);
    const place = `localhost:${(silent.address() as AddressInfo).port}`;
    client.write(`GET http://${place}/ HTTP/1.1\r\nhost: ${place}\r\n\r\n`.repeat(5));
    await vi.waitFor(() => expect(hosts.size).toBeGreaterThan(0));
    await plain(`http://localhost:${port}/later`);
    expect(hosts.size).toBe(1);
    client.destroy();
    await vi.waitFor(() => expect(hosts.size).toBe(0));
    await new Promise((resolve) => void silent.close(resolve));
    asked.splice(0);
  });

  it("answers a client that keeps its connections", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { host: "ignored.example" };
    for (let count = 0; count < 3; count++) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const path = `http://localhost:${port}/kept/${count}`;
        request({ socketPath, path, headers, agent }, resolve).once("error", reject).end();
      });
      expect([answer.statusCode, await text(answer)]).toEqual([200, "page"]);
    }
    agent.destroy();
    asked.splice(0);
  });

  it("writes nothing into a tunnel whose host resets the connection", async () => {
    const resetting = createTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => void resetting.listen(0, "127.0.0.1", resolve));
    const answer = await tunneled(`localhost:${(resetting.address() as AddressInfo).port}`);
    expect(answer).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
    await new Promise((resolve) => void resetting.close(resolve));
  });
});
