/** HTTP: what a host implements, and what a tool gets of it. */

/** Milliseconds for a whole exchange, redirects and body included, where the request gives none. */
export const DEFAULT_HTTP_TIMEOUT_MS = 30_000;
/** Redirects that one request follows at most. */
export const MAX_REDIRECTS = 10;

/** Sent and received in this order. Names of a response are lowercase. */
export type HttpHeaders = readonly (readonly [name: string, value: string])[];

export interface HttpRequest {
  /** Default "GET". */
  readonly method?: string;
  /**
   * Names and values without line breaks. After a redirect to another origin only those that describe what is accepted are sent
   * again: no credentials, and no name that the port does not know.
   */
  readonly headers?: HttpHeaders;
  /** Not with GET or HEAD. A string is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  /** The name of a secret that the user has bound to hosts. It is sent to those hosts only, and the call has to claim it. */
  readonly secret?: string;
  /**
   * "follow" (default): up to `MAX_REDIRECTS`, each judged by the policy before it is connected; "same-host": the response that
   * redirects to another host is returned; "manual": each response is returned.
   */
  readonly redirect?: "follow" | "same-host" | "manual";
  /** Milliseconds for the whole exchange, until the last byte that is read. Default `DEFAULT_HTTP_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A response whose body has not been read. Whoever does not read it calls `close`. */
export interface HttpResponse {
  /** After redirects; without credentials and fragment. */
  readonly url: string;
  readonly status: number;
  /** May be empty. */
  readonly statusText: string;
  readonly headers: HttpHeaders;
  /** The URLs that redirected, the first is that of the request. */
  readonly redirects: readonly string[];
  /**
   * Reads the decoded body up to `maxBytes` and ends the exchange. `isComplete` is false if there was more. Call it, or `chunks`, once.
   *
   * @throws `WEB_TIMEOUT`, `WEB_UNREACHABLE` when the connection breaks, `WEB_UNREADABLE` for a body that cannot be decoded,
   *   `CALL_CANCELLED`
   */
  read(maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly isComplete: boolean }>;
  /** The decoded body as it arrives. Ending the loop ends the exchange. @throws as `read` */
  chunks(): AsyncIterable<Uint8Array>;
  /** Ends the exchange; harmless when it has ended. */
  close(): void;
}

/** One connection that would be made. */
export interface HttpHop {
  readonly method: string;
  readonly url: string;
  /** Where the connection goes. Undefined behind a trusted proxy, which resolves the name itself. */
  readonly address: string | undefined;
}

/** The HTTP port of a host, for the kernel: a call gets it bound to the requests that it claimed. */
export interface Http {
  /**
   * @param request.hop - Called before each connection, the first and those of redirects, for each address that the host resolved
   *   to. When it rejects, nothing is sent and `fetch` rejects with the same error. The connection is made to an address for
   *   which it resolved, and to no other.
   * @throws `CALL_INVALID` for a request that is not valid, or a secret that is unknown or not for this host, before anything is
   *   sent; `WEB_UNREACHABLE`, `WEB_TIMEOUT`, `WEB_REDIRECTS`, `CALL_CANCELLED`
   */
  fetch(url: string, request: HttpRequest & { hop(hop: HttpHop): Promise<void> }): Promise<HttpResponse>;
}

/**
 * The HTTP port of a call.
 *
 * @throws `CALL_UNCLAIMED` for a request or a secret that the call did not claim, `POLICY_DENIED` or `POLICY_APPROVAL_REQUIRED`
 *   for an address or a redirect that the policy does not allow, and as `Http.fetch` does.
 */
export interface CallHttp {
  fetch(url: string, request?: HttpRequest): Promise<HttpResponse>;
}
