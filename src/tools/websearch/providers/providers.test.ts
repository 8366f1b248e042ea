import { describe, expect, it } from "vitest";
import type { SearchProvider } from "../contract.js";
import { createProvider, SEARCH_PROVIDERS } from "./create-provider.js";

const answer = (provider: SearchProvider, body: unknown, status = 200) =>
  provider.parse({ status, headers: [], text: typeof body === "string" ? body : JSON.stringify(body) });

const ONE = { title: "One", url: "https://one.example/", snippet: "About one" };

describe("searxng", () => {
  const searxng = createProvider("searxng", { url: "https://searx.example/?language=de" });

  it("asks the instance for JSON, at its path of searches", () => {
    expect(searxng.request("a b&c", 5)).toEqual({
      method: "GET",
      url: "https://searx.example/search?language=de&q=a+b%26c&format=json",
      headers: [["accept", "application/json"]],
    });
    expect(searxng.endpoint).toBe("https://searx.example/search");
  });

  it("reads its results, and names the engines that did not respond where there are none", async () => {
    const results = [{ title: "One", url: "https://one.example/", content: "About one", score: 1 }, null];
    expect(await answer(searxng, { results })).toEqual({ kind: "results", results: [ONE] });
    expect(await answer(searxng, { results: [] })).toEqual({ kind: "results", results: [] });
    expect(await answer(searxng, { results: [], unresponsive_engines: [["google", "CAPTCHA"], "bing"] })).toEqual({
      kind: "failed",
      why: "its search engines did not respond: google (CAPTCHA), bing",
      noAnswer: true,
    });
    expect(await answer(searxng, "", 403)).toMatchObject({
      kind: "blocked",
      why: expect.stringContaining("search.formats"),
    });
  });
});

describe("brave", () => {
  const brave = createProvider("brave", { secret: "key", url: "http://127.0.0.1:8080/web" });

  it("sends the query with its count, at most 20, and the name of the key", () => {
    expect(brave.request("é", 25)).toEqual({
      method: "GET",
      url: "http://127.0.0.1:8080/web?q=%C3%A9&count=20&text_decorations=false",
      headers: [["accept", "application/json"]],
      secret: "key",
    });
    expect(createProvider("brave", { secret: "key" }).endpoint).toBe("https://api.search.brave.com/res/v1/web/search");
  });

  it("reads its results, whose texts are HTML", async () => {
    const results = [{ title: "One", url: "https://one.example/", description: "<strong>About</strong> one" }];
    expect(await answer(brave, { type: "search", web: { results } })).toEqual({ kind: "results", results: [ONE] });
    expect(await answer(brave, { type: "search" })).toEqual({ kind: "results", results: [] });
    expect(await answer(brave, { error: { code: "SUBSCRIPTION_TOKEN_INVALID" } }, 422)).toMatchObject({
      kind: "failed",
      why: "it does not accept the key (status 422)",
    });
  });
});

describe("tavily", () => {
  const tavily = createProvider("tavily", { secret: "key" });

  it("posts the query as JSON, and reads its results", async () => {
    expect(tavily.request('"a"', 7)).toEqual({
      method: "POST",
      url: "https://api.tavily.com/search",
      headers: [
        ["accept", "application/json"],
        ["content-type", "application/json"],
      ],
      body: '{"query":"\\"a\\"","max_results":7}',
      secret: "key",
    });
    const results = [{ title: "One", url: "https://one.example/", content: "About one", score: 0.9 }];
    expect(await answer(tavily, { results })).toEqual({ kind: "results", results: [ONE] });
    expect(await answer(tavily, { detail: {} }, 432)).toMatchObject({ kind: "blocked" });
  });
});

it.each(["searxng", "brave", "tavily"])(
  "%s fails, and never returns an empty list, for what it cannot read",
  async (name) => {
    const key = name === "searxng" ? {} : { secret: "key" };
    const provider = createProvider(name, { ...key, url: "https://search.example/api" });
    const failed = async (body: unknown, status?: number) => {
      const outcome = await answer(provider, body, status);
      return outcome.kind === "results" ? outcome : [outcome.kind, outcome.why];
    };
    expect(await failed("<html>")).toEqual(["failed", "its answer is not valid JSON"]);
    for (const body of [{}, [], null, "1", { results: {} }, { web: { results: 1 } }])
      expect(await failed(body)).toEqual(["failed", "its answer has no list of results"]);
    expect(await failed({}, 401)).toEqual(["failed", "it does not accept the key (status 401)"]);
    expect(await failed({}, 429)).toEqual(["blocked", "it has received too many requests (status 429)"]);
    expect(await failed({}, 500)).toEqual(["failed", "it answered with status 500"]);
  },
);

it("creates providers by name, and says what their settings lack", () => {
  const problem = (name: string, options?: object) => {
    try {
      createProvider(name, options);
      return undefined;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  const known = Object.keys(SEARCH_PROVIDERS).join(", ");
  expect(problem("bing")).toBe(
    `Did not configure the search provider "bing": there is no such provider. Use one of: ${known}.`,
  );
  expect(problem("searxng")).toContain("it needs the URL of an instance");
  expect(problem("brave")).toContain("it needs a key. Set `key`.");
  for (const name of ["duckduckgo", "searxng"])
    expect(problem(name, { url: "https://a.example/", secret: "key" })).toBe(
      `Did not configure the search provider "${name}": it takes no key. Remove \`key\`, or set \`provider\` to the one that the key is for.`,
    );
  expect(problem("searxng", { url: "ftp://a" })).toContain("must be an http or https URL without credentials");
  expect(problem("searxng", { url: "https://u:p@a/" })).toContain("without credentials");
  expect(problem("duckduckgo")).toBeUndefined();
});
