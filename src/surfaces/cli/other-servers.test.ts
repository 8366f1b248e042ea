import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeEach, describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { handMade } from "../../toolkit/servers.fixture.js";
import type { DoctorFinding } from "./commands/doctor/finding.js";

const place = cliPlace();
let pids: string;
beforeEach(() => {
  pids = join(place.root, "pids");
  mkdirSync(join(place.home, ".config", "haft"), { recursive: true });
  const more = `
    const { writeFileSync } = await import("node:fs");
    const { spawn } = await import("node:child_process");
    process.on("SIGTERM", () => {});
    process.stdin.removeAllListeners("end");
    call = async ({ arguments: { text } }) => {
      if (text === "more") {
        tools = [...tools, { name: "fresh", inputSchema: schema }];
        send({ method: "notifications/tools/list_changed" });
      }
      return { content: [{ type: "text", text: "echo: " + text }] };
    };
    const child = spawn("setsid", ["sleep", "600"], { stdio: "ignore" });
    child.once("spawn", () => writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid));`;
  const servers = { docs: handMade(place.root, "docs", more), gone: { command: "no-such-program" } };
  writeFileSync(join(place.home, ".config", "haft", "haft.jsonc"), JSON.stringify({ servers }));
});

const haft = (...args: string[]) => place.inProcess(args);

const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
const areGone = (): boolean =>
  readFileSync(pids, "utf8")
    .split(" ")
    .every((pid) => !isAlive(pid));

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  for (const end = Date.now() + limitMs; !holds(); ) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("servers of the configuration", { timeout: 60_000 }, () => {
  it("have their tools listed with where they come from, called, and reported by the doctor", async () => {
    const tools = await haft("tools");
    expect(tools.stdout).toMatch(/^read +/m);
    expect(tools.stdout).toMatch(/\nFrom the server "docs":\ndocs__echo +Says it again\.\n/);
    expect(tools.stderr).toContain('haft: the server "gone": it is skipped: it could not be started');
    expect(areGone()).toBe(true);
    const called = await haft("call", "docs__echo", '{"text":"hi"}');
    expect(called).toMatchObject({ status: 0, stdout: "echo: hi\n", stderr: "" });
    expect(areGone()).toBe(true);
    const cost = JSON.parse((await haft("cost", "--json")).stdout) as { tools: Record<string, number> };
    expect(cost.tools.docs__echo).toBeGreaterThan(0);
    const { findings } = JSON.parse((await haft("doctor", "--json")).stdout) as { findings: DoctorFinding[] };
    const found = findings.filter(({ id }) => id === "servers").map((one) => `${one.status} ${one.found}`);
    expect(found).toEqual([
      'ok "docs" offers 1 tool',
      expect.stringContaining('limits "gone": it is skipped: it could not be started'),
    ]);
  });

  it("have no tool that a rule denies, by its name or with a wildcard", async () => {
    for (const rule of ["deny tool:docs__*", "deny tool:*__echo", "deny tool:docs__echo"]) {
      const own = join(place.home, ".config", "haft", "haft.jsonc");
      const config = JSON.parse(readFileSync(own, "utf8")) as object;
      writeFileSync(own, JSON.stringify({ ...config, policy: { rules: [rule] } }));
      expect((await haft("tools")).stdout).not.toContain("docs");
      expect((await haft("call", "docs__echo", '{"text":"hi"}')).stdout).toContain('Unknown tool "docs__echo"');
      expect((await haft("call", "docs__echo", '{"text":"hi"}', "--explain")).stderr).toContain("there is no tool");
      const client = new Client({ name: "test", version: "1" });
      const [command, args] = [process.execPath, [built("surfaces/cli/main.js"), "serve", "--stdio"]];
      await client.connect(
        new StdioClientTransport({ command, args, cwd: place.workspace, env: place.env(), stderr: "ignore" }),
      );
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain("read");
        expect(tools.map(({ name }) => name)).not.toContain("docs__echo");
        const { content } = await client.callTool({ name: "docs__echo", arguments: { text: "hi" } });
        expect(JSON.stringify(content)).toContain("Unknown tool");
      } finally {
        await client.close();
      }
    }
  });

  it("have no tool that the directory of the client switches off", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify({ tools: { docs__echo: false } }));
    const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {} } });
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${place.workspace}` }] }));
    const [command, args] = [process.execPath, [built("surfaces/cli/main.js"), "serve", "--stdio"]];
    const transport = new StdioClientTransport({ command, args, cwd: place.home, env: place.env(), stderr: "ignore" });
    await client.connect(transport);
    try {
      const { content } = await client.callTool({ name: "docs__echo", arguments: { text: "hi" } });
      expect(JSON.stringify(content)).toContain("Unknown tool");
    } finally {
      await client.close();
    }
  });

  it("are served on, and nothing of them is left when the server is killed", async () => {
    const child = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve", "--stdio"], {
      cwd: place.workspace,
      env: place.env(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const ask = (id: number, method: string, params: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    };
    const clientInfo = { name: "test", version: "1" };
    ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    ask(2, "tools/list", {});
    await until(() => output.includes('"id":2'), 20_000);
    expect(output).toContain('"docs__echo"');
    ask(3, "tools/call", { name: "docs__echo", arguments: { text: "hi" } });
    await until(() => output.includes('"id":3'), 20_000);
    expect(output).toContain("echo: hi");
    ask(4, "tools/call", { name: "docs__echo", arguments: { text: "more" } });
    await until(() => output.includes('"notifications/tools/list_changed"'), 20_000);
    ask(5, "tools/call", { name: "docs__fresh", arguments: { text: "new" } });
    await until(() => output.includes('"id":5'), 20_000);
    expect(output).toContain("echo: new");
    await until(() => existsSync(pids), 20_000);
    child.kill("SIGKILL");
    await until(areGone, 20_000);
  });

  it("are ended with a command that cannot begin, which then ends itself", async () => {
    const state = join(place.root, "state");
    mkdirSync(state);
    writeFileSync(join(state, "format.json"), '{"format":99}');
    for (const args of [["serve"], ["call", "docs__echo", '{"text":"hello"}']]) {
      rmSync(pids, { force: true });
      const { status, stderr } = await haft(...args, "--state", state);
      expect([args[0], status, stderr]).toEqual([args[0], 2, expect.stringContaining("says format 99")]);
      if (existsSync(pids)) await until(areGone, 5_000);
    }
  });

  it("do not end a server that reports them while its output is not read", async () => {
    const main = built("surfaces/cli/main.js");
    const child = spawn(process.execPath, [main, "serve", "--stdio"], { cwd: place.workspace, env: place.env() });
    child.stderr.destroy();
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.stdin.on("error", () => {});
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    send({ id: 1, method: "initialize", params });
    send({ method: "notifications/initialized" });
    // When it answers, the missing program has been reported.
    send({ id: 2, method: "tools/list" });
    await Promise.race([until(() => stdout.includes("docs__echo"), 20_000), ended]);
    send({ id: 3, method: "ping" });
    await Promise.race([until(() => stdout.includes('"id":3'), 5_000), ended]);
    child.stdin.end();
    expect([await ended, stdout.includes('"id":3')]).toEqual([0, true]);
  });
});
