/** How many connections a server holds, and which it gives up first. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections on which no request with a good token came yet. The oldest of more is closed: those of clients are the newest, and prove themselves at once. */
export const MAX_UNPROVEN_CONNECTIONS = 128;
/** Connections at once, all of them; a new one beyond these is closed. */
const MAX_CONNECTIONS = 4_096;
/** Milliseconds for the head of a request, counted from the opening of a connection or from its first byte. */
const HEAD_WITHIN_MS = 10_000;
/** Milliseconds for a whole request. Its answer may take as long as it takes. */
const REQUEST_WITHIN_MS = 60_000;

/** What `createServer` is told, so that nobody holds a connection by sending slowly or nothing. */
export const CONNECTION_LIMITS = {
  headersTimeout: HEAD_WITHIN_MS,
  requestTimeout: REQUEST_WITHIN_MS,
  connectionsCheckingInterval: 2_000,
} as const;

/** Watches the connections of a server. `prove` says that a good token came on this one. */
export function boundConnections(server: Server): { prove(socket: Socket): void } {
  const unproven = new Set<Socket>();
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket) => {
    unproven.add(socket);
    socket.once("close", () => unproven.delete(socket));
    const [oldest] = unproven;
    if (unproven.size > MAX_UNPROVEN_CONNECTIONS) oldest?.destroy();
  });
  return { prove: (socket) => void unproven.delete(socket) };
}
