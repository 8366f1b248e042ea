/** Where a response redirects to, and what is sent there. */
import { HaftError, type HttpHeaders, MAX_REDIRECTS, requestProblem } from "../../kernel/index.js";
import type { OutgoingRequest } from "./request-check.js";

const REDIRECTS = [301, 302, 303, 307, 308];
/** What another origin gets of the caller's headers: nothing that could be a credential. */
const FOR_ANY_ORIGIN = [
  "accept",
  "accept-language",
  "user-agent",
  "content-type",
  "range",
  "cache-control",
  "if-none-match",
  "if-modified-since",
];
const SHOWN_LOCATION = 300;

/** The response of a hop, as far as it matters here. */
interface Redirecting {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/**
 * @param earlier - The URLs that redirected before this one.
 * @returns The next request, or undefined for a response that the caller gets.
 * @throws `WEB_REDIRECTS`
 */
export function redirectedRequest(
  request: OutgoingRequest,
  { status, headers }: Redirecting,
  mode: "follow" | "same-host" | "manual",
  earlier: readonly string[],
): OutgoingRequest | undefined {
  const location = headers.find(([name]) => name === "location")?.[1];
  if (mode === "manual" || !REDIRECTS.includes(status) || location === undefined) return undefined;
  const redirects = [...earlier, request.url.href];
  const url = targetOf(location, request.url, redirects);
  if (mode === "same-host" && url.hostname !== request.url.hostname) return undefined;
  if (redirects.length > MAX_REDIRECTS) {
    const why = `it redirects more than ${MAX_REDIRECTS} times. The next redirect leads to "${shown(url.href)}"`;
    throw fault(redirects, why);
  }
  return changeOrigin({ ...changeMethod(request, status), url }, request.url);
}

/** Servers send UTF-8 where only ASCII is allowed; header values are read as Latin-1. */
function targetOf(location: string, base: URL, redirects: readonly string[]): URL {
  const text = Buffer.from(location, "latin1").toString("utf8");
  if (!URL.canParse(text, base.href)) {
    throw fault(redirects, `"${base.href}" redirects to ${JSON.stringify(shown(text))}, which is not a valid URL`);
  }
  const url = new URL(text, base);
  const problem = requestProblem(url.href)?.problem;
  url.username = "";
  url.password = "";
  if (problem !== undefined) {
    throw fault(redirects, `"${base.href}" redirects to "${shown(url.href)}", but ${problem}`);
  }
  url.hash = "";
  return url;
}

const shown = (text: string) => (text.length > SHOWN_LOCATION ? `${text.slice(0, SHOWN_LOCATION)}…` : text);

function fault(redirects: readonly string[], why: string): HaftError {
  const url = redirects[0]!;
  return new HaftError("WEB_REDIRECTS", `Did not fetch "${url}": ${why}.`, { details: { url, redirects } });
}

/** 303 becomes a GET, and so do 301 and 302 for POST, as browsers do it; 307 and 308 repeat the request. */
function changeMethod(request: OutgoingRequest, status: number): OutgoingRequest {
  const { method } = request;
  const becomesGet = status === 303 ? !["GET", "HEAD"].includes(method) : status < 303 && method === "POST";
  if (!becomesGet) return request;
  const headers = request.headers.filter(([name]) => !/^content-/i.test(name));
  return { ...request, method: "GET", body: undefined, headers };
}

function changeOrigin(next: OutgoingRequest, from: URL): OutgoingRequest {
  if (next.url.origin === from.origin) return next;
  const headers = next.headers.filter(([name]) => FOR_ANY_ORIGIN.includes(name.toLowerCase()));
  return { ...next, headers, secret: undefined };
}
