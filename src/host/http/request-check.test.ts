import { describe, expect, it } from "vitest";
import type { HttpSecret } from "../../kernel/index.js";
import { createHttp } from "./create-http.js";
import { failureOf } from "./http.fixture.js";

const SECRETS: readonly HttpSecret[] = [
  { name: "shop", value: "s3cret", hosts: ["api.site.test"] },
  { name: "one-port", value: "s3cret", hosts: ["api.site.test:8443", "localhost"] },
  { name: "broken", value: "a\nb", hosts: ["api.site.test"] },
];

const refused = async (url: string, request: object = {}) => {
  const hop = async () => expect.fail("nothing may be connected");
  const lookup = async () => expect.fail("nothing may be resolved");
  return failureOf(createHttp({ secrets: SECRETS, lookup }).fetch(url, { ...request, hop }));
};

describe("a request is refused before anything is sent", () => {
  const GOOD = "https://api.site.test/";
  it.each<[parameter: string, problem: RegExp, url: unknown, request?: object]>([
    ["url", /not an absolute URL/, "foo"],
    ["url", /not an absolute URL/, "/a"],
    ["url", /not an absolute URL/, "http://"],
    ["url", /not an absolute URL/, 7],
    ["url", /the scheme "file:" is not supported/, "file:///etc/passwd"],
    ["url", /scheme "ftp:"/, "ftp://site.test/"],
    ["url", /scheme "data:"/, "data:text/plain,x"],
    ["url", /must not contain a user name or password/, "https://me:hunter2@site.test/"],
    ["url", /user name or password/, "https://me@site.test/"],
    ["method", /"get" is not supported; use GET, POST/, GOOD, { method: "get" }],
    ["method", /is not supported/, GOOD, { method: "CONNECT" }],
    ["method", /is not supported/, GOOD, { method: "GET / HTTP/1.1\r\nX: y" }],
    ["headers", /"a b" is not a header name/, GOOD, { headers: [["a b", "x"]] }],
    ["headers", /not a header name/, GOOD, { headers: [["a\r\nHost", "x"]] }],
    ["headers", /line break/, GOOD, { headers: [["X-A", "a\r\nHost: b"]] }],
    ["headers", /control character/, GOOD, { headers: [["X-A", "a\0"]] }],
    ["headers", /Latin-1/, GOOD, { headers: [["X-A", "日本"]] }],
    ["headers", /is not a string/, GOOD, { headers: [["X-A", 7]] }],
    ["body", /a GET request has no body/, GOOD, { body: "x" }],
    ["body", /a HEAD request has no body/, GOOD, { method: "HEAD", body: "" }],
    ["body", /a string or bytes/, GOOD, { method: "POST", body: {} }],
    ["body", /lone surrogate/, GOOD, { method: "POST", body: "a\ud800" }],
    ["timeoutMs", /from 1 to/, GOOD, { timeoutMs: 0 }],
    ["timeoutMs", /from 1 to/, GOOD, { timeoutMs: Number.NaN }],
    ["redirect", /"follow", "same-host" or "manual"/, GOOD, { redirect: "error" }],
    ["secret", /no secret "shops"; the configured ones are "shop", "one-port"/, GOOD, { secret: "shops" }],
    ["secret", /not for site.test; it is sent only to api.site.test/, "https://site.test/", { secret: "shop" }],
    ["secret", /not for a.api.site.test/, "https://a.api.site.test/", { secret: "shop" }],
    ["secret", /not for api.site.test;/, GOOD, { secret: "one-port" }],
    ["secret", /without TLS; use https:/, "http://api.site.test/", { secret: "shop" }],
    ["secret", /header Authorization, which/, GOOD, { secret: "shop", headers: [["authorization", "x"]] }],
    ["secret", /cannot be sent as a header/, GOOD, { secret: "broken" }],
  ])("%s: %s", async (parameter, problem, url, request) => {
    const { code, message, details } = await refused(url as string, request);
    expect(code).toBe("CALL_INVALID");
    expect(details).toEqual({ parameter, problem: expect.stringMatching(problem) });
    expect(message).toBe(`Did not send the request: ${details.problem}.`);
    expect(message).not.toMatch(/s3cret|hunter2/);
  });

  it.each(
    "Host Connection Keep-Alive Content-Length Transfer-Encoding Proxy-Authorization Proxy-X Upgrade TE Trailer Expect".split(
      " ",
    ),
  )("the header %s belongs to the port", async (name) => {
    const { details } = await refused(GOOD, { headers: [[name, "1"]] });
    expect(details).toMatchObject({
      parameter: "headers",
      problem: expect.stringContaining(`the header "${name}" is`),
    });
  });

  it("with an empty list of secrets", async () => {
    const { message } = await failureOf(createHttp().fetch(GOOD, { secret: "a", hop: async () => {} }));
    expect(message).toContain('there is no secret "a"; no secrets are configured');
  });
});
