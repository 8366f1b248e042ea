/** Calls of `webfetch` over pages of the test. */
import type { Media } from "../../kernel/index.js";
import { type FakeResponse, fakeHttp } from "../../testing/fakes/fake-http.js";
import { memoryBench } from "../tool-bench.fixture.js";
import type { WebFetchData } from "./contract.js";

export const PAGE = "https://example.com/page";
export const html = (body: string, title = "A title") =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
export const TYPE = { html: "text/html; charset=utf-8", text: "text/plain", json: "application/json; charset=utf-8" };

/** Serves by URL; a list is served in order, its last one from then on. */
export function web(
  pages: Readonly<Record<string, FakeResponse | readonly FakeResponse[]>>,
  options: { media?: Media } = {},
) {
  let now = 1_000_000;
  const http = fakeHttp(({ url }) => {
    const found = pages[url] ?? { status: 404, body: "no such page", headers: [["content-type", TYPE.text]] };
    if (!Array.isArray(found)) return found as FakeResponse;
    return found[Math.min(http.sent.filter((one) => one.url === url).length, found.length) - 1] as FakeResponse;
  });
  const events: unknown[] = [];
  const clock = { now: () => now, timer: () => () => {} };
  const bench = memoryBench({}, { host: { http, clock, ...options }, onEvent: (event) => void events.push(event) });
  return {
    http,
    bench,
    events,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    fetch: (input: object, limits?: object) => bench.call<WebFetchData>("webfetch", { url: PAGE, ...input }, limits),
  };
}

export const served = (body: string | Uint8Array, type: string, more: FakeResponse = {}): FakeResponse => ({
  body,
  ...more,
  headers: [["content-type", type], ...(more.headers ?? [])],
});
export const header = (request: { headers?: readonly (readonly [string, string])[] } | undefined, name: string) =>
  request?.headers?.find(([key]) => key === name)?.[1];
