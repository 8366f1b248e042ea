/** Servers on loopback that are reached by names and public addresses. */
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { HttpHop, HttpOptions, HttpRequest } from "../../kernel/index.js";
import { SITE_CERTIFICATE, SITE_KEY, TEST_AUTHORITY } from "./certificates.fixture.js";
import { createHttp } from "./create-http.js";

/** The address of every name, unless a test says otherwise. */
export const PUBLIC_ADDRESS = "93.184.215.14";

/** @returns The port. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

export const serveHttp = (answer: RequestListener) => listening(createHttpServer(answer));

export const serveTls = (answer: RequestListener, cert = SITE_CERTIFICATE) =>
  listening(createTlsServer({ key: SITE_KEY, cert }, answer));

/** A server whose bytes are those of the test, once per connection when the request has arrived. */
export function serveRaw(answer: (socket: Socket, count: number) => void): Promise<number> {
  let count = 0;
  return listening(
    createServer((socket) => {
      const own = count++;
      socket.once("data", () => answer(socket, own));
    }),
  );
}

/** A port of the test, with what it asked about. */
export function openHttp(options: HttpOptions = {}) {
  const hops: HttpHop[] = [];
  const http = createHttp({
    lookup: async () => [PUBLIC_ADDRESS],
    dial: () => "127.0.0.1",
    ca: TEST_AUTHORITY,
    ...options,
  });
  onTestFinished(() => http.close());
  const fetch = (url: string, request: HttpRequest & { hop?: (hop: HttpHop) => Promise<void> } = {}) =>
    http.fetch(url, {
      ...request,
      hop: async (hop) => {
        hops.push(hop);
        await request.hop?.(hop);
      },
    });
  const text = async (url: string, request?: Parameters<typeof fetch>[1]) => {
    const response = await fetch(url, request);
    const { bytes } = await response.read(10_000_000);
    return new TextDecoder().decode(bytes);
  };
  return { http, hops, fetch, text };
}

/** What a promise rejected with, as a plain object. */
export async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    (value) => {
      throw new Error(`did not fail but gave ${JSON.stringify(value)}`);
    },
    (thrown: unknown) => thrown as Error & { code: string; details: Record<string, unknown> },
  );
  return { code: error.code, message: error.message, details: error.details };
}

/** A promise that others resolve. */
export function signalled() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
