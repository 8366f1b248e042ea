/** A toolkit in a seed's dialect whose requests a function answers, or a server on loopback. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createToolkit } from "../../src/index.js";
import { type FakeRequest, type FakeResponse, fakeHttp } from "../../src/testing/fakes/fake-http.js";
import type { ToolkitOptions } from "../../src/toolkit/index.js";

/** A toolkit at the level "full" without a workspace of files; its envelope is that of the dialect. */
export async function open(dialect: string, options: ToolkitOptions) {
  const toolkit = await createToolkit({ dialect, on: "memory", persist: false, autonomy: "full", ...options });
  onTestFinished(async () => void (await toolkit.close()));
  const box = toolkit.box();
  let count = 0;
  const run = (name: string, input: unknown, signal?: AbortSignal) =>
    box.runner.run({ id: `c${++count}`, name, input }, signal === undefined ? {} : { signal });
  return { run, envelope: async (name: string, input: unknown) => toolkit.dialect.envelope(await run(name, input)) };
}

/** Answers from a function, without a network. */
export async function faked(
  dialect: string,
  answer: FakeResponse | ((request: FakeRequest) => FakeResponse),
  more = {},
) {
  const http = fakeHttp((request) => (typeof answer === "function" ? answer(request) : answer));
  return { ...(await open(dialect, { web: { http, privateHosts: ["site.example"], ...more } })), sent: http.sent };
}

/** A server on loopback, which every name of the test leads to, through Haft's own port. */
export async function served(dialect: string, answer: RequestListener, web: ToolkitOptions["web"] = {}) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const opened = await open(dialect, {
    web: { lookup: async () => ["93.184.215.14"], dial: () => "127.0.0.1", ...web },
  });
  return { ...opened, at: `http://site.example:${(server.address() as AddressInfo).port}` };
}

export const SITE = "https://site.example/";
export const typed = (body: string | Uint8Array, type = "text/plain", more: FakeResponse = {}): FakeResponse => ({
  body,
  ...more,
  headers: [["content-type", type], ...(more.headers ?? [])],
});
export const PAGE = `<!doctype html><html><head><title>T</title><style>p{}</style></head><body><script>x()</script>
<h2>Head &amp; more</h2><p>See <a href="/b?c=1">next</a>&#8230;</p><svg><text>no</text></svg><ul><li>one</li><li>two &#x41;</li></ul></body></html>`;
/** What the simplifier makes of it. */
export const SIMPLE = "## Head & more\n\nSee next (/b?c=1)…\n\n- one\n- two A";
