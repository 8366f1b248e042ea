/** Sends requests: checks each, asks about every address before it connects, follows redirects. */
import { lookup } from "node:dns/promises";
import { setMaxListeners } from "node:events";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { createSecureContext } from "node:tls";
import type { Http, HttpHop, HttpOptions, HttpResponse } from "../../kernel/index.js";
import { authoritiesWith } from "./authorities.js";
import { ACCEPT_ENCODING } from "./body.js";
import { Connections, type HttpConnection } from "./connections.js";
import { HttpExchange } from "./exchange.js";
import { codeOf, unreachable } from "./faults.js";
import { proxyFor } from "./proxy.js";
import { openProxied } from "./proxy-connection.js";
import { redirectedRequest } from "./redirects.js";
import { checkedRequest, type OutgoingRequest, requireTls, secretHeader } from "./request-check.js";
import { openResponse, type ReceivedResponse } from "./response.js";

type Ask = (hop: HttpHop) => Promise<void>;
type Undici = typeof import("undici");

/** At once to one scheme, host and port. */
const CONNECTIONS_PER_HOST = 6;
/** Requests that may be repeated without asking. */
const SAFE_METHODS = ["GET", "HEAD"];
/** What a connection fails with that its server closed while it was idle. */
const CLOSED_WHILE_IDLE = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

const systemLookup = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);

export class HttpPort implements Http {
  readonly #options: HttpOptions;
  readonly #undici: Undici;
  readonly #connections: Connections;
  readonly #closed: AbortSignal;
  readonly #secureContext;

  /** @param closed - Ends everything. */
  static async open(options: HttpOptions, closed: AbortSignal): Promise<HttpPort> {
    return new HttpPort(options, closed, await import("undici"));
  }

  private constructor(options: HttpOptions, closed: AbortSignal, undici: Undici) {
    this.#options = options;
    this.#undici = undici;
    this.#closed = closed;
    setMaxListeners(0, closed);
    this.#connections = new Connections(undici, CONNECTIONS_PER_HOST);
    this.#secureContext =
      options.ca === undefined ? undefined : createSecureContext({ ca: authoritiesWith(options.ca) });
    closed.addEventListener("abort", () => this.#connections.close(), { once: true });
  }

  async fetch(text: string, request: Parameters<Http["fetch"]>[1]): Promise<HttpResponse> {
    const { timeoutMs, ...first } = checkedRequest(text, request, this.#options.secrets ?? []);
    if (request.signal !== undefined) setMaxListeners(0, request.signal);
    const exchange = new HttpExchange(first.url.href, timeoutMs, [request.signal, this.#closed]);
    const redirects: string[] = [];
    let outgoing: OutgoingRequest = first;
    let received: ReceivedResponse | undefined;
    try {
      for (;;) {
        received = await this.#send(outgoing, request.hop, exchange);
        const next = redirectedRequest(outgoing, received, request.redirect ?? "follow", redirects);
        if (next === undefined) return openResponse(received, redirects, exchange);
        received.connection.destroy();
        redirects.push(outgoing.url.href);
        outgoing = next;
      }
    } catch (error) {
      exchange.end();
      received?.connection.destroy();
      throw exchange.error ?? error;
    }
  }

  async #send(outgoing: OutgoingRequest, ask: Ask, exchange: HttpExchange): Promise<ReceivedResponse> {
    const { url, method } = outgoing;
    const proxy = this.#options.proxy === "trusted" ? proxyFor(url, process.env) : undefined;
    const addresses = proxy === undefined ? await this.#addressesOf(url, exchange) : [undefined];
    // Of mixed answers none is connected: a name that leads to a public and to a private address is an attack.
    for (const address of addresses) {
      await exchange.outsideTime(async () => ask({ method, url: url.href, address }));
    }
    const { dial } = this.#options;
    const to = {
      url,
      addresses: addresses.filter((address) => address !== undefined),
      dial,
      secureContext: this.#secureContext,
    };
    requireTls(outgoing, to.addresses);
    let isFresh = !SAFE_METHODS.includes(method);
    for (;;) {
      const connection =
        proxy === undefined
          ? await this.#connections.open(to, exchange, isFresh)
          : await openProxied(this.#undici, this.#connections, { ...to, proxy }, exchange);
      try {
        return await this.#receive(outgoing, connection, exchange);
      } catch (error) {
        connection.destroy();
        exchange.requireLive();
        if (!connection.isReused || !CLOSED_WHILE_IDLE.includes(codeOf(error) ?? "")) {
          const mayHaveArrived = !SAFE_METHODS.includes(method) && connection.hasConnected();
          throw unreachable(error, { url, proxy, mayHaveArrived });
        }
        isFresh = true;
      }
    }
  }

  /** Resolved once: these are judged, and connected to. */
  async #addressesOf(url: URL, exchange: HttpExchange): Promise<readonly string[]> {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0) return [host];
    try {
      const found = await exchange.within((this.#options.lookup ?? systemLookup)(host));
      const addresses = [...new Set(found)];
      if (addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)) return addresses;
      throw Object.assign(new Error(`no address for ${host}`), { code: "ENOTFOUND" });
    } catch (error) {
      throw unreachable(error, { url });
    }
  }

  async #receive(
    outgoing: OutgoingRequest,
    connection: HttpConnection,
    exchange: HttpExchange,
  ): Promise<ReceivedResponse> {
    const { url, method } = outgoing;
    exchange.connection = connection;
    exchange.requireLive();
    const { statusCode, statusText, headers, ...response } = await exchange.within(
      connection.dispatcher.request({
        origin: url.origin,
        path: url.href.slice(url.origin.length), // an empty query keeps its question mark
        method: method as "GET",
        headers: this.#headersOf(outgoing),
        body: outgoing.body ?? null,
        responseHeaders: "raw",
      }),
    );
    const pairs = (headers as unknown as readonly string[]).reduce<[string, string][]>((all, text, index) => {
      if (index % 2 === 0) all.push([text.toLowerCase(), ""]);
      else all.at(-1)![1] = text;
      return all;
    }, []);
    const isEmpty = method === "HEAD" || statusCode === 204 || statusCode === 304;
    const body = isEmpty ? withoutBytes(response.body) : response.body;
    // A proxy agent gives no status text.
    return { url, status: statusCode, statusText: statusText ?? "", headers: pairs, body, connection };
  }

  /** Flat: names and values take turns. */
  #headersOf({ headers, secret }: OutgoingRequest): string[] {
    const names = new Set(headers.map(([name]) => name.toLowerCase()));
    const defaults = {
      accept: "*/*",
      "accept-encoding": ACCEPT_ENCODING,
      "user-agent": "haft",
    };
    return [
      ...headers,
      ...Object.entries(defaults).filter(([name]) => !names.has(name)),
      ...(secret === undefined ? [] : [secretHeader(secret)]),
    ].flat();
  }
}

/** Its headers describe a body that is not sent, which undici would miss. */
async function* withoutBytes(body: Readable): AsyncGenerator<Uint8Array> {
  await new Promise((resolve) => body.on("error", resolve).on("end", resolve).resume());
}
