/** The connections of the port. One is used again only for the same origin and the same judged addresses. */
import type { Dispatcher } from "undici";
import { ConcurrencyLimit } from "../media/concurrency-limit.js";
import { type ConnectTo, connectTo } from "./connector.js";
import type { HttpExchange } from "./exchange.js";

/** An unused connection is closed after this; a server that names a shorter time is obeyed. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 64 * 1024;

type Undici = typeof import("undici");

/** One exchange at a time. */
export interface HttpConnection {
  /** Whether it has served another exchange, so that its server may have closed it meanwhile. */
  readonly isReused: boolean;
  /** Whether a request can have reached the server. */
  hasConnected(): boolean;
  readonly dispatcher: Dispatcher;
  /** After the last byte of a response: others may use it. */
  release(): void;
  /** Closes it, whatever it is doing, unless it was released. What is in progress fails with the error that `why` makes. */
  destroy(why?: () => Error): void;
}

interface Slots {
  readonly limit: ConcurrencyLimit;
  users: number;
}

export class Connections {
  readonly #undici: Undici;
  readonly #perHost: number;
  readonly #slots = new Map<string, Slots>();
  readonly #idle = new Map<string, PinnedClient[]>();

  constructor(undici: Undici, perHost: number) {
    this.#undici = undici;
    this.#perHost = perHost;
  }

  /** @param isFresh - Never one that was used before. */
  async open(to: ConnectTo, exchange: HttpExchange, isFresh: boolean): Promise<HttpConnection> {
    const giveBack = await this.takeSlot(to.url, exchange);
    const key = `${to.url.origin} ${to.addresses?.toSorted().join(" ")}`;
    const idle = isFresh ? undefined : this.#takeIdle(key);
    const client = idle ?? new PinnedClient(this.#undici, to, () => this.#forget(key, client));
    client.exchange = exchange;
    let isOver = false;
    const end = (act: () => void) => {
      if (isOver) return;
      isOver = true;
      act();
      giveBack();
    };
    return {
      isReused: idle !== undefined,
      hasConnected: () => client.hasConnected,
      dispatcher: client.dispatcher,
      release: () => end(() => this.#keep(key, client)),
      destroy: (why) => end(() => client.destroy(why?.())),
    };
  }

  /** Waits until the host may get another connection. */
  async takeSlot({ origin }: URL, exchange: HttpExchange): Promise<() => void> {
    const slots = this.#slots.get(origin) ?? { limit: new ConcurrencyLimit(this.#perHost), users: 0 };
    this.#slots.set(origin, slots);
    slots.users++;
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      slots.users--;
      if (slots.users === 0) this.#slots.delete(origin);
    };
    try {
      const giveBack = slots.limit.takeFree() ?? (await slots.limit.take(exchange.signal));
      return () => {
        giveBack();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  close(): void {
    for (const client of [...this.#idle.values()].flat()) client.destroy();
    this.#idle.clear();
  }

  #takeIdle(key: string): PinnedClient | undefined {
    const client = this.#idle.get(key)?.pop();
    if (client !== undefined) this.#forget(key, client);
    return client;
  }

  #keep(key: string, client: PinnedClient): void {
    if (client.isConnected) this.#idle.set(key, [...(this.#idle.get(key) ?? []), client]);
    else client.destroy();
  }

  #forget(key: string, client: PinnedClient): void {
    const left = this.#idle.get(key)?.filter((one) => one !== client) ?? [];
    if (left.length > 0) this.#idle.set(key, left);
    else this.#idle.delete(key);
  }
}

/** A client of one connection. */
class PinnedClient {
  readonly dispatcher: InstanceType<Undici["Client"]>;
  /** Its end ends an attempt to connect. */
  exchange: HttpExchange | undefined;
  isConnected = false;
  hasConnected = false;

  constructor({ Client }: Undici, to: ConnectTo, onDisconnect: () => void) {
    this.dispatcher = new Client(to.url.origin, {
      connect: (_, callback) => {
        connectTo(to, this.exchange!.signal).then(
          (socket) => callback(null, socket),
          (error) => callback(error, null),
        );
      },
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The exchange has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.dispatcher.on("connect", () => {
      this.isConnected = true;
      this.hasConnected = true;
    });
    this.dispatcher.on("disconnect", () => {
      this.isConnected = false;
      onDisconnect();
    });
  }

  destroy(reason?: Error): void {
    this.dispatcher.destroy(reason ?? null).catch(() => {});
  }
}
