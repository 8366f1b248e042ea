/** What is checked of a request before anything is sent. */

import type { HttpSecret } from "../../kernel/index.js";
import {
  DEFAULT_HTTP_TIMEOUT_MS,
  HaftError,
  type HttpHeaders,
  type HttpRequest,
  isLoopback,
  requestProblem,
} from "../../kernel/index.js";

/** A request that may be sent, first or after a redirect. */
export interface OutgoingRequest {
  /** Without credentials and fragment. */
  readonly url: URL;
  readonly method: string;
  /** Those of the caller; the secret is not among them. */
  readonly headers: HttpHeaders;
  readonly body: string | Uint8Array | undefined;
  readonly secret: HttpSecret | undefined;
}

const REDIRECT_MODES = [undefined, "follow", "same-host", "manual"];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws `CALL_INVALID` */
export function checkedRequest(
  text: string,
  request: HttpRequest,
  secrets: readonly HttpSecret[],
): OutgoingRequest & { readonly timeoutMs: number } {
  const { method = "GET", headers = [], body, timeoutMs = DEFAULT_HTTP_TIMEOUT_MS } = request;
  const wrong = requestProblem(text, request);
  if (wrong !== undefined) throw invalid(wrong.parameter, wrong.problem);
  const url = new URL(text);
  url.hash = "";
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw invalid("timeoutMs", `\`timeoutMs\` must be a number from 1 to ${MAX_TIMEOUT_MS}`);
  }
  if (!REDIRECT_MODES.includes(request.redirect)) {
    throw invalid("redirect", '`redirect` must be "follow", "same-host" or "manual"');
  }
  const secret = checkedSecret(request.secret, url, headers, secrets);
  return { url, method, headers, body, secret, timeoutMs };
}

function invalid(parameter: string, problem: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not send the request: ${problem}.`, { details: { parameter, problem } });
}

function checkedSecret(
  name: string | undefined,
  url: URL,
  headers: HttpHeaders,
  secrets: readonly HttpSecret[],
): HttpSecret | undefined {
  if (name === undefined) return undefined;
  const secret = secrets.find((one) => one.name === name);
  if (secret === undefined) {
    const known = secrets.map((one) => JSON.stringify(one.name)).join(", ");
    const hint = known === "" ? "no secrets are configured" : `the configured ones are ${known}`;
    throw invalid("secret", `there is no secret ${JSON.stringify(name)}; ${hint}`);
  }
  if (!secret.hosts.some((host) => isHost(host, url))) {
    const hosts = secret.hosts.length === 0 ? "no host" : secret.hosts.join(", ");
    throw invalid("secret", `the secret "${name}" is not for ${url.host}; it is sent only to ${hosts}`);
  }
  requireTls({ url, secret }, [url.hostname]);
  const [header, value] = secretHeader(secret);
  if (headers.some(([other]) => other.toLowerCase() === header.toLowerCase())) {
    throw invalid("secret", `the secret "${name}" is sent as the header ${header}, which \`headers\` has too`);
  }
  if (requestProblem(url.href, { headers: [[header, value]] }) !== undefined) {
    throw invalid("secret", `the secret "${name}" cannot be sent as a header: its header or value is not valid`);
  }
  return secret;
}

/**
 * A secret is sent without TLS only to this machine, whatever the name of its host is.
 *
 * @param places - Where it would go: a name, or the addresses of the connection.
 * @throws `CALL_INVALID`
 */
export function requireTls({ url, secret }: Pick<OutgoingRequest, "url" | "secret">, places: readonly string[]): void {
  if (secret === undefined || url.protocol !== "http:" || places.every(isLoopback)) return;
  throw invalid("secret", `the secret "${secret.name}" is not sent without TLS; use https: for ${url.host}`);
}

export function secretHeader({ header = "Authorization", prefix = "Bearer ", value }: HttpSecret): [string, string] {
  return [header, prefix + value];
}

function isHost(bound: string, url: URL): boolean {
  const text = `${url.protocol}//${bound}`;
  if (!URL.canParse(text)) return false;
  const { hostname, host } = new URL(text);
  if (hostname !== url.hostname) return false;
  return /:\d+$/.test(bound) && !bound.endsWith("]") ? host === url.host : true;
}
