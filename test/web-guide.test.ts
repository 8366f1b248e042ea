/** The examples of docs/guide/web.md, run. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { createToolkit, type Policy, type Toolkit, type ToolkitOptions } from "../src/index.js";
import { autonomyPolicy } from "../src/policy/autonomy-policy.js";
import { fakeHttp } from "../src/testing/fakes/fake-http.js";
import { POLICY_CALL } from "../src/testing/policy-call.fixture.js";
import { parseConfig } from "../src/toolkit/index.js";

const guide = readFileSync(new URL("../docs/guide/web.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

const NOTES = "https://example.com/notes";
const http = fakeHttp(({ url }) => ({
  headers: [["content-type", url.endsWith(".csv") ? "text/csv" : "text/html; charset=utf-8"]],
  body: url.endsWith(".csv")
    ? "a,b\n"
    : `<!doctype html><title>Release notes</title><nav><a href="/">Home</a></nav><main><h1>Release 2.1</h1>
      <ul><li>Faster <a href="/search">search</a><li>Fixed tables</ul></main>`,
}));

const opened: Toolkit[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((one) => one.close()))));
async function toolkit(options: ToolkitOptions = {}): Promise<Toolkit> {
  const made = await createToolkit({ persist: false, on: "memory", ...options, web: { http, ...options.web } });
  opened.push(made);
  return made;
}

/** Runs calls of one session. */
async function calls(options?: ToolkitOptions) {
  const { runner } = (await toolkit(options)).box();
  let id = 0;
  return (name: string, input: unknown) => runner.run({ id: `${++id}`, name, input });
}

describe("the guide of the web", () => {
  it("shows a page as it is shown", async () => {
    const [shown = ""] = blocks("console");
    const call = await calls();
    const { output } = await call("webfetch", { url: NOTES });
    expect(`$ haft call webfetch url=${NOTES}\n${output}\n`).toBe(shown);
  });

  it("has configurations that are valid", async () => {
    const configs = blocks("jsonc");
    expect(configs.length).toBeGreaterThan(2);
    for (const config of configs) expect((await parseConfig(config, "haft.jsonc")).web).toBeTypeOf("object");
  });

  it("has commands that the tools take", async () => {
    const call = await calls({
      autonomy: "full",
      web: { secrets: [{ name: "github", value: "0123456789", hosts: ["api.github.com"] }] },
    });
    const lines = blocks("sh").flatMap((block) => block.match(/^haft call (webfetch|http_request) .*$/gm) ?? []);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [, , name = "", ...words] = line.split(" ");
      const outcome = await call(name, Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2))));
      expect(outcome, line).toMatchObject({ isError: false });
    }
    expect(http.sent.at(-1)).toMatchObject({ url: "https://api.github.com/user", secret: "github" });
  });

  it("decides on requests as its table says", () => {
    const policy = autonomyPolicy({ web: { searchEndpoints: ["https://html.duckduckgo.com/html/"] } });
    const decided = (method: string, url: string, isTainted = false) =>
      (["readonly", "supervised", "full"] as const).map((autonomy) => {
        const taint = isTainted ? [{ from: "web", ref: NOTES } as const] : [];
        const search = url.startsWith("https://html.duckduckgo.com/") ? { purpose: "search" as const } : {};
        return policy.decide([{ kind: "network", method, url, ...search }], { ...POLICY_CALL, autonomy, taint }).effect;
      });
    const WORDS = { runs: "allow", refused: "deny", "asked about": "ask" };
    const requests: Readonly<Record<string, readonly [method: string, url: string, isTainted?: boolean]>> = {
      "GET or HEAD to a public host": ["GET", "https://example.com/"],
      "the same, after a page was read, [with exceptions](#pages-that-give-orders)": [
        "GET",
        "https://example.com/",
        true,
      ],
      "another method": ["POST", "https://example.com/"],
      "the configured search": ["POST", "https://html.duckduckgo.com/html/"],
      "a private host that you have not listed": ["GET", "http://localhost:3000/"],
      "cloud metadata, such as 169.254.169.254": ["GET", "http://169.254.169.254/"],
    };
    for (const [request, [method, url, isTainted]] of Object.entries(requests)) {
      const row = guide.split("\n").find((line) => line.startsWith(`| ${request} |`)) ?? "";
      const words = row
        .split("|")
        .slice(2, 5)
        .map((word) => WORDS[word.trim() as keyof typeof WORDS]);
      expect([request, ...decided(method, url, isTainted)]).toEqual([request, ...words]);
    }
  });

  it("lets a session that has read a page follow its links, and asks about everything else", async () => {
    const asked: string[] = [];
    const call = await calls({
      approver: { ask: async ({ reason }) => ({ denied: `no (${asked.push(reason)})` }) },
    });
    expect(await call("webfetch", { url: NOTES })).toMatchObject({ isError: false });
    expect(await call("webfetch", { url: "https://example.com/search" })).toMatchObject({ isError: false });
    expect(asked).toEqual([]);
    const sent = http.sent.length;
    for (const [name, input] of [
      ["webfetch", { url: "https://example.com/search?q=secret" }],
      ["http_request", { url: "https://example.com/search", method: "POST", body: "secret" }],
    ] as const)
      expect(await call(name, input)).toMatchObject({ status: "denied" });
    expect(asked).toHaveLength(2);
    expect(http.sent).toHaveLength(sent);
  });

  it("names the page in the session's taint, whatever the page says", async () => {
    const seen: unknown[] = [];
    const base = autonomyPolicy();
    const policy: Policy = {
      name: "watched",
      decide: (claims, call) => {
        seen.push(call.taint);
        return base.decide(claims, call);
      },
    };
    const call = await calls({ policy });
    await call("webfetch", { url: NOTES });
    await call("ls", {});
    expect(seen.at(-1)).toEqual([{ from: "web", ref: NOTES }]);
  });

  it("has a program that runs", async () => {
    const [program = ""] = blocks("js");
    const printed: unknown[][] = [];
    const AsyncFunction = (async () => {}).constructor as new (
      ...words: string[]
    ) => (...values: unknown[]) => Promise<void>;
    const run = new AsyncFunction("createToolkit", "console", program.replace(/^import .*$/m, ""));
    await run(toolkit, { log: (...values: unknown[]) => void printed.push(values) });
    expect(printed).toMatchObject([
      [false, { url: "https://example.com/", status: 200 }, expect.stringMatching(/^<untrusted /)],
    ]);
  });
});
