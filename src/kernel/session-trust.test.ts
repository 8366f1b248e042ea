import { expect, it } from "vitest";
import { MAX_SHOWN_URL_LENGTH, MAX_SHOWN_URLS, SessionTrust } from "./session-trust.js";

it("remembers URLs of HTTP as they are requested, each once", () => {
  const trust = new SessionTrust();
  trust.shownUrl(
    "https://Example.com/a#part",
    "https://example.com/a",
    "http://0x7f.1/",
    "ftp://example.com/",
    "no url",
  );
  expect([...trust.shownUrls]).toEqual(["https://example.com/a", "http://127.0.0.1/"]);
});

it("remembers the latest ones, and none that is very long", () => {
  const trust = new SessionTrust();
  const url = (at: number) => `https://example.com/${at}`;
  for (let at = 0; at < MAX_SHOWN_URLS; at++) trust.shownUrl(url(at));
  trust.shownUrl(url(0), url(MAX_SHOWN_URLS), `https://example.com/${"a".repeat(MAX_SHOWN_URL_LENGTH)}`);
  expect(trust.shownUrls.size).toBe(MAX_SHOWN_URLS);
  expect([url(0), url(1), url(2)].map((one) => trust.shownUrls.has(one))).toEqual([true, false, true]);
});
