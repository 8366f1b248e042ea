import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteDriver } from "../../../../stores/sqlite/index.js";
import { createToolkit, sessionAdmin, type Toolkit } from "../../../../toolkit/index.js";
import type { McpSession } from "../../../mcp/index.js";
import { type ServedCalls, type ServedCallsOptions, servedCalls } from "./served-calls.js";

const DAY = 24 * 60 * 60 * 1000;
const items = [{ id: "1", text: "stay", status: "pending" }];

let root: string;
let stateDir: string;
let toolkits: Toolkit[];
let notes: string[];
let open: ServedCalls[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-served-")));
  stateDir = join(root, "state");
  for (const name of ["one", "two"]) mkdirSync(join(root, name));
  toolkits = [];
  notes = [];
  open = [];
});
afterEach(async () => {
  for (const calls of open) await calls.close();
  rmSync(root, { recursive: true, force: true });
});

function serve(options: Partial<ServedCallsOptions> = {}): ServedCalls {
  const calls = servedCalls({
    collection: "coding",
    needsRoots: false,
    onNote: (line) => notes.push(line),
    open: async () => {
      const toolkit = await createToolkit({ autonomy: "full", on: "memory", stateDir });
      toolkits.push(toolkit);
      return toolkit;
    },
    ...options,
  });
  open.push(calls);
  return calls;
}

const named = (key: string, more: Partial<McpSession> = {}): McpSession => ({
  key,
  client: "one",
  isLasting: false,
  ...more,
});
const plan = (calls: ServedCalls, session: McpSession) =>
  calls.run({ name: "todo_set", input: { items } }, {}, session);
const read = async (calls: ServedCalls, session: McpSession) =>
  (await calls.run({ name: "todo_read", input: {} }, {}, session)).output;

describe("the sessions behind a server", () => {
  it("end with the one that was not used for longest when a client names too many", async () => {
    const calls = serve({ maxSessions: 2 });
    for (const key of ["a", "b", "a", "c"]) await plan(calls, named(key));
    expect(toolkits[0]?.sessions()).toHaveLength(2);
    expect(await read(calls, named("a"))).toContain("stay");
    expect(await read(calls, named("b"))).not.toContain("stay");
  });

  it("are closed for the client that has the most, not for another", async () => {
    const calls = serve({ maxSessions: 3 });
    await plan(calls, named("quiet", { client: "two" }));
    for (const key of ["a", "b", "c", "d"]) await plan(calls, named(key));
    expect(await read(calls, named("quiet", { client: "two" }))).toContain("stay");
  });

  it("are found again after the server has ended where the client can name them again, and else leave nothing", async () => {
    const first = serve();
    const lasting = named("mcp:laptop", { isLasting: true });
    await plan(first, lasting);
    await plan(first, named("mcp:gone"));
    expect(await (await sessionAdmin({ stateDir })).list()).toHaveLength(2);
    await first.close();
    expect((await (await sessionAdmin({ stateDir })).list()).map(({ id }) => id)).toEqual(["mcp:laptop"]);
    expect(await read(serve(), lasting)).toContain("stay");
  });

  it("end a day after the end of their last call", async () => {
    let nowMs = Date.now();
    const calls = serve({ now: () => nowMs, checkIntervalMs: 5 });
    const session = named("mcp:laptop", { isLasting: true });
    await plan(calls, session);
    nowMs += DAY - 60_000;
    // Long enough for several looks.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await read(calls, session)).toContain("stay");
    nowMs += 120_000;
    while (toolkits[0]?.sessions().length !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await read(calls, session)).not.toContain("stay");
  });

  it("end when they are ended from elsewhere, and their client gets a new one", async () => {
    const calls = serve({ checkIntervalMs: 5 });
    const session = named("mcp:laptop", { isLasting: true });
    await plan(calls, session);
    expect(await (await sessionAdmin({ stateDir })).end("mcp:laptop")).toBe(true);
    while (toolkits[0]?.sessions().length !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await read(calls, session)).not.toContain("stay");
    await plan(calls, session);
    expect(await read(calls, session)).toContain("stay");
  });

  it("are begun anew by the next call after they were ended from elsewhere", async () => {
    const calls = serve();
    const session = named("mcp:laptop", { isLasting: true });
    await plan(calls, session);
    await (await sessionAdmin({ stateDir })).end("mcp:laptop");
    expect((await plan(calls, session)).status).toBe("ok");
    expect(await read(calls, session)).toContain("stay");
    expect(toolkits[0]?.sessions()).toHaveLength(1);
  });

  it("have artifacts of their own", async () => {
    const calls = serve();
    const [one, two] = [await calls.artifacts?.(named("a")), await calls.artifacts?.(named("b"))];
    const writer = await one?.create({ what: "stdout" });
    await writer?.write(Buffer.from("kept"));
    await writer?.end();
    expect(await one?.list()).toHaveLength(1);
    expect(await two?.list()).toHaveLength(0);
    expect(await two?.read(writer?.id ?? "", 0, 10)).toBe("unknown");
    expect(await (await calls.artifacts?.(named("a")))?.list()).toHaveLength(1);
  });

  it("are not begun anew by an end that is under way", async () => {
    const calls = serve();
    const session = named("mcp:laptop", { isLasting: true });
    await plan(calls, session);
    calls.end?.(session.key, true);
    await plan(calls, session);
    expect(await read(calls, session)).toContain("stay");
    expect(await (await sessionAdmin({ stateDir })).list()).toHaveLength(1);
  });
});

describe("the directories of a client", () => {
  const rooted = (): ServedCalls =>
    serve({
      needsRoots: true,
      open: async (reported) => {
        const workspace = reported === undefined ? join(root, "one") : fileURLToPath(reported);
        const toolkit = await createToolkit({ autonomy: "full", workspace, stateDir });
        toolkits.push(toolkit);
        return toolkit;
      },
    });
  const uri = (name: string): string => pathToFileURL(join(root, name)).href;
  const move = (calls: ServedCalls, roots: readonly string[]): void => {
    calls.rootsChanged?.();
    calls.takeRoots?.(roots);
  };
  const where = async (calls: ServedCalls) =>
    (await calls.run({ name: "bash", input: { command: "pwd" } }, {}, named("s"))).output;

  it("are asked for once, and again when they have changed; plans go along, and what was left running ends", async () => {
    const calls = rooted();
    calls.takeRoots?.([uri("one")]);
    expect(calls.takeRoots).toBeUndefined();
    expect(await where(calls)).toContain(join(root, "one"));
    await plan(calls, named("s"));
    const input = {
      command: "setsid sh -c 'trap \"touch ended; exit\" TERM; while :; do sleep 0.02; done' >/dev/null 2>&1 & echo",
    };
    await calls.run({ name: "bash", input }, {}, named("s"));
    move(calls, [uri("two")]);
    expect(await where(calls)).toContain(join(root, "two"));
    expect(await read(calls, named("s"))).toContain("stay");
    while (!existsSync(join(root, "one", "ended"))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(notes).toEqual([]);
  });

  it("are followed although a plan cannot be taken along, which is reported", async () => {
    const calls = rooted();
    calls.takeRoots?.([uri("one")]);
    await where(calls);
    await plan(calls, named("s"));
    const database = sqliteDriver()!.open(join(stateDir, "state.db"));
    expect(database.run("UPDATE haft_documents SET value = ?1 WHERE key = ?2", ["{", "todo"])).toBe(1);
    database.close();
    move(calls, [uri("two")]);
    expect(await where(calls)).toContain(join(root, "two"));
    expect(notes).toEqual([
      expect.stringMatching(/^the todo list of a session was not moved.*"todo": what is stored is damaged/),
    ]);
  });

  it("stay when they are sent again unchanged, or not sent at all", async () => {
    const calls = rooted();
    calls.takeRoots?.([uri("two")]);
    await where(calls);
    for (const sent of [[uri("two")], []]) {
      move(calls, sent);
      expect(await where(calls)).toContain(join(root, "two"));
    }
    expect(toolkits).toHaveLength(1);
  });

  it("are the first one of this machine; what else the client has open ends nothing", async () => {
    const calls = rooted();
    calls.takeRoots?.(["https://example.com/", uri("two")]);
    expect(await where(calls)).toContain(join(root, "two"));
    move(calls, [uri("two"), uri("one")]);
    expect(await where(calls)).toContain(join(root, "two"));
    expect(toolkits).toHaveLength(1);
  });

  it("are left behind only when the next one is open, and then by every session", async () => {
    const calls = rooted();
    calls.takeRoots?.([uri("one")]);
    await plan(calls, named("s"));
    move(calls, [uri("missing")]);
    await expect(where(calls)).rejects.toThrow(/missing/);
    await expect(where(calls)).rejects.toThrow(/missing/);
    move(calls, [uri("two")]);
    expect(await where(calls)).toContain(join(root, "two"));
    expect(await read(calls, named("s"))).toContain("stay");
    expect(toolkits[0]?.sessions()).toHaveLength(0);
  });

  it("are gone back to, after others that could not be opened, as they were left", async () => {
    const calls = rooted();
    calls.takeRoots?.([uri("one")]);
    await plan(calls, named("s"));
    move(calls, [uri("missing")]);
    await expect(where(calls)).rejects.toThrow(/missing/);
    move(calls, []);
    expect(await where(calls)).toContain(join(root, "one"));
    expect(await read(calls, named("s"))).toContain("stay");
    expect(toolkits).toHaveLength(1);
  });

  it("are not left by reading what is stored, and the operator gets a notice of what a change of directory deletes", async () => {
    const calls = rooted();
    expect(await calls.artifacts?.(named("s"))).toBeUndefined();
    calls.takeRoots?.([uri("one")]);
    writeFileSync(join(root, "one", "old.txt"), "old");
    const over = { name: "write", input: { path: "old.txt", content: "new" } };
    await calls.run({ name: "read", input: { path: "old.txt" } }, {}, named("s"));
    await calls.run(over, {}, named("s"));
    calls.rootsChanged?.();
    expect(await (await calls.artifacts?.(named("s")))?.list()).toHaveLength(1);
    expect(toolkits).toHaveLength(1);
    calls.takeRoots?.([uri("two")]);
    await where(calls);
    expect(notes).toEqual(["deleted 1 artifacts of the session in the old workspace"]);
  });
});
