import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { built, cleanEnv, runHaft } from "../../testing/built.fixture.js";
import { stdioServerCommand } from "./common-options.js";
import { buildProgram } from "./program.js";

interface Block {
  readonly command: string;
  readonly args: string[];
  readonly url: string;
  readonly headers: Record<string, string>;
}

let root: string;
let running: ChildProcess[];
beforeEach(() => {
  running = [];
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-printed-")));
  for (const name of ["my project", "home", "elsewhere"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "own config.jsonc"), '{ "tools": { "ls": false } }');
  writeFileSync(join(root, "my project", "haft.jsonc"), '{ "tools": { "grep": false } }');
});
afterEach(() => {
  for (const child of running) child.kill("SIGTERM");
  rmSync(root, { recursive: true, force: true });
});

const env = (more: Record<string, string> = {}) => cleanEnv(join(root, "home"), more);

/** Starts the server over HTTP and reads the two blocks that it prints. */
async function printed(args: readonly string[], more: Record<string, string> = {}): Promise<Block[]> {
  const child = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve", ...args], {
    cwd: join(root, "my project"),
    env: env(more),
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
  new StdioClientTransport({ command, args, cwd: join(root, "elsewhere"), env: env({ PATH: "/usr/bin:/bin" }) });
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
    expect(await connected(overStdio(local), callOf("bash", { command: "pwd" }))).toContain(join(root, "my project"));
    expect(existsSync(join(root, "my state"))).toBe(true);
    const [, memory] = (await printed(["--on", "memory"], { HAFT_STATE: join(root, "own state") })) as [Block, Block];
    const wrote = await connected(overStdio(memory), callOf("write", { path: "new.txt", content: "x" }));
    expect(wrote).toContain("new.txt");
    expect(readdirSync(join(root, "my project"))).toEqual(["haft.jsonc"]);
    expect(existsSync(join(root, "own state"))).toBe(true);
  });

  it("and says so where a project's file lies outside the workspace that it names", async () => {
    mkdirSync(join(root, "my project", "sub"));
    writeFileSync(join(root, "my project", "haft.jsonc"), '{ "workspace": "sub" }');
    const done = await runHaft(["serve", "--once"], { cwd: join(root, "my project"), env: env() });
    expect(done.stderr).toContain(`does not read ${join(root, "my project", "haft.jsonc")}`);
    const plain = await runHaft(["serve", "--once", "--workspace", "sub"], {
      cwd: join(root, "my project"),
      env: env(),
    });
    expect(plain).toMatchObject({ status: 0, stderr: "" });
  });

  it("repeats every option of the command but those of HTTP", () => {
    const serve = buildProgram().commands.find((command) => command.name() === "serve");
    const names = serve?.options.map((option) => option.attributeName()) ?? [];
    expect(names).toContain("collection");
    const given = names.filter((name) => {
      const value = name === "env" ? ["A"] : name === "config" ? false : "on";
      return stdioServerCommand("/w", { [name]: value }).args.length > stdioServerCommand("/w").args.length;
    });
    const args = stdioServerCommand("/w");
    expect(args.args.slice(1)).toEqual(["serve", "--stdio", "--workspace", "/w"]);
    const others = new Set(names.filter((name) => !given.includes(name)));
    expect([...others]).toEqual(["stdio", "port", "once", "workspace"]);
  });
});
