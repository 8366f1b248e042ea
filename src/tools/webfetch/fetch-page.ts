/** One page over the HTTP port: the request, its conditions, and the body up to a limit. */
import type { HttpHeaders, HttpResponse, ToolContext } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";
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
  const response = await ctx.http!.fetch(url, { headers, redirect, timeoutMs });
  if (response.status === 304 && conditions.length > 0) {
    response.close();
    return "not-modified";
  }
  const isMedia = MEDIA.test(headerOf(response.headers, "content-type") ?? "");
  const limit = Math.min(asked.maxBytes ?? (isMedia ? maxBytes : defaultBytes), maxBytes);
  const body = await readBody(response, limit, ctx);
  const { url: last, redirects, status, statusText, headers: received } = response;
  return { url: last, redirects, status, statusText, headers: received, ...body };
}

function conditionsOf({ etag, lastModified }: Validators = {}): HttpHeaders {
  return [
    ...(etag === undefined ? [] : [["if-none-match", etag] as const]),
    ...(lastModified === undefined ? [] : [["if-modified-since", lastModified] as const]),
  ];
}

/** The first header of this name. @param name - In lowercase. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  return headers.find((header) => header[0].toLowerCase() === name)?.[1];
}

/** Bytes between two events about a large body. */
const PROGRESS_BYTES = 1_048_576;

async function readBody(
  response: HttpResponse,
  maxBytes: number,
  ctx: ToolContext<WebFetchLimits>,
): Promise<Pick<FetchedPage, "bytes" | "isBodyComplete">> {
  const parts: Uint8Array[] = [];
  const total = declaredBytes(response.headers);
  let size = 0;
  let reported = 0;
  for await (const part of response.chunks()) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
    if (size - reported < PROGRESS_BYTES) continue;
    reported = size;
    const of = total === undefined ? "" : ` of ${mebibytes(total)}`;
    const message = `Fetched ${mebibytes(size)}${of} of ${response.url}`;
    ctx.emit({ kind: "progress", message, progress: size, ...(total === undefined ? {} : { total }) });
  }
  const bytes = concatBytes(parts);
  return size > maxBytes ? { bytes: bytes.slice(0, maxBytes), isBodyComplete: false } : { bytes, isBodyComplete: true };
}

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** The size that the server declares. Of a compressed body it is not that of the decoded one. */
export function declaredBytes(headers: HttpHeaders): number | undefined {
  const length = headerOf(headers, "content-length") ?? "";
  return /^\d{1,15}$/.test(length) && headerOf(headers, "content-encoding") === undefined ? Number(length) : undefined;
}
