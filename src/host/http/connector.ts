/** Opens a connection to one of the addresses that were judged, and to nothing else. */
import { isIP, type LookupFunction, connect as openSocket, type Socket } from "node:net";
import { checkServerIdentity, connect as openTls, type SecureContext } from "node:tls";

/** While other addresses are left to try. */
const ATTEMPT_MS = 1_000;

export interface ConnectTo {
  readonly url: URL;
  /** Where to connect, in this order until one answers. Undefined for a proxy, which the host trusts: those of the system. */
  readonly addresses: readonly string[] | undefined;
  readonly dial?: ((address: string) => string) | undefined;
  readonly secureContext: SecureContext | undefined;
}

/** The name that a certificate has to have. Brackets and the final dot of a URL's host do not belong to it. */
const serverName = (url: URL) => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** @param signal - Closes the socket at any time before it is connected. */
export function connectTo({ url, addresses, dial, secureContext }: ConnectTo, signal: AbortSignal): Promise<Socket> {
  const isTls = url.protocol === "https:";
  const name = serverName(url);
  const target = {
    ...(addresses === undefined ? { host: name } : pinnedTo(addresses.map(dial ?? ((address) => address)))),
    port: Number(url.port || (isTls ? 443 : 80)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  };
  const socket = isTls
    ? openTls({
        ...target,
        servername: isIP(name) === 0 ? name : "",
        checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: true, // also where the environment says otherwise
        ...(secureContext === undefined ? {} : { secureContext }),
      })
    : openSocket(target);
  return new Promise((resolve, reject) => {
    const onAbort = () => socket.destroy(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    socket.once(isTls ? "secureConnect" : "connect", () => {
      signal.removeEventListener("abort", onAbort);
      resolve(socket);
    });
    socket.on("error", reject);
    socket.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      reject(new Error("the socket was closed"));
    });
  });
}

/** The name is never resolved. It is none of the URL: a host that is an address would be connected to without a lookup. */
function pinnedTo(addresses: readonly string[]): { host: string; lookup: LookupFunction } {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return { host: "pinned.invalid", lookup: (_host, _options, resolve) => resolve(null, all) };
}
