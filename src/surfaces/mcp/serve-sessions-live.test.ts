/** Clients of the built server that go and come back, each with its own token. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace();
let servers: Running[];
beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.end("SIGTERM");
});

interface Running {
  readonly child: ChildProcess;
  readonly url: URL;
  readonly token: string;
  readonly notes: () => string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const at = () => ({ cwd: place.workspace, env: place.env() });
const haft = (...args: readonly string[]) => place.haft(args);
const tokenFor = async (name: string): Promise<string> => (await haft("token", "add", name)).stdout.trim();

async function serve(options: { readonly port?: string; readonly openFiles?: number } = {}): Promise<Running> {
  const { port, openFiles } = options;
  const limit = openFiles === undefined ? "" : `ulimit -n ${openFiles}; `;
  const command = [
    process.execPath,
    built("surfaces/cli/main.js"),
    "serve",
    ...(port === undefined ? [] : ["--port", port]),
  ];
  const child = spawn("sh", ["-c", `${limit}exec "$@"`, "sh", ...command], {
    ...at(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let printed = "";
  let notes = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    notes += text;
  });
  const block = await new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const [found] = /^\{[\s\S]*?^\}/m.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const { url, headers } = (
    JSON.parse(block) as { mcpServers: { haft: { url: string; headers: { Authorization: string } } } }
  ).mcpServers.haft;
  const running: Running = {
    child,
    url: new URL(url),
    token: headers.Authorization.replace("Bearer ", ""),
    notes: () => notes,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
  servers.push(running);
  return running;
}

async function connectNew(
  { url }: Running,
  token: string,
  options: { readonly mode?: "legacy" | "auto"; readonly sessionId?: string } = {},
): Promise<{ readonly client: NewClient; readonly transport: NewTransport }> {
  const { mode = "auto", sessionId } = options;
  const client = new NewClient({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new NewTransport(url, { requestInit, ...(sessionId === undefined ? {} : { sessionId }) });
  await client.connect(transport);
  return { client, transport };
}

const items = (text: string) => [{ id: "1", text, status: "pending" }];
const plan = (client: NewClient | OldClient, text: string) =>
  client.callTool({ name: "todo_set", arguments: { items: items(text) } });
const planOf = async (client: NewClient | OldClient): Promise<string> =>
  JSON.stringify((await client.callTool({ name: "todo_read", arguments: {} })).content);
const jobsBy = async (client: NewClient | OldClient, input: Record<string, unknown>): Promise<string> =>
  JSON.stringify((await client.callTool({ name: "process", arguments: input })).content);
/** An answer with an artifact: more output than is shown. */
const printMuch = (client: NewClient | OldClient, word: string) =>
  client.callTool({ name: "bash", arguments: { command: `yes ${word} | head -c 300000` } });

describe("a client with a token of its own", () => {
  it("comes back, also after the server was started anew, and finds its todo list, jobs and artifacts; another finds none", async () => {
    const [laptop, desktop] = [await tokenFor("laptop"), await tokenFor("desktop")];
    const server = await serve();
    const first = await connectNew(server, laptop);
    await plan(first.client, "by the laptop");
    await printMuch(first.client, "word");
    const [job = ""] = /job-\d+/.exec(await jobsBy(first.client, { action: "start", command: "exec sleep 600" })) ?? [];
    const { resources } = await first.client.listResources();
    expect(resources.length).toBeGreaterThan(0);
    await first.client.close();

    const again = await connectNew(server, laptop);
    expect(await planOf(again.client)).toContain("by the laptop");
    expect((await again.client.listResources()).resources).toEqual(resources);
    expect(await jobsBy(again.client, { action: "list", all: true })).toContain(`${job}: running`);
    expect(await jobsBy(again.client, { action: "poll", id: job })).toContain("running");

    const other = await connectNew(server, desktop);
    expect(await planOf(other.client)).not.toContain("by the laptop");
    expect((await other.client.listResources()).resources).toEqual([]);
    const uri = resources[0]?.uri ?? "";
    await expect(other.client.readResource({ uri })).rejects.toThrow("no such artifact");
    expect(await jobsBy(other.client, { action: "list", all: true })).not.toContain(job);
    for (const action of ["poll", "stop"]) expect(await jobsBy(other.client, { action, id: job })).toMatch(/no job/i);
    expect(await jobsBy(again.client, { action: "poll", id: job })).toContain("running");
    const own = await connectNew(server, server.token);
    expect(await planOf(own.client)).not.toContain("by the laptop");
    await expect(own.client.readResource({ uri })).rejects.toThrow("no such artifact");
    expect(await server.end("SIGTERM")).toBe(0);

    const later = await serve();
    const returned = await connectNew(later, laptop);
    expect(await planOf(returned.client)).toContain("by the laptop");
    const [window] = (await returned.client.readResource({ uri })).contents as { text?: string }[];
    expect(window?.text).toMatch(/^(word\n)+/);
  });

  it("names its conversations, none of which is a path", async () => {
    const laptop = await tokenFor("laptop");
    const server = await serve();
    const { client } = await connectNew(server, laptop);
    const names = ["daily", "../../../escape", "..", "/etc/passwd", "a b%c:d"];
    for (const name of names)
      await client.callTool({ name: "todo_set", arguments: { items: items(name) }, _meta: { "haft/session": name } });
    for (const name of names) {
      const read = await client.callTool({ name: "todo_read", arguments: {}, _meta: { "haft/session": name } });
      expect(JSON.stringify(read.content)).toContain(name);
    }
    expect(await planOf(client)).not.toContain("daily");
    expect(readdirSync(place.state("sessions"))).toHaveLength(names.length + 1); // and that of the client itself
    expect(readdirSync(place.state()).sort()).not.toContain("escape");
  });

  it("is rejected while the server runs once its token is removed; its session can be ended by the user", async () => {
    const laptop = await tokenFor("laptop");
    const server = await serve();
    const { client } = await connectNew(server, laptop);
    await plan(client, "kept");
    const [session] = JSON.parse((await haft("sessions", "list", "--json")).stdout) as {
      id: string;
      openIn: number[];
    }[];
    expect(session).toMatchObject({ id: expect.stringMatching(/^mcp:[0-9a-f]{16}$/), openIn: [server.child.pid] });
    const ended = await haft("sessions", "end", session?.id ?? "");
    expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining(`Process ${server.child.pid}`) });
    expect(await planOf(client)).not.toContain("kept");
    await haft("token", "remove", "laptop");
    await expect(client.callTool({ name: "todo_read", arguments: {} })).rejects.toThrow();
    await expect(connectNew(server, laptop)).rejects.toThrow();
  });
});

describe("a client of the older protocol", () => {
  it("continues with its session by its id, in either version of the package", async () => {
    const server = await serve();
    const first = await connectNew(server, server.token, { mode: "legacy" });
    await plan(first.client, "to be continued");
    const { sessionId } = first.transport;
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    // Not terminated: only the connections are gone.
    await first.client.close();

    const resumed = await fetch(server.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": sessionId ?? "",
        "mcp-protocol-version": "2025-06-18",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 5,
        method: "tools/call",
        params: { name: "todo_read", arguments: {} },
      }),
    });
    expect(await resumed.text()).toContain("to be continued");

    const old = new OldClient({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
    await old.connect(new OldTransport(server.url, { requestInit }) as never);
    expect(await planOf(old)).not.toContain("to be continued");
    await printMuch(old, "old");
    const { resources } = await old.listResources();
    expect(resources.length).toBeGreaterThan(0);
    expect((await old.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate)).toContain(
      "artifact:///{id}",
    );
    const [window] = (await old.readResource({ uri: `${resources[0]?.uri}?offset=4&length=8` })).contents;
    expect(window).toMatchObject({ text: "old\nold\n" });
    await old.close();
  });

  it("leaves nothing on disk once the server has ended", async () => {
    const server = await serve();
    const { client } = await connectNew(server, server.token, { mode: "legacy" });
    await plan(client, "gone with the server");
    expect(await server.end("SIGINT")).toBe(0);
    expect((await haft("sessions", "list")).stdout).toMatch(/^No stored sessions\./);
    await client.close();
  });
});

describe("the server", () => {
  it("reports to the client how its call ended when it is stopped", async () => {
    const server = await serve();
    const { client } = await connectNew(server, server.token, { mode: "legacy" });
    const called = client.callTool({ name: "bash", arguments: { command: "echo begun; echo >begun; sleep 600" } });
    while (!existsSync(join(place.workspace, "begun"))) await new Promise((resolve) => setTimeout(resolve, 10));
    const ended = server.end("SIGTERM");
    const answer = await called;
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain("begun");
    expect(await ended).toBe(0);
    await client.close();
  });

  it("continues when there is no file left for one more connection", async () => {
    const server = await serve({ openFiles: 400 });
    const sockets = Array.from({ length: 1_000 }, () =>
      connect(Number(server.url.port), "127.0.0.1").on("error", () => {}),
    );
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))),
    );
    const { client } = await connectNew(server, server.token);
    const listed = await client.callTool({ name: "bash", arguments: { command: "echo still here" } });
    expect(JSON.stringify(listed.content)).toContain("still here");
    for (const socket of sockets) socket.destroy();
  });

  it("shows its operator nothing that a terminal obeys", async () => {
    const server = await serve();
    const version = "\u001b]0;owned\u0007\u001b[31m";
    const refused = await fetch(server.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: version,
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { name: version, version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await server.end("SIGTERM");
    expect(server.notes()).toContain("\\x1b");
    expect(server.notes()).not.toMatch(/[\u0007\u001b]/);
  });

  it("takes the next free port and says so, for each of several that are started at once", async () => {
    const first = await serve();
    const second = await serve({ port: first.url.port });
    expect(second.url.port).not.toBe(first.url.port);
    expect(second.notes()).toContain(`port ${first.url.port} is in use; using ${second.url.port} instead`);
  });
});
