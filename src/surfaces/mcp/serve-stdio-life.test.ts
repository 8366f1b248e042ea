import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
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
    const command = "echo printed; echo reported >&2";
    send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command } } });
    send(child, { id: 3, method: "tools/call", params: { name: "nothing", arguments: {} } });
    await eventually(() => lines().length >= 4);
    child.stdin.end();
    expect(await ended).toBe(0);
    const messages = lines().map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(messages.every((message) => message.jsonrpc === "2.0")).toBe(true);
    expect(new Set(messages.map((message) => message.id))).toEqual(new Set([1, 2, 3, null]));
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
    const outcomes = answers.map(({ id, error, result }) => [id, error?.code ?? result?.isError ?? "result"]);
    const refused = ["odd", 1.5, 2, null].map((id) => [id, -32_600]);
    expect(new Set(outcomes.map(String))).toEqual(
      new Set([[1, "result"], ...refused, [4, false], [5, false]].map(String)),
    );
    expect(outcomes).toHaveLength(7);
  });

  it("answers each line that is no message, skips empty ones, and continues", async () => {
    const { child, ended, lines } = place.rawServer();
    send(child, { id: "first", ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    await eventually(() => lines().length === 1);
    const answersTo = async (line: string | Buffer): Promise<unknown[]> => {
      const before = lines().length;
      child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
      send(child, { id: "after", method: "ping" });
      const answers = () =>
        lines()
          .slice(before)
          .map((one) => JSON.parse(one));
      await eventually(() => answers().some(({ id }) => id === "after"));
      return answers()
        .filter(({ id }) => id !== "after")
        .map(({ id, error }) => [id, error?.code]);
    };
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    for (const [line, ...answers] of [
      ["", []],
      [" \r", []],
      ["{", [[null, -32_700]]],
      ['{"jsonrpc":"2.0",', [[null, -32_700]]],
      ["\u0000", [[null, -32_700]]],
      [ping.replace("ping", "pi\u0000ng"), [[null, -32_700]]],
      [Buffer.from(ping.replace("ping", "pi\u00ffng"), "latin1"), [[null, -32_700]]],
      ["[]", [[null, -32_600]]],
      [`[${ping}]`, [[null, -32_600]]],
      ["null", [[null, -32_600]]],
      ["7", [[null, -32_600]]],
      ["{}", [[null, -32_600]]],
      ['{"jsonrpc":"2.0","id":7}', [[7, -32_600]]],
      [ping.replace("2.0", "1.0"), [[1, -32_600]]],
      [ping.replace("1,", "null,"), [[null, -32_600]]],
      [ping.replace("1,", "{},"), [[null, -32_600]]],
      [ping.replace("1,", "1.5,"), [[1.5, -32_600]]],
      ['{"jsonrpc":"2.0","id":99,"result":{}}', []],
      [ping, [[1, undefined]]],
    ] as const)
      expect([line, await answersTo(line)]).toEqual([line, ...answers]);
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it("refuses a request whose id another one still has, answers that one, and takes the id again after it", async () => {
    const { child, ended, lines } = place.rawServer();
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const command = "until [ -e go ]; do sleep 0.05; done; echo first";
    const call = (shell: string) => ({ method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
    const answers = () => lines().map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    send(child, { id: 2, ...call(command) });
    send(child, { id: 2, ...call("echo second") });
    send(child, { id: "2", method: "ping" });
    await eventually(() => answers().length >= 3);
    expect(answers().find(({ id }) => id === 2)?.error?.code).toBe(-32_600);
    expect(answers().find(({ id }) => id === "2")?.error).toBeUndefined();
    writeFileSync(join(place.workspace, "go"), "");
    await eventually(() => answers().length >= 4);
    expect(JSON.stringify(answers()[3])).toContain("first");
    rmSync(join(place.workspace, "go"));
    // One that was cancelled is not answered, and its id is free all the same.
    send(child, { id: 2, ...call(command) });
    send(child, { method: "notifications/cancelled", params: { requestId: 2 } });
    send(child, { id: 2, ...call("echo third") });
    await eventually(() => answers().length >= 5);
    expect(JSON.stringify(answers()[4])).toContain("third");
    child.stdin.end();
    expect(await ended).toBe(0);
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

  it("lets a call that ends soon after the signal end by itself", async () => {
    const { child, ended, lines } = place.rawServer();
    send(child, { id: 1, ...INITIALIZE });
    send(child, { method: "notifications/initialized" });
    const shell = "echo >begun; until [ -e go ]; do sleep 0.02; done; echo whole";
    send(child, { id: 2, method: "tools/call", params: { name: "bash", arguments: { command: shell } } });
    await eventually(() => existsSync(join(place.workspace, "begun")));
    child.kill("SIGTERM");
    writeFileSync(join(place.workspace, "go"), "");
    expect(await ended).toBe(0);
    const answer = lines()
      .map((line) => JSON.parse(line))
      .find(({ id }) => id === 2);
    expect(answer).toMatchObject({ result: { isError: false } });
    expect(JSON.stringify(answer)).toContain("whole");
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

  it("answers a line that is too long with an error, keeps none of it, and continues", async () => {
    const { child, ended, lines } = place.rawServer();
    send(child, { id: 1, ...INITIALIZE });
    await eventually(() => lines().length === 1);
    const peakKiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
    const before = peakKiB();
    const write = (text: string) => new Promise((resolve) => child.stdin.write(text, resolve));
    const mebibyte = "x".repeat(1024 * 1024);
    for (let count = 0; count < 300; count++) await write(mebibyte);
    await write("\n");
    send(child, { id: 2, method: "ping" });
    await eventually(() => lines().length >= 3);
    const answers = lines().map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [null, -32_600],
      [2, undefined],
    ]);
    expect(peakKiB() - before).toBeLessThan(150 * 1024);
    // One just within the limit is read.
    send(child, { id: 3, method: "ping", params: { filler: "x".repeat(9 * 1024 * 1024) } });
    await eventually(() => lines().length >= 4);
    expect(JSON.parse(lines()[3] as string)).toMatchObject({ id: 3, result: {} });
    child.stdin.end();
    expect(await ended).toBe(0);
  }, 60_000);

  it("ends when its answers are not read any more, and does not spin on the broken pipe [MCP-11]", async () => {
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

  it("ends when its parent dies although its input stays open [MCP-12]", async () => {
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
