import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace({ scope: "all" });
let end: () => Promise<number | null>;
let url: URL;
let requestInit: { headers: Record<string, string> };

beforeAll(async () => {
  writeFileSync(join(place.workspace, "a.txt"), "one\ntwo TODO\n");
  const child = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve"], {
    cwd: place.workspace,
    env: place.env(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  end = () => {
    child.kill("SIGINT");
    return ended;
  };
  let printed = "";
  const block = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [found] = /^\{[\s\S]*?^\}/m.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const { haft } = (JSON.parse(block) as { mcpServers: { haft: { url: string; headers: Record<string, string> } } })
    .mcpServers;
  url = new URL(haft.url);
  requestInit = { headers: haft.headers };
});
afterAll(async () => {
  expect(await end()).toBe(0);
});

const CLIENTS = {
  "version 1": async () => {
    const client = new OldClient({ name: "test", version: "1" });
    // The older package states its own transport with types that exactOptionalPropertyTypes refuses.
    await client.connect(new OldTransport(url, { requestInit }) as never);
    return client;
  },
  "version 2, older protocol": async () => newClient("legacy"),
  "version 2, newer protocol": async () => newClient("auto"),
};

async function newClient(mode: "legacy" | "auto"): Promise<NewClient> {
  const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new NewTransport(url, { requestInit }));
  return client;
}

describe.each(Object.entries(CLIENTS))("an MCP client of %s, with the block that was printed", (_name, connect) => {
  it("lists and calls the tools", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("grep");
    const found = await client.callTool({ name: "grep", arguments: { pattern: "TODO" } });
    expect(JSON.stringify(found.content)).toContain("two TODO");
    const items = [{ id: "1", text: `by ${_name}`, status: "pending" }];
    await client.callTool({ name: "todo_set", arguments: { items } });
    const list = await client.callTool({ name: "todo_read", arguments: {} });
    expect(JSON.stringify(list.content)).toContain(`by ${_name}`);
    await client.close();
  });
});
