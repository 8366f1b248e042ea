/** The HTTP port of one call: it makes the requests that the grant covers, and connects where the policy allows it. */
import { coversConnection, coversRequest, coversSecret, type Decision, type Grant } from "./claims.js";
import { HaftError } from "./errors.js";
import { unclaimed } from "./guard.js";
import type { CallHttp, Http, HttpHop, HttpResponse } from "./http.js";
import { privateSignal } from "./private-signal.js";

/** What the requests of one call are bound to. */
export interface RequestBinding {
  readonly grant: Grant;
  /** The name of the target, for errors. */
  readonly backend: string;
  /** Ends every exchange. */
  readonly signal: AbortSignal;
  /** The policy asked about the claims of the call, and they were approved. */
  readonly isApproved: boolean;
  /** Throws once the call has ended. */
  requireLife(): void;
  /** Asks the policy about a redirect, with `address` about a connection. */
  authorize(request: { readonly method: string; readonly url: string; readonly address?: string }): Decision;
  /** Called with each URL that may be requested again: of a GET or HEAD that may be sent, and of any exchange that has a response. */
  requested(url: string): void;
  /** Called with each connection that may be made. */
  connecting(hop: HttpHop): void;
  /** Called when a server has answered, with a redirect too. */
  answered(): void;
}

/** @param http - Undefined where the host has none: then each request that the call claimed is refused. */
export function boundHttp(http: Http | undefined, binding: RequestBinding): CallHttp {
  const { grant, backend, signal: end, requireLife, requested, connecting, answered } = binding;
  return Object.freeze<CallHttp>({
    async fetch(url, { method = "GET", signal, secret, ...request } = {}) {
      requireLife();
      if (typeof method !== "string" || typeof url !== "string")
        throw new HaftError("CALL_INVALID", "Did not send the request: `method` and `url` must be strings.", {
          details: { parameter: "url", problem: "not a string" },
        });
      if (!coversRequest(grant, method, url)) throw unclaimed(`request ${method} "${url}"`, { method, url });
      if (secret !== undefined && !(typeof secret === "string" && coversSecret(grant, secret, url)))
        throw unclaimed(`send the secret "${String(secret)}" to "${url}"`, { secret, url });
      if (http === undefined)
        throw new HaftError("BACKEND_UNSUPPORTED", `Did not request "${url}": this host has no access to the web.`, {
          details: { backend, feature: "http" },
        });
      // Not under a grant for any URL: that of each connection is still to be judged.
      if (isRead(method) && coversConnection(grant, method, url)) requested(url);
      let from = url;
      let response: HttpResponse;
      try {
        response = await http.fetch(url, {
          ...request,
          method,
          ...(secret === undefined ? {} : { secret }),
          signal: signal === undefined ? end : AbortSignal.any([privateSignal(signal), end]),
          hop: async (hop) => {
            requireLife();
            if (isElsewhere(hop.url, from)) answered();
            requireConnection(binding, hop, from);
            from = hop.url;
            if (isRead(hop.method)) requested(hop.url);
            connecting(hop);
          },
        });
      } catch (thrown) {
        if (HaftError.is(thrown, "WEB_REDIRECTS")) answered();
        throw thrown;
      }
      answered();
      requested(url);
      requested(response.url);
      return boundResponse(response, requireLife);
    },
  });
}

const isRead = (method: string) => /^(GET|HEAD)$/i.test(method);

/** A fragment is not sent, so that a port may omit it. */
function isElsewhere(...urls: readonly [url: string, from: string]): boolean {
  const [url, from] = urls.map((text) => Object.assign(new URL(text), { hash: "" }).href);
  return url !== from;
}

/**
 * A connection for a granted request passes unless the policy objects to its address. A redirect to somewhere else is judged as
 * a request of its own. An approval stands for what it was asked about: the private address of a host that was shown as private.
 *
 * @throws `POLICY_DENIED`, or `POLICY_APPROVAL_REQUIRED` where a user could approve it
 */
function requireConnection({ grant, isApproved, authorize }: RequestBinding, hop: HttpHop, from: string): void {
  const { method, url, address } = hop;
  const isGranted = coversConnection(grant, method, url);
  const isRedirect = isElsewhere(url, from);
  const refuse = (decision: Decision) => {
    const isAsk = decision.effect === "ask";
    const did = isRedirect ? `follow the redirect from "${from}" to "${url}"` : `connect to "${url}"`;
    const next = isAsk && isRedirect ? "Fetch that URL itself, so that the user can be asked." : decision.next;
    const details = { rule: decision.rule, url, ...(address === undefined ? {} : { address }) };
    return new HaftError(
      isAsk ? "POLICY_APPROVAL_REQUIRED" : "POLICY_DENIED",
      `Did not ${did}: ${decision.reason}${next === undefined ? "" : ` ${next}`}`,
      { details },
    );
  };
  if (!isGranted) {
    const decision = authorize({ method, url });
    if (decision.effect !== "allow") throw refuse(decision);
  }
  if (address === undefined) return;
  const decision = authorize({ method, url, address });
  if (decision.effect === "allow" || (decision.effect === "ask" && isGranted && isApproved)) return;
  throw refuse(decision);
}

/** A response that is read as long as its call runs. Nothing of the port can be reached from it. */
function boundResponse(response: HttpResponse, requireLife: () => void): HttpResponse {
  const { url, status, statusText, headers, redirects } = response;
  return Object.freeze<HttpResponse>({
    url,
    status,
    statusText,
    headers: Object.freeze(headers.map(([name, value]) => Object.freeze([name, value] as const))),
    redirects: Object.freeze([...redirects]),
    async read(maxBytes) {
      requireLife();
      const { bytes, isComplete } = await response.read(maxBytes);
      return { bytes, isComplete };
    },
    async *chunks() {
      requireLife();
      for await (const chunk of response.chunks()) {
        yield chunk;
        requireLife();
      }
    },
    close: () => response.close(),
  });
}
