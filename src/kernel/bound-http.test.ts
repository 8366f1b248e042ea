import { expect, it } from "vitest";
import { boundHttp } from "./bound-http.js";
import { type Grant, grantFor } from "./claims.js";
import type { Http, HttpResponse } from "./http.js";

/** A port that is redirected, and the requests that it was allowed. */
function redirectedTo(...to: readonly { readonly method: string; readonly url: string }[]) {
  const sent: string[] = [];
  const http: Http = {
    async fetch(url, { method = "GET", hop }) {
      for (const request of [{ method, url }, ...to]) {
        await hop({ ...request, address: "192.0.2.1" });
        sent.push(`${request.method} ${request.url}`);
      }
      return {} as HttpResponse;
    },
  };
  const bound = (requests: Grant["requests"], requireLife = () => {}) =>
    boundHttp(http, grantFor("g", [], { requests }), new AbortController().signal, requireLife);
  return { sent, bound };
}

const unclaimed = { code: "CALL_UNCLAIMED" };
const A = { method: "GET", url: "https://example.com/a", scope: "exact" } as const;

it("makes the claimed request, and none of another method, path or origin", async () => {
  const { sent, bound } = redirectedTo();
  const http = bound([A]);
  await http.fetch("https://example.com/a#part");
  for (const [url, method] of [
    ["https://example.com/a", "POST"],
    ["https://example.com/b", "GET"],
    ["https://example.com/a?x=1", "GET"],
    ["http://example.com/a", "GET"],
    ["https://example.com.evil.example/a", "GET"],
    ["not a url", "GET"],
  ] as const)
    await expect(http.fetch(url, { method }), `${method} ${url}`).rejects.toMatchObject(unclaimed);
  expect(sent).toEqual(["GET https://example.com/a#part"]);
});

it("checks each redirect as a request of its own", async () => {
  const within = redirectedTo({ method: "GET", url: "https://example.com/b" });
  await within.bound([{ ...A, scope: "origin" }]).fetch(A.url);
  expect(within.sent).toHaveLength(2);
  for (const next of [
    { method: "GET", url: "http://169.254.169.254/" },
    { method: "POST", url: "https://example.com/b" },
  ]) {
    const { sent, bound } = redirectedTo(next);
    await expect(bound([{ ...A, scope: "origin" }]).fetch(A.url)).rejects.toMatchObject(unclaimed);
    expect(sent).toHaveLength(1);
  }
});

it("refuses everything where nothing is claimed, and anything once the call has ended", async () => {
  const { sent, bound } = redirectedTo();
  await expect(bound([]).fetch(A.url)).rejects.toMatchObject(unclaimed);
  const ended = bound(grantFor("g", [{ kind: "network-open", purpose: "browse" }]).requests, () => {
    throw new Error("ended");
  });
  await expect(ended.fetch(A.url)).rejects.toThrow("ended");
  expect(sent).toEqual([]);
});

it("takes no object in place of a URL or a method: it could be another text each time it is read", async () => {
  const { sent, bound } = redirectedTo();
  const http = bound([{ ...A, scope: "any" }]);
  const object = (text: string) => ({ toString: () => text }) as unknown as string;
  await expect(http.fetch(object(A.url))).rejects.toMatchObject({ code: "CALL_INVALID" });
  await expect(http.fetch(A.url, { method: object("GET") })).rejects.toMatchObject({ code: "CALL_INVALID" });
  expect(sent).toEqual([]);
});
