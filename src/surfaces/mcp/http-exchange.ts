/** Converts between Node's HTTP and the web's `Request` and `Response`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { withObjectArguments } from "./call-arguments.js";
import { FINAL_RESPONSE_MS, MAX_REQUEST_BYTES } from "./http-limits.js";

/** Why a request is rejected. */
interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

const ANY_RESPONSE = "application/json, text/event-stream";

const TOO_LARGE: Refusal = {
  status: 413,
  code: -32_000,
  message: `The request was not read: its body has more than ${MAX_REQUEST_BYTES} bytes, the most that this server takes. Send less at once.`,
};
const NO_JSON: Refusal = {
  status: 400,
  code: -32_700,
  message: "The request body is not valid JSON in UTF-8.",
};

/**
 * The JSON value of a request's body, with converted arguments; `undefined` for a request without a body. A body whose declared
 * size is too large is not read; one that turns out to be too large is not read to its end. Rejects if the connection breaks.
 */
export async function readJson(request: IncomingMessage): Promise<{ readonly value: unknown } | Refusal> {
  if (request.method !== "POST") return { value: undefined };
  if (Number(request.headers["content-length"]) > MAX_REQUEST_BYTES) return TOO_LARGE;
  const bytes = await bodyOf(request);
  if (bytes === undefined) return TOO_LARGE;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return { value: withObjectArguments(value) };
  } catch {
    return NO_JSON;
  }
}

/** The bytes of the body; undefined if it is too large. The connection stays open for the error response. */
function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let received = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= MAX_REQUEST_BYTES) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(undefined);
    });
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the connection was closed within the request")));
  });
}

/** The request as a web `Request`, without its body. Its signal fires if the connection closes before the response is complete. */
export function webRequest(request: IncomingMessage, response: ServerResponse, origin: string): Request {
  const closed = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) closed.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The SDK requires both types by name; "*/*" includes them.
  if (/(^|,)\s*\*\/\*/.test(headers.get("accept") ?? "*/*")) headers.set("accept", ANY_RESPONSE);
  const { method = "GET" } = request;
  return new Request(new URL(request.url ?? "/", origin), { method, headers, signal: closed.signal });
}

/** Sends a response, with backpressure for streams. Resolves when everything is sent or the client is gone. */
export async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const reader = answer.body?.getReader();
  if (reader === undefined) return void response.end();
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  // Cancelling the stream notifies its writer.
  response.once("close", () => void reader.cancel().catch(() => {}));
  // Sent at once, so that the client sees the head of a stream that has no data yet.
  response.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), gone]);
  }
  response.end();
}

/** Responds without a session, and closes the connection without reading the rest of the request. */
export function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  if (status !== TOO_LARGE.status) return void response.end(text);
  // If the connection were closed at once, a client that still sends would never read the error.
  response.write(text);
  response.req.resume();
  const close = () => response.end();
  response.req.once("end", close);
  setTimeout(close, FINAL_RESPONSE_MS);
}
