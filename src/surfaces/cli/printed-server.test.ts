import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { stdioServerCommand } from "./common-options.js";
import { buildProgram } from "./program.js";

interface Block {
  readonly command: string;
  readonly args: string[];
  readonly url: string;
  readonly headers: Record<string, string>;
}

const place = cliPlace({ name: "my project" });
let running: ChildProcess[];
beforeEach(() => {
  running = [];
  mkdirSync(join(place.root, "elsewhere"));
  writeFileSync(join(place.root, "own config.jsonc"), '{ "tools": { "ls": false } }');
  writeFileSync(join(place.workspace, "haft.jsonc"), '{ "tools": { "grep": false } }');
});
afterEach(() => {
  for (const child of running) child.kill("SIGTERM");
});

/** Starts the server over HTTP and reads the two blocks that it prints. */
async function printed(args: readonly string[], more: Record<string, string> = {}): Promise<Block[]> {
  const child = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve", ...args], {
    cwd: place.workspace,
    env: place.env(more),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.on("close", () => reject(new Error(text)));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("Ctrl+C")) resolve();
      });
  });
  const blocks = [/^\{\n[\s\S]*?^\}/m, /^\{".*\}$/m].map((block) => JSON.parse(block.exec(text)?.[0] ?? ""));
  return blocks.map(({ mcpServers }) => mcpServers.haft);
}

async function connected<T>(transport: Parameters<Client["connect"]>[0], use: (client: Client) => Promise<T>) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const overHttp = ({ url, headers }: Block) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
/** As a client does it: in another directory, with hardly a variable. */
const overStdio = ({ command, args }: Block) =>
  new StdioClientTransport({
    command,
    args,
    cwd: join(place.root, "elsewhere"),
    env: place.env({ PATH: "/usr/bin:/bin" }),
  });
const toolsOf = (client: Client) => client.listTools().then(({ tools }) => tools);
const callOf = (name: string, args: Record<string, unknown>) => async (client: Client) => {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]?.text;
};

describe("the stdio block that `haft serve` prints starts the same server", () => {
  it.each([
    [["--collection", "read-only"]],
    [["--dialect", "zeroclaw"]],
    [["--gate", "on", "--no-config"]],
    [["--config", "../own config.jsonc"]],
    [["--workspace", "../elsewhere", "--collection", "coding"]],
    [["--port", "0"]],
  ])("with %j: the same tools", async (args) => {
    const [http, stdio] = (await printed(args)) as [Block, Block];
    const tools = await connected(overHttp(http), toolsOf);
    expect(tools.length).toBeGreaterThan(0);
    expect(await connected(overStdio(stdio), toolsOf)).toEqual(tools);
  });

  it("in the same directory, on the same target, with the same state", async () => {
    const [, local] = (await printed(["--state", "../my state"])) as [Block, Block];
    expect(await connected(overStdio(local), callOf("bash", { command: "pwd" }))).toContain(place.workspace);
    expect(existsSync(join(place.root, "my state"))).toBe(true);
    const [, memory] = (await printed(["--on", "memory"], { HAFT_STATE: join(place.root, "own state") })) as [
      Block,
      Block,
    ];
    const wrote = await connected(overStdio(memory), callOf("write", { path: "new.txt", content: "x" }));
    expect(wrote).toContain("new.txt");
    expect(readdirSync(place.workspace)).toEqual(["haft.jsonc"]);
    expect(existsSync(join(place.root, "own state"))).toBe(true);
  });

  it("with the same targets, each in its own workspace", async () => {
    const other = join(place.root, "other");
    mkdirSync(other);
    const [, both] = (await printed(["--on", "local", "--on", `posix:dash=${other}`])) as [Block, Block];
    const [here, there] = await Promise.all(
      [{}, { on: "posix:dash" }].map((on) => connected(overStdio(both), callOf("bash", { command: "pwd", ...on }))),
    );
    expect([here, there]).toEqual([expect.stringContaining(place.workspace), expect.stringContaining(other)]);
    const done = await place.haft(["serve", "--once", "--on", "posix:dash=/"]);
    expect([done.status, done.stderr]).toEqual([2, expect.stringContaining("the root of the file system")]);
  });

  it("and says so where a project's file lies outside the workspace that it names", async () => {
    mkdirSync(join(place.workspace, "sub"));
    writeFileSync(join(place.workspace, "haft.jsonc"), '{ "workspace": "sub" }');
    const done = await place.haft(["serve", "--once"]);
    expect(done.stderr).toContain(`does not read ${join(place.workspace, "haft.jsonc")}`);
    const plain = await place.haft(["serve", "--once", "--workspace", "sub"]);
    expect(plain).toMatchObject({ status: 0, stderr: "" });
  });

  it("repeats every option of the command but those of HTTP", () => {
    const serve = buildProgram().commands.find((command) => command.name() === "serve");
    const names = serve?.options.map((option) => option.attributeName()) ?? [];
    expect(names).toContain("collection");
    const given = names.filter((name) => {
      const value = name === "env" ? ["A"] : name === "config" || name === "schedules" ? false : "on";
      return stdioServerCommand("/w", { [name]: value }).args.length > stdioServerCommand("/w").args.length;
    });
    const args = stdioServerCommand("/w");
    expect(args.args.slice(1)).toEqual(["serve", "--stdio", "--workspace", "/w"]);
    const others = new Set(names.filter((name) => !given.includes(name)));
    // The last four are short for an --on, and become one before the action.
    expect([...others]).toEqual(["stdio", "port", "once", "workspace", "sandbox", "container", "ssh", "tmux"]);
  });
});
