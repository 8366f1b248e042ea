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
  STATUS_CODES,
} from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { HostGuard } from "../../kernel/index.js";
import { messageOf } from "../../kernel/index.js";

const CONNECT_MS = 30_000;
/** For each address of a name but the last one. */
const ATTEMPT_MS = 5_000;
/** More are closed at once, so that no command takes all descriptors of this process. */
const MAX_CONNECTIONS = 128;

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Why there is no connection: 400 for a request that cannot be read, 403 for one that the guard refuses, 502 for a failure. */
class Refusal extends Error {
  readonly status: 400 | 403 | 502;

  constructor(status: 400 | 403 | 502, why: string) {
    super(why);
    this.status = status;
  }
}
const statusOf = (thrown: unknown): number => (thrown instanceof Refusal ? thrown.status : 502);

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
  // Of several at once in one connection, each would have a connection to a host, and outlive its client.
  server.maxRequestsPerSocket = 1;
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
    const server = connect(await judged(place, guard));
    tunnels.add(client).add(server);
    const close = () => {
      server.destroy();
      client.destroy();
      tunnels.delete(client);
      tunnels.delete(server);
    };
    server.setTimeout(CONNECT_MS, () => server.destroy(new Error(`no connection within ${CONNECT_MS / 1_000} s`)));
    // In an open tunnel the client takes what it reads for bytes of the host.
    let isOpen = false;
    server.once("error", (error) => {
      if (!isOpen) refuse(client, 502, failureOf(error));
      close();
    });
    server.once("connect", () => {
      isOpen = true;
      server.setTimeout(0);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      server.write(head);
      client.pipe(server).pipe(client);
    });
    server.once("close", close);
    client.once("close", close);
  } catch (error) {
    refuse(client, statusOf(error), messageOf(error));
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
    const url = urlOf(asked.url ?? "");
    if (url.protocol !== "http:") throw new Refusal(400, "Only http: URLs are requested so; use CONNECT for others.");
    const place = placeOf(url.href);
    const headers: OutgoingHttpHeaders = { ...asked.headers, host: url.host };
    for (const name of ["proxy-connection", "proxy-authorization", "connection"] as const) delete headers[name];
    const to = await judged(place, guard);
    // The client has left meanwhile: nothing would close the connection.
    if (response.destroyed) return;
    const passed = request(
      {
        ...to,
        method: asked.method,
        path: url.pathname + url.search,
        headers,
        agent: false,
      },
      (answer) => {
        answer.once("error", () => response.destroy());
        try {
          response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
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
    passed.once("error", (error) => fail(502, failureOf(error)));
    passed.once("close", () => tunnels.delete(passed));
    response.once("close", () => passed.destroy());
    asked.pipe(passed);
  } catch (error) {
    fail(statusOf(error), messageOf(error));
  }
}

function urlOf(href: string): URL {
  try {
    return new URL(href);
  } catch {
    throw new Refusal(400, "The URL cannot be read.");
  }
}

function placeOf(href: string): Place {
  const { hostname, port, protocol, pathname, username } = urlOf(href);
  if (hostname === "" || username !== "" || (protocol === "https:" && pathname !== "/"))
    throw new Refusal(400, "The host cannot be read.");
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (protocol === "https:" ? 443 : 80)) };
}

/** Options of a connection to the addresses that were judged, one after the other, and to no others. @throws Refusal */
async function judged({ host, port }: Place, guard: HostGuard) {
  const refusalOf = (why: string, status: 403 | 502 = 403) =>
    new Refusal(status, `The sandbox does not connect to ${host}: ${why}.`);
  const why = guard.hostRefusal(isIP(host) === 6 ? `[${host}]` : host);
  if (why !== undefined) throw refusalOf(`${why}. The user can add it to \`sandbox.hosts\` in haft.jsonc`);
  const addresses =
    isIP(host) === 0
      ? await lookup(host, { all: true }).catch((thrown) => {
          throw refusalOf(`its name does not resolve (${messageOf(thrown)})`, 502);
        })
      : [{ address: host, family: isIP(host) }];
  if (addresses.length === 0) throw refusalOf("it has no address", 502);
  for (const { address } of addresses) {
    const refusal = guard.addressRefusal(address, host);
    if (refusal !== undefined) throw refusalOf(refusal);
  }
  const known: LookupFunction = (_host, _options, resolved) => resolved(null, addresses);
  return { host, port, lookup: known, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_MS };
}

/** Where several addresses failed, the reason of each. */
function failureOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : messageOf(error);
}

function refuse(client: Socket, status: number, why: string): void {
  if (client.destroyed) return;
  client.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(why) + 1}\r\n\r\n${why}\n`,
  );
}
