/** Whose memories and schedules the clients of a server use, over HTTP and across its restarts. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { killHost, type ServedHost, startHost } from "./hosts.fixture.js";

const place = cliPlace();
const hosts: ServedHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await killHost(host);
});

async function started(): Promise<ServedHost> {
  const host = await startHost(place, { HAFT_AUTONOMY: "full" }, ["--no-schedules"]);
  hosts.push(host);
  return host;
}

async function restarted(host: ServedHost): Promise<ServedHost> {
  await killHost(host);
  return started();
}

/** One call as the client with this token. */
async function call({ port }: ServedHost, token: string, name: string, input: object): Promise<string> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }));
  const result = await client.callTool({ name, arguments: { ...input } });
  await client.close();
  return JSON.stringify(result.content);
}

const haft = async (...args: readonly string[]) => (await place.haft(args)).stdout.trim();
const tokenOf = (name: string) => haft("token", "add", name);
const note = (content: string) => ({ key: "k", content });
const job = (name: string) => ({ name, command: "echo hello", every: "1h" });

describe("memories and schedules over HTTP", () => {
  it("of the printed token are those of the user, after a restart too", async () => {
    await haft("call", "memory_store", JSON.stringify({ key: "own", content: "from the command line" }));
    const first = await started();
    expect(await call(first, first.token, "memory_recall", { query: "own" })).toContain("from the command line");
    await call(first, first.token, "memory_store", note("from the client"));
    expect(await call(first, first.token, "cron_add", job("hourly"))).toContain("hourly");
    const second = await restarted(first);
    expect(await call(second, second.token, "memory_recall", { query: "client" })).toContain("from the client");
    expect(await call(second, second.token, "cron_list", {})).toContain("hourly");
    expect(await haft("memory", "show", "k")).toBe("from the client");
  });

  it("of a named token are of its name, whatever the token", async () => {
    const bob = await tokenOf("bob");
    const first = await started();
    await call(first, bob, "memory_store", note("bob likes tea"));
    await call(first, bob, "cron_add", job("of bob"));
    await haft("token", "remove", "bob");
    const again = await tokenOf("bob");
    expect(again).not.toBe(bob);
    const second = await restarted(first);
    expect(await call(second, again, "memory_recall", { query: "tea" })).toContain("bob likes tea");
    expect(await call(second, again, "cron_list", {})).toContain("of bob");
    expect(await haft("memory", "list", "--owner", "bob")).toContain("bob likes tea");
  });

  it("are apart for each client, and one named default has not those of the user", async () => {
    await haft("call", "memory_store", JSON.stringify(note("of the user")));
    const [ada, eve] = [await tokenOf("ada"), await tokenOf("default")];
    const host = await started();
    await call(host, ada, "memory_store", note("of ada"));
    await call(host, ada, "cron_add", job("of ada"));
    for (const token of [eve, host.token]) {
      expect(await call(host, token, "memory_recall", {})).not.toContain("of ada");
      expect(await call(host, token, "cron_list", {})).not.toContain("of ada");
    }
    expect(await call(host, eve, "memory_recall", {})).not.toContain("of the user");
    expect(await call(host, ada, "memory_recall", {})).not.toContain("of the user");
    expect(await call(host, host.token, "memory_recall", {})).toContain("of the user");
  });
});
