import { describe, expect, it } from "vitest";
import { HaftError } from "../../kernel/index.js";
import type { FakeResponse } from "../../testing/fakes/fake-http.js";
import { requests, URL } from "./http-request.fixture.js";

describe("a request", () => {
  it("is sent as it was given, and its whole response returned", async () => {
    const body = '{"ok":true,\n "n":1}';
    const { call, sent, claims } = requests({
      status: 201,
      statusText: "Created",
      headers: [["content-type", "Application/JSON; charset=UTF-8"]],
      body,
    });
    const input = { method: "PATCH", headers: { "X-A": "1", "Content-Type": "a/b" }, body: "é", timeoutMs: 5 };
    const { data, urls, provenance } = await call(input);
    expect(sent).toEqual([
      {
        url: URL,
        method: "PATCH",
        headers: [
          ["X-A", "1"],
          ["Content-Type", "a/b"],
        ],
        body: "é",
        redirect: "follow",
        timeoutMs: 5,
      },
    ]);
    const headers = Object.entries(input.headers);
    expect(claims).toEqual([{ kind: "network", method: "PATCH", url: URL, headers, body: "é" }]);
    expect(data).toEqual({
      url: URL,
      redirects: [],
      method: "PATCH",
      status: 201,
      statusText: "Created",
      headers: [["content-type", "Application/JSON; charset=UTF-8"]],
      contentType: "application/json",
      text: body,
      bodyBytes: body.length,
      isBodyComplete: true,
    });
    expect([urls, provenance]).toEqual([[URL], { from: "web", ref: URL }]);
  });

  it("is a GET within 30 s unless it says otherwise, and a body without a type is JSON or text", async () => {
    const { call, sent } = requests();
    await call();
    for (const body of ['{"a":1}', "a=1", "5"]) await call({ method: "post", body });
    expect(sent[0]).toEqual({ url: URL, method: "GET", headers: [], redirect: "follow", timeoutMs: 30_000 });
    expect(sent.slice(1).map(({ method, headers }) => [method, headers?.[0]?.[1]])).toEqual([
      ["POST", "application/json"],
      ["POST", "text/plain; charset=utf-8"],
      ["POST", "text/plain; charset=utf-8"],
    ]);
  });

  it("is claimed and sent to the URL as it is parsed", async () => {
    const { call, claims, sent } = requests();
    for (const [url, parsed] of [
      ["https://аpple.example/", "https://xn--pple-43d.example/"],
      ["https://api.example/a/../b", "https://api.example/b"],
      ["HTTP://1.1/", "http://1.0.0.1/"],
    ] as const) {
      await call({ url });
      expect(claims.at(-1)).toEqual({ kind: "network", method: "GET", url: parsed });
      expect(sent.at(-1)?.url).toBe(parsed);
    }
  });

  it("is refused where parsers read different hosts in its URL", async () => {
    const { call, sent } = requests();
    const backslash = await call({ url: "http://evil.example\\@good.example/" });
    expect(backslash).toMatchObject({ code: "CALL_INVALID", message: expect.stringContaining("backslash") });
    for (const url of ["https:evil.example", "https:/evil.example", "https:///evil.example"])
      expect(await call({ url })).toMatchObject({
        code: "CALL_INVALID",
        message: expect.stringContaining('"https://"'),
      });
    expect(sent).toEqual([]);
  });

  it("claims the secret that it names, for the host of its URL", async () => {
    const { call, claims, sent } = requests();
    await call({ url: "https://api.example:8443/v1", secret: "github" });
    expect(claims).toContainEqual({ kind: "secret", name: "github", hosts: ["api.example"] });
    expect(sent[0]).toMatchObject({ secret: "github" });
  });

  it("reports where it was redirected, and hides headers that are secrets", async () => {
    const to = "https://www.api.example/";
    const headers = [
      ["set-cookie", "session=abc"],
      ["x-vault-token", "s.abc"],
      ["etag", '"1"'],
    ] as const;
    const { data, urls } = await requests({ url: to, headers }).call();
    expect(data).toMatchObject({ url: to, redirects: [URL] });
    expect(data?.headers).toEqual([
      ["set-cookie", "(hidden)"],
      ["x-vault-token", "(hidden)"],
      ["etag", '"1"'],
    ]);
    expect(urls).toEqual([to]);
  });

  it("fails with the response for a status of 400 or more", async () => {
    const failed = await requests({ status: 404, statusText: "Not Found", body: "no such repository" }).call();
    expect(failed).toMatchObject({
      isError: true,
      code: "WEB_STATUS",
      message: `The server answered GET ${URL} with status 404.`,
      details: { url: URL, status: 404 },
      data: { status: 404, text: "no such repository" },
      provenance: { from: "web" },
    });
  });
});

describe("a request that is not valid", () => {
  it.each<[string, object, string]>([
    ["an empty URL", { url: " " }, '`url` is not an absolute URL; send one such as "https://example.com/"'],
    ["no URL", { url: "example.com/a" }, 'send one such as "https://example.com/a"'],
    ["whitespace", { url: "https://a.example/a b" }, "`url` contains whitespace; percent-encode it"],
    ["another scheme", { url: "file:///etc/passwd" }, 'the scheme "file:" is not supported; use http or https'],
    ["credentials", { url: "https://a:b@a.example/" }, "a URL must not contain a user name or password"],
    ["a body of a GET", { body: "x" }, "a GET request has no body; use another method"],
    ["a large body", { method: "POST", body: "é".repeat(600_000) }, "`body` has 1200000 bytes; at most 1 MiB are sent"],
    ["a header of two lines", { headers: { "X-A": "1\r\nHost: b" } }, 'the header "X-A" contains a line break'],
    ["no header name", { headers: { "X A": "1" } }, '"X A" is not a header name'],
    ["another host", { headers: { hOst: "b.example" } }, 'the header "hOst" is set from the URL and the body; omit it'],
    ["a placeholder", { headers: { "X-Key": "⟦redacted:token⟧" } }, 'the header "X-Key" contains a placeholder'],
    ["a redacted body", { method: "PUT", body: "⟦redacted:token⟧" }, "name a configured one as `secret`"],
  ])("is refused with a sentence before anything is sent: %s", async (_, input, problem) => {
    const { call, sent, claims } = requests();
    const refused = await call(input);
    expect(refused).toMatchObject({ code: "CALL_INVALID", message: expect.stringContaining(problem) });
    expect(refused.message).toMatch(/^Did not send the request: .*[^.]\.$/);
    expect([...sent, ...claims]).toEqual([]);
  });

  it("names the methods that there are", async () => {
    const { call, sent } = requests();
    expect((await call({ method: "TRACE" })).message).toMatch(/GET.*POST.*PUT.*DELETE.*PATCH.*HEAD.*OPTIONS/s);
    expect(sent).toEqual([]);
  });
});

describe("the text of a body", () => {
  it("is decoded by its charset, else by its bytes", async () => {
    const latin = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]);
    const named = { headers: [["content-type", 'text/plain; charset="ISO-8859-1"']] as const, body: latin };
    expect((await requests(named).call()).data?.text).toBe("café");
    expect((await requests({ body: "\ufeffcafé" }).call()).data?.text).toBe("café");
  });

  it.each([
    ["text/html", '<meta charset="windows-1251">', [0xcf, 0xf0], "Пр"],
    ["text/html; charset=Shift_JIS", "", [0x93, 0xfa, 0x96, 0x7b], "日本"],
    ["application/xml", '<?xml version="1.0" encoding="Shift_JIS"?>', [0x93, 0xfa], "日"],
  ])("is decoded as that of a page: %s %s", async (type, head, bytes, tail) => {
    const body = Uint8Array.from([...new TextEncoder().encode(head), ...bytes]);
    const { data } = await requests({ headers: [["content-type", type]], body }).call();
    expect(data?.text).toBe(head + tail);
  });

  it("is absent for a binary body", async () => {
    const body = Uint8Array.from([0x89, 0x50, 0, 1]);
    const { data } = await requests({ headers: [["content-type", "image/png"]], body }).call();
    expect(data).toMatchObject({ contentType: "image/png", bodyBytes: 4 });
    expect(data).not.toHaveProperty("text");
  });

  it("ends at the limit between two characters", async () => {
    const { data } = await requests({ body: "aéééé" }).call({}, { maxBytes: 4 });
    expect(data).toMatchObject({ text: "aé", bodyBytes: 4, isBodyComplete: false });
  });

  it.each<[string, number, FakeResponse["headers"]]>([
    ["the declared size", 9, [["content-length", "9"]]],
    ["one byte more than was read, where none is declared", 5, []],
    [
      "one byte more, where the declared size is that of the compressed body",
      5,
      [
        ["content-length", "7"],
        ["content-encoding", "gzip"],
      ],
    ],
  ])("is reported as truncated at the limit: %s", async (_, producedBytes, headers = []) => {
    for (const status of [200, 500]) {
      const { truncations } = await requests({ status, headers, body: "aéééé" }).call({}, { maxBytes: 4 });
      expect(truncations).toEqual([{ what: `body of ${URL}`, producedBytes, keptBytes: 4 }]);
    }
    expect((await requests({ headers, body: "aéééé" }).call()).truncations ?? []).toEqual([]);
  });
});

describe("a request that is not complete within its time", () => {
  const late = () => {
    throw new HaftError("WEB_TIMEOUT", "Too slow. Try again later.", { details: { url: URL, timeoutMs: 5 } });
  };
  const message = async (input: object, limits?: object) => (await requests(late).call(input, limits)).message;

  it("may have a larger timeout, up to the limit", async () => {
    expect(await requests(late).call({ timeoutMs: 5 })).toMatchObject({
      code: "WEB_TIMEOUT",
      message: `Did not fetch "${URL}": it was not complete within 5 ms. Try again later, or set a larger \`timeoutMs\`.`,
      details: { url: URL, timeoutMs: 5 },
    });
    expect(await message({ saveTo: "a.txt" })).toContain("within 30000 ms. Try again later, or set a larger");
    expect(await message({}, { maxTimeoutMs: 30_000 })).toMatch(/within 30000 ms\. Try again later\.$/);
  });

  it("comes with a warning where it may have changed something", async () => {
    const warning = "The server may have processed the request: check before you send it again.";
    expect(await message({ method: "POST" })).toContain(warning);
    expect(await message({ method: "HEAD" })).not.toContain(warning);
  });
});
