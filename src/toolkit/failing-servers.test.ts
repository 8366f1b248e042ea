/** Other MCP servers that fail for a moment, are slow or crash: small servers that fail in one way each. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolOutcome } from "../kernel/index.js";
import type { ServerConfig } from "./config/config.js";
import { type ConfiguredServers, configuredServers } from "./configured-servers.js";
import { createToolkit } from "./create-toolkit.js";
import { handMade, program } from "./servers.fixture.js";

const WAIT = { timeout: 30_000 };

let directory: string;
let closing: (() => Promise<unknown>)[];
let notes: string[];
let changes: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-failing-"));
  closing = [];
  notes = [];
  changes = 0;
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(directory, { recursive: true, force: true });
});

async function connect(server: ServerConfig): Promise<ConfiguredServers> {
  const servers = await configuredServers({
    config: { servers: { s: server }, tools: {} },
    cwd: directory,
    version: "0",
    lookUp: () => undefined,
    onNote: (line) => notes.push(line),
    onChange: () => changes++,
    retryMs: 50,
    startupTimeoutMs: 20_000,
  });
  closing.push(() => servers.close());
  return servers;
}

async function calling(servers: ConfiguredServers): Promise<(input?: unknown) => Promise<ToolOutcome>> {
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: directory,
    persist: false,
    tools: await servers.tools(),
  });
  closing.push(() => toolkit.close());
  const { runner } = toolkit.box();
  return (input = {}) => runner.run({ id: "call", name: "s__echo", input });
}

/** A server with sessions; `status` answers every POST with that status while it is set. */
async function withSessions() {
  const state = { status: 0, sessions: 0, forgets: false };
  const listening = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.method !== "POST") return response.writeHead(405).end();
    if (state.status !== 0) return response.writeHead(state.status).end();
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    if (id === undefined) return response.writeHead(202).end();
    if (method === "initialize") {
      state.forgets = false;
      response.setHeader("mcp-session-id", `session-${++state.sessions}`);
    } else if (state.forgets) return response.writeHead(404).end();
    const capabilities = { tools: {} };
    const results: Record<string, unknown> = {
      initialize: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "x", version: "1" } },
      "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: String(request.headers["mcp-session-id"]) }] },
    };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  closing.push(async () => listening.close().closeAllConnections());
  return { state, url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp` };
}

describe("another server that fails for a moment", { timeout: 90_000 }, () => {
  it.each([503, 500, 429])("with %i at the start is tried again, and its tools are offered then", async (status) => {
    const { state, url } = await withSessions();
    state.status = status;
    const servers = await connect({ url });
    expect(await servers.tools()).toEqual([]);
    expect(servers.states()).toMatchObject([{ state: "failed" }]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(notes).toEqual([expect.stringContaining('the server "s": it is skipped')]);
    state.status = 0;
    await expect.poll(() => servers.named("s__echo"), WAIT).toBeDefined();
    expect(changes).toBe(1);
    expect(notes[1]).toBe('the server "s": it is connected now, with 1 tool');
  });

  it("passes a symlink to a resource on, and says that it was not fetched and how large it is", async () => {
    const more = `
      call = async () => ({ content: [
        { type: "resource_link", uri: "report://1", name: "report", mimeType: "application/pdf", size: 1234 },
        { type: "resource_link", uri: "report://2", name: "odd", mimeType: "a\\nb", size: -1 },
        { type: "resource_link", uri: 5 } ] });`;
    const { content } = await (await calling(await connect(handMade(directory, "links", more))))();
    const texts = content.flatMap((block) => (block.kind === "text" ? [block.text] : []));
    const end = "a link to a resource of the server; not fetched, and `read` cannot open it]";
    expect(texts).toEqual([
      `[report://1, application/pdf, 1234 bytes: ${end}`,
      `[report://2, type not stated, size not stated: ${end}`,
    ]);
    expect(content.filter(({ kind }) => kind === "resource")).toMatchObject([
      { uri: "report://1" },
      { uri: "report://2" },
    ]);
    expect(content.at(-1)).toMatchObject({ kind: "json", value: { type: "resource_link", uri: 5 } });
  });

  it("keeps its session through any number of answers that are not its end", async () => {
    const { state, url } = await withSessions();
    const call = await calling(await connect({ url }));
    expect(await call()).toMatchObject({ status: "ok", output: "session-1" });
    for (const status of [503, 500, 429, 502, 503]) {
      state.status = status;
      expect([status, await call()]).toMatchObject([status, { isError: true }]);
    }
    state.status = 0;
    expect(await call()).toMatchObject({ status: "ok", output: "session-1" });
    state.forgets = true;
    expect(await call()).toMatchObject({ status: "ok", output: "session-2" });
  });

  it("as a program that fails once at its start is started again", async () => {
    const more = `
      const { existsSync, writeFileSync } = await import("node:fs");
      if (!existsSync("begun")) { writeFileSync("begun", ""); process.exit(3); }`;
    const { command, args } = handMade(directory, "s", "");
    const twice = program(directory, "twice", `${more}\nawait import(${JSON.stringify(args[0])});`);
    const servers = await connect({ ...twice, command });
    expect(servers.states()).toHaveLength(1);
    await servers.tools();
    await expect.poll(() => servers.named("s__echo"), WAIT).toBeDefined();
  });
});

describe("another server that is slow or crashes", { timeout: 90_000 }, () => {
  it("has the time that the configuration gives it, and as long again after each progress", async () => {
    const more = `
      call = async ({ arguments: { text }, _meta }, id) => {
        for (let count = 1; text === "busy" && count <= 6; count++) {
          await new Promise((resolve) => setTimeout(resolve, 400));
          send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: count } });
        }
        return text === "busy" ? { content: [{ type: "text", text: "at last" }] } : undefined;
      };`;
    const call = await calling(await connect({ ...handMade(directory, "s", more), timeoutMs: 1_000 }));
    expect(await call({ text: "busy" })).toMatchObject({ status: "ok", output: "at last" });
    const silent = await call({ text: "silent" });
    expect(silent).toMatchObject({ status: "timed-out", code: "CALL_TIMEOUT" });
    expect(silent.output).toMatch(/no response and no progress within 1000 ms/);
  });

  it("has the end of its output reported, whatever it wrote before", async () => {
    const more = `
      call = async () => { process.stderr.write("noise\\n".repeat(500) + "\\u001b[31mFatal: no license\\n", () => process.exit(7)); };`;
    const call = await calling(await connect(handMade(directory, "s", more)));
    const { output } = await call();
    expect(output).toMatch(/ended with status 7; it last wrote: .*noise.*\[31mFatal: no license\.$/);
    expect(output).not.toContain("\u001b");
  });

  it("is sent null where its schema takes it, in whichever way it says so", async () => {
    const more = `
      const text = { type: "string" };
      tools = [{ name: "echo", inputSchema: { type: "object", properties: {
        a: { anyOf: [text, { type: "null" }] }, b: { type: ["string", "null"] }, c: { ...text, nullable: true }, d: {}, e: { enum: ["x", null] }, f: { const: null }, g: text } } }];
      call = async ({ arguments: input }) => ({ content: [{ type: "text", text: Object.keys(input).join() }] });`;
    const call = await calling(await connect(handMade(directory, "s", more)));
    const input = Object.fromEntries([..."abcdefg"].map((name) => [name, null]));
    expect((await call(input)).output).toBe("a,b,c,d,e,f");
  });
});
