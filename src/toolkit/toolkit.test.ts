import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { indusagiDialect } from "../dialects/index.js";
import { defineTool, HaftError, type Policy, type ToolBox, type ToolOutcome, text } from "../kernel/index.js";
import { denyByDefaultPolicy } from "../policy/index.js";
import { verifies } from "../testing/verifies.fixture.js";
import {
  builtinRegistry,
  createToolkit,
  makeLocalContext,
  resetTodos,
  type Toolkit,
  type ToolkitOptions,
  toolBox,
  tryToolBox,
} from "./index.js";
import { openEmbedded } from "./open-state.js";

let root: string;
const open: Toolkit[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-toolkit-")));
  mkdirSync(join(root, "project"));
  writeFileSync(join(root, "project", "a.txt"), "alpha\n");
  writeFileSync(join(root, "outside.txt"), "secret\n");
  // The shared host of the helpers keeps its state where the environment says.
  vi.stubEnv("HAFT_STATE", join(root, "shared-state"));
});
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

async function local(options: ToolkitOptions = {}): Promise<Toolkit> {
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: join(root, "project"),
    stateDir: join(root, "state"),
    ...options,
  });
  open.push(toolkit);
  return toolkit;
}

async function inMemory(options: ToolkitOptions = {}): Promise<Toolkit> {
  const backend = createMemoryBackend({ files: { "a.txt": "alpha\n" } });
  const toolkit = await createToolkit({
    autonomy: "full",
    on: "m",
    backends: { m: backend },
    persist: false,
    ...options,
  });
  open.push(toolkit);
  return toolkit;
}

let calls = 0;
const run = (box: ToolBox, name: string, input: unknown = {}, more = {}): Promise<ToolOutcome> =>
  box.runner.run({ id: `c${++calls}`, name, input, ...more });
const items = [{ id: "1", text: "Write it", status: "pending" }];

describe("a toolkit", () => {
  it("runs the built-in tools in a real directory", async () => {
    const box = (await local()).box();
    expect((await run(box, "read", { path: "a.txt" })).output).toContain("alpha");
    expect((await run(box, "bash", { command: "cat a.txt" })).output).toContain("alpha");
    expect((await run(box, "grep", { pattern: "alph" })).output).toContain("a.txt");
    expect((await run(box, "write", { path: "b.txt", content: "beta" })).status).toBe("ok");
    expect(readFileSync(join(root, "project", "b.txt"), "utf8")).toBe("beta");
  });

  it("opens and writes nothing before the first call", async () => {
    const toolkit = await local();
    toolkit.box().descriptors();
    toolkit.session("named");
    expect(readdirSync(root).sort()).toEqual(["outside.txt", "project"]);
  });

  it("keeps nothing on disk when it is reported so", async () => {
    const box = (await local({ persist: false })).box();
    await run(box, "todo_set", { items });
    await run(box, "read", { path: "a.txt" });
    expect(readdirSync(root).sort()).toEqual(["outside.txt", "project"]);
  });

  it("reports an unwritable state directory at the call that needs it, and runs nothing", async () => {
    const toolkit = await local({ stateDir: join(root, "outside.txt", "state") });
    const outcome = await run(toolkit.box(), "write", { path: "b.txt", content: "beta" });
    expect(outcome).toMatchObject({ isError: true, code: "STORE_UNWRITABLE" });
    expect(outcome.output).toContain(join(root, "outside.txt", "state"));
    expect(readdirSync(join(root, "project"))).toEqual(["a.txt"]);
  });

  it("leaves nothing of a box's own session when it closes, and all of a named one", async () => {
    const toolkit = await local();
    await run(toolkit.box(), "todo_set", { items });
    await run(toolkit.session("named").box(), "todo_set", { items });
    expect(readdirSync(join(root, "state", "sessions"))).toHaveLength(2);
    await toolkit.close();
    await toolkit.close();
    expect(readdirSync(join(root, "state", "sessions"))).toEqual(["named"]);
  });

  it("closes every part although one of them fails, and reports that", async () => {
    const toolkit = await createToolkit({
      autonomy: "full",
      workspace: join(root, "project"),
      stateDir: join(root, "state"),
    });
    const [broken, sound] = [toolkit.session("broken"), toolkit.session("sound")];
    for (const { session } of [broken, sound]) session.setCwd("local", "/");
    mkdirSync(join(root, "state", "sessions"), { recursive: true });
    writeFileSync(join(root, "state", "sessions", "broken"), "in the way");
    await expect(toolkit.close()).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    const { state } = await openEmbedded(join(root, "state"));
    const stored = state.documents("session", await state.sessions.open("sound"));
    expect(await stored.get("memory")).toMatchObject({ value: { cwd: expect.anything() } });
    await state.close();
  });

  it("runs nothing after it was closed", async () => {
    const toolkit = await local();
    const box = toolkit.box();
    await toolkit.close();
    expect(await run(box, "read", { path: "a.txt" })).toMatchObject({ isError: true, code: "STORE_CLOSED" });
  });

  it("shows the choice of target only where there is one", async () => {
    const backends = {
      here: createMemoryBackend({ files: { f: "here" } }),
      there: createMemoryBackend({ files: { f: "there" } }),
    };
    const one = await inMemory({ on: "here", backends });
    const two = await inMemory({ on: ["here", "there"], backends });
    expect(JSON.stringify(one.box().descriptors())).not.toContain('"on"');
    expect(JSON.stringify(two.box().descriptors())).toContain('"enum":["here","there"]');
    const box = two.box();
    expect((await run(box, "read", { path: "f" })).output).toContain("here");
    expect((await run(box, "read", { path: "f", on: "there" })).output).toContain("there");
  });

  it("lays the gate over the dialect's", async () => {
    const guarded = (await inMemory({ gate: "write" })).box();
    expect(await run(guarded, "write", { path: "a.txt", content: "new" })).toMatchObject({ code: "FS_NOT_READ" });
    const free = (await inMemory({ gate: "off" })).box();
    expect((await run(free, "write", { path: "a.txt", content: "new" })).status).toBe("ok");
  });

  it("takes the host's own tools beside the built-in ones", async () => {
    const greet = defineTool({
      name: "greet",
      description: "Greets.",
      input: { type: "object" },
      run: () => text("Hello"),
    });
    const toolkit = await inMemory({ tools: [greet] });
    expect((await run(toolkit.box(), "greet")).output).toBe("Hello");
    expect(
      toolkit
        .box("coding")
        .descriptors()
        .map((one) => one.name),
    ).not.toContain("greet");
  });

  it("runs what a user granted later, and refuses it for another input", async () => {
    const asking: Policy = {
      name: "asking",
      decide: (claims, call) => ({
        ...(denyByDefaultPolicy({ roots: ["/workspace"] }).decide(claims, call) as object as { grant: never }),
        effect: "ask",
        rule: "asks",
        risk: "medium",
        reason: "A person decides.",
        remember: [],
      }),
    };
    const toolkit = await inMemory({ policy: asking, approver: { ask: async () => ({ pending: true }) } });
    const box = toolkit.box();
    const input = { path: "new.txt", content: "x" };
    const first = await run(box, "write", input);
    expect(first.status).toBe("input-required");
    const token = first.inputRequired?.token ?? "";
    await toolkit.host.state.approvals.decide(token, { granted: "ada" });
    const other = await run(box, "write", { ...input, content: "y" }, { resume: token });
    expect(other.status).toBe("denied");
    expect((await run(box, "read", { path: "new.txt" }, {})).status).toBe("input-required");
    expect((await run(box, "write", input, { resume: token })).status).toBe("ok");
  });

  verifies("IP-009", "refuses a path that leaves the root when it is confined, and only then", async () => {
    const confined = await local({ policy: denyByDefaultPolicy({ roots: [join(root, "project")] }) });
    const free = await local();
    for (const path of ["../outside.txt", "x/../../outside.txt", join(root, "outside.txt")]) {
      const refused = await run(confined.box(), "read", { path });
      expect(refused).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
      expect(JSON.stringify(refused.output)).not.toContain("secret");
      expect((await run(free.box(), "read", { path })).output).toContain("secret");
    }
    expect((await run(confined.box(), "read", { path: "x/../a.txt" })).output).toContain("alpha");
    expect((await run(confined.box(), "bash", { command: "true" })).status).toBe("denied");
  });
});

describe("sessions of a toolkit", () => {
  verifies("IR-116", "keep their lists apart, and one session sees its own through the box", async () => {
    for (const toolkit of [await local({ dialect: "indusagi" }), await inMemory({ dialect: "indusagi" })]) {
      const [one, two] = [toolkit.box(), toolkit.box()];
      expect((await run(one, "todo_set", { items })).isError).toBe(false);
      expect(JSON.stringify((await run(one, "todo_read")).output)).toContain("Write it");
      expect(JSON.stringify((await run(two, "todo_read")).output)).not.toContain("Write it");
      const named = toolkit.session("n");
      expect(toolkit.session("n")).toBe(named);
      expect(JSON.stringify((await run(named.box(), "todo_read")).output)).not.toContain("Write it");
    }
  });

  verifies("IR-117", "are all emptied by resetTodos", async () => {
    const toolkit = await local();
    const boxes = [toolkit.box(), toolkit.session("named").box()];
    for (const box of boxes) await run(box, "todo_set", { items });
    await resetTodos(toolkit);
    for (const box of boxes) expect(JSON.stringify((await run(box, "todo_read")).output)).not.toContain("Write it");
  });

  it("can be one for all boxes of a toolkit", async () => {
    const toolkit = await inMemory({ session: "shared" });
    await run(toolkit.box(), "todo_set", { items });
    expect((await run(toolkit.box(), "todo_read")).output).toContain("Write it");
    expect(toolkit.sessions().map((session) => session.id)).toEqual(["shared"]);
  });

  it("are shared by two toolkits over one state directory", async () => {
    const [one, two] = [await local(), await local()];
    await run(one.session("s").box(), "todo_set", { items });
    expect((await run(two.session("s").box(), "todo_read")).output).toContain("Write it");
  });
});

describe("the shared host", () => {
  verifies("IR-055", "gives a box that reads a relative file in one line", async () => {
    expect((await run(toolBox("coding", join(root, "project")), "read", { path: "a.txt" })).output).toContain("alpha");
    // Without a directory it works in the one of the process, which here is the repository.
    const read = await run(toolBox("coding"), "read", { path: "package.json" });
    expect(read.output).toContain('"name": "haft"');
  });

  verifies("IR-056", "gives the unknown-collection error as a value", () => {
    const error = tryToolBox("zzz");
    expect(HaftError.is(error, "REGISTRY_UNKNOWN_COLLECTION")).toBe(true);
    expect((error as HaftError).message).toBe('No collection named "zzz" is registered.');
    expect(() => toolBox("zzz")).toThrow('No collection named "zzz" is registered.');
    expect(HaftError.is(tryToolBox("coding"))).toBe(false);
  });

  verifies(
    "IR-138",
    "gives a local context with the standard budget, no framework and a signal that never fires",
    async () => {
      const cwd = join(root, "project");
      const [one, two] = [await makeLocalContext(cwd), await makeLocalContext(cwd)];
      expect(one.target.name).toBe("local");
      expect(one.cwd).toBe(cwd);
      expect(await one.fs.readText(join(cwd, "a.txt"))).toBe("alpha\n");
      expect(Buffer.from((await one.shell.exec("pwd", { cwd })).stdout.head).toString()).toBe(`${cwd}\n`);
      expect(one.signal.aborted).toBe(false);
      expect(one.budget).toMatchObject({ kind: "middle", maxBytes: 65_536 });
      expect(one.framework).toEqual({});
      expect(one.session).not.toBe(two.session);
      expect(two.contextId).toBeGreaterThan(one.contextId);
    },
  );

  verifies("IR-137", "ends a command at its time limit, its children too, with no exit code", async () => {
    const cwd = join(root, "project");
    const { shell } = await makeLocalContext(cwd);
    const result = await shell.exec("sleep 600 & echo $! >pid; sleep 600", { cwd, timeoutMs: 100 });
    expect(result).toMatchObject({ ended: "deadline", tree: { state: "gone" } });
    expect(result.exit).not.toHaveProperty("code");
    const pid = readFileSync(join(cwd, "pid"), "utf8").trim();
    expect(isRunning(pid)).toBe(false);
  });

  it("empties the lists of its own sessions", async () => {
    const box = toolBox("coding", join(root, "project"));
    await run(box, "todo_set", { items });
    await resetTodos();
    expect(JSON.stringify((await run(box, "todo_read")).output)).not.toContain("Write it");
  });
});

describe("the built-in registry", () => {
  verifies(
    ["IP-015", "IR-051"],
    "has the collections of both editions with the same members, all being every tool",
    () => {
      const names = (dialect: Parameters<typeof builtinRegistry>[0], collection: string): readonly string[] =>
        builtinRegistry(dialect)
          .membersOf(collection)
          .map((tool) => tool.name);
      for (const dialect of [indusagiDialect, undefined]) {
        const registry = builtinRegistry(dialect);
        expect(new Set(registry.collectionNames())).toEqual(new Set(["read-only", "coding", "all"]));
        expect(new Set(names(dialect, "all"))).toEqual(new Set(registry.names()));
        expect(registry.names()).toEqual(expect.arrayContaining([...names(dialect, "coding")]));
        expect(names(dialect, "read-only").slice(0, 4)).toEqual(["read", "ls", "grep", "find"]);
      }
      expect(names(undefined, "coding")).toEqual(expect.arrayContaining([...names(indusagiDialect, "coding")]));
      expect(new Set(names(indusagiDialect, "coding"))).toEqual(new Set(builtinRegistry(indusagiDialect).names()));
      expect(names(indusagiDialect, "read-only")).toHaveLength(6);
      expect(builtinRegistry(indusagiDialect).names()).toHaveLength(12);
    },
  );

  verifies("IP-014", "makes a box that looks a call up, makes its context and swaps its signal in", async () => {
    const toolkit = await inMemory();
    const session = toolkit.session();
    const seen: AbortSignal[] = [];
    let made = 0;
    const look = defineTool({
      name: "look",
      description: "Keeps its signal.",
      input: { type: "object" },
      run: (_input, ctx) => {
        seen.push(ctx.signal);
        return text("done");
      },
    });
    const box = builtinRegistry()
      .register(look)
      .toToolBox(async () => {
        made += 1;
        return session.context();
      });
    const stop = new AbortController();
    stop.abort();
    expect((await box.runner.run({ id: "1", name: "look", input: {} }, { signal: stop.signal })).status).toBe(
      "cancelled",
    );
    expect((await box.runner.run({ id: "2", name: "look", input: {} })).status).toBe("ok");
    expect(made).toBe(2);
    expect(seen).toHaveLength(1);
  });
});

/** A zombie is dead; only its parent has not looked yet. */
function isRunning(pid: string): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
