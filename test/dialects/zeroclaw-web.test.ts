/** The web tools of ZeroClaw, each proven by calls that go the whole way: toolkit, dialect, policy, and a server on loopback where it matters. */
import { describe, expect } from "vitest";
import { fakeHttp } from "../../src/testing/fakes/fake-http.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { faked, open, PAGE, SIMPLE, SITE, served, typed } from "./web.fixture.js";

describe("zeroclaw: http_request", () => {
  const allowed = { allowedHosts: ["*"] };
  const failed = (error: unknown, output: unknown = "") => ({ success: false, output, error });

  verifies(["ZC-043", "ZC-045"], "is offered, and disabled until a domain is allowed", async () => {
    const { envelope, sent } = await faked("zeroclaw", typed("x"));
    expect(await envelope("http_request", { url: SITE })).toEqual(
      failed("Security policy violation: HTTP requests are disabled: no domain is allowed"),
    );
    expect(sent).toEqual([]);
    const one = await faked("zeroclaw", typed("x"), { allowedHosts: ["other.example"] });
    expect(await one.envelope("http_request", { url: SITE })).toMatchObject({ success: false });
    expect(one.sent).toEqual([]);
  });

  verifies(["ZC-044", "ZC-050"], "sends method, headers and body, and shows status, headers and body", async () => {
    const { envelope, at } = await served(
      "zeroclaw",
      (request, response) => {
        let body = "";
        request.on("data", (part) => {
          body += part;
        });
        request.on("end", () => {
          response.sendDate = false;
          response.writeHead(request.url === "/missing" ? 404 : 201, {
            "content-type": "text/plain",
            "set-cookie": "sid=1",
          });
          response.end(`${request.method} ${request.headers["x-a"]} ${request.headers.authorization} ${body}`);
        });
      },
      allowed,
    );
    const input = { url: `${at}/`, method: "put", headers: { "X-A": "1" }, body: "{}" };
    expect(await envelope("http_request", input)).toEqual({
      success: true,
      output: expect.stringMatching(
        /^Status: 201 Created\ncontent-type: text\/plain\nset-cookie: \[redacted\]\n(?:[\w-]+: .*\n)*\nPUT 1 undefined \{\}$/,
      ),
      error: null,
    });
    expect(await envelope("http_request", { url: `${at}/missing` })).toEqual(
      failed("HTTP 404", expect.stringMatching(/^Status: 404 Not Found\n[\s\S]*\n\nGET undefined undefined $/)),
    );
    expect(await envelope("http_request", { url: at, method: "TRACE" })).toEqual(
      failed(expect.stringContaining("GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS")),
    );
    expect(await envelope("http_request", { ...input, auth_secret: "unknown" })).toMatchObject({ success: false });
    expect(await envelope("http_request", {})).toEqual(failed("Missing 'url' parameter"));
  });

  verifies("ZC-044", "sends the secret that it names", async () => {
    const secrets = [{ name: "api", value: "s3cr3t-value", hosts: ["site.example"] }];
    const { envelope, sent } = await faked("zeroclaw", typed("x"), { ...allowed, secrets });
    expect(await envelope("http_request", { url: SITE, auth_secret: "api" })).toMatchObject({ success: true });
    expect(sent).toMatchObject([{ url: SITE, secret: "api" }]);
  });

  verifies("ZC-046", "refuses what is no plain web address", async () => {
    const { envelope, sent } = await faked("zeroclaw", typed("x"), allowed);
    for (const url of [
      " ",
      "https://a b/",
      "ftp://a.example/",
      "https://ada:pw@a.example/",
      "https://[::1/",
      "a.example",
    ])
      expect(await envelope("http_request", { url }), url).toMatchObject({ success: false });
    expect(sent).toEqual([]);
  });

  verifies(["ZC-048", "ZC-049"], "shows a redirect as it is, and 1,000,000 bytes of a body with a note", async () => {
    const { envelope, at } = await served(
      "zeroclaw",
      ({ url }, response) => {
        if (url === "/from") response.writeHead(302, { location: "/to" }).end();
        else response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(2_000_000));
      },
      allowed,
    );
    expect(await envelope("http_request", { url: `${at}/from` })).toMatchObject({
      output: expect.stringMatching(/^Status: 302 Found\nlocation: \/to\n/),
    });
    const { output } = (await envelope("http_request", { url: `${at}/large` })) as { output: string };
    expect(output.match(/x{1000,}/)![0]).toHaveLength(1_000_000);
    expect(output).toMatch(/x\n\[truncated: the body is longer than 1000000 bytes\]$/);
  });

  verifies("ZC-051", "does nothing in a session that is read-only", async () => {
    const http = fakeHttp(() => typed("x"));
    const { envelope } = await open("zeroclaw", { autonomy: "readonly", web: { http, ...allowed } });
    for (const method of ["GET", "POST"])
      expect(await envelope("http_request", { url: SITE, method })).toEqual(
        failed("Read-only mode: cannot perform 'http_request'"),
      );
    expect(http.sent).toEqual([]);
  });
});

describe("zeroclaw: web_fetch", () => {
  verifies("ZC-052", "shows HTML as text, plain text, Markdown and JSON as they are, and nothing else", async () => {
    const { envelope, sent } = await faked("zeroclaw", ({ url }) => {
      const type = new URL(url).searchParams.get("type")!;
      return typed(type === "text/html" ? PAGE : "{}", type);
    });
    const of = (type: string) => envelope("web_fetch", { url: `${SITE}?type=${type}` });
    expect(await of("text/html")).toEqual({ success: true, output: SIMPLE, error: null });
    for (const type of ["text/plain", "text/markdown", "application/json"])
      expect(await of(type), type).toEqual({ success: true, output: "{}", error: null });
    for (const type of ["text/css", "image/png", "application/pdf", "application/zip", "application/xml"])
      expect(await of(type), type).toMatchObject({ success: false, error: expect.stringContaining(type) });
    expect(sent[0]).toMatchObject({ method: "GET", timeoutMs: 30_000, redirect: "same-host" });
  });

  verifies("ZC-052", "follows redirects on the same host only, and reads 500,000 bytes", async () => {
    const { envelope, at } = await served("zeroclaw", ({ url }, response) => {
      if (url === "/same") response.writeHead(302, { location: "/page" }).end();
      else if (url === "/other") response.writeHead(302, { location: "https://other.example/" }).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(url === "/page" ? 3 : 600_000));
    });
    expect(await envelope("web_fetch", { url: `${at}/same` })).toEqual({ success: true, output: "xxx", error: null });
    expect(await envelope("web_fetch", { url: `${at}/other` })).toMatchObject({
      success: false,
      error: expect.stringContaining("https://other.example/"),
    });
    expect(await envelope("web_fetch", { url: `${at}/large` })).toMatchObject({
      output: expect.stringContaining("[truncated: the body is longer than 500000 bytes]"),
    });
  });
});
