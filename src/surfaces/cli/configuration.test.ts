import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeEach, describe, expect, it } from "vitest";
import { built, type Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace();
let mine: string;
beforeEach(() => {
  mine = join(place.home, ".config", "haft", "haft.jsonc");
  for (const directory of [dirname(mine), join(place.workspace, "sub")]) mkdirSync(directory, { recursive: true });
});

const haft = (args: readonly string[], env: Record<string, string> = {}, cwd = place.workspace): Promise<Finished> =>
  place.inProcess(args, { env, cwd });
const bash = (command: string, ...options: readonly string[]): Promise<Finished> =>
  haft(["call", "bash", JSON.stringify({ command }), ...options], { HAFT_ONE: "1", HAFT_TWO: "2" });
const ours = (config: unknown): void => writeFileSync(mine, JSON.stringify(config));
const project = (config: unknown): void => writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify(config));

describe("the configuration of a command", () => {
  it("comes from the user's file, then the workspace's, then the options", async () => {
    ours({ dialect: "buddy" });
    expect((await haft(["tools"])).stdout).toMatch(/^run_shell/m);
    project({ dialect: "zeroclaw" });
    expect((await haft(["tools"])).stdout).toMatch(/^shell/m);
    expect((await haft(["tools", "--dialect", "haft"])).stdout).toMatch(/^bash/m);
    expect((await haft(["tools", "--no-config"])).stdout).toMatch(/^bash/m);
    writeFileSync(join(place.root, "other.jsonc"), '{ "dialect": "haft" } // for today');
    expect((await haft(["tools", "--config", join(place.root, "other.jsonc")])).stdout).toMatch(/^bash/m);
  });

  it("is found where XDG_CONFIG_HOME says", async () => {
    const xdg = join(place.root, "xdg");
    mkdirSync(join(xdg, "haft"), { recursive: true });
    writeFileSync(join(xdg, "haft", "haft.jsonc"), '{ "dialect": "buddy" }');
    expect((await haft(["tools"], { XDG_CONFIG_HOME: xdg })).stdout).toMatch(/^run_shell/m);
    expect((await haft(["tools"], { XDG_CONFIG_HOME: "xdg" })).stdout).toMatch(/^bash/m);
  });

  it("stops a command that does not understand it, with the file, the line and the nearest name", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), '{\n  "dialekt": "haft"\n}\n');
    for (const args of [["call", "read", '{"path":"a"}'], ["tools"], ["serve", "--once"], ["serve", "--stdio"]]) {
      const done = await haft(args);
      expect([args, done.status, done.stdout]).toEqual([args, 2, ""]);
      expect(done.stderr).toContain(`${join(place.workspace, "haft.jsonc")}:2:3: there is no key "dialekt".`);
      expect(done.stderr).toContain('Did you mean "dialect"?');
      expect(done.stderr).not.toMatch(/\n\s+at /);
    }
    expect((await haft(["tools", "--no-config"])).status).toBe(0);
    const missing = await haft(["tools", "--config", "none.jsonc"]);
    expect(missing).toMatchObject({ status: 2, stdout: "" });
    expect(missing.stderr).toContain("--config none.jsonc: no such file. `haft init`");
  });

  it("refuses what is not a regular file, or far too large for one", async () => {
    mkdirSync(join(place.workspace, "haft.jsonc"));
    expect((await haft(["tools"])).stderr).toContain("it is not a regular file");
    rmSync(join(place.workspace, "haft.jsonc"), { recursive: true });
    writeFileSync(join(place.workspace, "haft.jsonc"), " ".repeat(1024 * 1024 + 1));
    expect((await haft(["tools"])).stderr).toContain("the limit is 1048576");
  });

  it("says where calls run, in a file of the user only", async () => {
    project({ on: ["memory"] });
    const ignored = await bash("pwd");
    expect(ignored.stdout).toContain(place.workspace);
    expect(ignored.stderr).toContain('"on": only your own configuration can set it');
    const own = join(place.root, "targets.jsonc");
    const other = join(place.root, "other place");
    mkdirSync(other);
    writeFileSync(own, JSON.stringify({ on: ["memory", `posix:dash=${other}`] }));
    const call = (input: object) =>
      haft(["call", "bash", JSON.stringify({ command: "pwd; echo end", ...input }), "--config", own]);
    expect((await call({ on: "posix:dash" })).stdout).toContain(`${other}\nend`);
    expect((await call({ on: "local" })).stdout).toContain('"memory", "posix:dash"');
  });

  it("switches tools off: not shown, and unknown when called", async () => {
    project({ tools: { bash: false } });
    const names = (JSON.parse((await haft(["tools", "--json"])).stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("read");
    expect(names).not.toContain("bash");
    const called = await bash("true", "--json");
    expect(JSON.parse(called.stdout)).toMatchObject({ isError: true, status: "unknown-tool" });
    const all = Object.fromEntries(names.map((name) => [name, false]));
    project({ tools: { ...all, bash: false } });
    expect((await haft(["tools"])).stdout).toContain("haft doctor");
  });

  it("takes a dialect from a project, and its looser gate only where it is trusted with that", async () => {
    project({ dialect: "zeroclaw" });
    const over = async (...options: readonly string[]): Promise<Finished> => {
      writeFileSync(join(place.workspace, "a.txt"), "old");
      const input = JSON.stringify({ path: "a.txt", content: "new" });
      const done = await haft(["call", "file_write", input, "--session", "new", ...options]);
      expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe(done.status === 0 ? "new" : "old");
      return done;
    };
    const untrusted = await over();
    expect(untrusted).toMatchObject({ status: 1, stdout: expect.stringContaining("read") });
    expect(untrusted.stderr).toContain(`"trust": { "${place.workspace}": ["dialect"] } into ${mine}`);
    for (const mending of [{ trust: { [place.workspace]: ["dialect"] } }, { dialect: "buddy" }]) {
      ours(mending);
      const done = await over();
      expect(done.status).toBe(0);
      expect(done.stderr).not.toContain("Ignored");
    }
    ours({});
    expect((await over("--dialect", "zeroclaw")).stderr).not.toContain("Ignored");
    expect((await over("--gate", "off")).status).toBe(0);
  });

  it("passes the user's variables on, and the project's only where it is trusted", async () => {
    ours({ env: ["HAFT_ONE", "HAFT_IS_NOT_SET"] });
    project({ env: ["HAFT_TWO"] });
    const untrusted = await bash('echo "[$HAFT_ONE][$HAFT_TWO]"');
    expect(untrusted.stdout).toContain("[1][]");
    expect(untrusted.stderr).toContain(`"trust": { "${place.workspace}": ["env"] } into ${mine}`);
    ours({ env: ["HAFT_ONE"], trust: { [place.workspace]: ["env"] } });
    const trusted = await bash('echo "[$HAFT_ONE][$HAFT_TWO]"');
    expect(trusted.stdout).toContain("[1][2]");
    expect(trusted.stderr).toBe("");
    symlinkSync(place.workspace, join(place.home, "shop"));
    ours({ trust: { "~/shop": ["env"] } });
    expect((await bash('echo "[$HAFT_ONE][$HAFT_TWO]"')).stdout).toContain("[][2]");
  });

  it("keeps state where the user says", async () => {
    ours({ state: "~/kept" });
    expect((await bash("true")).status).toBe(0);
    expect(readdirSync(join(place.home, "kept"))).toContain("audit");
  });

  it("works in the directory that it names, which for a project is one of its own", async () => {
    project({ workspace: "sub" });
    expect((await bash("pwd")).stdout).toContain(join(place.workspace, "sub"));
    expect((await bash("pwd", "--workspace", place.workspace)).stdout).toMatch(/project\n/);
    ours({ workspace: join(place.root, "home2") });
    expect((await bash("pwd")).stderr).toContain("no such directory");
    mkdirSync(join(place.root, "home2"));
    expect((await bash("pwd")).stdout).toContain("home2");
    ours({});
    symlinkSync(join(place.root, "home2"), join(place.workspace, "out"));
    project({ workspace: "out" });
    const led = await bash("pwd");
    expect(led).toMatchObject({ status: 2, stdout: "" });
    expect(led.stderr).toContain("it is a symlink to");
  });

  it("reads no file where anybody could have put one", async () => {
    writeFileSync(join(place.home, "haft.jsonc"), "nonsense");
    expect((await haft(["tools"], {}, place.home)).status).toBe(0);
  });

  it("says where a server listens", async () => {
    ours({ serve: { host: "localhost" } });
    expect((await haft(["serve", "--once"])).stdout).toMatch(/http:\/\/localhost:\d+\/mcp/);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    ours({ serve: { port } });
    const served = await haft(["serve", "--once"]);
    const [, taken = ""] = /127\.0\.0\.1:(\d+)/.exec(served.stdout) ?? [];
    expect(served.stderr).toBe(`haft: port ${port} is in use; using ${taken} instead.\n`);
    ours({});
    const asked = await haft(["serve", "--once", "--port", String(port)]);
    expect(asked).toMatchObject({ status: 0, stderr: expect.stringContaining(`port ${port} is in use; using `) });
    await new Promise((resolve) => other.close(resolve));
  });

  it("holds for an MCP client, in the directory that the client works in", async () => {
    project({ tools: { bash: false }, dialect: "zeroclaw" });
    const elsewhere = join(place.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "haft.jsonc"), '{ "tools": { "read": false } }');
    const connect = async (roots: readonly string[]): Promise<Client> => {
      const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
      client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
      const args = [built("surfaces/cli/main.js"), "serve", "--stdio"];
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, cwd: place.workspace, env: place.env() }),
      );
      return client;
    };
    const here = await connect([]);
    expect((await here.listTools()).tools.map(({ name }) => name)).not.toContain("shell");
    expect(await here.callTool({ name: "file_read", arguments: { path: "haft.jsonc" } })).not.toHaveProperty(
      "isError",
      true,
    );
    const over = { name: "file_write", arguments: { path: "a.txt", content: "new" } };
    for (const directory of [place.workspace, elsewhere]) writeFileSync(join(directory, "a.txt"), "old");
    expect(await here.callTool(over)).toHaveProperty("isError", true);
    await here.close();
    // The dialect of the first directory is spoken in the next one too, and its gate stays behind there as well.
    const there = await connect([`file://${elsewhere}`]);
    expect(await there.callTool(over)).toHaveProperty("isError", true);
    await there.close();
    for (const directory of [place.workspace, elsewhere])
      expect(readFileSync(join(directory, "a.txt"), "utf8")).toBe("old");
    const read = async (client: Client): Promise<unknown> => {
      const answer = await client.callTool({ name: "file_read", arguments: { path: "haft.jsonc" } }).catch(String);
      await client.close();
      return answer;
    };
    expect(await read(await connect([`file://${elsewhere}`]))).toMatchObject({ isError: true });
    writeFileSync(join(elsewhere, "haft.jsonc"), '{ "tols": {} }');
    expect(JSON.stringify(await read(await connect([`file://${elsewhere}`])))).toContain("Did you mean");
  });
});
