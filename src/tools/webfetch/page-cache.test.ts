import { describe, expect, it } from "vitest";
import type { FakeResponse } from "../../testing/fakes/fake-http.js";
import { MAX_CACHED_PAGES } from "./page-cache.js";
import { header, PAGE, served, TYPE, web } from "./webfetch.fixture.js";

describe("the cache of a session", () => {
  const etag: FakeResponse["headers"] = [["etag", '"v1"']];

  it("answers again for a minute, then asks whether the page has changed", async () => {
    const page = served("one", TYPE.text, { headers: etag });
    const { fetch, http, pass } = web({ [PAGE]: [page, { status: 304 }, served("two", TYPE.text)] });
    expect((await fetch({})).data?.cached).toBeUndefined();
    pass(59);
    expect((await fetch({})).data).toMatchObject({ text: "one", cached: "fresh", ageSeconds: 59 });
    pass(2);
    expect((await fetch({})).data).toMatchObject({ text: "one", cached: "revalidated", ageSeconds: 0 });
    expect(header(http.sent[1], "if-none-match")).toBe('"v1"');
    pass(61);
    const changed = await fetch({});
    expect(changed.data).toMatchObject({ text: "two" });
    expect(changed.data).not.toHaveProperty("cached");
    expect(http.sent).toHaveLength(3);
  });

  it("does not send the validator of a page to another page that redirected to it", async () => {
    const page = served("one", TYPE.text, { headers: etag, url: "https://other.example/" });
    const { fetch, http, pass } = web({ [PAGE]: page });
    await fetch({});
    pass(61);
    await fetch({});
    expect(http.sent.map((request) => header(request, "if-none-match"))).toEqual([undefined, undefined]);
  });

  it.each([
    ["max-age=600", 500, 1],
    ["max-age=600", 700, 2],
    ["no-cache", 1, 2],
    ["private, max-age=0", 1, 2],
    ["no-store", 1, 2],
  ])("obeys Cache-Control: %s after %i seconds", async (value, seconds, requests) => {
    const { fetch, http, pass } = web({ [PAGE]: served("one", TYPE.text, { headers: [["cache-control", value]] }) });
    await fetch({});
    pass(seconds);
    await fetch({});
    expect(http.sent).toHaveLength(requests);
  });

  it("never answers for this machine, for errors, or for other sizes", async () => {
    const local = ["http://localhost:3000/", "http://app.localhost:3000/", "http://127.0.0.1/", "http://[::1]/"];
    const pages = Object.fromEntries([...local, PAGE].map((url) => [url, served("one", TYPE.text)]));
    const { fetch, http } = web(pages);
    for (const url of [...local, "https://example.com/none"]) for (const _ of "12") await fetch({ url });
    expect(http.sent).toHaveLength(10);
    await fetch({ maxBytes: 2 });
    await fetch({});
    expect(http.sent).toHaveLength(12);
  });

  it("forgets the page that was used least recently", async () => {
    const urls = Array.from({ length: MAX_CACHED_PAGES + 1 }, (_, index) => `https://example.com/${index}`);
    const { fetch, http } = web(Object.fromEntries(urls.map((url) => [url, served(url, TYPE.text)])));
    for (const url of urls.slice(0, -1)) await fetch({ url });
    await fetch({ url: urls[0] });
    await fetch({ url: urls.at(-1) });
    expect(http.sent).toHaveLength(urls.length);
    await fetch({ url: urls[0] });
    expect(http.sent).toHaveLength(urls.length);
    await fetch({ url: urls[1] });
    expect(http.sent).toHaveLength(urls.length + 1);
  });
});
