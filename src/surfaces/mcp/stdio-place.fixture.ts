/** A project and a home for a test of the stdio server, the server as its users start it, and clients to speak to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { built } from "../../testing/built.fixture.js";
import { CliPlace } from "../../testing/cli-place.fixture.js";

type AnyClient = OldClient | NewClient;

/** What a client that is written by hand sends first. */
export const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

export class StdioPlace extends CliPlace {
  readonly #clients: { close(): Promise<void> }[] = [];

  constructor() {
    super("project");
    this.create();
    mkdirSync(join(this.root, "other"));
    writeFileSync(join(this.workspace, "a.txt"), "one\ntwo TODO\n");
  }

  /** Closes its clients, which ends their servers, and removes its directories. */
  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
    this.remove();
  }

  server(args: readonly string[] = ["--workspace", this.workspace], cwd = this.workspace) {
    return {
      command: process.execPath,
      args: [built("surfaces/cli/main.js"), "serve", "--stdio", ...args],
      cwd,
      env: this.env(),
    };
  }

  /** A client of the second version of the SDK; one with `roots` answers with what is in the list then. */
  async newClient(mode: "legacy" | "auto", server = this.server(), roots?: readonly string[]): Promise<NewClient> {
    const client = new NewClient(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode },
        ...(roots === undefined ? {} : { capabilities: { roots: { listChanged: true } } }),
      },
    );
    if (roots !== undefined) {
      client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
    }
    await client.connect(new NewTransport(server));
    this.#clients.push(client);
    return client;
  }

  async oldClient(server = this.server()): Promise<OldClient> {
    const client = new OldClient({ name: "test", version: "1" });
    await client.connect(new OldTransport(server));
    this.#clients.push(client);
    return client;
  }

  /** A server that is spoken to by hand, and the whole lines that it has answered by now. */
  rawServer() {
    const { command, args, cwd, env } = this.server();
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    return { child, ended, lines: () => stdout.split("\n").slice(0, -1) };
  }

  /** A server with a call that runs a tree of processes. */
  async busyServer() {
    const { command, args, cwd, env } = this.server();
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "ignore", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const shell = "echo $$ >pids; setsid sleep 605 & echo $! >>pids; sleep 606";
    send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
    return { child, ended, pids: await this.pidsOf(2) };
  }

  /** The process numbers that a command has written down, once there are so many. */
  async pidsOf(count: number): Promise<readonly number[]> {
    const written = (): string[] => readFileSync(join(this.workspace, "pids"), "utf8").trimEnd().split("\n");
    await eventually(() => written().filter((pid) => pid !== "").length >= count);
    return written().map(Number);
  }
}

/** What a tool answers, its texts in one; of another block its type. */
export async function textOf(
  client: AnyClient,
  name: string,
  args: Record<string, unknown>,
  options = {},
): Promise<string> {
  const params = { name, arguments: args };
  const result =
    client instanceof OldClient
      ? await client.callTool(params, undefined, options)
      : await client.callTool(params, options);
  return (result.content as { type: string; text?: string }[]).map((block) => block.text ?? block.type).join("\n");
}

export function send(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Waits until none of them runs; a zombie does not. */
export async function gone(pids: readonly number[]): Promise<void> {
  const runs = (pid: number): boolean => !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  for (const pid of pids) await eventually(() => attempt(() => runs(pid)) !== true);
}

/** Until it is true; what throws is not true yet. The test's own limit ends a wait in vain. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (attempt(isTrue) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
