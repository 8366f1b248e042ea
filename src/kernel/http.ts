/** HTTP: what a host implements, what a tool gets of it, and which requests can be sent. */
import { hasLoneSurrogate, showControls } from "../text/index.js";
import { shownEcho } from "./shown-name.js";

/** Milliseconds for a whole exchange, redirects and body included, where the request gives none. */
export const DEFAULT_HTTP_TIMEOUT_MS = 30_000;
/** Redirects that one request follows at most. */
export const MAX_REDIRECTS = 10;

export const HTTP_METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

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
 * @throws `BACKEND_UNSUPPORTED` where the host has no such port, `CALL_UNCLAIMED` for a request or a secret that the call did not claim, `POLICY_DENIED` or `POLICY_APPROVAL_REQUIRED`
 *   for an address or a redirect that the policy does not allow, and as `Http.fetch` does.
 */
export interface CallHttp {
  fetch(url: string, request?: HttpRequest): Promise<HttpResponse>;
}

/** Why a request cannot be sent: `problem` is a clause about `parameter`. */
export interface RequestProblem {
  readonly parameter: "url" | "method" | "headers" | "body";
  readonly problem: string;
}

/**
 * Ports refuse such a request before anything is sent, and tools before an approval is asked for. It never shows a password.
 *
 * @returns Undefined for a request that can be sent.
 */
export function requestProblem(
  url: string,
  { method = "GET", headers = [], body }: Pick<HttpRequest, "method" | "headers" | "body"> = {},
): RequestProblem | undefined {
  const found = {
    url: urlProblem(url),
    method: methodProblem(method),
    headers: headersProblem(headers),
    body: bodyProblem(method, body),
  };
  for (const parameter of ["url", "method", "headers", "body"] as const) {
    const problem = found[parameter];
    if (problem !== undefined) return { parameter, problem };
  }
  return undefined;
}

const shown = (text: string) => `"${showControls(shownEcho(text))}"`;

function urlProblem(text: string): string | undefined {
  if (typeof text !== "string" || !URL.canParse(text)) {
    const guess = `https://${String(text).trim().replace(/^\/+/, "")}`;
    const isHost = /^https:\/\/[\w-]+(\.[\w-]+)+([/:?#]|$)/.test(guess) && URL.canParse(guess);
    return `\`url\` is not an absolute URL; send one such as ${shown(isHost ? guess : "https://example.com/")}`;
  }
  const { protocol, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:")
    return `the scheme ${shown(protocol)} is not supported; use http or https`;
  return username === "" && password === "" ? undefined : "a URL must not contain a user name or password";
}

function methodProblem(method: string): string | undefined {
  return (HTTP_METHODS as readonly string[]).includes(method)
    ? undefined
    : `the method ${shown(String(method))} is not supported; use ${HTTP_METHODS.join(", ")}`;
}

/**
 * @param host - An address, or `URL.hostname`. A name is judged as such: where it leads is judged with its addresses.
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|::1|\[::1\])$/.test(host);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What decides where a request goes and where its body ends: the port sets it from the URL and the body. */
const PORT_OWNED =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/i;

function headersProblem(headers: HttpHeaders): string | undefined {
  for (const [name, value] of headers) {
    if (typeof name !== "string" || !HEADER_NAME.test(name)) return `${shown(String(name))} is not a header name`;
    if (PORT_OWNED.test(name)) return `the header ${shown(name)} is set from the URL and the body; omit it`;
    if (typeof value !== "string") return `the value of the header ${shown(name)} is not a string`;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      return `the value of the header ${shown(name)} contains a line break, a control character or one outside Latin-1`;
  }
  return undefined;
}

function bodyProblem(method: string, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (method === "GET" || method === "HEAD")
    return `a ${method} request has no body; use another method, or put the data into the URL`;
  if (typeof body === "string")
    return hasLoneSurrogate(body) ? "`body` contains a lone surrogate (half a character)" : undefined;
  return body instanceof Uint8Array ? undefined : "`body` must be a string or bytes";
}
