import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { type Backend, grantFor, type PolicyCall, type ToolOutcome } from "../kernel/index.js";
import { fakeClock } from "../testing/index.js";
import { gate } from "./gate.fixture.js";
import { auditAdmin, createToolkit, type TargetScheme, type Toolkit } from "./index.js";
import { END_TIMEOUT_MS, TargetSet } from "./target-set.js";

let root: string;
let toolkit: Toolkit | undefined;
beforeEach(() => {
  root = realpathSync.native(mkdtempSync(join(tmpdir(), "haft-targets-")));
  for (const name of ["one", "two"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "a.txt"), `${name}\n`);
  }
});
afterEach(async () => {
  await toolkit?.close();
  toolkit = undefined;
  rmSync(root, { recursive: true, force: true });
});

type Options = NonNullable<Parameters<typeof createToolkit>[0]>;
async function open(options: Options): Promise<(name: string, input: object) => Promise<ToolOutcome>> {
  toolkit = await createToolkit({
    autonomy: "full",
    workspace: join(root, "one"),
    stateDir: join(root, "state"),
    ...options,
  });
  const { runner } = toolkit.session("s").box();
  return (name, input) => runner.run({ id: "c", name, input });
}

describe("targets of one toolkit", () => {
  it("open at their first call, each alone; listing the tools opens none", async () => {
    const opened: string[] = [];
    const box: TargetScheme = {
      open({ target, address, cwd }) {
        opened.push(`${target} ${address} ${cwd}`);
        return createMemoryBackend({ name: target, ...(cwd === undefined ? {} : { cwd }) });
      },
    };
    const call = await open({ on: ["box:a", { target: "box:b", workspace: "/srv/b" }], schemes: { box } });
    expect(JSON.stringify(toolkit?.box().descriptors())).toContain('"box:b"');
    await call("read", { path: 7 });
    await call("reed", { path: "a.txt" });
    expect(opened).toEqual([]);
    expect((await call("bash", { command: "pwd", on: "box:b" })).output).toContain("/srv/b");
    expect((await call("bash", { command: "pwd", on: "box:b" })).output).toContain("/srv/b");
    expect(opened).toEqual(["box:b b /srv/b"]);
    expect((await call("bash", { command: "pwd" })).output).toContain(join(root, "one"));
    expect(opened).toEqual(["box:b b /srv/b", `box:a a ${join(root, "one")}`]);
  });

  it("do not wait for one that does not answer", async () => {
    const answer = gate<Backend>();
    const call = await open({ on: ["slow:x", "local", "memory"], schemes: { slow: { open: () => answer.promise } } });
    let isSettled = false;
    const waiting = call("bash", { command: "pwd" }).finally(() => {
      isSettled = true;
    });
    expect((await call("read", { path: "a.txt", on: "local" })).output).toContain("one");
    expect((await call("write", { path: "b.txt", content: "x", on: "memory" })).status).toBe("ok");
    expect(isSettled).toBe(false);
    answer.pass(createMemoryBackend({ cwd: join(root, "one") }));
    expect(await waiting).toMatchObject({ status: "ok", output: expect.stringContaining(join(root, "one")) });
  });

  it("fail alone where one cannot be opened: the call says which and why, is audited, and the next one tries again", async () => {
    let attempts = 0;
    const lame: TargetScheme = {
      async open({ cwd = "/" }) {
        attempts += 1;
        if (attempts === 1) throw new Error("no route to host");
        return createMemoryBackend({ cwd });
      },
    };
    const call = await open({ on: ["lame:x", "local"], schemes: { lame } });
    const [failed, read] = await Promise.all([
      call("bash", { command: "pwd" }),
      call("read", { path: "a.txt", on: "local" }),
    ]);
    expect(read).toMatchObject({ status: "ok", output: expect.stringContaining("one") });
    expect(failed).toMatchObject({ status: "failed", code: "BACKEND_UNAVAILABLE" });
    expect(failed.output).toContain('the target "lame:x" could not be opened: no route to host.');
    expect((await call("bash", { command: "echo again" })).output).toContain("again");
    const { calls } = await auditAdmin({ stateDir: join(root, "state") });
    expect(calls.map(({ target, status }) => `${target} ${status}`).sort()).toEqual([
      "lame:x failed",
      "lame:x ok",
      "local ok",
    ]);
  });

  it("continue where one dies in the middle of a call; its next call opens it again", async () => {
    const backends: Backend[] = [];
    const frail: TargetScheme = {
      open() {
        const started = gate<void>();
        const backend = createMemoryBackend({
          name: "frail:x",
          commands: {
            hang() {
              started.pass();
              return new Promise<never>(() => {});
            },
          },
        });
        backends.push(backend);
        begun = started.promise;
        return backend;
      },
    };
    let begun: Promise<void> = Promise.resolve();
    const call = await open({ on: ["local", "frail:x"], schemes: { frail } });
    await call("bash", { command: "true", on: "frail:x" });
    const dying = call("bash", { command: "hang", on: "frail:x" });
    await begun;
    const other = call("bash", { command: "cat a.txt" });
    await backends[0]?.close();
    expect((await dying).isError).toBe(true);
    expect(await other).toMatchObject({ status: "ok", output: expect.stringContaining("one") });
    expect(await call("bash", { command: "echo alive", on: "frail:x" })).toMatchObject({
      status: "ok",
      output: expect.stringContaining("alive"),
    });
    expect(backends).toHaveLength(2);
  });

  it("have a workspace and a working directory each, which policy and the audit log get", async () => {
    const seen: PolicyCall[] = [];
    const policy: NonNullable<Options["policy"]> = {
      name: "seen",
      decide(claims, about) {
        seen.push(about);
        return { effect: "allow", rule: "all", risk: "low", reason: "", grant: grantFor("g", claims) };
      },
    };
    const call = await open({ on: ["local", `posix:dash=${join(root, "two")}`, "memory"], policy });
    expect((await call("read", { path: "a.txt" })).output).toContain("one");
    expect((await call("read", { path: "a.txt", on: "posix:dash" })).output).toContain("two");
    expect((await call("bash", { command: "pwd", on: "memory" })).output).toContain("/workspace");
    const workspaces = [
      ["local", join(root, "one")],
      ["posix:dash", join(root, "two")],
      ["memory", "/workspace"],
    ];
    expect(seen.map(({ target, workspace }) => [target, workspace])).toEqual(workspaces);
    const { calls } = await auditAdmin({ stateDir: join(root, "state") });
    expect(calls.map(({ target, workspace }) => [target, workspace])).toEqual(workspaces);
  });

  it("may be one target under several names, each with its workspace", async () => {
    const on = [`one=local`, { name: "two", target: "local", workspace: join(root, "two") }, "memory=/x"];
    const call = await open({ on });
    expect((await call("read", { path: "a.txt" })).output).toContain("one");
    expect((await call("read", { path: "a.txt", on: "two" })).output).toContain("two");
    expect((await call("read", { path: "a.txt", on: "local" })).output).toContain('"one", "two", "memory"');
    await call("process", { action: "start", command: "sleep 60", on: "two" });
    expect((await call("process", { action: "list", on: "two" })).output).toContain("sleep 60");
    expect((await call("process", { action: "list" })).output).not.toContain("sleep 60");
    const { calls } = await auditAdmin({ stateDir: join(root, "state") });
    expect(calls.slice(0, 2).map(({ target, spec }) => [target, spec])).toEqual([
      ["one", "local"],
      ["two", "local"],
    ]);
  });

  it("may be one backend of the host under several names", async () => {
    const backend = createMemoryBackend({ name: "mine", cwd: "/" });
    const on = [{ name: "a", target: "mine", workspace: "/a" }, "b=mine=/b"];
    const call = await open({ on, backends: { mine: backend } });
    await call("bash", { command: "mkdir -p /a /b; echo A > /a/x; echo B > /b/x", cwd: "/" });
    expect((await call("read", { path: "x" })).output).toContain("A");
    expect((await call("read", { path: "x", on: "b" })).output).toContain("B");
  });

  it("end their jobs with a session although another cannot", async () => {
    const bad = createMemoryBackend({ name: "bad" });
    const failing = { ...bad, root: bad.root, bind: bad.bind.bind(bad), state: () => "open" as const };
    let isBad = true;
    const endSession = () => {
      if (isBad) throw new Error("it cannot end");
      return Promise.resolve({ left: [] });
    };
    const good = createMemoryBackend({ name: "good" });
    await open({ on: ["bad", "good"], backends: { bad: { ...failing, endSession } as Backend, good } });
    const session = toolkit!.session("t");
    const started = await session
      .box()
      .runner.run({ id: "1", name: "process", input: { action: "start", command: "sleep 600", on: "good" } });
    expect(started.output).toContain("running");
    expect(await good.root.shell.jobs()).toHaveLength(1);
    await expect(session.close()).rejects.toThrow("it cannot end");
    expect((await good.root.shell.jobs()).filter(({ status }) => status === "running")).toEqual([]);
    isBad = false;
  });

  it("are all closed although one throws and another never answers, and the error names those that failed", async () => {
    const clock = fakeClock();
    const never = () => new Promise<never>(() => {});
    const refuse = () => {
      throw new Error("it cannot.");
    };
    const make = (more: Partial<Backend>) => ({ open: () => ({ ...createMemoryBackend(), ...more }) });
    const left = ["7 (stubborn)"];
    const schemes: Record<string, TargetScheme> = {
      bad: make({ close: refuse, endSession: refuse }),
      stateless: make({ state: refuse, endSession: async () => ({ left }) }),
      hung: make({ close: never, endSession: never }),
      good: make({ close: async () => ({ left }), endSession: async () => ({ left }) }),
    };
    for (const scheme of Object.values(schemes)) Object.assign(scheme, { addresses: [""] });
    const setOf = async (...names: string[]) => {
      const machine = { home: "/home/t", currentDirectory: () => undefined };
      const set = new TargetSet(
        names.map((target) => ({ target })),
        { schemes, backends: {}, machine, options: {}, clock },
      );
      for (const target of Object.values(set.all)) await target.open();
      return set;
    };
    const late = 'what runs on "hung": no answer within 10000 ms';
    const answering = await setOf("hung", "good");
    const ends = [answering.endSession("s"), answering.close()];
    await clock.advance(END_TIMEOUT_MS);
    expect(await Promise.all(ends)).toEqual([
      [late, ...left],
      [late, ...left],
    ]);
    const failing = await setOf("bad", "stateless", "hung", "good");
    const failed = Promise.allSettled([failing.endSession("s"), failing.close()]);
    await clock.advance(END_TIMEOUT_MS);
    const [session, closed] = (await failed).map((one) => (one.status === "rejected" ? one.reason : undefined));
    expect(session).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message:
        'The target "bad" did not end the session "s": it cannot. The target "stateless" did not end the session "s": it cannot.',
      details: { left: [late, ...left] },
    });
    expect(closed).toMatchObject({
      message: 'The target "bad" did not close: it cannot.',
      details: { target: "bad", left: [late, ...left] },
    });
    expect(clock.waiting).toBe(0);
  });

  it("that lack their workspace are answered with what is missing, not with a policy", async () => {
    const call = await open({
      on: "mine",
      workspace: "/nope",
      backends: { mine: createMemoryBackend({ name: "mine" }) },
    });
    const refused = 'the working directory "/nope" does not exist. Use an existing directory.';
    for (const path of ["a.txt", "deep/er/a.txt"])
      expect(await call("write", { path, content: "x" })).toMatchObject({
        code: "FS_NOT_FOUND",
        output: expect.stringContaining(refused),
      });
    await call("bash", { command: "mkdir /nope", cwd: "/" });
    expect((await call("write", { path: "deep/er/a.txt", content: "x" })).status).toBe("ok");
  });

  it("of one machine share what was read: a file read on one may be overwritten on the other", async () => {
    const call = await open({ on: ["local", "posix:dash", "memory=/elsewhere"], gate: "on" });
    const refused = await call("write", { path: "a.txt", content: "new\n", on: "posix:dash" });
    expect(refused.code).toBe("FS_NOT_READ");
    await call("read", { path: "a.txt" });
    expect((await call("write", { path: "a.txt", content: "new\n", on: "posix:dash" })).status).toBe("ok");
  });

  it("are no choice where there is one: a call that names another is refused, with the reason", async () => {
    const call = await open({ on: "local" });
    const refused = await call("read", { path: "a.txt", on: "posix:dash" });
    expect(refused).toMatchObject({ status: "invalid", code: "CALL_INVALID" });
    expect(refused.output).toContain('`on` chooses between several targets, and there is only "local". Leave it out.');
  });

  it("are refused before anything is opened where the choice is wrong", async () => {
    const of = (on: Options["on"], more: Options = {}) =>
      createToolkit({ autonomy: "full", persist: false, on: on as never, ...more });
    await expect(of([])).rejects.toThrow("names no target");
    await expect(of(["memory", "memory=/a"])).rejects.toThrow('Two targets have the name "memory"');
    await expect(of({ target: "memory", workspace: "a" })).rejects.toThrow('must be an absolute path, not "a"');
    await expect(of("posix:dash=a")).rejects.toThrow('"posix:dash" must be an absolute path, not "a"');
    await expect(of({ target: "memory", name: "a b" })).rejects.toThrow('"a b" cannot be the name of a target');
    await expect(of({ target: "memory", name: "posix:sh" })).rejects.toThrow("cannot be the name");
    await expect(of({ target: "memory", name: "local" })).rejects.toThrow('cannot have the name "local"');
    const mine = createMemoryBackend();
    await expect(of(mine as never)).rejects.toThrow("pass `backends: { NAME: backend }`");
    await expect(createToolkit({ persist: false, backends: { mine } })).rejects.toThrow('Add `on: "mine"`');
    await expect(of("other", { backends: { mine } })).rejects.toThrow("Use one of mine, local");
    await expect(of("posix:dash=/not/there")).rejects.toThrow("no such directory");
    await expect(of("posix:zsh")).rejects.toThrow("Use one of local, sandbox, memory, posix:sh");
    await expect(of("box:", { schemes: { box: { open: () => createMemoryBackend() } } })).rejects.toThrow(
      "box:ADDRESS",
    );
  });
});
