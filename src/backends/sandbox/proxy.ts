/** The way of a sandbox to the network: an HTTP proxy on a Unix socket, which connects to allowed hosts only. */
import { lookup } from "node:dns/promises";
import { closeSync, constants, openSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { HostGuard } from "../../kernel/index.js";
import { messageOf } from "../../kernel/index.js";

const CONNECT_MS = 30_000;
/** More are closed at once, so that no command takes all descriptors of this process. */
const MAX_CONNECTIONS = 128;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens once the promise resolves. The caller closes it. */
export async function startProxy(socketPath: string, guard: HostGuard): Promise<{ close(): void }> {
  const tunnels = new Set<{ destroy(): void }>();
  const server = createServer((asked, response) => void forward(asked, response, guard, tunnels));
  server.on(
    "connect",
    (asked: IncomingMessage, client: Socket, head: Buffer) => void tunnel(asked, client, head, guard, tunnels),
  );
  server.on("clientError", (_, client) => client.destroy());
  server.maxConnections = MAX_CONNECTIONS;
  // The system allows a socket 107 bytes of path, and Node.js 20 cuts off the rest.
  const directory = openSync(dirname(socketPath), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await listening(server, `/proc/self/fd/${directory}/${basename(socketPath)}`);
  } catch (thrown) {
    closeSync(directory);
    throw thrown;
  }
  server.unref();
  return {
    close() {
      // This removes the socket, by its path.
      server.close();
      closeSync(directory);
      server.closeAllConnections();
      for (const one of tunnels) one.destroy();
    },
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.removeListener("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}

async function tunnel(
  { url = "" }: IncomingMessage,
  client: Socket,
  head: Buffer,
  guard: HostGuard,
  tunnels: Set<{ destroy(): void }>,
): Promise<void> {
  client.on("error", () => {});
  try {
    const place = placeOf(`https://${url}`);
    const server = connect({ host: await addressOf(place, guard), port: place.port });
    tunnels.add(client).add(server);
    const close = () => {
      server.destroy();
      client.destroy();
      tunnels.delete(client);
      tunnels.delete(server);
    };
    server.setTimeout(CONNECT_MS, close);
    server.once("error", (error) => {
      if (server.connecting || server.bytesRead === 0) refuse(client, 502, messageOf(error));
      close();
    });
    server.once("connect", () => {
      server.setTimeout(0);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      server.write(head);
      client.pipe(server).pipe(client);
    });
    server.once("close", close);
    client.once("close", close);
  } catch (error) {
    refuse(client, 403, messageOf(error));
    client.end();
  }
}

/** Requests to `http:` URLs. */
async function forward(
  asked: IncomingMessage,
  response: ServerResponse,
  guard: HostGuard,
  tunnels: Set<{ destroy(): void }>,
): Promise<void> {
  const fail = (status: number, why: string) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${why}\n`);
  };
  try {
    const url = new URL(asked.url ?? "");
    if (url.protocol !== "http:") throw new Error("Only http: URLs are requested so; use CONNECT for others.");
    const place = placeOf(url.href);
    const headers: OutgoingHttpHeaders = { ...asked.headers, host: url.host };
    for (const name of ["proxy-connection", "proxy-authorization", "connection"] as const) delete headers[name];
    const passed = request(
      {
        host: await addressOf(place, guard),
        port: place.port,
        method: asked.method,
        path: url.pathname + url.search,
        headers,
        agent: false,
      },
      (answer) => {
        answer.once("error", () => response.destroy());
        try {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        } catch {
          passed.destroy();
          fail(502, "The answer of the host is not valid HTTP.");
        }
      },
    );
    passed.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(502, "The host wants to change the protocol, which needs https:.");
    });
    tunnels.add(passed);
    passed.setTimeout(CONNECT_MS * 4, () => passed.destroy(new Error("no answer")));
    passed.once("error", (error) => fail(502, messageOf(error)));
    passed.once("close", () => tunnels.delete(passed));
    response.once("close", () => passed.destroy());
    asked.pipe(passed);
  } catch (error) {
    fail(403, messageOf(error));
  }
}

function placeOf(href: string): Place {
  const { hostname, port, protocol, pathname, username } = new URL(href);
  if (hostname === "" || username !== "" || (protocol === "https:" && pathname !== "/"))
    throw new Error("The host cannot be read.");
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

/** The address that was judged is the one that is connected to. @throws Error that says why there is no connection. */
async function addressOf({ host }: Place, guard: HostGuard): Promise<string> {
  const refuseFor = (why: string) => new Error(`The sandbox does not connect to ${host}: ${why}.`);
  const why = guard.hostRefusal(isIP(host) === 6 ? `[${host}]` : host);
  if (why !== undefined) throw refuseFor(`${why}. The user can add it to \`sandbox.hosts\` in haft.jsonc`);
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  const [first] = addresses;
  if (first === undefined) throw refuseFor("it has no address");
  for (const address of addresses) {
    const refusal = guard.addressRefusal(address, host);
    if (refusal !== undefined) throw refuseFor(refusal);
  }
  return first;
}

function refuse(client: Socket, status: number, why: string): void {
  if (client.destroyed) return;
  const reason = status === 403 ? "Forbidden" : "Bad Gateway";
  client.write(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(why) + 1}\r\n\r\n${why}\n`,
  );
}
