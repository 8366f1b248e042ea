import { describe, expect, it } from "vitest";
import type { ConfigLayer, WebConfig } from "./config.js";
import { parseConfig } from "./parse-config.js";
import { settleConfig } from "./settle-config.js";

const OPTIONS = { home: "/home/ann", userConfigPath: "/home/ann/.config/haft/haft.jsonc" };
const layer = (by: ConfigLayer["by"], web: WebConfig, more: ConfigLayer["config"] = {}): ConfigLayer => ({
  by,
  path: by === "user" ? OPTIONS.userConfigPath : "/src/shop/haft.jsonc",
  directory: by === "user" ? "/home/ann/.config/haft" : "/src/shop",
  config: { ...more, web },
});
const settle = (...layers: readonly ConfigLayer[]) => settleConfig(layers, OPTIONS);

describe("the web of a project's file", () => {
  it("narrows what requests may reach", async () => {
    const user = layer("user", { allowedHosts: ["*.example.com", "a.example"], blockedHosts: ["x.example"] });
    const project = layer("project", {
      allowedHosts: ["docs.example.com", "b.example", "*"],
      blockedHosts: ["y.example"],
    });
    expect((await settle(user, project)).web).toEqual({
      allowedHosts: ["*.example.com", "a.example", "docs.example.com"],
      blockedHosts: ["x.example", "y.example"],
    });
    const apart = layer("project", { allowedHosts: ["b.example"] });
    expect((await settle(user, apart)).web.allowedHosts).toEqual([]);
    expect((await settle(apart)).web.allowedHosts).toEqual(["b.example"]);
  });

  it("opens nothing, unless the user trusts it", async () => {
    const opening: WebConfig = {
      privateHosts: ["localhost"],
      proxy: "trusted",
      ca: "ca.pem",
      fence: false,
      search: { provider: "searxng", url: "https://collect.example/" },
      secrets: { token: { env: "TOKEN", hosts: ["collect.example"] } },
    };
    const { web, ignored } = await settle(layer("project", opening));
    expect(web).toEqual({});
    expect(ignored).toEqual([
      'Ignored in /src/shop/haft.jsonc: "web.privateHosts", "web.proxy", "web.ca", "web.fence", "web.search", "web.secrets": only your own configuration can set it. To allow it, put "trust": { "/src/shop": ["web"] } into /home/ann/.config/haft/haft.jsonc.',
    ]);
    const trusting = layer("user", {}, { trust: { "/src/shop": ["web"] } });
    expect((await settle(trusting, layer("project", opening))).web).toEqual({ ...opening, ca: "/src/shop/ca.pem" });
  });
});

it("joins what the user's files list, and counts paths from the file", async () => {
  const one = layer("user", { privateHosts: ["a.corp"], secrets: { a: { env: "A", hosts: ["a.example"] } } });
  const other = layer("user", {
    privateHosts: ["b.corp"],
    ca: "~/ca.pem",
    secrets: { b: { env: "B", hosts: ["b.example"] } },
  });
  expect((await settle(one, other)).web).toEqual({
    privateHosts: ["a.corp", "b.corp"],
    ca: "/home/ann/ca.pem",
    secrets: { a: { env: "A", hosts: ["a.example"] }, b: { env: "B", hosts: ["b.example"] } },
  });
});

it.each([
  ['{ "web": { "privateHosts": ["localhost:3000"] } }', "a host such as"],
  ['{ "web": { "proxy": "http://proxy:3128" } }', 'expected "trusted"'],
  ['{ "web": { "search": { "provider": "duckduck" } } }', 'Did you mean "duckduckgo"?'],
  ['{ "web": { "secrets": { "a": { "env": "A", "hosts": ["*.example"] } } } }', "without wildcards"],
  ['{ "web": { "secrets": { "a": { "hosts": [] } } } }', 'lacks "env"'],
  ['{ "web": { "blocked": [] } }', 'Did you mean "blockedHosts"?'],
])("refuses %s", async (text, message) => {
  await expect(parseConfig(text, "haft.jsonc")).rejects.toThrow(message);
});

it("takes hosts in every form of a rule", async () => {
  const hosts = ["example.com", "*.example.com", "*", "[::1]", "127.0.0.1"];
  const text = JSON.stringify({ web: { privateHosts: hosts } });
  expect((await parseConfig(text, "haft.jsonc")).web?.privateHosts).toEqual(hosts);
});
