import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { built, cleanEnv } from "../../../test/built.js";
import { noisyPng } from "./noisy-png.fixture.js";

let root: string;
let workspace: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-mcp-")));
  workspace = join(root, "project");
  for (const folder of ["project", "home", "other"]) mkdirSync(join(root, folder));
  writeFileSync(join(workspace, "a.txt"), "one\ntwo TODO\n");
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(root, { recursive: true, force: true });
});

const server = (args: readonly string[] = ["--workspace", workspace], cwd = workspace) => ({
  command: process.execPath,
  args: [built("surfaces/cli/main.js"), "serve", "--stdio", ...args],
  cwd,
  env: cleanEnv(join(root, "home")),
});

async function newClient(mode: "legacy" | "auto", started = server(), roots?: readonly string[]): Promise<NewClient> {
  const client = new NewClient(
    { name: "test", version: "1" },
    { versionNegotiation: { mode }, ...(roots === undefined ? {} : { capabilities: { roots: {} } }) },
  );
  if (roots !== undefined) {
    client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  await client.connect(new NewTransport(started));
  closing.push(() => client.close());
  return client;
}

async function oldClient(started = server()): Promise<OldClient> {
  const client = new OldClient({ name: "test", version: "1" });
  await client.connect(new OldTransport(started));
  closing.push(() => client.close());
  return client;
}

const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const CLIENTS = {
  "version 1": () => oldClient(),
  "version 2, older protocol": () => newClient("legacy"),
  "version 2, newer protocol": () => newClient("auto"),
};

type AnyClient = OldClient | NewClient;

async function textOf(client: AnyClient, name: string, args: Record<string, unknown>, options = {}): Promise<string> {
  const params = { name, arguments: args };
  const result =
    client instanceof OldClient
      ? await client.callTool(params, undefined, options)
      : await client.callTool(params, options);
  return (result.content as { type: string; text?: string }[]).map((block) => block.text ?? block.type).join("\n");
}

describe.each(Object.entries(CLIENTS))("an MCP client of %s over stdio", (_name, connect) => {
  it("lists and calls the tools", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("bash");
    expect(tools.every((tool) => tool.inputSchema.type === "object")).toBe(true);
    expect(await textOf(client, "grep", { pattern: "TODO" })).toContain("two TODO");
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(workspace);
  });

  it("has one session: what one call sets the next one sees", async () => {
    const client = await connect();
    await textOf(client, "todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
    expect(await textOf(client, "todo_read", {})).toContain("Write it");
  });

  it("ends the whole process tree of a call that it cancels", async () => {
    const client = await connect();
    const stop = new AbortController();
    const command = "echo $$ >pids; setsid sleep 601 & echo $! >>pids; sleep 602";
    const called = textOf(client, "bash", { command }, { signal: stop.signal }).catch((error: unknown) => error);
    const pids = await pidsOf(2);
    stop.abort();
    expect(await called).toBeInstanceOf(Error);
    await gone(pids);
  });

  it("hears of progress while a command prints", async () => {
    const client = await connect();
    const told: { message?: string }[] = [];
    const onprogress = (one: { message?: string }): void => void told.push(one);
    // Progress is about what happens before the end, so the command lives a little longer than its first line.
    await textOf(client, "bash", { command: "echo first; sleep 0.3; echo second" }, { onprogress });
    expect(told.length).toBeGreaterThan(0);
  });
});

describe("what a client of the stdio server gets", () => {
  it("tells of each tool what the tool declares, and its parameters as they are", async () => {
    const client = await newClient("auto");
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.read).toMatchObject({ readOnlyHint: true });
    expect(hints.bash).toEqual({ destructiveHint: true, openWorldHint: true });
    expect(hints.write).toEqual({ destructiveHint: true, idempotentHint: true });
    expect(hints.todo_set).toEqual({ readOnlyHint: true, idempotentHint: true });
    expect(tools.every(({ title }) => typeof title === "string")).toBe(true);
    for (const { name, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      for (const word of ["anyOf", "oneOf", "allOf"]) expect([name, word in inputSchema]).toEqual([name, false]);
    }
  });

  it("MCP-25: errors of a call as results of the tool, and the server goes on", async () => {
    const client = await newClient("legacy");
    for (const [name, args] of [
      ["nosuch", {}],
      ["read", {}],
      ["read", { path: 5 }],
      ["read", { path: "a.txt", unknown: true }],
      ["read", { path: { deep: [] } }],
      ["bash", { command: "exit 3" }],
    ] as const) {
      const result = await client.callTool({ name, arguments: args });
      expect([name, args, result.isError]).toEqual([name, args, true]);
    }
    expect(await textOf(client, "read", { path: "a.txt" })).toContain("TODO");
  });

  it("MCP-15: an answer under the budget of the library, in one line, with a note of what was cut", async () => {
    const line = `${"x".repeat(99)}\n`;
    writeFileSync(join(workspace, "large.txt"), line.repeat(300_000));
    const client = await newClient("legacy");
    const result = await client.callTool({ name: "read", arguments: { path: "large.txt" } });
    const wire = JSON.stringify(result);
    expect(wire.length).toBeLessThan(256 * 1024);
    expect(JSON.stringify(result.content)).toMatch(/300000|offset|more/);
  });

  it("MCP-17: a large image as an image that was made to fit, never as text of its bytes", async () => {
    const client = await newClient("legacy");
    // 3 MB and 19 MB.
    for (const side of [1000, 2500]) {
      writeFileSync(join(workspace, "x.png"), noisyPng(side));
      const result = await client.callTool({ name: "read", arguments: { path: "x.png" } });
      const blocks = result.content as { type: string; text?: string; data?: string }[];
      const textLength = blocks.reduce((sum, { text = "" }) => sum + text.length, 0);
      expect([side, textLength]).toEqual([side, expect.toSatisfy((length) => length < 10_000)]);
      expect([side, blocks.map(({ type }) => type)]).toEqual([side, ["text", "image"]]);
      for (const { data = "" } of blocks) expect(Buffer.from(data, "base64").length).toBeLessThan(4 * 1024 * 1024);
    }
  });

  it("never structured content, which clients show in the place of the text, and no payload twice", async () => {
    const client = await newClient("legacy");
    const word = "pay-load-of-this-test";
    writeFileSync(join(workspace, "b.txt"), `${word}\n`);
    for (const [name, args] of [
      ["read", { path: "b.txt" }],
      ["grep", { pattern: "pay-load" }],
      ["bash", { command: "cat b.txt" }],
      ["write", { path: "c.txt", content: word }],
      ["edit", { path: "b.txt", oldText: word, newText: `${word}!` }],
      ["todo_set", { items: [{ id: "1", text: word, status: "pending" }] }],
    ] as const) {
      const result = await client.callTool({ name, arguments: args });
      expect([name, result.isError]).toEqual([name, false]);
      expect([name, result.structuredContent]).toEqual([name, undefined]);
      expect([name, JSON.stringify(result._meta ?? {})]).toEqual([name, expect.not.stringContaining(word)]);
      expect([name, Object.keys(result._meta ?? {})]).toEqual([name, expect.arrayContaining(["haft/facts"])]);
    }
  });
});

describe("the stdio server", () => {
  it("writes nothing but the protocol on standard output", async () => {
    const { child, ended, lines } = rawServer();
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    child.stdin.write("this is no JSON\n");
    const command = "echo printed; echo told >&2";
    send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command } } });
    send(child, { id: 3, method: "tools/call", params: { name: "nothing", arguments: {} } });
    await eventually(() => lines().length >= 3);
    child.stdin.end();
    expect(await ended).toBe(0);
    const messages = lines().map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(messages.every((message) => message.jsonrpc === "2.0")).toBe(true);
    expect(messages.map((message) => message.id).sort()).toEqual([1, 2, 3]);
  });

  it("answers what is no request, and takes arguments that stand for an object", async () => {
    const { child, ended, lines } = rawServer();
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const list = { name: "todo_read", arguments: {} };
    send(child, { id: "odd", method: "tools/call", params: { ...list, _meta: { progressToken: 1.5 } } });
    send(child, { id: 1.5, method: "tools/list" });
    send(child, { id: 2, method: "tools/list", params: null });
    child.stdin.write(`[${JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/list" })}]\n`);
    send(child, { method: "notifications/odd", params: 7 });
    send(child, { id: 4, method: "tools/call", params: { name: "todo_read", arguments: null } });
    send(child, { id: 5, method: "tools/call", params: { name: "ls", arguments: '{"path":"."}' } });
    await eventually(() => lines().length >= 7);
    child.stdin.end();
    expect(await ended).toBe(0);
    const answers = lines().map(
      (line) => JSON.parse(line) as { id: unknown; error?: { code: number }; result?: { isError?: boolean } },
    );
    const told = answers.map(({ id, error, result }) => [id, error?.code ?? result?.isError ?? "result"]);
    const refused = ["odd", 1.5, 2, null].map((id) => [id, -32_600]);
    expect(new Set(told.map(String))).toEqual(new Set([[1, "result"], ...refused, [4, false], [5, false]].map(String)));
    expect(told).toHaveLength(7);
  });

  it("ends with its input, and with it what its calls run", async () => {
    const { pids, child, ended } = await busyServer();
    child.stdin.end();
    expect(await ended).toBe(0);
    await gone(pids);
  });

  it("ends on a signal, and with it what its calls run", async () => {
    const { pids, child, ended } = await busyServer();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await gone(pids);
  });

  it("answers the calls that run when it is stopped", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      rmSync(join(workspace, "begun"), { force: true });
      const { child, ended, lines } = rawServer();
      send(child, { id: 1, ...INITIALIZE });
      send(child, { method: "notifications/initialized" });
      const shell = "echo said before; echo >begun; sleep 600";
      send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
      await eventually(() => existsSync(join(workspace, "begun")));
      child.kill(signal);
      expect([signal, await ended]).toEqual([signal, 0]);
      const answers = lines().map((line) => JSON.parse(line) as { id: number; result?: { isError?: boolean } });
      const answer = answers.find(({ id }) => id === 2);
      expect(answer?.result?.isError).toBe(true);
      expect(JSON.stringify(answer)).toContain("said before");
    }
  });

  it("ends when its client sends a message that does not end, and with it what its calls run", async () => {
    const { pids, child, ended } = await busyServer();
    child.stdin?.on("error", () => {});
    const pour = setInterval(() => child.stdin?.write("x".repeat(1024 * 1024)), 1);
    expect(await ended).toBe(0);
    clearInterval(pour);
    await gone(pids);
  });

  it("MCP-11: ends when nobody reads its answers any more, and does not spin on the broken pipe", async () => {
    const { command, args, cwd, env } = server();
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const shell = "echo $$ >pids; setsid sleep 607 & echo $! >>pids; while :; do echo more; sleep 0.05; done";
    const params = { name: "bash", arguments: { command: shell }, _meta: { progressToken: "p" } };
    send(child, { id: 2, method: "tools/call", params });
    const pids = await pidsOf(2);
    child.stdout.destroy();
    expect(await ended).toBe(0);
    await gone(pids);
    child.stdin.destroy();
  });

  it("MCP-12: ends when its parent dies although its input stays open", async () => {
    const { command, args, cwd, env } = server();
    const fifo = join(root, "fifo");
    execFileSync("mkfifo", [fifo]);
    // Reading and writing: so it opens at once and never ends.
    const held = openSync(fifo, "r+");
    const script = '"$@" <"$FIFO" >answers & echo $! >pids; wait';
    const parent = spawn("bash", ["-c", script, "bash", command, ...args], {
      cwd,
      env: { ...env, FIFO: fifo },
      stdio: "ignore",
    });
    writeSync(held, `${JSON.stringify({ jsonrpc: "2.0", id: 1, ...INITIALIZE })}\n`);
    const pids = await pidsOf(1);
    await eventually(() => readFileSync(join(workspace, "answers"), "utf8").includes('"id":1'));
    parent.kill("SIGKILL");
    await gone(pids);
    closeSync(held);
  });

  it("works where the client's roots say when it was given no workspace", async () => {
    const other = realpathSync(join(root, "other"));
    for (const mode of ["legacy", "auto"] as const) {
      const client = await newClient(mode, server([], workspace), [pathToFileURL(other).href]);
      // What a client looks at first does not settle where it works.
      expect((await client.listResources()).resources).toEqual([]);
      expect(await textOf(client, "bash", { command: "pwd" })).toContain(other);
    }
    const plain = await newClient("auto", server([], workspace));
    expect(await textOf(plain, "bash", { command: "pwd" })).toContain(workspace);
  });

  it("goes where the client's roots have moved to, and takes its plan along", async () => {
    const roots = [pathToFileURL(workspace).href];
    const client = new NewClient(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "legacy" }, capabilities: { roots: { listChanged: true } } },
    );
    client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
    await client.connect(new NewTransport(server([], workspace)));
    closing.push(() => client.close());
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(workspace);
    await textOf(client, "todo_set", { items: [{ id: "1", text: "Move", status: "pending" }] });
    const other = realpathSync(join(root, "other"));
    roots.splice(0, 1, pathToFileURL(other).href);
    await client.sendRootsListChanged();
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(other);
    expect(await textOf(client, "todo_read", {})).toContain("Move");
  });

  it("starts in a folder that may be no workspace, and tells each call what to add", async () => {
    const client = await newClient("auto", server([], "/"));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: "artifact:///a-1" })).rejects.toThrow("no such artifact");
    expect(await textOf(client, "bash", { command: "pwd" })).toContain("--workspace DIR");
  });
});

function send(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** A server with a call that runs a tree of processes. */
/** A server that is spoken to by hand, and the whole lines that it has answered by now. */
function rawServer() {
  const { command, args, cwd, env } = server();
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  return { child, ended, lines: () => stdout.split("\n").slice(0, -1) };
}

async function busyServer() {
  const { command, args, cwd, env } = server();
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  send(child, { id: 1, ...INITIALIZE });
  send(child, { method: "notifications/initialized" });
  const shell = "echo $$ >pids; setsid sleep 605 & echo $! >>pids; sleep 606";
  send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
  return { child, ended, pids: await pidsOf(2) };
}

/** The process numbers that a command has written down, once there are so many. */
async function pidsOf(count: number): Promise<readonly number[]> {
  const written = (): string[] => readFileSync(join(workspace, "pids"), "utf8").trimEnd().split("\n");
  await eventually(() => written().filter((pid) => pid !== "").length >= count);
  return written().map(Number);
}

/** Waits until none of them runs; a zombie does not. */
async function gone(pids: readonly number[]): Promise<void> {
  const runs = (pid: number): boolean => !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  for (const pid of pids) await eventually(() => attempt(() => runs(pid)) !== true);
}

/** Until it is true; what throws is not true yet. The test's own limit ends a wait in vain. */
async function eventually(isTrue: () => boolean): Promise<void> {
  while (attempt(isTrue) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
