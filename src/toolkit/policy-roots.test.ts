import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { type Claim, grantFor, type Policy, type ToolOutcome } from "../kernel/index.js";
import { denyByDefaultPolicy } from "../policy/index.js";
import { createToolkit } from "./index.js";

/** `in` may be touched, the workspace around it may not. */
async function confinedTo(on: string, root: string) {
  const workspace = mkdtempSync(join(tmpdir(), "haft-roots-"));
  const memory = createMemoryBackend({ cwd: workspace });
  const put = async (path: string, content: string): Promise<void> => {
    const at = join(workspace, path);
    await memory.root.fs.mkdir(join(at, ".."), true);
    await memory.root.fs.writeFile(at, content);
    mkdirSync(join(at, ".."), { recursive: true });
    writeFileSync(at, content);
  };
  await put("secret.txt", "secret\n");
  await put("in/a.txt", "one\n");
  await put("in/deep/b.txt", "two\n");
  const policy = denyByDefaultPolicy({ roots: [join(workspace, root)], commands: true });
  const toolkit = await createToolkit({ workspace, persist: false, on, policy, backends: { memory } });
  const box = toolkit.box("all");
  let count = 0;
  return {
    workspace,
    call: (name: string, input: unknown): Promise<ToolOutcome> => box.runner.run({ id: String(++count), name, input }),
    async end(): Promise<void> {
      await toolkit.close();
      await memory.close();
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

describe.each(["local", "memory", "posix:sh"])("a root that is not the workspace, on %s", (on) => {
  let opened: Awaited<ReturnType<typeof confinedTo>>;
  beforeAll(async () => {
    opened = await confinedTo(on, "in");
  });
  afterAll(() => opened.end());

  it("every tool works in it", async () => {
    const { call } = opened;
    const calls = [
      ["ls", { path: "in" }, "a.txt"],
      ["ls", { path: "in/deep" }, "b.txt"],
      ["read", { path: "in/a.txt" }, "one"],
      ["grep", { pattern: "two", path: "in" }, "in/deep/b.txt"],
      ["find", { query: "b.txt", path: "in" }, "in/deep/b.txt"],
      ["edit", { path: "in/a.txt", oldText: "one", newText: "three" }, "Edited"],
      ["write", { path: "in/new/c.txt", content: "c" }, "Created"],
      ["move", { from: "in/new/c.txt", to: "in/other/d.txt" }, "Moved"],
      ["delete", { path: "in/other", recursive: true }, "Deleted"],
      ["bash", { command: "cat a.txt", cwd: "in" }, "three"],
    ] as const;
    for (const [tool, input, shown] of calls) {
      const outcome = await call(tool, input);
      expect([tool, outcome.status, outcome.output]).toEqual([tool, "ok", expect.stringContaining(shown)]);
    }
  });

  it("what is outside stays so, and the refusal names the root", async () => {
    const { call, workspace } = opened;
    const calls = [
      ["ls", {}],
      ["ls", { path: "." }],
      ["read", { path: "secret.txt" }],
      ["read", { path: "in/../secret.txt" }],
      ["grep", { pattern: "secret" }],
      ["find", { query: "secret" }],
      ["write", { path: "new.txt", content: "x" }],
      ["edit", { path: "secret.txt", oldText: "secret", newText: "x" }],
      ["move", { from: "in/a.txt", to: "a.txt" }],
      ["move", { from: "secret.txt", to: "in/secret.txt" }],
      ["delete", { path: "secret.txt" }],
      ["bash", { command: "cat secret.txt" }],
    ] as const;
    for (const [tool, input] of calls) {
      const outcome = await call(tool, input);
      expect([tool, outcome.status, outcome.output]).toEqual([
        tool,
        "denied",
        expect.stringContaining(`is outside the allowed root "${workspace}/in"`),
      ]);
    }
  });

  it("a misspelt name is answered with what is near it in the root, and with nothing of what is beside it", async () => {
    const { call } = opened;
    expect((await call("read", { path: "in/aa.txt" })).output).toContain('Did you mean "in/a.txt"');
    const beside = await call("ls", { path: "in" });
    expect(beside.output).not.toContain("secret");
  });

  it("the directory of the workspace itself is not deleted or moved", async () => {
    const { call } = opened;
    expect((await call("delete", { path: ".", recursive: true })).status).not.toBe("ok");
    expect((await call("move", { from: "..", to: "in/up" })).status).not.toBe("ok");
  });
});

it("a root deep in the workspace can be written to, and the directories above it are not made", async () => {
  const { call, end, workspace } = await confinedTo("local", "in/deep");
  expect((await call("write", { path: "in/deep/x/c.txt", content: "c" })).status).toBe("ok");
  expect(readFileSync(join(workspace, "in/deep/x/c.txt"), "utf8")).toBe("c");
  expect((await call("ls", { path: "in" })).status).toBe("denied");
  await end();
  const missing = await confinedTo("local", "far/away");
  const outcome = await missing.call("write", { path: "far/away/c.txt", content: "c" });
  expect([outcome.status, outcome.code, outcome.output]).toEqual([
    "denied",
    "POLICY_DENIED",
    `Did not create "far/away/c.txt": policy does not allow creating the directory "${missing.workspace}/far". Use an existing directory.`,
  ]);
  expect(existsSync(join(missing.workspace, "far"))).toBe(false);
  await missing.end();
});

it("a symlink out of the root is refused, whatever is optional", async () => {
  const { call, end, workspace } = await confinedTo("local", "in");
  symlinkSync(join(workspace, "secret.txt"), join(workspace, "in/link.txt"));
  symlinkSync(workspace, join(workspace, "in/up"));
  for (const path of ["in/link.txt", "in/up/secret.txt", "in/up/missing.txt"])
    for (let turn = 0; turn < 2; turn++)
      expect([path, (await call("read", { path })).code]).toEqual([path, "POLICY_DENIED"]);
  expect((await call("read", { path: "in/up/secre.txt" })).output).not.toContain("Near it");
  await end();
});

it.each(["local", "memory", "posix:sh"])(
  "a workspace reached through a symlink is not deleted by its real path, on %s",
  async (on) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-ground-")));
    const [workspace, real] = [join(base, "link"), join(base, "real/ws")];
    mkdirSync(real, { recursive: true });
    writeFileSync(join(real, "a.txt"), "one\n");
    symlinkSync(real, workspace);
    const memory = createMemoryBackend({ cwd: base });
    await memory.root.fs.mkdir(real, true);
    await memory.root.fs.writeFile(join(real, "a.txt"), "one\n");
    memory.plant({ kind: "link", path: workspace, target: real });
    const policy = denyByDefaultPolicy({ roots: [join(base, "real")] });
    const toolkit = await createToolkit({ workspace, persist: false, on, policy, backends: { memory } });
    const run = (name: string, input: unknown) => toolkit.box("all").runner.run({ id: name, name, input });
    for (const [tool, input] of [
      ["delete", { path: real, recursive: true }],
      ["delete", { path: join(base, "real"), recursive: true }],
      ["move", { from: real, to: join(base, "real/gone") }],
    ] as const)
      expect([tool, (await run(tool, input)).output]).toEqual([
        tool,
        expect.stringMatching(/it (is|contains) the workspace/),
      ]);
    expect((await run("read", { path: join(real, "a.txt") })).output).toContain("one");
    await toolkit.close();
    await memory.close();
    rmSync(base, { recursive: true, force: true });
  },
);

describe("a policy that asks about every new thing", () => {
  const opened = async (decide: (claim: Claim) => "allow" | "ask" | "deny") => {
    const workspace = mkdtempSync(join(tmpdir(), "haft-ask-"));
    const asked: string[] = [];
    const policy: Policy = {
      name: "asking",
      decide(claims, call) {
        const verdicts = claims.map(decide);
        const effect = (["deny", "ask"] as const).find((one) => verdicts.includes(one)) ?? "allow";
        const said = { rule: "test", risk: "low", reason: "Asked." } as const;
        if (effect === "deny") return { effect, ...said };
        const grant = grantFor(call.callId, claims);
        return effect === "ask" ? { effect, ...said, grant, remember: [] } : { effect, ...said, grant };
      },
    };
    const toolkit = await createToolkit({
      workspace,
      persist: false,
      policy,
      approver: {
        async ask({ claims }) {
          asked.push(...claims.map((claim) => (claim.kind === "file" ? claim.path : claim.kind)));
          return { by: "tester", scope: "once" };
        },
      },
    });
    const box = toolkit.box("all");
    return {
      workspace,
      asked,
      call: (name: string, input: unknown) => box.runner.run({ id: name, name, input }),
      async end() {
        await toolkit.close();
        rmSync(workspace, { recursive: true, force: true });
      },
    };
  };
  const isRead = (claim: Claim) => claim.kind === "file" && claim.access.every((one) => one === "read");

  it("asks about the directory of a new file, too, and then makes both", async () => {
    const { call, asked, end, workspace } = await opened((claim) => (isRead(claim) ? "allow" : "ask"));
    expect(await call("write", { path: "newdir/f.txt", content: "x" })).toMatchObject({ status: "ok" });
    expect(asked).toEqual(expect.arrayContaining([join(workspace, "newdir"), join(workspace, "newdir/f.txt")]));
    expect(readFileSync(join(workspace, "newdir/f.txt"), "utf8")).toBe("x");
    expect(await call("move", { from: "newdir/f.txt", to: "a/b/g.txt" })).toMatchObject({ status: "ok" });
    expect(asked).toEqual(expect.arrayContaining([join(workspace, "a"), join(workspace, "a/b")]));
    await end();
  });

  it("does not ask about the names beside a missing file", async () => {
    const { call, asked, end } = await opened((claim) =>
      claim.kind === "file" && claim.path.endsWith(".txt") ? "allow" : "ask",
    );
    for (const [tool, input] of [
      ["grep", { pattern: "x", path: "aa.txt" }],
      ["read", { path: "aa.txt" }],
    ] as const)
      expect([tool, (await call(tool, input)).code, asked]).toEqual([tool, "FS_NOT_FOUND", []]);
    await end();
  });

  it.each(["a", "a/b", "a/b/c"])("makes no directory where it denies %s", async (denied) => {
    const { call, end, workspace } = await opened((claim) =>
      claim.kind === "file" && claim.path.endsWith(`/${denied}`) ? "deny" : "allow",
    );
    const outcome = await call("write", { path: "a/b/c/f.txt", content: "x" });
    expect([outcome.code, outcome.output]).toEqual([
      "POLICY_DENIED",
      expect.stringContaining(`creating the directory "${workspace}/${denied}"`),
    ]);
    expect(existsSync(join(workspace, "a"))).toBe(false);
    await end();
  });
});

it("the policy of the README confines the file tools to its roots and refuses commands", async () => {
  const root = mkdtempSync(join(tmpdir(), "haft-readme-"));
  writeFileSync(join(root, "a.txt"), "one\n");
  const toolkit = await createToolkit({ persist: false, policy: denyByDefaultPolicy({ roots: [root] }) });
  const run = (name: string, input: unknown) => toolkit.box().runner.run({ id: name, name, input });
  expect((await run("ls", { path: root })).output).toContain("a.txt");
  expect((await run("edit", { path: `${root}/a.txt`, oldText: "one", newText: "two" })).status).toBe("ok");
  expect(await run("read", { path: "README.md" })).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
  const outcome = await run("bash", { command: "touch ran", cwd: root });
  expect([outcome.status, outcome.output]).toEqual([
    "denied",
    expect.stringContaining("Commands are not allowed here."),
  ]);
  expect(existsSync(join(root, "ran"))).toBe(false);
  await toolkit.close();
  rmSync(root, { recursive: true, force: true });
});
