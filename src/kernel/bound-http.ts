/** The HTTP port of one call: it makes the requests that the grant covers, and no other. */
import { coversRequest, type Grant } from "./claims.js";
import { HaftError } from "./errors.js";
import { unclaimed } from "./guard.js";
import type { CallHttp, Http } from "./http.js";
import { privateSignal } from "./private-signal.js";

/** @param requireLife - Throws once the call has ended. */
export function boundHttp(http: Http, grant: Grant, end: AbortSignal, requireLife: () => void): CallHttp {
  const requireRequest = (method: string, url: string) => {
    requireLife();
    if (typeof method !== "string" || typeof url !== "string")
      throw new HaftError("CALL_INVALID", "Did not send the request: `method` and `url` must be strings.", {
        details: { parameter: "url", problem: "not a string" },
      });
    if (!coversRequest(grant, method, url)) throw unclaimed(`request ${method} "${url}"`, { method, url });
  };
  return Object.freeze<CallHttp>({
    async fetch(url, { method = "GET", signal, ...request } = {}) {
      requireRequest(method, url);
      return http.fetch(url, {
        ...request,
        method,
        signal: signal === undefined ? end : AbortSignal.any([privateSignal(signal), end]),
        hop: async (hop) => requireRequest(hop.method, hop.url),
      });
    },
  });
}
