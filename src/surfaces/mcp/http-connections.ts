/** How many connections a server holds, and which it gives up first. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections on which no request with a good token came yet, at once. The oldest of more is closed: those of clients are the newest. */
export const MAX_UNAUTHENTICATED_CONNECTIONS = 1_000;
/** Beyond so many, one that has proven nothing for a while is closed. */
const UNAUTHENTICATED_THRESHOLD = 128;
/** Milliseconds that a client takes at most to show its token, even when many start at once. */
const AUTH_TIMEOUT_MS = 2_000;
/** Connections at once, all of them; a new one beyond these is closed. */
const MAX_CONNECTIONS = 3_000;
const DEFAULT_OPEN_FILES = 4_096;
/** Milliseconds between two looks for connections that are too slow. */
const CHECK_INTERVAL_MS = 1_000;

/** How long a server waits for what a client has to send. */
export interface RequestTimeouts {
  /** Milliseconds for the head of a request, counted from the opening of a connection or from its first byte. Default 10,000. */
  readonly headMs?: number;
  /** Milliseconds for a whole request. Its answer may take as long as it takes. Default 60,000. */
  readonly requestMs?: number;
}

/** What `createServer` is told, so that nobody holds a connection by sending slowly or nothing. */
export function connectionLimits({ headMs = 10_000, requestMs = 60_000 }: RequestTimeouts = {}) {
  const connectionsCheckingInterval = Math.min(CHECK_INTERVAL_MS, headMs);
  return { headersTimeout: headMs, requestTimeout: requestMs, connectionsCheckingInterval };
}

/** Watches the connections of a server. `prove` says that a good token came on this one. Connections never take up so many files that calls have none. */
export function boundConnections(server: Server, maxFiles = openFilesLimit()): { prove(socket: Socket): void } {
  const maxUnauthenticated = Math.min(MAX_UNAUTHENTICATED_CONNECTIONS, Math.floor(maxFiles / 4));
  /** The oldest stand first. */
  const unauthenticated = new Map<Socket, number>();
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(maxFiles / 2));
  server.on("connection", (socket) => {
    const nowMs = performance.now();
    unauthenticated.set(socket, nowMs);
    socket.once("close", () => unauthenticated.delete(socket));
    for (const [oldest, openedMs] of unauthenticated) {
      const isSlow = unauthenticated.size > UNAUTHENTICATED_THRESHOLD && nowMs - openedMs > AUTH_TIMEOUT_MS;
      if (!isSlow && unauthenticated.size <= maxUnauthenticated) break;
      unauthenticated.delete(oldest);
      oldest.destroy();
    }
  });
  return { prove: (socket) => void unauthenticated.delete(socket) };
}

/** How many files this process may open; a modest guess where the system does not tell. */
function openFilesLimit(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(most ?? DEFAULT_OPEN_FILES);
  } catch {
    return DEFAULT_OPEN_FILES;
  }
}
