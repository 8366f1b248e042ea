/** How many connections a server holds, and which it gives up first. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Connections on which no request with a good token came yet, at once. The oldest of more is closed: those of clients are the newest. */
export const MAX_UNPROVEN_CONNECTIONS = 1_000;
/** Beyond so many, one that has proven nothing for a while is closed. */
const MANY_UNPROVEN = 128;
/** Milliseconds that a client takes at most to show its token, even when many start at once. */
const PROOF_WITHIN_MS = 2_000;
/** Connections at once, all of them; a new one beyond these is closed. */
const MAX_CONNECTIONS = 3_000;
const USUAL_OPEN_FILES = 4_096;
/** Milliseconds between two looks for connections that are too slow. */
const LOOK_EVERY_MS = 1_000;

/** How long a server waits for what a client has to send. */
export interface Patience {
  /** Milliseconds for the head of a request, counted from the opening of a connection or from its first byte. Default 10,000. */
  readonly headMs?: number;
  /** Milliseconds for a whole request. Its answer may take as long as it takes. Default 60,000. */
  readonly requestMs?: number;
}

/** What `createServer` is told, so that nobody holds a connection by sending slowly or nothing. */
export function connectionLimits({ headMs = 10_000, requestMs = 60_000 }: Patience = {}) {
  const connectionsCheckingInterval = Math.min(LOOK_EVERY_MS, headMs);
  return { headersTimeout: headMs, requestTimeout: requestMs, connectionsCheckingInterval };
}

/** Watches the connections of a server. `prove` says that a good token came on this one. Connections never take up so many files that calls have none. */
export function boundConnections(server: Server, mostFiles = mostOpenFiles()): { prove(socket: Socket): void } {
  const mostUnproven = Math.min(MAX_UNPROVEN_CONNECTIONS, Math.floor(mostFiles / 4));
  /** The oldest stand first. */
  const unproven = new Map<Socket, number>();
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(mostFiles / 2));
  server.on("connection", (socket) => {
    const nowMs = performance.now();
    unproven.set(socket, nowMs);
    socket.once("close", () => unproven.delete(socket));
    for (const [oldest, openedMs] of unproven) {
      const isSlow = unproven.size > MANY_UNPROVEN && nowMs - openedMs > PROOF_WITHIN_MS;
      if (!isSlow && unproven.size <= mostUnproven) break;
      unproven.delete(oldest);
      oldest.destroy();
    }
  });
  return { prove: (socket) => void unproven.delete(socket) };
}

/** How many files this process may open; a modest guess where the system does not tell. */
function mostOpenFiles(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return Number(most ?? USUAL_OPEN_FILES);
  } catch {
    return USUAL_OPEN_FILES;
  }
}
