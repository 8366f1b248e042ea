/** Two servers with one store behind a proxy that takes them in turn. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { createSchema, dropSchema } from "../../../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../../../testing/services.fixture.js";
import { type Balancer, killHost, roundRobin, type ServedHost, startHost } from "./hosts.fixture.js";

type AnyClient = Pick<OldClient | NewClient, "callTool" | "close">;

const place = cliPlace();
const made = (name: string) => existsSync(join(place.workspace, name));

withServices(["postgres"], "serve on many hosts", () => {
  let store = "";
  let token = "";
  let hosts: readonly ServedHost[] = [];
  let proxy: Balancer;
  let clients: AnyClient[] = [];
  let questions: string[] = [];
  let answer = "once";
  const envOf = (name: string) => ({
    HAFT_STORE: store,
    HAFT_STATE: join(place.root, name),
    HAFT_AUTONOMY: "supervised",
  });

  beforeEach(async () => {
    [clients, questions, answer] = [[], [], "once"];
    writeFileSync(join(place.workspace, "run.sh"), 'touch "$1"\necho done\n');
    store = await createSchema(service("postgres").url);
    const added = await place.haft(["token", "add", "laptop", "--json"], { env: envOf("a") });
    token = (JSON.parse(added.stdout) as { readonly token: string }).token;
    const args = ["token", "add", "laptop", "--from-env", "TOKEN"];
    expect((await place.haft(args, { env: { ...envOf("b"), TOKEN: token } })).status).toBe(0);
    hosts = await Promise.all(["a", "b"].map((name) => startHost(place, envOf(name))));
    proxy = await roundRobin(hosts.map(({ port }) => port));
  });

  afterEach(async () => {
    for (const client of clients) await client.close().catch(() => {});
    await proxy.close();
    for (const host of hosts) await killHost(host);
    await dropSchema(store);
  });

  const shown = async (request: { readonly params: object }) => {
    questions.push((request.params as { readonly message: string }).message);
    return { action: "accept", content: { answer } } as never;
  };
  const options = () => ({ requestInit: { headers: { authorization: `Bearer ${token}`, "haft-session": "daily" } } });

  async function oldClient(canAsk = true): Promise<OldClient> {
    const client = new OldClient({ name: "desk", version: "1" }, canAsk ? { capabilities: { elicitation: {} } } : {});
    if (canAsk) client.setRequestHandler(ElicitRequestSchema, shown);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new OldTransport(proxy.url, { requestInit: { headers } }) as never);
    clients.push(client);
    return client;
  }

  async function newClient(canAsk = true): Promise<NewClient> {
    const capabilities = canAsk ? { capabilities: { elicitation: { form: {} } } } : {};
    const client = new NewClient(
      { name: "desk", version: "1" },
      { versionNegotiation: { mode: "auto" }, ...capabilities },
    );
    if (canAsk) client.setRequestHandler("elicitation/create", shown);
    await client.connect(new NewTransport(proxy.url, options()));
    clients.push(client);
    return client;
  }

  const call = async (client: AnyClient, name: string, input: Record<string, unknown>, more = {}): Promise<string> => {
    const result = await (client as OldClient).callTool({ name, arguments: input }, undefined, more);
    return (result.content as { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
  };
  const plan = (text: string) => ({ items: [{ id: "1", text, status: "pending" }] });

  describe.each([
    ["of the older protocol", oldClient],
    ["of the newer protocol", newClient],
  ])("a client %s", (_name, connect) => {
    it("has one session on both, and continues on the one that is left", async () => {
      const client = await connect();
      await call(client, "todo_set", plan("water the plants"));
      for (let count = 0; count < 4; count += 1)
        expect(await call(client, "todo_read", {})).toContain("water the plants");
      const used = new Set(proxy.passed);
      expect([...used].sort()).toEqual(hosts.map(({ port }) => port).sort());
      const [first] = hosts as [ServedHost, ServedHost];
      await killHost(first);
      for (let count = 0; count < 4; count += 1)
        expect(await call(client, "todo_read", {})).toContain("water the plants");
    });

    it("is asked through one host, and its user's answer is taken by the other", async () => {
      const client = await connect();
      for (const name of ["one", "two", "three"]) {
        expect(await call(client, "bash", { command: `sh run.sh ${name}` })).toContain("done");
        expect(made(name)).toBe(true);
      }
      expect(questions).toHaveLength(3);
      answer = "no";
      expect(await call(client, "bash", { command: "sh run.sh four" })).toContain("did not allow");
      expect(made("four")).toBe(false);
    });

    it("finds on one host what it remembered and scheduled on the other", async () => {
      const client = await connect();
      await call(client, "memory_store", { key: "plants", content: "The ficus gets water on Mondays." });
      await call(client, "cron_add", { command: "sh run.sh six", every: "1h", name: "ficus" });
      for (let count = 0; count < 2; count += 1) {
        expect(await call(client, "memory_recall", { query: "ficus" })).toContain("water on Mondays");
        expect(await call(client, "cron_list", {})).toContain("ficus");
      }
      const listed = await place.haft(["schedule", "list"], { env: envOf("c") });
      expect(listed.stdout).toContain("ficus");
    });

    it("waits for a user who decides on a third host", async () => {
      const client = await connect(false);
      const waiting = await call(client, "bash", { command: "sh run.sh five" });
      const [, request = "no token"] =
        /`haft approvals grant (\S+) --state \S+` on any host .* HAFT_STORE/.exec(waiting) ?? [];
      const third = { env: envOf("c") };
      expect((await place.haft(["approvals", "list"], third)).stdout).toContain("sh run.sh five");
      expect((await place.haft(["approvals", "grant", request], third)).status).toBe(0);
      await call(client, "bash", { command: "sh run.sh five" });
      expect(made("five")).toBe(true);
    });
  });

  it("a session of the older protocol is ended by its client on both, and by `haft sessions end`", async () => {
    const authorization = `Bearer ${token}`;
    const accept = "application/json, text/event-stream";
    const ask = (host: ServedHost, id: string, more: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${host.port}/mcp`, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
        ...more,
        headers: { authorization, accept, "content-type": "application/json", "mcp-session-id": id, ...more.headers },
      });
    const status = async (host: ServedHost, id: string) => {
      const answer = await ask(host, id);
      await answer.text();
      return answer.status;
    };
    const begin = async (): Promise<string> => {
      const client = new OldClient({ name: "desk", version: "1" });
      const transport = new OldTransport(proxy.url, { requestInit: { headers: { authorization } } });
      await client.connect(transport as never);
      clients.push(client);
      return transport.sessionId ?? "";
    };
    const [one, other] = hosts as [ServedHost, ServedHost];
    const first = await begin();
    expect([await status(one, first), await status(other, first)]).toEqual([200, 200]);
    const resumed = await ask(one, first, {
      method: "GET",
      body: null,
      headers: { "last-event-id": '7b0d3f7e-0000-4000-8000-000000000000:""a_1' },
    });
    expect(resumed.status).toBe(503);
    expect((await ask(other, first, { method: "DELETE", body: null })).status).toBe(200);
    expect([await status(one, first), await status(other, first)]).toEqual([404, 404]);
    const second = await begin();
    expect([await status(one, second), await status(other, second)]).toEqual([200, 200]);
    const listed = await place.haft(["sessions", "list", "--json"], { env: envOf("c") });
    const [{ id = "" } = {}] = JSON.parse(listed.stdout) as { readonly id?: string }[];
    expect((await place.haft(["sessions", "end", id], { env: envOf("c") })).status).toBe(0);
    expect([await status(one, second), await status(other, second)]).toEqual([404, 404]);
  });

  it("a client of the older protocol cancels a call that another host runs", async () => {
    const client = await oldClient();
    const stop = new AbortController();
    const calling = call(client, "bash", { command: "echo $$ > pid; exec sleep 600" }, { signal: stop.signal });
    await expect.poll(() => made("pid"), { timeout: 20_000 }).toBe(true);
    stop.abort();
    await expect(calling).rejects.toThrow();
    const pid = readFileSync(join(place.workspace, "pid"), "utf8").trim();
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
  });
});
