/** The state directory holds approvals, so no file tool reaches it. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Approval, Policy } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { createToolkit, type Toolkit, type ToolkitOptions, type ToolkitSession } from "./index.js";

const allowAll = allowAllPolicy();

let root: string;
let toolkits: Toolkit[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-state-directory-")));
  mkdirSync(join(root, "ws"));
  toolkits = [];
});
afterEach(async () => {
  await Promise.all(toolkits.map((toolkit) => toolkit.close()));
  rmSync(root, { recursive: true, force: true });
});

async function open(answer: Approval, more: Partial<ToolkitOptions>): Promise<Toolkit> {
  const options = { workspace: join(root, "ws"), stateDir: join(root, "state"), approver: { ask: async () => answer } };
  const toolkit = await createToolkit({ ...options, ...more });
  toolkits.push(toolkit);
  return toolkit;
}

const run = (from: Toolkit | ToolkitSession, name: string, input: object, resume?: string) =>
  from.box().runner.run({ id: "c", name, input, ...(resume === undefined ? {} : { resume }) });

describe("the state directory", () => {
  /** Asks about commands alone; file tools are allowed everywhere. */
  const commandsAsk: Policy = {
    name: "ask-before-commands",
    decide(claims, call) {
      const decision = allowAll.decide(claims, call);
      if (decision.effect !== "allow" || !claims.some((claim) => claim.kind === "command")) return decision;
      return { ...decision, effect: "ask", rule: "commands", reason: "It is a command.", remember: [call.tool] };
    },
  };

  it.each(["local", "posix:dash"])(
    "is in no reach of file tools of %s, so no model can grant its own request",
    async (on) => {
      const toolkit = await open({ pending: true }, { policy: commandsAsk, on });
      const session = toolkit.session("s");
      const command = { command: "echo forged" };
      const token = (await run(session, "bash", command)).inputRequired?.token ?? "";
      const directory = join(root, "state");
      const files = ["state.db", "state.db-wal", "state.db-shm"].map((name) => join(directory, name));
      for (const one of files) expect([one, (lstatSync(one).mode & 0o777).toString(8)]).toEqual([one, "600"]);
      const [file = ""] = files;
      const content = "a database in which the request is granted";
      symlinkSync(join(root, "state"), join(root, "ws", "link"));
      symlinkSync(root, join(root, "ws", "up"));
      const linked = file.replace(join(root, "state"), "link");
      for (const path of [...files, linked, file.replace(root, "up")]) {
        const outcomes = [
          await run(session, "read", { path }),
          await run(session, "write", { path, content }),
          await run(session, "edit", { path, oldText: "request", newText: "r" }),
          await run(session, "delete", { path }),
          await run(session, "move", { from: path, to: "x.json" }),
        ];
        for (const outcome of outcomes) expect(outcome).toMatchObject({ isError: true, code: "POLICY_DENIED" });
        for (const outcome of outcomes) expect(outcome.output).toContain("is in the state directory of this host");
      }
      expect((await run(session, "write", { path: file, content })).decision.rule).toBe("state-directory");
      writeFileSync(join(root, "ws", "forged.json"), content);
      for (const to of [file, join(directory, "new.json"), linked])
        expect(await run(session, "move", { from: "forged.json", to, overwrite: true })).toMatchObject({
          isError: true,
        });
      expect((await run(session, "bash", command, token)).status).toBe("input-required");
    },
    60_000,
  );

  it.each(["local", "posix:dash"])(
    "is passed over in a search above it on %s, and stays where it is",
    async (on) => {
      const toolkit = await open({ pending: true }, { policy: commandsAsk, on, workspace: root });
      const session = toolkit.session("s");
      await run(session, "bash", { command: "echo needle" });
      writeFileSync(join(root, "ws", "a.txt"), "needle\n");
      const found = await run(session, "grep", { pattern: "needle", includeIgnored: true });
      expect(found.output).toContain("a.txt");
      expect(found.output).not.toContain("approvals");
      const outcomes = [
        await run(session, "ls", { path: "state" }),
        await run(session, "delete", { path: "state", recursive: true }),
        await run(session, "move", { from: "state", to: "ws/state" }),
      ];
      for (const { status } of outcomes) expect(status).toBe("denied");
      const parent = await open({ pending: true }, { policy: commandsAsk, on, stateDir: join(root, "not", "yet") });
      writeFileSync(join(root, "ws", "b.txt"), "");
      const there = await run(parent, "move", { from: join(root, "ws"), to: join(root, "not") });
      expect(there.isError).toBe(true);
      mkdirSync(join(root, "not", "yet"), { recursive: true });
      for (const [name, input] of [
        ["delete", { path: join(root, "not"), recursive: true }],
        ["move", { from: join(root, "not"), to: join(root, "moved") }],
      ] as const)
        expect(await run(parent, name, input)).toMatchObject({ isError: true });
      expect(readdirSync(join(root, "not"))).toEqual(["yet"]);
    },
    60_000,
  );

  it("is known by its real path too, and by that of a workspace that is a symlink", async () => {
    mkdirSync(join(root, "ws", ".state"));
    symlinkSync(join(root, "ws"), join(root, "link"));
    const stateDir = join(root, "ws", ".state");
    const toolkit = await open({ pending: true }, { policy: commandsAsk, workspace: join(root, "link"), stateDir });
    for (const path of [".state/x", join(root, "link", ".state", "x"), join(stateDir, "x")]) {
      const outcome = await run(toolkit, "write", { path, content: "" });
      expect(outcome).toMatchObject({ status: "denied", decision: { rule: "state-directory" } });
    }
    const through = await open({ pending: true }, { policy: commandsAsk, stateDir: join(root, "link", ".state") });
    for (const path of [".state/x", join(root, "link", ".state", "x")])
      expect((await run(through, "write", { path, content: "" })).isError).toBe(true);
  });

  it("leaves stored output readable by its id", async () => {
    const session = (await open({ pending: true }, { policy: allowAll })).session("s");
    const { artifacts } = await run(session, "bash", { command: "seq 1 100000" });
    expect(artifacts.length).toBe(1);
    expect((await run(session, "read", { path: `artifact:${artifacts[0]}` })).status).toBe("ok");
  });
});
