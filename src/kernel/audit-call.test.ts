import { expect, it } from "vitest";
import { bareContext, bareHost } from "../testing/fakes/bare-host.fixture.js";
import { fakeHttp } from "../testing/fakes/fake-http.js";
import { call } from "../testing/fakes/odd-tool.fixture.js";
import { defineTool, text } from "./index.js";

const runs = defineTool({
  name: "runs",
  description: "Claims a command.",
  input: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  effect: "write",
  claims: ({ command }: { command: string }) => [{ kind: "command", command, cwd: "/" }],
  run: () => text("done"),
});

async function entriesOf(command: string, redactor?: { redact(part: string): string }) {
  const host = bareHost(redactor === undefined ? {} : { redactor });
  await call(runs, bareContext(host), { input: { command } });
  return host.entries[0];
}

it("shows a record no secret, in what came as in what was touched", async () => {
  const entry = await entriesOf("echo hunter2", { redact: (part) => part.replaceAll("hunter2", "[secret]") });
  expect(JSON.stringify(entry)).not.toContain("hunter2");
  expect(entry?.ends[0]?.claims).toEqual([{ kind: "command", command: "echo [secret]", cwd: "/" }]);
});

it("keeps 4 KiB of each text", async () => {
  const entry = await entriesOf(`echo ${"é".repeat(100_000)}`);
  const [claim] = entry?.ends[0]?.claims ?? [];
  expect(claim).toMatchObject({ kind: "command", command: `echo ${"é".repeat(2_045)}` });
});

it("ends without what was touched where the redactor throws, and does not report the message of the redactor", async () => {
  const entry = await entriesOf("echo hunter2", {
    redact(part) {
      // The directory of the claim, which the input does not name.
      if (part === "/") throw new Error("hunter2");
      return "-";
    },
  });
  expect(entry?.ends).toHaveLength(1);
  expect(entry?.ends[0]).not.toHaveProperty("claims");
  expect(entry?.ends[0]?.note).toMatch(/The claims and the rule are omitted/);
  expect(JSON.stringify(entry)).not.toContain("hunter2");
});

const requests = (urls: readonly string[]) =>
  defineTool({
    name: "requests",
    description: "Requests pages.",
    input: { type: "object" },
    effect: "read",
    claims: () => [{ kind: "network-open", purpose: "browse" }],
    async run(_, { http }) {
      for (const url of urls) await http!.fetch(url);
      return text("done");
    },
  });

it("shows each address that was connected to, that of a redirect too, once", async () => {
  const http = fakeHttp(({ url }) => (url.endsWith("/old") ? { url: "https://b.example/new?key=hunter2" } : {}));
  const redactor = { redact: (part: string) => part.replaceAll("hunter2", "[secret]") };
  const host = bareHost({ http, redactor });
  await call(requests(["https://a.example/old", "https://a.example/old"]), bareContext(host), { input: {} });
  const address = "93.184.216.34";
  expect(host.entries[0]?.ends[0]?.claims).toEqual([
    { kind: "network-open", purpose: "browse" },
    { kind: "network", method: "GET", url: "https://a.example/old", address },
    { kind: "network", method: "GET", url: "https://b.example/new?key=[secret]", address },
  ]);
});

it("shows the first connections of very many, and says so", async () => {
  const host = bareHost({ http: fakeHttp(() => ({})) });
  const urls = Array.from({ length: 102 }, (_, at) => `https://a.example/${at}`);
  await call(requests(urls.slice(0, 100)), bareContext(host), { input: {} });
  await call(requests(urls), bareContext(host), { input: {} });
  const [all, most] = host.entries.map(({ ends }) => ends[0]);
  expect([all?.claims?.length, all?.note]).toEqual([101, undefined]);
  expect([most?.claims?.length, most?.note]).toEqual([101, "Only the first 100 connections are listed."]);
});

it("shows no credentials in the headers of a claimed request", async () => {
  const sends = defineTool({
    name: "sends",
    description: "Claims a request.",
    input: { type: "object" },
    effect: "write",
    claims: () => {
      const headers = [
        ["Authorization", "Bearer hunter2"],
        ["X-A", "1"],
      ] as const;
      return [{ kind: "network", method: "POST", url: "https://example.com/", headers, body: "b" }];
    },
    run: () => text("done"),
  });
  const host = bareHost({});
  await call(sends, bareContext(host), { input: {} });
  const [claim] = host.entries[0]?.ends[0]?.claims ?? [];
  expect(claim).toMatchObject({
    body: "b",
    headers: [
      ["Authorization", "⟦redacted:authorization⟧"],
      ["X-A", "1"],
    ],
  });
});
