/** The web tools of indusagi and buddy, each proven by calls that go the whole way: toolkit, dialect, policy, and a server on loopback where it matters. */
import { describe, expect, it } from "vitest";
import { HaftError, type Http } from "../../src/kernel/index.js";
import type { FakeResponse } from "../../src/testing/fakes/fake-http.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { faked, open, PAGE, SIMPLE, SITE, served, typed } from "./web.fixture.js";

const hit = (name: string) =>
  `<div class="result"><h2 class="result__title"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2F${name}.example%2Fa">About <b>${name}</b> &amp; co</a></h2>
  <a class="result__snippet" href="https://${name}.example/">The ${name} text</a></div>`;
const hits = (count: number) =>
  typed(Array.from({ length: count }, (_, index) => hit(`n${index}`)).join(""), "text/html");
const NO_HITS = typed('<div class="no-results">No results.</div>', "text/html");

for (const dialect of ["indusagi", "indusagi-python"] as const)
  describe(`${dialect}: websearch`, () => {
    verifies(["IR-121", "IP-031"], "returns a rendered list and a JSON array", async () => {
      const { envelope, sent } = await faked(dialect, hits(2));
      expect(await envelope("websearch", { query: "a b" })).toEqual({
        id: "c1",
        is_error: false,
        output: [
          {
            kind: "text",
            text: "1. About n0 & co\n   https://n0.example/a\n   The n0 text\n\n2. About n1 & co\n   https://n1.example/a\n   The n1 text",
          },
          {
            kind: "json",
            value: [
              { title: "About n0 & co", url: "https://n0.example/a", snippet: "The n0 text" },
              { title: "About n1 & co", url: "https://n1.example/a", snippet: "The n1 text" },
            ],
          },
        ],
      });
      expect(sent).toMatchObject([
        { method: "POST", url: "https://html.duckduckgo.com/html/", body: "q=a+b", timeoutMs: 10_000 },
      ]);
    });

    verifies("IR-120", "returns 5 results, more if asked, and never more than 25", async () => {
      const { run } = await faked(dialect, hits(30));
      const counts = [];
      for (const input of [{}, { count: 7.9 }, { count: 99 }, { count: 0 }, { count: -3 }]) {
        const { output } = await run("websearch", { query: "q", ...input });
        counts.push((output as [unknown, { readonly value: readonly unknown[] }])[1].value.length);
      }
      expect(counts).toEqual([5, 7, 25, 1, 1]);
    });

    verifies(["IP-031", "IR-127"], "never throws: whatever happens is an error outcome", async () => {
      const refuse = () => {
        throw new HaftError("WEB_UNREACHABLE", "Could not connect.");
      };
      for (const answer of [refuse, { status: 500 }, { status: 429 }, typed("<p>new layout", "text/html"), {}])
        expect(await (await faked(dialect, answer)).envelope("websearch", { query: "q" })).toMatchObject({
          is_error: true,
          output: expect.stringMatching(/^Did not search: /),
        });
      expect(await (await faked(dialect, {})).envelope("websearch", {})).toMatchObject({ is_error: true });
    });

    it("says that nothing was found", async () => {
      const { envelope } = await faked(dialect, NO_HITS);
      expect(await envelope("websearch", { query: "q" })).toMatchObject({
        is_error: false,
        output: [
          { kind: "text", text: 'No results found for "q".' },
          { kind: "json", value: [] },
        ],
      });
    });
  });

describe("indusagi: webfetch", () => {
  verifies(["IR-124", "IR-125", "IP-032"], "simplifies HTML, and leaves any other text as it is", async () => {
    const bodies: Readonly<Record<string, FakeResponse>> = {
      "/html": typed(PAGE, "text/html"),
      "/json": typed('{"a":"<p>"}', "application/json"),
      "/text": typed(PAGE, "text/plain"),
      "/feed": typed("<rss><channel><title>x</title></channel></rss>", "application/rss+xml"),
    };
    for (const dialect of ["indusagi", "indusagi-python"]) {
      const { run } = await faked(dialect, ({ url }) => bodies[new URL(url).pathname]!);
      const output = async (path: string) => (await run("webfetch", { url: `https://site.example${path}` })).output;
      expect(await output("/html")).toBe(SIMPLE);
      for (const path of ["/json", "/text", "/feed"]) expect(await output(path)).toBe(bodies[path]!.body);
    }
  });

  verifies("IR-122", "fetches absolute http and https URLs alone", async () => {
    const { envelope, sent } = await faked("indusagi", typed("x"));
    for (const url of ["foo", "ftp://x", "/a", "", "file:///etc/passwd"])
      expect(await envelope("webfetch", { url }), url).toMatchObject({ is_error: true });
    expect(sent).toEqual([]);
    expect(await envelope("webfetch", { url: SITE })).toMatchObject({ is_error: false, output: "x" });
    expect(sent).toMatchObject([{ method: "GET", timeoutMs: 30_000 }]);
  });

  verifies(["IR-123", "IP-032"], "reads 1 MiB of a body, and at most 5 MiB, from a server", async () => {
    const MIB = 1_048_576;
    const { run, at } = await served("indusagi", (_, response) => {
      response.setHeader("content-type", "text/plain");
      response.end("x".repeat(6 * MIB));
    });
    const bytes = async (input: object) => {
      const { output, data } = await run("webfetch", { url: `${at}/`, ...input });
      return [(data as { bodyBytes: number }).bodyBytes, (output as string).split("\n")[0]];
    };
    expect(await bytes({})).toEqual([
      MIB,
      `[the body is longer than the ${MIB} bytes that were read; raise maxBytes (at most ${5 * MIB}) for more]`,
    ]);
    const most = [5 * MIB, `[the body is longer than the ${5 * MIB} bytes that were read]`];
    expect(await bytes({ maxBytes: 5 * MIB })).toEqual(most);
    expect(await bytes({ maxBytes: 99 * MIB })).toEqual(most);
    expect((await bytes({ maxBytes: 10 }))[0]).toBe(10);
  });

  verifies("IR-126", "keeps to the budget, and says at its head what was clipped", async () => {
    const { run } = await faked("indusagi", typed("word ".repeat(40_000)));
    const { output, truncations } = await run("webfetch", { url: SITE });
    expect(Buffer.byteLength(output as string)).toBeLessThanOrEqual(65_536);
    expect(output).toMatch(
      /^\[clipped to the first \d+ of 200000 characters to fit the window; all of it is artifact:[\w-]+, for `read` and `grep`\]\n\nword word/,
    );
    expect(truncations[0]).not.toHaveProperty("next");
  });

  verifies("IR-127", "reports whatever fails as an error outcome", async () => {
    const { envelope, at } = await served("indusagi", ({ url }, response) => {
      if (url === "/500") response.writeHead(500, { "content-type": "text/plain" }).end("oops");
      else if (url === "/reset") response.destroy();
      else if (url === "/half")
        response.writeHead(200, { "content-length": "10" }).write("12", () => response.destroy());
      else if (url === "/empty") response.end();
      else if (url === "/gzip") response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip");
      else if (url === "/image") response.writeHead(200, { "content-type": "image/png" }).end("\x89PNG");
      else
        response
          .writeHead(200, { "content-type": "text/plain; charset=utf-8" })
          .end(Buffer.from([0, 1, 2, 255, 254, 0]));
    });
    for (const path of ["/500", "/reset", "/half", "/empty", "/gzip", "/image", "/binary"])
      expect(await envelope("webfetch", { url: at + path }), path).toMatchObject({
        is_error: true,
        output: expect.stringMatching(/^Did not /),
      });
    expect(await envelope("webfetch", { url: "http://nowhere.example:1/" })).toMatchObject({ is_error: true });
    const slow = await faked("indusagi", () => {
      throw new HaftError("WEB_TIMEOUT", "Did not get it within 30000 ms.");
    });
    expect(await slow.envelope("webfetch", { url: SITE })).toMatchObject({ is_error: true });
  });

  verifies("IR-128", "ends with the cancel of its call, in the middle of a body", async () => {
    const cancel = new AbortController();
    const { run, at } = await served("indusagi", (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("first", () => setImmediate(() => cancel.abort()));
    });
    expect(await run("webfetch", { url: `${at}/` }, cancel.signal)).toMatchObject({
      isError: true,
      code: "CALL_CANCELLED",
    });
  });

  verifies("IR-128", "and so does a search that has no answer yet", async () => {
    const cancel = new AbortController();
    const http: Http = {
      fetch: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal!.addEventListener("abort", () => reject(new HaftError("CALL_CANCELLED", "Stopped the request.")));
          cancel.abort();
        }),
    };
    const { run } = await open("indusagi", { web: { http } });
    expect(await run("websearch", { query: "q" }, cancel.signal)).toMatchObject({ code: "CALL_CANCELLED" });
  });
});

describe("buddy", () => {
  verifies("BD-035", "fetch_url returns the body as text, its first 8,000 characters", async () => {
    const { envelope, sent } = await faked("buddy", ({ url }) => {
      if (url.endsWith("/long")) return typed("😀".repeat(8_001));
      return url.endsWith("/fits") ? typed("😀".repeat(8_000)) : typed(PAGE, "text/html");
    });
    expect(await envelope("fetch_url", { url: SITE })).toBe(PAGE);
    expect(sent).toMatchObject([{ method: "GET", url: SITE, timeoutMs: 20_000 }]);
    expect(await envelope("fetch_url", { url: `${SITE}fits` })).toBe("😀".repeat(8_000));
    expect(await envelope("fetch_url", { url: `${SITE}long` })).toBe(`${"😀".repeat(8_000)}...[truncated]`);
    expect(await envelope("fetch_url", {})).toBe("invalid arguments: missing field `url`");
  });

  verifies("BD-037", "fetch_url returns the body of any status, and not the status", async () => {
    const { run } = await faked("buddy", typed("gone", "text/plain", { status: 404, statusText: "Not Found" }));
    expect(await run("fetch_url", { url: SITE })).toMatchObject({ output: "gone", isError: false });
    const empty = await faked("buddy", { status: 200 });
    expect(await empty.run("fetch_url", { url: SITE })).toMatchObject({ output: "", isError: false });
  });

  verifies("BD-036", "fetch_url reaches no host of this machine or of a private network", async () => {
    const { envelope, sent } = await faked("buddy", typed("secret"));
    for (const host of ["localhost", "a.localhost", "127.0.0.1", "10.0.0.1", "169.254.1.1", "[::1]", "0.0.0.0"])
      expect(await envelope("fetch_url", { url: `http://${host}/` }), host).toMatch(/^execution failed: /);
    expect(await envelope("fetch_url", { url: "ftp://site.example/" })).toMatch(/^invalid arguments: /);
    expect(sent).toEqual([]);
  });

  verifies("BD-038", "web_search lists at most 8 results", async () => {
    const { envelope } = await faked("buddy", hits(9));
    const row = (index: number) =>
      `${index + 1}. About n${index} & co\n   https://n${index}.example/a\n   The n${index} text\n\n`;
    expect(await envelope("web_search", { query: "q" })).toBe([0, 1, 2, 3, 4, 5, 6, 7].map(row).join(""));
  });

  verifies("BD-039", "web_search has one text for no results, and reports a page that it cannot read", async () => {
    expect(await (await faked("buddy", NO_HITS)).envelope("web_search", { query: "q" })).toBe("No results found.");
    const odd = await faked("buddy", typed("<p>new", "text/html"));
    expect(await odd.envelope("web_search", { query: "q" })).toMatch(/^execution failed: .*layout/s);
  });
});
