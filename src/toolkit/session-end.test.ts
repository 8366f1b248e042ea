/** What a session leaves when it ends: nothing that runs, nothing that the host keeps for it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import type { ToolBox } from "../kernel/index.js";
import { createToolkit, makeLocalContext, type Toolkit, type ToolkitOptions, toolBox } from "./index.js";

let root: string;
const open: Toolkit[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-session-end-")));
});
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close();
  rmSync(root, { recursive: true, force: true });
});

async function local(options: ToolkitOptions = {}): Promise<Toolkit> {
  const toolkit = await createToolkit({ autonomy: "full", workspace: root, stateDir: join(root, "state"), ...options });
  open.push(toolkit);
  return toolkit;
}

const run = (box: ToolBox, name: string, input: unknown = {}) => box.runner.run({ id: "c", name, input });
const leave = (box: ToolBox, file: string) => run(box, "bash", { command: `sleep 600 & echo $! > ${file}` });

/** A zombie is still listed in /proc. */
function isRunning(file: string): boolean {
  const status = `/proc/${readFileSync(join(root, file), "utf8").trim()}/status`;
  return existsSync(status) && !/^State:\s+[ZX]/m.test(readFileSync(status, "utf8"));
}
const sessionsOnDisk = () =>
  existsSync(join(root, "state/sessions")) ? readdirSync(join(root, "state/sessions")) : [];
const jobsOnDisk = () => (existsSync(join(root, "state/jobs")) ? readdirSync(join(root, "state/jobs")) : []);
const closed = { status: "failed", code: "STORE_CLOSED" };

describe("a session that ends", () => {
  it("ends what its calls left running, and nothing of another session", async () => {
    const toolkit = await local();
    const [one, two] = [toolkit.session("one"), toolkit.session("two")];
    await leave(one.box(), "one");
    await leave(two.box(), "two");
    expect([isRunning("one"), isRunning("two")]).toEqual([true, true]);
    expect(await one.close()).toEqual({ left: [] });
    expect([isRunning("one"), isRunning("two")]).toEqual([false, true]);
    expect(await toolkit.close()).toEqual({ left: [] });
    expect(isRunning("two")).toBe(false);
  });

  it("keeps the output of its jobs if it can be resumed, and none if it has no name or is ended for good", async () => {
    const toolkit = await local();
    const [named, unnamed, forGood] = [toolkit.session("named"), toolkit.session(), toolkit.session("for good")];
    for (const session of [named, unnamed, forGood]) await leave(session.box(), "pid");
    await run(forGood.box(), "process", { action: "start", command: "true" });
    expect(jobsOnDisk()).toHaveLength(4);
    await named.close();
    await unnamed.close();
    await forGood.end();
    expect(jobsOnDisk()).toEqual(["job-1"]);
    await leave(toolkit.box(), "pid");
    expect(await toolkit.close()).toEqual({ left: [] });
    expect(jobsOnDisk()).toEqual(["job-1"]);
    expect((await run((await local()).session("named").box(), "process", { action: "list" })).output).toMatch(
      /^job-1: stopped/,
    );
  });

  it("refuses the calls that come after, and its name can be opened anew", async () => {
    const toolkit = await local();
    const named = toolkit.session("named");
    const box = named.box();
    await named.close();
    expect(await run(box, "todo_read")).toMatchObject(closed);
    const again = toolkit.session("named");
    expect(again).not.toBe(named);
    await named.close();
    expect(toolkit.session("named")).toBe(again);
    expect(await run(again.box(), "todo_read")).toMatchObject({ status: "ok" });
  });

  it("by another process refuses what would store something, and the other session of its name keeps what it has", async () => {
    const [one, other] = [await local(), await local()];
    const session = one.session("shop").box();
    const items = [{ id: "1", text: "old", status: "pending" }];
    await run(session, "todo_set", { items });
    await other.session("shop").end();
    const outcome = await run(session, "todo_set", { items });
    expect(outcome).toMatchObject({ status: "failed", code: "STORE_CLOSED" });
    expect(outcome.output).toContain("the session was ended");
    expect((await run((await local()).session("shop").box(), "todo_read", {})).output).not.toContain("old");
  });

  it("ends its jobs on a backend that was handed in and continues", async () => {
    const ended: string[] = [];
    const backend = createMemoryBackend();
    const endSession = async (id: string) => {
      ended.push(id);
      return { left: ["7 (stubborn)"] };
    };
    const toolkit = await createToolkit({
      autonomy: "full",
      on: "m",
      backends: { m: { ...backend, endSession } },
      persist: false,
    });
    await run(toolkit.session("a").box(), "todo_read");
    await run(toolkit.session("b").box(), "todo_read");
    expect(await toolkit.session("a").close()).toEqual({ left: ["7 (stubborn)"] });
    expect(await toolkit.close()).toEqual({ left: ["7 (stubborn)"] });
    expect([ended, backend.state()]).toEqual([["a", "b"], "open"]);
  });
});

describe("a session without a name", () => {
  it("ends with the box that it was made for", async () => {
    const toolkit = await local();
    for (let index = 0; index < 20; index++) {
      await using box = toolkit.box();
      await run(box, "todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
      expect([toolkit.sessions().length, sessionsOnDisk().length]).toEqual([1, 1]);
    }
    const box = toolkit.box();
    await leave(box, "pid");
    expect(await box.close()).toEqual({ left: [] });
    expect(await box.close()).toEqual({ left: [] });
    expect([toolkit.sessions().length, sessionsOnDisk().length, isRunning("pid")]).toEqual([0, 0, false]);
    expect(await run(box, "todo_read")).toMatchObject(closed);
  });

  it("continues after its box where the toolkit was made with a name", async () => {
    const toolkit = await local({ session: "daily" });
    const box = toolkit.box();
    await box.close();
    expect(await run(box, "todo_read")).toMatchObject({ status: "ok" });
    expect(toolkit.sessions()).toHaveLength(1);
  });

  it("ends with the helper's box or context", async () => {
    const toolkit = await local({ tools: [] });
    for (const collection of ["all", "coding"]) {
      await using box = toolBox(collection, root, toolkit);
      expect(toolkit.sessions()).toHaveLength(0);
      await run(box, "todo_read");
      expect(toolkit.sessions()).toHaveLength(1);
    }
    const context = await makeLocalContext(root, toolkit);
    expect(toolkit.sessions()).toHaveLength(1);
    await context.close();
    expect(toolkit.sessions()).toHaveLength(0);
    const unused = toolBox("all", root, toolkit);
    await unused.close();
    expect(await run(unused, "todo_read")).toMatchObject(closed);
    expect(toolkit.sessions()).toHaveLength(0);
  });

  it("opens nothing for a helper's box that was never used, and fails for none that got no host", async () => {
    const state = join(root, "newer");
    mkdirSync(state);
    writeFileSync(join(state, "format.json"), '{"format":1000}');
    vi.stubEnv("HAFT_STATE", state);
    try {
      const unused = toolBox("all", root);
      expect(await unused.close()).toEqual({ left: [] });
      expect(await unused.close()).toEqual({ left: [] });
      expect(await run(unused, "todo_read")).toMatchObject(closed);
      const used = toolBox("all", root);
      expect(await run(used, "todo_read")).toMatchObject({ status: "failed", code: "STORE_NEWER" });
      expect(await used.close()).toEqual({ left: [] });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("ends where its context could not be made", async () => {
    const toolkit = await local();
    await toolkit.close();
    await expect(makeLocalContext(root, toolkit)).rejects.toMatchObject({ code: "STORE_CLOSED" });
    expect(toolkit.sessions()).toHaveLength(0);
  });
});
