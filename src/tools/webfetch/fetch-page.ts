/** One page over the HTTP port: the request, its conditions, and the body up to a limit. */
import type { HttpHeaders, ToolContext } from "../../kernel/index.js";
import { headerOf, readBody } from "../shared/response-body.js";
import type { WebFetchFormat, WebFetchLimits } from "./contract.js";

/** A response whose body was read. */
export interface FetchedPage {
  /** After redirects. */
  readonly url: string;
  readonly redirects: readonly string[];
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpHeaders;
  readonly bytes: Uint8Array;
  readonly isBodyComplete: boolean;
}

/** What a page is revalidated by. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

const RENDERED = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";
const SOURCE = "text/html, application/xhtml+xml, */*;q=0.5";

/** What is asked of a server. Pages for different values are different pages. */
export const acceptOf = (format: WebFetchFormat): string => (format === "html" ? SOURCE : RENDERED);

/** An image or PDF is read up to the maximum. */
const MEDIA = /^(?:image\/|application\/pdf\b)/i;

/**
 * @param asked.maxBytes - Of the body. Default: by its type.
 * @param asked.known - What an earlier response of this URL is revalidated by.
 * @returns "not-modified" if the server says that what is known is still valid.
 */
export async function fetchPage(
  url: string,
  asked: { readonly accept: string; readonly maxBytes: number | undefined; readonly known?: Validators | undefined },
  ctx: ToolContext<WebFetchLimits>,
): Promise<FetchedPage | "not-modified"> {
  const { timeoutMs, redirect, maxBytes, defaultBytes } = ctx.limits;
  const conditions = conditionsOf(asked.known);
  const headers: HttpHeaders = [["accept", asked.accept], ...conditions];
  const response = await ctx.http.fetch(url, { headers, redirect, timeoutMs });
  if (response.status === 304 && conditions.length > 0) {
    response.close();
    return "not-modified";
  }
  const isMedia = MEDIA.test(headerOf(response.headers, "content-type") ?? "");
  const limit = Math.min(asked.maxBytes ?? (isMedia ? maxBytes : defaultBytes), maxBytes);
  const { bytes, isComplete } = await readBody(response, limit, ctx);
  const { url: last, redirects, status, statusText, headers: received } = response;
  return { url: last, redirects, status, statusText, headers: received, bytes, isBodyComplete: isComplete };
}

function conditionsOf({ etag, lastModified }: Validators = {}): HttpHeaders {
  return [
    ...(etag === undefined ? [] : [["if-none-match", etag] as const]),
    ...(lastModified === undefined ? [] : [["if-modified-since", lastModified] as const]),
  ];
}
