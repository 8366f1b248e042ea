/** A connection through the proxy that the host trusts, for one exchange. */
import type { Connections, HttpConnection } from "./connections.js";
import { type ConnectTo, connectTo } from "./connector.js";
import type { HttpExchange } from "./exchange.js";

interface ThroughProxy extends ConnectTo {
  readonly proxy: URL;
}

export async function openProxied(
  undici: typeof import("undici"),
  connections: Connections,
  { url, proxy, secureContext }: ThroughProxy,
  exchange: HttpExchange,
): Promise<HttpConnection> {
  const giveBack = await connections.takeSlot(url, exchange);
  let hasConnected = false;
  const toProxy = (origin: URL | string, options: object) =>
    new undici.Client(origin, {
      ...options,
      connect: (_, callback) => {
        connectTo({ url: proxy, addresses: undefined, secureContext }, exchange.signal).then(
          (socket) => {
            hasConnected = true;
            callback(null, socket);
          },
          (error) => callback(error, null),
        );
      },
    });
  const servername = url.hostname.replace(/\.$/, "");
  const agent = new undici.ProxyAgent({
    uri: proxy.href,
    proxyTunnel: url.protocol === "https:",
    requestTls: { servername, rejectUnauthorized: true, ...(secureContext === undefined ? {} : { secureContext }) },
    clientFactory: toProxy,
    factory: (origin, options) =>
      String(origin) === proxy.href ? toProxy(origin, options) : new undici.Client(origin, options),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const end = () => {
    agent.destroy().catch(() => {});
    giveBack();
  };
  return { isReused: false, hasConnected: () => hasConnected, dispatcher: agent, release: end, destroy: end };
}
