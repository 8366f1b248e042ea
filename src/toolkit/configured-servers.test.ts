import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Claim, grantFor } from "../kernel/index.js";
import { verifies } from "../testing/verifies.fixture.js";
import { SETTLES_MS, serversBench, until } from "./configured-servers.fixture.js";
import { handMade, program, SDK_1, SDK_2 } from "./servers.fixture.js";

/** A PNG of one pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const bench = serversBench();
const { connect, offered, calling } = bench;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("tools of other MCP servers", { timeout: 2 * SETTLES_MS }, () => {
  verifies("IP-056", "offers them as server__tool, and leaves out a dead server alone", async () => {
    const servers = await connect({
      one: program(bench.directory, "one", SDK_1),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how it is written in a file
      unset: { command: "${NOT_SET}" },
      dead: program(bench.directory, "dead", "process.stderr.write('no licence'); process.exit(3);"),
      absent: { command: join(bench.directory, "not-there") },
      two: program(bench.directory, "two", SDK_2),
    });
    expect(await offered(servers)).toEqual(["one__add", "one__refuse", "two__add", "two__refuse"]);
    const states = servers.states().map(({ name, state }) => `${name} ${state}`);
    expect(states.join(", ")).toBe("unset failed, one there, dead failed, absent failed, two there");
    expect(bench.notes.join("\n")).toMatch(
      /the server "dead": it is skipped: it ended with status 3; it last wrote: no licence/,
    );
    expect(bench.notes.join("\n")).toMatch(/the server "absent": it is skipped: it could not be started/);

    const call = await calling(servers);
    for (const server of ["one", "two"]) {
      const sum = await call(`${server}__add`, { a: 2, b: 3 });
      expect(sum).toMatchObject({ status: "ok", structured: { sum: 5 } });
      const provenance = { from: "server", ref: server };
      expect(sum.content).toMatchObject([
        { kind: "text", text: "5", provenance },
        { kind: "json", value: { sum: 5 }, provenance },
      ]);
      expect(await call(`${server}__refuse`)).toMatchObject({ status: "failed", output: "no" });
      expect(await call(`${server}__add`, { a: "x", b: 3 })).toMatchObject({ status: "invalid" });
    }
  });

  it("is judged by policy, with the names of the server and its tool", async () => {
    const servers = await connect({ docs: handMade(bench.directory, "docs") });
    const seen: (readonly Claim[])[] = [];
    const call = await calling(servers, {
      policy: {
        name: "watching",
        decide: (claims, about) => {
          seen.push(claims);
          return seen.length === 1
            ? { effect: "allow", rule: "first", risk: "low", reason: "-", grant: grantFor(about.callId, claims) }
            : { effect: "deny", rule: "second", risk: "high", reason: "Not twice." };
        },
      },
    });
    expect(await call("docs__echo", { text: "hi" })).toMatchObject({ output: "echo: hi" });
    expect(await call("docs__echo", { text: "hi" })).toMatchObject({ status: "denied" });
    expect(seen[0]).toEqual([{ kind: "server", server: "docs", tool: "echo" }]);
  });

  it("maps what a server answers, block by block, and keeps a flood within the budget", async () => {
    const more = `
      tools = ["blocks", "huge", "odd", "none"].map((name) => ({ name, inputSchema: schema }));
      call = async ({ name }) => name === "huge" ? { content: [{ type: "text", text: "x".repeat(3_000_000) }] }
        : name === "none" ? null : name === "odd" ? { content: null, structuredContent: { a: 1 } }
        : { content: [
          { type: "text", text: "t" }, { type: "image", data: "${DOT}", mimeType: "image/png" },
          { type: "resource_link", uri: "a:b", name: "n" }, { type: "resource", resource: { uri: "c:d", text: "r" } },
          { type: "audio", data: "AAEC", mimeType: "audio/wav" }, { type: "new", x: 1 }, 7 ] };`;
    const call = await calling(await connect({ s: handMade(bench.directory, "s", more) }));
    const kinds = (await call("s__blocks")).content.map(({ provenance: _, ...block }) => block);
    expect(kinds).toEqual([
      { kind: "text", text: "t" },
      { kind: "image", data: new Uint8Array(Buffer.from(DOT, "base64")), mime: "image/png" },
      { kind: "resource", uri: "a:b" },
      { kind: "text", text: expect.stringContaining("a:b, type not stated, size not stated") },
      { kind: "resource", uri: "c:d", text: "r" },
      { kind: "text", text: "[audio/wav, 3 bytes, not shown]" },
      { kind: "json", value: { type: "new", x: 1 } },
      { kind: "json", value: 7 },
    ]);
    expect(String((await call("s__huge")).output).length).toBeLessThan(100_000);
    expect((await call("s__odd")).output).toEqual({ a: 1 });
    const none = await call("s__none");
    expect(none).toMatchObject({ isError: true });
    expect(none.output).toMatch(/^The server "s" returned no valid response: .*its response has no result\.$/);
  });

  it("omits tools that cannot be offered, and reports each", async () => {
    const more = `
      const deep = { type: "object" }; let at = deep;
      for (let i = 0; i < 200; i++) { at.properties = { a: { type: "object" } }; at = at.properties.a; }
      tools = [
        { name: "Good.tool/1", description: "\\u001b[31mred\\u0000 " + "d".repeat(5000), inputSchema: { ...schema, $schema: "http://json-schema.org/draft-07/schema#" } },
        { name: "Good_tool_1", inputSchema: schema },
        { name: "n".repeat(90), inputSchema: schema },
        { name: "slow", inputSchema: { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "string" } } } },
        { name: "list", inputSchema: { type: "array" } }, { name: "none" }, { inputSchema: schema }, 5, null,
        { name: "faulty", inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
        { name: "deep", inputSchema: deep },
        { name: "off", inputSchema: schema },
      ];`;
    const servers = await connect({ s: handMade(bench.directory, "s", more) }, { tools: { s__off: false } });
    const tools = await servers.tools();
    expect(tools.map((tool) => tool.name)).toEqual([
      expect.stringMatching(/^s__Good_tool_1_[0-9a-f]{8}$/),
      "s__Good_tool_1",
      expect.stringMatching(/^s__n{52}_[0-9a-f]{8}$/),
      "s__slow",
    ]);
    const [first] = tools;
    expect(first?.description.startsWith("red ddd")).toBe(true);
    expect(Buffer.byteLength(first?.description ?? "")).toBeLessThanOrEqual(1_024);
    expect(servers.states()[0]?.reported).toHaveLength(7);
    expect(bench.notes.join("\n")).toMatch(/the tool "faulty": its `inputSchema` cannot be compiled/);
    const call = await calling(servers);
    expect(await call("s__slow", { text: `${"a".repeat(60)}!`, pattern: "p" })).toMatchObject({ status: "ok" });
    expect((await call(tools[2]?.name ?? "")).output).toBe(`${"n".repeat(90)}: `);
  });

  it("offers 256 tools of a server that lists 10,000, without end", async () => {
    const more = `
      answers["tools/list"] = ({ cursor }) => ({ nextCursor: String(Number(cursor ?? 0) + 1),
        tools: Array.from({ length: 10_000 }, (_, i) => ({ name: "t" + i, inputSchema: schema })) });`;
    const servers = await connect({
      many: handMade(bench.directory, "many", more),
      docs: handMade(bench.directory, "docs"),
    });
    const names = await offered(servers);
    expect(names).toHaveLength(257);
    expect(names).toContain("docs__echo");
    expect(bench.notes.join("\n")).toMatch(/skipped 9744 tools after the first 256/);
  });

  it("drops servers that flood, print text or write one endless line, and no other", async () => {
    const flood = (what: string) =>
      `process.stdout.on("error", () => process.exit(0)); const go = () => { while (process.stdout.write(${what})); process.stdout.once("drain", go); }; go();`;
    const servers = await connect({
      babble: program(bench.directory, "babble", flood('"no MCP at all\\n".repeat(1000)')),
      endless: program(bench.directory, "endless", flood('"x".repeat(100_000)')),
      notify: program(bench.directory, "notify", flood(`'{"jsonrpc":"2.0","method":"notifications/message"}\\n'`)),
      docs: handMade(bench.directory, "docs", `process.stdout.write("Welcome!\\n");`),
    });
    expect(await offered(servers)).toEqual(["docs__echo"]);
    const notes = bench.notes.join("\n");
    expect(notes).toMatch(/"babble".*printed text that is not MCP/);
    expect(notes).toMatch(/"endless".*a message of more than 16 MiB/);
    expect(notes).toMatch(/"notify".*more than 2000 messages within a second/);
  });

  it("does not wait longer than it may for one that never answers", async () => {
    const silent = program(bench.directory, "silent", "setInterval(() => {}, 1000);");
    const servers = await connect({ silent, docs: handMade(bench.directory, "docs") }, { withinMs: 3_000 });
    expect(await offered(servers)).toEqual(["docs__echo"]);
    expect(bench.notes).toEqual(['the server "silent": it did not answer within 3 s']);
  });

  it("passes a cancel on", async () => {
    const path = join(bench.directory, "cancelled");
    const more = `
      const { writeFileSync } = await import("node:fs");
      call = () => { writeFileSync(${JSON.stringify(`${path}-begun`)}, ""); };
      heard = (method) => { if (method === "notifications/cancelled") writeFileSync(${JSON.stringify(path)}, ""); };`;
    const call = await calling(await connect({ s: handMade(bench.directory, "s", more) }));
    const stop = new AbortController();
    const running = call("s__echo", {}, stop.signal);
    await until(() => existsSync(`${path}-begun`));
    stop.abort();
    expect(await running).toMatchObject({ status: "cancelled" });
    await until(() => existsSync(path));
  });

  it("starts a server that crashed again at the next call, and does not repeat the lost one", async () => {
    const more = `call = async ({ arguments: { text } }) => text === "die" ? process.exit(7) : { content: [{ type: "text", text: String(process.pid) }] };`;
    const call = await calling(await connect({ s: handMade(bench.directory, "s", more) }));
    const before = await call("s__echo", { text: "a" });
    expect(await call("s__echo", { text: "die" })).toMatchObject({
      isError: true,
      output: 'The server "s" returned no valid response: it ended with status 7.',
    });
    const after = await call("s__echo", { text: "a" });
    expect(after.status).toBe("ok");
    expect(after.output).not.toBe(before.output);
    for (let count = 0; count < 2; count++) await call("s__echo", { text: "die" });
    expect(await call("s__echo", { text: "a" })).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      output: expect.stringContaining("it ended 3 times within a minute"),
    });
  });

  it("gives a program the usual variables and its own, and ends its whole tree with us", async () => {
    const path = join(bench.directory, "pids");
    const more = `
      const { spawn } = await import("node:child_process");
      const { writeFileSync } = await import("node:fs");
      const child = spawn("setsid", ["sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"], { stdio: "ignore" });
      child.once("spawn", () => writeFileSync(${JSON.stringify(path)}, process.pid + " " + child.pid));
      process.removeAllListeners("SIGTERM"); process.on("SIGTERM", () => {});
      call = async () => ({ content: [{ type: "text", text: JSON.stringify([process.env.OWN, process.env.HAFT_SECRET ?? null]) }] });`;
    process.env.HAFT_SECRET = "s";
    try {
      const servers = await connect({ s: { ...handMade(bench.directory, "s", more), env: { OWN: "o" } } });
      const call = await calling(servers);
      expect((await call("s__echo")).output).toBe('["o",null]');
      await until(() => existsSync(path));
      expect(await servers.close()).toEqual({ left: [] });
      for (const pid of readFileSync(path, "utf8").split(" ")) expect(isAlive(Number(pid))).toBe(false);
    } finally {
      delete process.env.HAFT_SECRET;
    }
  });

  it("hears that the tools of a server have changed, and those of one that comes late", async () => {
    const more = `
      setTimeout(() => { tools = [{ name: "fresh", inputSchema: schema }]; send({ method: "notifications/tools/list_changed" }); }, 200);`;
    const slow = `
      const list = answers["tools/list"];
      answers["tools/list"] = () => new Promise((resolve) => setTimeout(() => resolve(list()), 3000));`;
    const servers = await connect(
      { s: handMade(bench.directory, "s", more), late: handMade(bench.directory, "late", slow) },
      { withinMs: 2_000 },
    );
    expect(await offered(servers)).not.toContain("late__echo");
    await until(() => servers.named("s__fresh") !== undefined && servers.named("late__echo") !== undefined);
    expect(servers.named("s__echo")).toBeUndefined();
    expect(bench.notes).toEqual([
      'the server "late": it did not answer within 2 s',
      'the server "late": it is connected now, with 1 tool',
    ]);
    const call = await calling(servers);
    expect(await call("s__fresh", { text: "a" })).toMatchObject({ output: "fresh: a" });
  });
});
