import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, gone, INITIALIZE, StdioPlace, send } from "./stdio-place.fixture.js";

let place: StdioPlace;
beforeEach(() => {
  place = new StdioPlace();
});
afterEach(() => place.close());

describe("the stdio server", () => {
  it("writes nothing but the protocol on standard output", async () => {
    const { child, ended, lines } = place.rawServer();
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
    const { child, ended, lines } = place.rawServer();
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
    const { pids, child, ended } = await place.busyServer();
    child.stdin.end();
    expect(await ended).toBe(0);
    await gone(pids);
  });

  it("ends on a signal, and with it what its calls run", async () => {
    const { pids, child, ended } = await place.busyServer();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await gone(pids);
  });

  it("answers the calls that run when it is stopped", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      rmSync(join(place.workspace, "begun"), { force: true });
      const { child, ended, lines } = place.rawServer();
      send(child, { id: 1, ...INITIALIZE });
      send(child, { method: "notifications/initialized" });
      const shell = "echo said before; echo >begun; sleep 600";
      send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
      await eventually(() => existsSync(join(place.workspace, "begun")));
      child.kill(signal);
      expect([signal, await ended]).toEqual([signal, 0]);
      const answers = lines().map((line) => JSON.parse(line) as { id: number; result?: { isError?: boolean } });
      const answer = answers.find(({ id }) => id === 2);
      expect(answer?.result?.isError).toBe(true);
      expect(JSON.stringify(answer)).toContain("said before");
    }
  });

  it("ends when its client sends a message that does not end, and with it what its calls run", async () => {
    const { pids, child, ended } = await place.busyServer();
    child.stdin?.on("error", () => {});
    const pour = setInterval(() => child.stdin?.write("x".repeat(1024 * 1024)), 1);
    expect(await ended).toBe(0);
    clearInterval(pour);
    await gone(pids);
  });

  it("MCP-11: ends when nobody reads its answers any more, and does not spin on the broken pipe", async () => {
    const { command, args, cwd, env } = place.server();
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const shell = "echo $$ >pids; setsid sleep 607 & echo $! >>pids; while :; do echo more; sleep 0.05; done";
    const params = { name: "bash", arguments: { command: shell }, _meta: { progressToken: "p" } };
    send(child, { id: 2, method: "tools/call", params });
    const pids = await place.pidsOf(2);
    child.stdout.destroy();
    expect(await ended).toBe(0);
    await gone(pids);
    child.stdin.destroy();
  });

  it("MCP-12: ends when its parent dies although its input stays open", async () => {
    const { command, args, cwd, env } = place.server();
    const fifo = join(place.root, "fifo");
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
    const pids = await place.pidsOf(1);
    await eventually(() => readFileSync(join(place.workspace, "answers"), "utf8").includes('"id":1'));
    parent.kill("SIGKILL");
    await gone(pids);
    closeSync(held);
  });
});
