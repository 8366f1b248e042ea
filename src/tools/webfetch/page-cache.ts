/** The pages that a session has fetched, so that reading on and reading again send nothing. */
import { type CallSession, type HttpHeaders, isLoopback } from "../../kernel/index.js";
import { headerOf } from "../shared/response-body.js";
import type { WebFetchFormat } from "./contract.js";
import type { FetchedPage, Validators } from "./fetch-page.js";
import type { PageContent } from "./render-page.js";

/** A page and its texts. */
export interface CachedPage {
  readonly page: FetchedPage;
  readonly validators: Validators;
  /** When the server sent it, or said last that it has not changed. */
  checkedMs: number;
  /** Milliseconds from then on in which it is used without a request. */
  readonly freshMs: number;
  readonly texts: Map<WebFetchFormat, ShownText>;
}

/** `artifact`: where the whole text is stored. */
export interface ShownText extends PageContent {
  artifact?: string | undefined;
}

export const MAX_CACHED_PAGES = 20;
/** Of bodies and texts together. */
export const MAX_CACHED_BYTES = 20_971_520;
/** For which a page is used again if the server says nothing else. */
export const FRESH_MS = 60_000;

const CACHE = "pages";

/** Undefined if it was never fetched, is not to be stored, or was evicted. The least recently used are evicted first. */
export function cachedPage(session: Pick<CallSession, "cache">, key: string): CachedPage | undefined {
  const pages = pagesOf(session);
  const found = pages.get(key);
  if (found !== undefined) {
    pages.delete(key);
    pages.set(key, found);
  }
  return found;
}

/** Stores a page, or forgets what was stored under its key if it is not to be stored. Call it again after its texts have changed. */
export function storePage(session: Pick<CallSession, "cache">, key: string, cached: CachedPage): void {
  const pages = pagesOf(session);
  pages.delete(key);
  if (cached.page.status !== 200 || directives(cached.page.headers).has("no-store")) return;
  pages.set(key, cached);
  let size = [...pages.values()].reduce((sum, one) => sum + sizeOf(one), 0);
  for (const [oldest, one] of pages) {
    if (pages.size <= MAX_CACHED_PAGES && size <= MAX_CACHED_BYTES) break;
    pages.delete(oldest);
    size -= sizeOf(one);
  }
}

function pagesOf({ cache }: Pick<CallSession, "cache">): Map<string, CachedPage> {
  const pages = (cache.get(CACHE) as Map<string, CachedPage> | undefined) ?? new Map<string, CachedPage>();
  cache.set(CACHE, pages);
  return pages;
}

function sizeOf({ page, texts }: CachedPage): number {
  return [...texts.values()].reduce((sum, { text }) => sum + 2 * text.length, page.bytes.length);
}

export function newCachedPage(page: FetchedPage, now: number): CachedPage {
  // After a redirect the validators are those of another URL, whose server the next request may not reach.
  const headers = page.redirects.length > 0 ? [] : page.headers;
  const validators = { etag: headerOf(headers, "etag"), lastModified: headerOf(headers, "last-modified") };
  return { page, validators, checkedMs: now, freshMs: freshMsOf(page), texts: new Map() };
}

/** Whether it can be used without a request. */
export function isFresh({ checkedMs, freshMs }: CachedPage, now: number): boolean {
  return now - checkedMs < freshMs;
}

function freshMsOf({ url, headers }: FetchedPage): number {
  const said = directives(headers);
  const maxAge = Number(said.get("max-age") ?? Number.NaN);
  // A page of this machine is likely being worked on, so it is never fresh.
  if (isLoopback(new URL(url).hostname) || said.has("no-cache") || maxAge === 0) return 0;
  return Number.isFinite(maxAge) ? Math.max(FRESH_MS, maxAge * 1000) : FRESH_MS;
}

function directives(headers: HttpHeaders): ReadonlyMap<string, string> {
  const parts = headers
    .filter(([name]) => name.toLowerCase() === "cache-control")
    .flatMap(([, text]) => text.split(","));
  return new Map(
    parts.map((part) => {
      const [name = "", value = ""] = part.trim().toLowerCase().split("=");
      return [name.trim(), value.trim().replaceAll('"', "")];
    }),
  );
}
