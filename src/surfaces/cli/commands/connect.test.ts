import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse as parseToml } from "smol-toml";
import { beforeEach, describe, expect, it } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { databaseHome } from "../../../testing/database-home.fixture.js";
import { CLIENT_NAMES, type ClientName } from "../clients/clients.js";

const place = cliPlace({ name: "my project" });
beforeEach(() => writeFileSync(join(place.workspace, "a.txt"), "one\n"));

const haft = (args: readonly string[], env: Record<string, string> = {}): Promise<Finished> =>
  place.inProcess(["connect", ...args], { env });

interface Start {
  readonly command: string;
  readonly args: string[];
}
type Json = Record<string, Record<string, Record<string, unknown>>>;
const json = (text: string): Json => JSON.parse(text) as Json;
const startOf = (entry: unknown): Start => entry as Start;

/** Where each client looks, and what it makes of the file: what its documentation says, apart from the code. */
const READ: Readonly<Record<ClientName, readonly [file: string, read: (text: string) => Start]>> = {
  "claude-code": ["my project/.mcp.json", (text) => startOf(json(text).mcpServers?.haft)],
  "claude-desktop": [
    process.platform === "darwin"
      ? "home/Library/Application Support/Claude/claude_desktop_config.json"
      : "home/.config/Claude/claude_desktop_config.json",
    (text) => startOf(json(text).mcpServers?.haft),
  ],
  codex: ["home/.codex/config.toml", (text) => startOf((parseToml(text) as unknown as Json).mcp_servers?.haft)],
  cursor: ["my project/.cursor/mcp.json", (text) => startOf(json(text).mcpServers?.haft)],
  "gemini-cli": ["my project/.gemini/settings.json", (text) => startOf(json(text).mcpServers?.haft)],
  opencode: [
    "my project/opencode.json",
    (text) => {
      const entry = json(text).mcp?.haft as { type: string; command: string[] };
      expect(entry.type).toBe("local");
      const [command = "", ...args] = entry.command;
      return { command, args };
    },
  ],
  vscode: [
    "my project/.vscode/mcp.json",
    (text) => {
      const entry = json(text).servers?.haft;
      expect(entry).toHaveProperty("type", "stdio");
      return startOf(entry);
    },
  ],
  windsurf: ["home/.codeium/windsurf/mcp_config.json", (text) => startOf(json(text).mcpServers?.haft)],
  zed: ["home/.config/zed/settings.json", (text) => startOf(json(text).context_servers?.haft)],
};

it.runIf(databaseHome !== undefined)(
  "takes an empty or relative HOME for unset, and looks for nothing of the user's in the project",
  async () => {
    for (const HOME of ["", "relative"]) {
      const { stdout } = await haft(["codex"], { HOME });
      expect(stdout).toContain(join(databaseHome ?? "", ".codex/config.toml"));
    }
  },
);

describe("haft connect", () => {
  it.each(CLIENT_NAMES)("writes what %s reads, and what it reads starts a server in the workspace", async (name) => {
    const [at, read] = READ[name];
    const done = await haft([name, "--write"]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain(join(place.root, at));
    const text = readFileSync(join(place.root, at), "utf8");
    expect(text.endsWith("\n")).toBe(true);
    const { command, args } = read(text);
    const client = new Client({ name: "test", version: "1" });
    // As an application of a desktop does: from the root, with almost no environment. Codex starts in the project.
    const cwd = name === "codex" ? place.workspace : "/";
    await client.connect(
      new StdioClientTransport({ command, args, cwd, env: { HOME: place.home, PATH: "/usr/bin:/bin" } }),
    );
    const answer = await client.callTool({ name: "read", arguments: { path: "a.txt" } });
    await client.close();
    expect(JSON.stringify(answer.content)).toContain("one");
    const again = await haft([name, "--write"]);
    expect(again.stdout).toContain("nothing was written");
    expect(readFileSync(join(place.root, at), "utf8")).toBe(text);
  });

  it.each(CLIENT_NAMES)("prints for %s the text that it would write", async (name) => {
    const [at, read] = READ[name];
    const done = await haft([name]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain(join(place.root, at));
    expect(done.stdout).toContain("which does not exist yet");
    const { text } = JSON.parse((await haft([name, "--json"])).stdout) as { text: string };
    expect(done.stdout).toContain(text);
    const where = name === "codex" ? [] : ["--workspace", place.workspace];
    expect(read(text).args).toEqual([expect.stringMatching(/main\.js$/), "serve", "--stdio", ...where]);
    expect(readdirSync(place.workspace)).toEqual(["a.txt"]);
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("writes the targets that the server is started with", async () => {
    const entryOf = async (...more: readonly string[]): Promise<string[]> => {
      const { stdout } = await haft(["cursor", ...more, "--json"]);
      return (JSON.parse(stdout) as { entry: Start }).entry.args;
    };
    expect((await entryOf("--sandbox")).slice(-2)).toEqual(["--on", "sandbox"]);
    expect((await entryOf("--ssh", "me@box", "--tmux", "work")).slice(-2)).toEqual(["--on", "ssh:me@box+tmux=work"]);
    expect((await haft(["cursor", "--tmux"])).stdout).toContain("Calls run on local+tmux.\n");
    expect((await entryOf("--container", "web")).slice(-2)).toEqual(["--on", "container:web"]);
    expect((await entryOf("--on", "local", "--on", "memory")).slice(-4)).toEqual(["--on", "local", "--on", "memory"]);
    expect((await haft(["cursor", "--sandbox"])).stdout).toContain("Calls run on sandbox.");
    const refused = await haft(["cursor", "--on", "memroy", "--write"]);
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("--on memroy: ") });
  });

  it("names no directory in a file for all projects where the client starts in the one that is open", async () => {
    const argsOf = async (args: readonly string[]): Promise<string> =>
      JSON.stringify((JSON.parse((await haft([...args, "--json"])).stdout) as { entry: unknown }).entry);
    for (const name of ["claude-code", "codex", "gemini-cli", "opencode"]) {
      const printed = (await haft([name, "--user"])).stdout;
      expect(printed).toMatch(/^Its working directory is the one that .* is started in\.$/m);
      expect(await argsOf([name, "--user"])).not.toContain("--workspace");
      const bound = await haft([name, "--user", "--workspace", place.workspace]);
      expect(bound.stdout).toContain(`Its working directory is always ${place.workspace}, whichever project `);
      expect(bound.stdout).toContain("without --workspace it is the directory that the client is started in");
      expect(await argsOf([name, "--user", "--workspace", place.workspace])).toContain(place.workspace);
    }
    const desktop = (await haft(["claude-desktop"])).stdout;
    expect(desktop).toContain(
      `Its working directory is always ${place.workspace}, whichever project Claude Desktop has open.`,
    );
    expect(await argsOf(["claude-desktop"])).toContain(place.workspace);
  });

  it("says what stands between a written file and a server that answers", async () => {
    expect((await haft(["claude-code", "--write"])).stdout).toMatch(/approve the server.*`claude mcp list`/);
    expect((await haft(["claude-code", "--user"])).stdout).not.toContain("approve");
    expect((await haft(["gemini-cli", "--write"])).stdout).toMatch(/trust the directory .*`gemini mcp list`/);
    expect((await haft(["gemini-cli", "--write"])).stdout).not.toContain("Its working directory");
  });

  const MERGED: readonly (readonly [client: ClientName, before: string])[] = [
    [
      "cursor",
      '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "x", "args": [ ] }, // keep\r\n\t},\r\n}\r\n',
    ],
    ["zed", '// Zed settings\n{\n    "theme": "One Dark", /* dark */\n    "vim_mode":true\n}'],
    ["vscode", ""],
    ["gemini-cli", '\ufeff{"ui":{"theme":"x"}}'],
    ["codex", '# mine\nmodel = "m" # keep\n\n[mcp_servers.other]\nargs = [\n  "[mcp_servers.haft]",\n]\ncommand = "x"'],
  ];

  it.each(MERGED)("keeps every byte of what %s has beside it, and the old file", async (name, before) => {
    const file = join(place.root, READ[name][0]);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before, { mode: 0o640 });
    chmodSync(file, 0o640);
    const done = await haft([name, "--write"]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    const after = readFileSync(file, "utf8");
    expect(isKeptIn(after, before)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(`${file}.before-haft`, "utf8")).toBe(before);
    expect(done.stdout).toContain(`${file}.before-haft`);
    expect(readdirSync(dirname(file)).filter((one) => one.endsWith(".new"))).toEqual([]);
    expect(after.includes("\r\n")).toBe(before.includes("\r\n"));
    expect(after.replaceAll("\r\n", "").includes("\r")).toBe(false);
  });

  it("changes only what differs in an entry of that name, and takes out another transport", async () => {
    const file = join(place.workspace, ".cursor", "mcp.json");
    mkdirSync(dirname(file));
    writeFileSync(
      file,
      '{ "mcpServers": { "haft": {\n  // ask first\n  "disabled": true, "url": "http://x", "command": "old" } } }',
    );
    await haft(["cursor", "--write"]);
    const text = readFileSync(file, "utf8");
    expect(text).toContain("// ask first");
    const entry = json(text.replace("// ask first", "")).mcpServers?.haft;
    expect(entry).toMatchObject({ disabled: true, command: process.execPath, type: "stdio" });
    expect(entry).not.toHaveProperty("url");
  });

  it("changes only what differs in a table of that name", async () => {
    const file = join(place.home, ".codex", "config.toml");
    mkdirSync(dirname(file));
    const lines = ['[mcp_servers."haft"] # mine', 'command = "old"', "startup_timeout_sec = 20 # slow", ""];
    writeFileSync(file, [...lines, "[mcp_servers.haft.env]", 'A = "1"', "", "[tools]", "web = true", ""].join("\n"));
    await haft(["codex", "--write"]);
    const text = readFileSync(file, "utf8");
    for (const kept of ['[mcp_servers."haft"] # mine', "startup_timeout_sec = 20 # slow", "[tools]\nweb = true\n"])
      expect(text).toContain(kept);
    const { mcp_servers } = parseToml(text) as unknown as Json;
    expect(mcp_servers?.haft).toMatchObject({ command: process.execPath, startup_timeout_sec: 20, env: { A: "1" } });
  });

  it("leaves a file alone that it does not understand, and says what to put where", async () => {
    const cases: readonly (readonly [ClientName, string | Buffer, RegExp])[] = [
      ["cursor", '{\n "mcpServers": {\n', /not valid JSON at line 3/],
      ["cursor", '{ "mcpServers": [] }', /"mcpServers" in it is not an object/],
      ["cursor", "[]", /not a JSON object/],
      ["cursor", Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
      ["codex", "model = ", /not valid TOML/],
      ["codex", 'mcp_servers = { other = { command = "x" } }', /not written as separate tables/],
    ];
    for (const [name, text, why] of cases) {
      const file = join(place.root, READ[name][0]);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      const done = await haft([name, "--write"]);
      expect([String(text), done.status, done.stdout]).toEqual([String(text), 2, ""]);
      expect(done.stderr).toMatch(why);
      expect(done.stderr).toContain("serve");
      expect(readFileSync(file)).toEqual(Buffer.from(text));
      expect(readdirSync(dirname(file)).filter((one) => one.includes("haft") || one.endsWith(".new"))).toEqual([]);
    }
  });

  it("writes through a link to the file that it stands for", async () => {
    const real = join(place.root, "dotfiles.json");
    writeFileSync(real, "{}\n");
    mkdirSync(join(place.home, ".cursor"));
    symlinkSync(real, join(place.home, ".cursor", "mcp.json"));
    expect((await haft(["cursor", "--user", "--write"])).status).toBe(0);
    expect(readFileSync(real, "utf8")).toContain("--stdio");
  });

  it("keeps each old file, however often it writes", async () => {
    await haft(["cursor", "--write"]);
    await haft(["cursor", "--write", "--name", "two"]);
    await haft(["cursor", "--write", "--name", "three"]);
    const names = readdirSync(join(place.workspace, ".cursor")).sort();
    expect(names).toEqual(["mcp.json", "mcp.json.before-haft", "mcp.json.before-haft-2"]);
  });

  it("takes another file, another name and the home of a client from where they are given", async () => {
    const file = join(place.root, "elsewhere.json");
    await haft(["claude-desktop", "--write", "--file", file, "--name", "shop"]);
    expect(json(readFileSync(file, "utf8")).mcpServers).toHaveProperty("shop");
    await haft(["codex", "--write"], { CODEX_HOME: join(place.root, "codex") });
    expect(readdirSync(join(place.root, "codex"))).toEqual(["config.toml"]);
    writeFileSync(join(place.workspace, "opencode.jsonc"), "{}");
    expect((await haft(["opencode"])).stdout).toContain("opencode.jsonc");
  });

  it("lists the clients and which of them know Haft", async () => {
    await haft(["cursor", "--write"]);
    await haft(["codex", "--write"]);
    writeFileSync(join(place.workspace, ".mcp.json"), "{}");
    const done = await haft([]);
    expect(done.stdout).toMatch(/^cursor\s+connected/m);
    expect(done.stdout).toMatch(/^claude-code\s+not connected/m);
    expect(done.stdout).toMatch(/^zed\s+no file/m);
    const states = JSON.parse((await haft(["--json"])).stdout) as { client: string; state: string }[];
    expect(states.map(({ client }) => client)).toEqual([...CLIENT_NAMES]);
    expect(states.filter(({ state }) => state === "connected").map(({ client }) => client)).toEqual([
      "codex",
      "cursor",
    ]);
  });

  it("lists the file that --write writes, and wants a client to write for", async () => {
    mkdirSync(join(place.workspace, ".codex"));
    writeFileSync(join(place.workspace, ".codex", "config.toml"), "");
    const listed = (await haft([])).stdout;
    expect(listed).toMatch(new RegExp(`^codex .* ${join(place.home, ".codex", "config.toml")}$`, "m"));
    expect(listed).toMatch(new RegExp(`^cursor .* ${join(place.workspace, ".cursor", "mcp.json")}$`, "m"));
    expect((await haft(["--user"])).stdout).toMatch(
      new RegExp(`^cursor .* ${join(place.home, ".cursor", "mcp.json")}$`, "m"),
    );
    const done = await haft(["--write"]);
    expect(done).toMatchObject({ status: 2, stdout: "" });
    expect(done.stderr).toMatch(/^haft: --write needs a client: .*claude-code/);
  });

  it("names the nearest client for one that it does not know", async () => {
    const done = await haft(["curser"]);
    expect(done).toMatchObject({ status: 2, stdout: "" });
    expect(done.stderr).toMatch(/no client "curser"\. Did you mean "cursor"\?/);
    expect((await haft(["cursor", "--name", "a b"])).stderr).toContain("--name must be 1 to 64 letters");
  });
});

/** Whether every character of `before` stands in `after`, in its order: whatever is new was only put between. */
function isKeptIn(after: string, before: string): boolean {
  let at = 0;
  for (const character of after) if (character === before[at]) at++;
  return at === before.length;
}
