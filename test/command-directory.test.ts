/** The directory of a command through the whole pipeline: what policy and a user are shown, and where it then starts. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalBackend } from "../src/backends/local/index.js";
import { createMemoryBackend } from "../src/backends/memory/index.js";
import { openLocalPosix } from "../src/backends/posix/index.js";
import {
  type ApprovalRequest,
  type Backend,
  type Claim,
  createHostContext,
  defineTool,
  type HostContext,
  type HostServices,
  type ToolOutcome,
  targetOf,
  text,
} from "../src/kernel/index.js";
import { denyByDefaultPolicy } from "../src/policy/index.js";
import { realClock } from "../src/testing/conform.fixture.js";
import { bareHost, bareSession, policyOf } from "../src/testing/fakes/bare-host.fixture.js";
import { bashTool } from "../src/tools/bash/bash.js";
import { processTool } from "../src/tools/process/process.js";

/** A machine with the directories `ws` and `out`; paths are below `base`. */
interface Machine {
  readonly base: string;
  open(cwd: string): Promise<Backend>;
  mkdir(path: string): Promise<void>;
  link(path: string, target: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  dispose(): Promise<void>;
}

function onDisk(openBackend: (cwd: string) => Backend | Promise<Backend>) {
  return (): Machine => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-directory-")));
    const at = (path: string) => join(base, path);
    const opened: Backend[] = [];
    return {
      base,
      async open(cwd) {
        const backend = await openBackend(at(cwd));
        opened.push(backend);
        return backend;
      },
      mkdir: async (path) => void mkdirSync(at(path), { recursive: true }),
      link: async (path, target) => symlinkSync(target, at(path)),
      rename: async (from, to) => renameSync(at(from), at(to)),
      exists: async (path) => existsSync(at(path)),
      async dispose() {
        for (const one of opened) await one.close();
        rmSync(base, { recursive: true, force: true });
      },
    };
  };
}

function inMemory(): Machine {
  const base = "/base";
  const tree = createMemoryBackend({ clock: realClock, cwd: "/base/ws" });
  const { fs } = tree.root;
  return {
    base,
    open: async () => tree,
    mkdir: (path) => fs.mkdir(`${base}/${path}`, true),
    link: async (path, target) => tree.plant({ kind: "link", path: `${base}/${path}`, target }),
    rename: (from, to) => fs.rename(`${base}/${from}`, `${base}/${to}`, { replace: false }),
    exists: (path) => fs.exists(`${base}/${path}`),
    dispose: async () => void (await tree.close()),
  };
}

const machines: Readonly<Record<string, () => Machine>> = {
  memory: inMemory,
  local: onDisk((cwd) => createLocalBackend({ cwd, watcher: false })),
  posix: onDisk((cwd) => openLocalPosix({ shell: ["sh"], cwd })),
};

const COMMAND = "echo ran > marker";

describe.each(Object.entries(machines))("the directory of a command on %s", (name, create) => {
  let machine: Machine;
  let shown: ApprovalRequest[];
  beforeEach(async () => {
    machine = create();
    shown = [];
    for (const path of ["ws/real", "out"]) await machine.mkdir(path);
  });
  afterEach(() => machine.dispose());

  async function contextOf(more: Partial<HostServices>, workspace = "ws"): Promise<HostContext> {
    const backend = await machine.open(workspace);
    const cwd = `${machine.base}/${workspace}`;
    return createHostContext({ host: bareHost(more), session: bareSession(), target: targetOf(backend), cwd });
  }

  /** Every command is asked about, and the answer put off. */
  const asking: Partial<HostServices> = {
    policy: policyOf(() => ({ effect: "ask", remember: ["commands"] })),
    approver: {
      async ask(request) {
        shown.push(request);
        return { pending: true };
      },
    },
  };

  type Input = { readonly cwd?: string; readonly background?: boolean };
  const bash = (context: HostContext, input: Input, resume?: string): Promise<ToolOutcome> =>
    bashTool.invoke(
      { id: "c1", name: "bash", input: { command: COMMAND, ...input }, ...(resume === undefined ? {} : { resume }) },
      context,
    );
  const start = (context: HostContext, cwd: string): Promise<ToolOutcome> =>
    processTool.invoke({ id: "c2", name: "process", input: { action: "start", command: COMMAND, cwd } }, context);
  const directories = (request: ApprovalRequest | undefined) =>
    request?.claims.map((claim) => claim.kind === "command" && claim.cwd);

  it("is judged at its real place with each environment that the call claimed for the command", async () => {
    await machine.link("ws/build", "../out");
    const policy = policyOf((claims) => {
      const isDenied = (claim: Claim) =>
        claim.kind === "command" && claim.env !== undefined && claim.cwd.endsWith("/out");
      return { effect: claims.some(isDenied) ? "deny" : "allow" };
    });
    const [cwd, env] = [`${machine.base}/ws/build`, { PROBE: "1" }];
    const tool = defineTool({
      name: "twice",
      description: "",
      parameters: {},
      effect: "write",
      claims: () => [
        { kind: "command", command: COMMAND, cwd },
        { kind: "command", command: COMMAND, cwd, env },
      ],
      async run(_, ctx) {
        await ctx.shell.exec(COMMAND, { cwd, env });
        return text("ran");
      },
    });
    const outcome = await tool.invoke({ id: "c", name: "twice", input: {} }, await contextOf({ policy }));
    expect(outcome).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(await machine.exists("out/marker")).toBe(false);
  });

  it("is denied outside the roots when a symlink inside leads there, however the command is started", async () => {
    await machine.link("ws/build", "../out");
    await machine.mkdir("out/sub");
    const policy = denyByDefaultPolicy({ roots: [`${machine.base}/ws`], commands: true });
    const context = await contextOf({ policy });
    for (const cwd of ["build", "build/sub"]) {
      for (const outcome of [
        await bash(context, { cwd }),
        await bash(context, { cwd, background: true }),
        await start(context, cwd),
      ]) {
        expect(outcome).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
        expect(outcome.output).toContain(`"${machine.base}/out`);
      }
    }
    expect([await machine.exists("out/marker"), await machine.exists("out/sub/marker")]).toEqual([false, false]);
    await machine.link("ws/inside", "real");
    expect((await bash(context, { cwd: "inside" })).status).toBe("ok");
    expect(await machine.exists("ws/real/marker")).toBe(true);
  });

  it("is shown as it really is to whoever approves, and is part of what is approved", async () => {
    await machine.link("ws/build", "../out");
    await machine.mkdir("precious");
    const context = await contextOf(asking);
    const first = await bash(context, { cwd: "build" });
    expect(first.status).toBe("input-required");
    expect(directories(shown[0])).toEqual([`${machine.base}/ws/build`, `${machine.base}/out`]);
    const { token } = first.inputRequired!;
    await context.host.state.approvals.decide(token, { granted: "ada" });
    await machine.rename("ws/build", "ws/old");
    await machine.link("ws/build", "../precious");
    const swapped = await bash(context, { cwd: "build" }, token);
    expect(swapped).toMatchObject({ status: "denied", isError: true });
    expect(swapped.output).toContain("would touch something other than what was approved");
    expect([await machine.exists("precious/marker"), await machine.exists("out/marker")]).toEqual([false, false]);
    await machine.rename("ws/build", "ws/other");
    await machine.rename("ws/old", "ws/build");
    expect((await bash(context, { cwd: "build" }, token)).status).toBe("ok");
    expect(await machine.exists("out/marker")).toBe(true);
  });

  it("is not what was approved once a symlink has taken its place", async () => {
    await machine.mkdir("ws/build");
    const context = await contextOf(asking);
    const { token } = (await bash(context, { cwd: "build" })).inputRequired!;
    expect(directories(shown[0])).toEqual([`${machine.base}/ws/build`]);
    await context.host.state.approvals.decide(token, { granted: "ada" });
    await machine.rename("ws/build", "ws/x");
    await machine.link("ws/build", "../out");
    expect((await bash(context, { cwd: "build" }, token)).status).toBe("denied");
    expect(await machine.exists("out/marker")).toBe(false);
  });

  it("is approved by its path: another directory of the same real path is taken for it", async () => {
    await machine.mkdir("ws/build");
    const context = await contextOf(asking);
    const { token } = (await bash(context, { cwd: "build" })).inputRequired!;
    await context.host.state.approvals.decide(token, { granted: "ada" });
    await machine.rename("ws/build", "ws/aside");
    await machine.mkdir("ws/build");
    expect((await bash(context, { cwd: "build" }, token)).status).toBe("ok");
    expect([await machine.exists("ws/build/marker"), await machine.exists("ws/aside/marker")]).toEqual([true, false]);
  });

  it("does not start where a symlink is swapped while the user is asked", async () => {
    await machine.mkdir("ws/build");
    const context = await contextOf({
      ...asking,
      approver: {
        async ask() {
          await machine.rename("ws/build", "ws/x");
          await machine.link("ws/build", "../out");
          return { by: "tester", scope: "session" };
        },
      },
    });
    const outcome = await bash(context, { cwd: "build" });
    expect(outcome).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(await machine.exists("out/marker")).toBe(false);
  });

  it("is judged also where it is the workspace that a symlink has replaced", async () => {
    const policy = denyByDefaultPolicy({ roots: [`${machine.base}/ws`], commands: true });
    const context = await contextOf({ policy });
    expect((await bash(context, {})).status).toBe("ok");
    await machine.rename("ws", "aside");
    await machine.link("ws", "out");
    expect(await bash(context, {})).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(await machine.exists("out/marker")).toBe(false);
  });

  // In memory the workspace is made with the backend.
  if (name !== "memory")
    it("is inside a workspace that is itself reached through a symlink", async () => {
      await machine.link("alias", "ws");
      await machine.link("ws/build", "../out");
      const policy = denyByDefaultPolicy({ roots: [`${machine.base}/alias`], commands: true });
      const context = await contextOf({ policy }, "alias");
      for (const input of [{}, { cwd: "real" }]) expect((await bash(context, input)).status).toBe("ok");
      expect([await machine.exists("ws/marker"), await machine.exists("ws/real/marker")]).toEqual([true, true]);
      expect((await bash(context, { cwd: "build" })).status).toBe("denied");
      // The alias is not followed to wherever somebody points it later.
      await machine.rename("alias", "old-alias");
      await machine.link("alias", "out");
      expect((await bash(context, {})).status).toBe("denied");
      expect(await machine.exists("out/marker")).toBe(false);
    });

  it("that does not exist, or is a file, is reported as such", async () => {
    const context = await contextOf({});
    expect((await bash(context, { cwd: "gone" })).output).toContain('"gone" does not exist');
    expect((await bash(context, {})).status).toBe("ok");
    expect((await bash(context, { cwd: "marker" })).output).toContain('"marker" is not a directory');
  });
});
