/** Limits the connections of a server and selects those to close. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Maximum number of connections without an authenticated request. Beyond it the oldest is closed. */
export const MAX_UNAUTHENTICATED_CONNECTIONS = 1_000;
/** Beyond this number, connections that stay unauthenticated for a while are closed. */
const UNAUTHENTICATED_THRESHOLD = 128;
/** Milliseconds that a client may need to authenticate, even when many start at once. */
const AUTH_TIMEOUT_MS = 2_000;
/** Maximum number of connections; further ones are closed. */
const MAX_CONNECTIONS = 3_000;
const DEFAULT_OPEN_FILES = 4_096;
/** Milliseconds between checks for connections that are too slow. */
const CONNECTION_CHECK_MS = 1_000;

/** How long a server waits for a request to arrive. */
export interface RequestTimeouts {
  /** Milliseconds for the head of a request, counted from the opening of a connection or from its first byte. Default 10,000. */
  readonly headMs?: number;
  /** Milliseconds for receiving a whole request; the response has no limit. Default 60,000. */
  readonly requestMs?: number;
}

/** Options for `createServer`, so that no client holds a connection by sending slowly or not at all. */
export function connectionLimits({ headMs = 10_000, requestMs = 60_000 }: RequestTimeouts = {}) {
  const connectionsCheckingInterval = Math.min(CONNECTION_CHECK_MS, headMs);
  return { headersTimeout: headMs, requestTimeout: requestMs, connectionsCheckingInterval };
}

/** Watches the connections of a server, and leaves enough file descriptors for calls. `prove` marks one as authenticated. */
export function boundConnections(server: Server, maxFiles = openFilesLimit()): { prove(socket: Socket): void } {
  const maxUnauthenticated = Math.min(MAX_UNAUTHENTICATED_CONNECTIONS, Math.floor(maxFiles / 4));
  /** Oldest first. */
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

/** The open-file limit of this process, or a conservative estimate if it is unknown. */
function openFilesLimit(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(most ?? DEFAULT_OPEN_FILES);
  } catch {
    return DEFAULT_OPEN_FILES;
  }
}
