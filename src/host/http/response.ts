/** A response whose body is read on demand. */
import { HaftError, type HttpHeaders, type HttpResponse } from "../../kernel/index.js";
import { decodedBody } from "./body.js";
import type { HttpConnection } from "./connections.js";
import type { HttpExchange } from "./exchange.js";
import { unreachable } from "./faults.js";

/** What a hop answered. */
export interface ReceivedResponse {
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  /** Names in lowercase. */
  readonly headers: HttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  readonly connection: HttpConnection;
}

export function openResponse(
  received: ReceivedResponse,
  redirects: readonly string[],
  exchange: HttpExchange,
): HttpResponse {
  const { url, status, statusText, headers, connection } = received;
  const href = url.href;
  let isRead = false;
  let isClosed = false;
  const closed = () => new HaftError("CALL_CANCELLED", `Did not read the body of "${href}": the response was closed.`);
  const close = () => {
    isClosed = true;
    exchange.end();
    connection.destroy(closed);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (isRead) throw invalidRead(href, "the body of a response can be read once");
    if (isClosed) throw closed();
    isRead = true;
    try {
      for await (const chunk of decodedBody(wireBody(received, exchange), headers, {
        url,
        signal: () => exchange.signal,
      })) {
        exchange.requireLive();
        yield chunk;
      }
    } catch (error) {
      throw exchange.error ?? error;
    } finally {
      close();
    }
  }
  async function read(maxBytes: number) {
    if (!(maxBytes >= 0)) throw invalidRead(href, "`maxBytes` must be a number of at least 0");
    const bytes = new GrowingBytes(maxBytes);
    for await (const chunk of chunks()) {
      if (!bytes.add(chunk)) return { bytes: bytes.taken(), isComplete: false };
    }
    return { bytes: bytes.taken(), isComplete: true };
  }
  return Object.freeze<HttpResponse>({ url: href, status, statusText, headers, redirects, read, chunks, close });
}

function invalidRead(href: string, problem: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not read the body of "${href}": ${problem}.`, { details: { problem } });
}

/** The bytes as they are sent. Whole, its connection may serve others. */
async function* wireBody(
  { body, url, connection }: ReceivedResponse,
  exchange: HttpExchange,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw exchange.error ?? unreachable(error, { url });
  }
  connection.release();
}

/** One array instead of a list of chunks: a body may arrive byte by byte. */
class GrowingBytes {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns Whether all of `chunk` was taken. */
  add(chunk: Uint8Array): boolean {
    const size = Math.min(this.#size + chunk.length, this.#maxBytes);
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(size, this.#bytes.length * 2), this.#maxBytes));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    const taken = size - this.#size;
    this.#bytes.set(taken === chunk.length ? chunk : chunk.subarray(0, taken), this.#size);
    this.#size = size;
    return taken === chunk.length;
  }

  taken(): Uint8Array {
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#size);
  }
}
