/** A state that a host gives: what is kept in it, and for whom. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Documents,
  defineTool,
  HaftError,
  type Policy,
  SESSION_IDLE_MS,
  type State,
  text,
} from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import {
  createToolkit,
  openFileState,
  openMemoryState,
  type Toolkit,
  type ToolkitOptions,
  type ToolkitSession,
} from "./index.js";

let root: string;
let toolkits: Toolkit[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-state-option-")));
  mkdirSync(join(root, "ws", "below"), { recursive: true });
  writeFileSync(join(root, "ws", "a.txt"), "one\n");
  toolkits = [];
});
afterEach(async () => {
  await Promise.all(toolkits.map((toolkit) => toolkit.close()));
  rmSync(root, { recursive: true, force: true });
});

const items = [{ id: "1", text: "Write it", status: "pending" }];
const allowAll = allowAllPolicy();
const asksAboutCommands: Policy = {
  name: "commands",
  decide(claims, call) {
    const decision = allowAll.decide(claims, call);
    if (call.tool !== "bash" || decision.effect !== "allow") return decision;
    return { ...decision, effect: "ask", rule: "commands", reason: "It is a command.", remember: ["bash"] };
  },
};

/** Changes the working directory to `below`, as a tool of the host may. */
const go = defineTool({
  name: "go",
  description: "Goes below.",
  input: { type: "object", properties: {} },
  effect: "read",
  claims: () => [{ kind: "command", command: "cd", cwd: join(root, "ws", "below") }],
  run: async (_, ctx) => {
    ctx.session.setCwd(join(root, "ws", "below"));
    return text("went");
  },
});

/** A store of a third party: counts what is done, and is shared or not as it says. */
function counted(inner: State, shared: boolean): State & { readonly uses: string[] } {
  const uses: string[] = [];
  const count = <T extends object>(name: string, part: T): T =>
    new Proxy(part, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          uses.push(`${name}.${String(member)}`);
          return value.apply(target, args);
        };
      },
    });
  return {
    ...inner,
    shared,
    uses,
    documents: (collection, session): Documents => count("documents", inner.documents(collection, session)),
    sessions: count("sessions", inner.sessions),
    approvals: count("approvals", inner.approvals),
    async close() {
      uses.push("close");
    },
  };
}

async function open(state: State, more: Partial<ToolkitOptions> = {}): Promise<Toolkit> {
  const toolkit = await createToolkit({
    state,
    workspace: join(root, "ws"),
    stateDir: join(root, "state"),
    tools: [go],
    ...more,
  });
  toolkits.push(toolkit);
  return toolkit;
}

const run = (session: ToolkitSession, name: string, input: object = {}, resume?: string) =>
  session.box().runner.run({ id: "c", name, input, ...(resume === undefined ? {} : { resume }) });

describe("a state that is given to a toolkit", () => {
  it.each([true, false])(
    "keeps todo list, directory, files read and approvals for the next toolkit, and is not closed (shared: %s)",
    async (shared) => {
      const state = counted(await openMemoryState(), shared);
      const approver = { ask: async () => ({ by: "ada", scope: "session" }) as const };
      const more = { policy: asksAboutCommands, gate: "on" as const };
      const first = await open(state, { ...more, approver });
      const session = first.session("daily");
      await run(session, "todo_set", { items });
      await run(session, "read", { path: "a.txt" });
      await run(session, "bash", { command: "true" });
      await run(session, "go");
      await first.close();
      const second = await open(state, more);
      const again = second.session("daily");
      expect((await run(again, "todo_read")).output).toContain("Write it");
      expect(await run(again, "bash", { command: "pwd" })).toMatchObject({
        output: expect.stringContaining(join(root, "ws", "below")),
        decision: { approver: "remembered" },
      });
      expect(await run(again, "write", { path: join(root, "ws", "a.txt"), content: "two\n" })).toMatchObject({
        status: "ok",
      });
      expect((await run(second.session("other"), "todo_read")).output).not.toContain("Write it");
      await second.close();
      expect(state.uses).not.toContain("close");
      expect(await state.problem()).toBeUndefined();
    },
  );

  it("keeps a stored request for the next toolkit", async () => {
    const state = counted(await openMemoryState(), true);
    const first = await open(state, { policy: asksAboutCommands, approver: { ask: async () => ({ pending: true }) } });
    const token = (await run(first.session("daily"), "bash", { command: "echo ran" })).inputRequired?.token ?? "";
    await first.close();
    const second = await open(state, { policy: asksAboutCommands });
    await second.approvals.decide(token, { granted: "ada" });
    expect(await run(second.session("daily"), "bash", { command: "echo ran" }, token)).toMatchObject({ status: "ok" });
  });

  it("shows each of two toolkits at its next call what the other did", async () => {
    const state = counted(await openMemoryState(), true);
    const [one, two] = [(await open(state)).session("daily"), (await open(state)).session("daily")];
    await run(two, "todo_read");
    await run(one, "go");
    await run(one, "todo_set", { items });
    expect((await run(two, "bash", { command: "pwd" })).output).toContain(join(root, "ws", "below"));
    expect((await run(two, "todo_read")).output).toContain("Write it");
  });

  it("is not used by the calls of an unnamed session, and once by each of a named one that changes nothing", async () => {
    const state = counted(await openMemoryState(), true);
    const toolkit = await open(state);
    const unnamed = toolkit.session();
    for (const name of ["a.txt", "a.txt"]) await run(unnamed, "read", { path: name });
    expect(state.uses).toEqual([]);
    const named = toolkit.session("daily");
    expect(state.uses).toEqual([]);
    await run(named, "read", { path: "a.txt" });
    expect(state.uses.splice(0)).toEqual(["sessions.open", "documents.get", "documents.update"]);
    await run(named, "read", { path: "a.txt" });
    expect(state.uses.splice(0)).toEqual(["documents.get"]);
    await unnamed.close();
    expect(state.uses).toContain("sessions.end");
    expect(state.uses.filter((use) => use.startsWith("documents"))).toEqual([]);
  });

  it("begins a session anew that the store has ended since its last call", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const toolkit = await open(await openMemoryState());
      const session = toolkit.session("daily");
      await run(session, "todo_set", { items });
      vi.setSystemTime(Date.now() + SESSION_IDLE_MS + 60_000);
      await run(toolkit.session("other"), "todo_read");
      expect((await run(session, "todo_read")).output).not.toContain("Write it");
      expect(await run(session, "todo_set", { items })).toMatchObject({ status: "ok" });
      expect((await run(session, "todo_read")).output).toContain("Write it");
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves the audit log and artifacts in the state directory, or in memory", async () => {
    const state = await openMemoryState();
    const session = (await open(state)).session("daily");
    const { artifacts } = await run(session, "bash", { command: "seq 1 100000" });
    expect((await run(session, "read", { path: `artifact:${artifacts[0]}` })).status).toBe("ok");
    expect(readdirSync(join(root, "state")).sort()).toEqual(expect.arrayContaining(["audit", "sessions"]));
    const [directory = ""] = readdirSync(join(root, "state", "sessions"));
    expect(existsSync(join(root, "state", "sessions", directory, "documents"))).toBe(false);
    const inMemory = (await open(state, { persist: false, stateDir: join(root, "none") })).session("daily");
    expect((await run(inMemory, "bash", { command: "seq 1 100000" })).artifacts).toHaveLength(1);
    expect(existsSync(join(root, "none"))).toBe(false);
  });

  it("has no artifacts of an ended session for a later one of its name", async () => {
    const state = await openMemoryState();
    const first = (await open(state)).session("daily");
    const { artifacts } = await run(first, "bash", { command: "seq 1 100000" });
    await state.sessions.end("daily");
    const later = (await open(state)).session("daily");
    expect((await run(later, "read", { path: `artifact:${artifacts[0]}` })).isError).toBe(true);
    expect(await later.session.artifacts.list()).toEqual([]);
  });

  it("in a directory is in no reach of file tools", async () => {
    const state = await openFileState(join(root, "ws", ".other"));
    const toolkit = await open(state);
    const outcome = await run(toolkit.session("daily"), "write", { path: ".other/approvals/forged.json", content: "" });
    expect(outcome).toMatchObject({ status: "denied", decision: { rule: "state-directory" } });
    await state.close();
  });

  it("that fails ends the calls of a named session with its error, audited, before anything runs", async () => {
    const inner = await openMemoryState();
    let isDown = true;
    const sessions: State["sessions"] = {
      ...inner.sessions,
      async open(id, about) {
        if (isDown) throw new HaftError("STORE_CONFLICT", "Did not reach the database. Try again.");
        return inner.sessions.open(id, about);
      },
    };
    const session = (await open({ ...inner, shared: true, sessions })).session("daily");
    const write = { path: "b.txt", content: "" };
    const outcome = await run(session, "write", write);
    expect(outcome).toMatchObject({ status: "failed", code: "STORE_CONFLICT", audit: expect.stringMatching(/./) });
    expect(await session.box().explain({ id: "c", name: "write", input: write })).toMatchObject({
      stopped: { isError: true },
    });
    expect(existsSync(join(root, "ws", "b.txt"))).toBe(false);
    isDown = false;
    expect(await run(session, "write", write)).toMatchObject({ status: "ok" });
  });

  it.each([[null], [{}], [{ documents() {} }]])("is refused where it is none: %j", async (state) => {
    const error = await createToolkit({ state: state as unknown as State }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining("`state`") });
  });
});

describe("a session with an owner", () => {
  it.each(["in memory", "on disk"])("is refused to anybody else, %s", async (where) => {
    const state = where === "on disk" ? await openFileState(join(root, "shared")) : await openMemoryState();
    const [first, second] = [await open(state), await open(state)];
    await run(first.session("daily", { owner: "ada" }), "todo_set", { items });
    for (const other of [{ owner: "bob" }, {}]) {
      expect(() => first.session("daily", other)).toThrow(/another owner/);
      const session = second.session("daily", other);
      expect(await run(session, "todo_read")).toMatchObject({
        status: "denied",
        code: "POLICY_DENIED",
        output: 'Did not open the session "daily": it belongs to another owner. Use another session name.',
        audit: expect.stringMatching(/./),
      });
      await expect(session.session.todo.read()).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await expect(session.session.artifacts.list()).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await expect(session.end()).rejects.toMatchObject({ code: "POLICY_DENIED" });
    }
    expect((await run(second.session("daily", { owner: "ada" }), "todo_read")).output).toContain("Write it");
    await state.close();
  });

  it("has a name that can be stored", async () => {
    const session = (await open(await openMemoryState())).session(`long${"x".repeat(2_000)}`);
    expect(await run(session, "todo_read")).toMatchObject({
      status: "failed",
      code: "STORE_INVALID",
      output: expect.stringMatching(/^Did not open the session "longx{96}…": .*Use another session name\.$/),
    });
  });
});
