import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noisyPng } from "./noisy-png.fixture.js";
import { gone, StdioPlace, textOf } from "./stdio-place.fixture.js";

const CLIENTS = {
  "version 1": (place: StdioPlace) => place.oldClient(),
  "version 2, older protocol": (place: StdioPlace) => place.newClient("legacy"),
  "version 2, newer protocol": (place: StdioPlace) => place.newClient("auto"),
};

describe.each(Object.entries(CLIENTS))("an MCP client of %s over stdio", (_name, connect) => {
  let place: StdioPlace;
  let client: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    place = new StdioPlace();
    client = await connect(place);
  });
  afterAll(() => place.close());

  it("lists and calls the tools", async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("bash");
    expect(tools.every((tool) => tool.inputSchema.type === "object")).toBe(true);
    expect(await textOf(client, "grep", { pattern: "TODO" })).toContain("two TODO");
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(place.workspace);
  });

  it("has one session: what one call sets the next one sees", async () => {
    await textOf(client, "todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
    expect(await textOf(client, "todo_read", {})).toContain("Write it");
  });

  it("ends the whole process tree of a call that it cancels", async () => {
    const stop = new AbortController();
    const command = "echo $$ >pids; setsid sleep 601 & echo $! >>pids; sleep 602";
    const called = textOf(client, "bash", { command }, { signal: stop.signal }).catch((error: unknown) => error);
    const pids = await place.pidsOf(2);
    stop.abort();
    expect(await called).toBeInstanceOf(Error);
    await gone(pids);
  });

  it("hears of progress while a command prints", async () => {
    const reported: { message?: string }[] = [];
    const onprogress = (one: { message?: string }): void => void reported.push(one);
    // Progress is about what happens before the end, so the command lives a little longer than its first line.
    await textOf(client, "bash", { command: "echo first; sleep 0.3; echo second" }, { onprogress });
    expect(reported.length).toBeGreaterThan(0);
  });
});

let place: StdioPlace;
const placeForEach = () => {
  beforeEach(() => {
    place = new StdioPlace();
  });
  afterEach(() => place.close());
};

describe("what a client of the stdio server gets", () => {
  placeForEach();

  it("short instructions that name the workspace and truncated outputs", async () => {
    for (const mode of ["legacy", "auto"] as const) {
      const instructions = (await place.newClient(mode)).getInstructions() ?? "";
      expect(instructions).toMatch(/workspace.*relative paths.*truncated.*artifact:/);
      expect(instructions.length).toBeLessThan(400);
    }
  });

  it("instructions that name the targets, and what they are", async () => {
    const on = ["--on", "local", "--on", "box=memory"];
    const instructions = (await place.newClient("auto", place.server(on))).getInstructions() ?? "";
    expect(instructions).toMatch(/\nTargets:\n- local: this machine\n- box: memory$/);
  });

  it("lists each tool as it is declared, with its parameters unchanged", async () => {
    const client = await place.newClient("auto");
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.read).toMatchObject({ readOnlyHint: true });
    expect(hints.bash).toEqual({ destructiveHint: true, openWorldHint: true });
    expect(hints.webfetch).toEqual({ readOnlyHint: true, idempotentHint: true, openWorldHint: true });
    expect(hints.write).toEqual({ destructiveHint: true, idempotentHint: true });
    expect(hints.todo_set).toEqual({ readOnlyHint: true, idempotentHint: true });
    expect(tools.every(({ title }) => typeof title === "string")).toBe(true);
    for (const { name, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      for (const word of ["anyOf", "oneOf", "allOf"]) expect([name, word in inputSchema]).toEqual([name, false]);
    }
  });

  it("errors of a call as results of the tool, and the server continues [MCP-25]", async () => {
    const client = await place.newClient("legacy");
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

  it("an answer under the budget of the library, in one line, with a note of what was cut [MCP-15]", async () => {
    const line = `${"x".repeat(99)}\n`;
    writeFileSync(join(place.workspace, "large.txt"), line.repeat(300_000));
    const client = await place.newClient("legacy");
    const result = await client.callTool({ name: "read", arguments: { path: "large.txt" } });
    const wire = JSON.stringify(result);
    expect(wire.length).toBeLessThan(256 * 1024);
    expect(JSON.stringify(result.content)).toMatch(/300000|offset|more/);
  });

  it("a large image as an image that was made to fit, never as text of its bytes [MCP-17]", async () => {
    const client = await place.newClient("legacy");
    // 3 MB and 19 MB.
    for (const side of [1000, 2500]) {
      writeFileSync(join(place.workspace, "x.png"), noisyPng(side));
      const result = await client.callTool({ name: "read", arguments: { path: "x.png" } });
      const blocks = result.content as { type: string; text?: string; data?: string }[];
      const textLength = blocks.reduce((sum, { text = "" }) => sum + text.length, 0);
      expect([side, textLength]).toEqual([side, expect.toSatisfy((length) => length < 10_000)]);
      expect([side, blocks.map(({ type }) => type)]).toEqual([side, ["text", "image"]]);
      for (const { data = "" } of blocks) expect(Buffer.from(data, "base64").length).toBeLessThan(4 * 1024 * 1024);
    }
  });

  it("its text alone: no structured content, which clients show in the place of it, and no `_meta`", async () => {
    const client = await place.newClient("legacy");
    const word = "pay-load-of-this-test";
    writeFileSync(join(place.workspace, "b.txt"), `${word}\n`);
    for (const [name, args] of [
      ["read", { path: "b.txt" }],
      ["grep", { pattern: "pay-load" }],
      ["bash", { command: "cat b.txt" }],
      ["write", { path: "c.txt", content: word }],
      ["edit", { path: "b.txt", oldText: word, newText: `${word}!` }],
      ["todo_set", { items: [{ id: "1", text: word, status: "pending" }] }],
    ] as const) {
      const plain = await client.callTool({ name, arguments: args });
      expect([name, plain.isError, Object.keys(plain)]).toEqual([name, false, ["content", "isError"]]);
    }
  });

  it("facts in `_meta` where the request or the configuration asks for them, and never the payload again", async () => {
    const word = "pay-load-of-this-test";
    writeFileSync(join(place.workspace, "b.txt"), `${word}\n`);
    const config = join(place.root, "haft.jsonc");
    writeFileSync(config, '{ "serve": { "facts": true } }');
    const asking = await place.newClient("legacy");
    const configured = await place.newClient(
      "legacy",
      place.server(["--workspace", place.workspace, "--config", config]),
    );
    for (const [client, _meta] of [
      [asking, { "haft/facts": true }],
      [configured, {}],
    ] as const) {
      for (const [name, args] of [
        ["read", { path: "b.txt" }],
        ["grep", { pattern: "pay-load" }],
        ["bash", { command: "cat b.txt" }],
      ] as const) {
        const result = await client.callTool({ name, arguments: args, _meta });
        expect([name, Object.keys(result._meta ?? {})]).toEqual([name, expect.arrayContaining(["haft/facts"])]);
        expect([name, JSON.stringify(result._meta)]).toEqual([name, expect.not.stringContaining(word)]);
        expect([name, result.structuredContent]).toEqual([name, undefined]);
      }
    }
  });
});

describe("where the stdio server works", () => {
  placeForEach();

  it("works where the client's roots say when it was given no workspace", async () => {
    const other = realpathSync(join(place.root, "other"));
    for (const mode of ["legacy", "auto"] as const) {
      const client = await place.newClient(mode, place.server([], place.workspace), [pathToFileURL(other).href]);
      // What a client looks at first does not settle where it works.
      expect((await client.listResources()).resources).toEqual([]);
      expect(await textOf(client, "bash", { command: "pwd" })).toContain(other);
    }
    const plain = await place.newClient("auto", place.server([], place.workspace));
    expect(await textOf(plain, "bash", { command: "pwd" })).toContain(place.workspace);
  });

  it("goes where the client's roots have moved to, and takes its plan along", async () => {
    const roots = [pathToFileURL(place.workspace).href];
    const client = await place.newClient("legacy", place.server([], place.workspace), roots);
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(place.workspace);
    await textOf(client, "todo_set", { items: [{ id: "1", text: "Move", status: "pending" }] });
    const other = realpathSync(join(place.root, "other"));
    roots.splice(0, 1, pathToFileURL(other).href);
    await client.sendRootsListChanged();
    expect(await textOf(client, "bash", { command: "pwd" })).toContain(other);
    expect(await textOf(client, "todo_read", {})).toContain("Move");
  });

  it("starts in a directory that may not be a workspace, and each call says which option to add", async () => {
    const client = await place.newClient("auto", place.server([], "/"));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: "artifact:///a-1" })).rejects.toThrow("no such artifact");
    expect(await textOf(client, "bash", { command: "pwd" })).toContain("--workspace DIR");
  });
});
