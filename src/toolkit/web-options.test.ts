import { describe, expect, it } from "vitest";
import { allowAllPolicy } from "../policy/index.js";
import { fakeHttp } from "../testing/fakes/fake-http.js";
import type { CustomSearch } from "../tools/index.js";
import { createToolkit } from "./create-toolkit.js";
import { httpOptions, SEARCH_KEY, type WebOptions, webPolicy } from "./web-options.js";

const made = async (web: WebOptions) => {
  const toolkit = await createToolkit({ web, persist: false });
  await toolkit.close();
  return toolkit;
};

const own = (name: string): CustomSearch => ({
  name,
  search: async () => ({ kind: "results", results: [{ title: name, url: "https://a.example/", snippet: "" }] }),
});

describe("the option `web`", () => {
  it.each<[string, WebOptions, string]>([
    ["an unknown option", { privatHosts: [] } as never, "privateHosts"],
    ["a host with a port", { privateHosts: ["localhost:3000"] }, '`web.privateHosts` has "localhost:3000"'],
    ["hosts that are no list", { blockedHosts: "a.example" as never }, "`web.blockedHosts` is a list"],
    ["another proxy", { proxy: "http://proxy" as never }, '`web.proxy` is "trusted"'],
    ["a secret without hosts", { secrets: [{ name: "a", value: "12345678", hosts: [] }] }, "at least one of `hosts`"],
    ["a short secret", { secrets: [{ name: "a", value: "1234", hosts: ["a.example"] }] }, "at least 8 characters"],
    [
      "a secret for any host",
      { secrets: [{ name: "a", value: "12345678", hosts: ["*.example"] }] },
      "without wildcards",
    ],
    ["an unknown search", { search: { provider: "yahoo" as never } }, "duckduckgo, searxng, brave, tavily"],
    ["a search without its key", { search: { provider: "brave" } }, "it needs a key. Set `key`"],
    ["a search without its URL", { search: { provider: "searxng" } }, "it needs the URL of an instance"],
    ["a key that is not used", { search: { key: "key-of-brave" } }, '"duckduckgo": it takes no key. Remove `key`'],
    ["a name twice", { search: { url: "https://a.example/", providers: [own("duckduckgo")] } }, 'name "duckduckgo"'],
  ])("refuses %s", async (_, web, message) => {
    await expect(made(web)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(message),
    });
  });

  it.each(["privateHosts", "allowedHosts", "blockedHosts"] as const)(
    "refuses `%s` beside a policy of the embedder, which would not obey it",
    async (list) => {
      const policy = allowAllPolicy();
      await expect(createToolkit({ persist: false, policy, web: { [list]: ["a.example"] } })).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: `Give \`createToolkit\` either \`policy\` or \`web.${list}\`: a policy of your own decides alone.`,
      });
      const secrets = [{ name: "a", value: "12345678", hosts: ["a.example"] }];
      await (await createToolkit({ persist: false, policy, web: { secrets, fence: true } })).close();
    },
  );

  it("has the port of the embedder in place of Haft's own", async () => {
    const http = fakeHttp(() => ({}));
    expect((await made({ http })).host.http).toBe(http);
  });
});

it("binds the key of a search to the host of that search", () => {
  const web: WebOptions = {
    search: { provider: "brave", key: "key-of-brave", url: "https://brave.example:8443/web?x=1" },
  };
  const key = { name: SEARCH_KEY, hosts: ["brave.example:8443"] };
  expect(webPolicy(web)).toMatchObject({ searchEndpoints: ["https://brave.example:8443/web"], secrets: [key] });
  expect(httpOptions(web).secrets).toEqual([
    { ...key, value: "key-of-brave", header: "X-Subscription-Token", prefix: "" },
  ]);
});

it("has the usual search, unless only some hosts are allowed and none was chosen", () => {
  const usual = ["https://html.duckduckgo.com/html/"];
  expect(webPolicy({}).searchEndpoints).toEqual(usual);
  expect(webPolicy({ allowedHosts: ["a.example"] }).searchEndpoints).toEqual([]);
  expect(webPolicy({ allowedHosts: ["a.example"], search: {} }).searchEndpoints).toEqual(usual);
});

describe("the parameter `provider` of websearch", () => {
  const boxOf = async (web: WebOptions, dialect: "haft" | "buddy" = "haft") =>
    (await createToolkit({ web, dialect, persist: false })).box();
  const parameterOf = async (web: WebOptions, dialect?: "buddy") => {
    const tool = (await boxOf(web, dialect)).descriptors().find(({ name }) => /^web_?search$/.test(name))!;
    return (tool.parameters.properties as Record<string, unknown>).provider;
  };

  it("is there where several are configured, with their names", async () => {
    expect(await parameterOf({})).toBeUndefined();
    expect(await parameterOf({ search: { providers: [own("a")] } })).toBeUndefined();
    const several = { search: { provider: "duckduckgo", providers: [own("a"), own("b")] } } as const;
    const names = ["duckduckgo", "a", "b"];
    expect(await parameterOf(several)).toEqual({ type: "string", enum: names, description: "Default duckduckgo" });
    expect(await parameterOf(several, "buddy")).toBeUndefined();
  });

  it("chooses one", async () => {
    const box = await boxOf({ search: { providers: [own("a"), own("b")] } });
    const search = (more: object) => box.runner.run({ id: "1", name: "websearch", input: { query: "x", ...more } });
    expect(await search({ provider: "b" })).toMatchObject({ status: "ok", data: { provider: "b" } });
    expect(await search({})).toMatchObject({ data: { provider: "a" } });
    expect(await search({ provider: "c" })).toMatchObject({ code: "CALL_INVALID" });
  });
});
