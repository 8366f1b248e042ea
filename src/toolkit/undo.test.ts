import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolOutcome } from "../kernel/index.js";
import { createToolkit } from "./create-toolkit.js";
import type { Toolkit } from "./toolkit.js";
import type { ToolkitOptions } from "./toolkit-options.js";

let root: string;
let toolkit: Toolkit;
let options: ToolkitOptions;

let calls = 0;

/** The unguarded files of the target, as another program sees them. */
const files = async () => (await toolkit.session("outside").context()).fs;
const workspace = async () => (await toolkit.session("outside").context()).workspace ?? "/workspace";
const at = async (name: string) => `${await workspace()}/${name}`;

async function put(name: string, text: string): Promise<void> {
  await (await files()).writeFile(await at(name), text);
}

/** The text of a file; undefined where there is none. */
async function text(name: string): Promise<string | undefined> {
  const fs = await files();
  return (await fs.exists(await at(name))) ? fs.readText(await at(name)) : undefined;
}

async function call(name: string, input: Readonly<Record<string, unknown>>, session = "main"): Promise<ToolOutcome> {
  const outcome = await toolkit
    .session(session)
    .box()
    .runner.run({ id: `call-${++calls}`, name, input });
  expect(outcome).toMatchObject({ status: "ok" });
  return outcome;
}

async function restart(): Promise<void> {
  await toolkit.close();
  toolkit = await createToolkit(options);
}

describe.each(["local", "posix:dash", "memory"])("undo on %s", (on) => {
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "haft-undo-")));
    mkdirSync(join(root, "work"));
    const place = on === "memory" ? {} : { workspace: join(root, "work") };
    options = { on, ...place, stateDir: join(root, "state"), gate: "off", autonomy: "full" };
    toolkit = await createToolkit(options);
  });
  afterEach(async () => {
    await toolkit.close();
    rmSync(root, { recursive: true, force: true });
  });

  it("removes a file that was created, with the directories that were created for it", async () => {
    await call("write", { path: "sub/deep/new.txt", content: "one\n" });
    const report = await toolkit.undo();
    expect(report).toMatchObject({ status: "done", lost: [], conflicts: [] });
    expect(await (await files()).exists(await at("sub"))).toBe(false);
  });

  it("puts back what was written over and edited, and redoes it by undoing the undo", async () => {
    await put("a.txt", "one\ntwo\n");
    await call("write", { path: "a.txt", content: "three\n" });
    const edited = await call("edit", { path: "a.txt", oldText: "three", newText: "four" });
    const undo = await toolkit.undo({ call: edited.id });
    expect([undo.status, await text("a.txt")]).toEqual(["done", "three\n"]);
    expect((await toolkit.undo()).status).toBe("done");
    expect(await text("a.txt")).toBe("one\ntwo\n");
    await expect(toolkit.undo()).rejects.toThrow("no change of a file in this workspace");
    const [, , , last] = (await toolkit.changes()).calls;
    expect((await toolkit.undo({ call: last!.id })).status).toBe("done");
    expect(await text("a.txt")).toBe("three\n");
    expect((await toolkit.undo({ call: undo.ids[0]! })).status).toBe("done");
    expect(await text("a.txt")).toBe("four\n");
    expect((await toolkit.changes()).calls.map(({ isUndone }) => isUndone)).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it("puts back large files, each with its own bytes", async () => {
    const large = (letter: string) => `${letter.repeat(99)}\n`.repeat(6_000);
    for (const letter of ["a", "b"]) await put(`${letter}.txt`, large(letter));
    await call("write", { path: "a.txt", content: large("x") });
    await call("move", { from: "a.txt", to: "b.txt", overwrite: true });
    expect((await toolkit.undo({ session: "main" })).status).toBe("done");
    expect([await text("a.txt"), await text("b.txt")]).toEqual([large("a"), large("b")]);
  });

  it("puts back a deleted file and a deleted tree", async () => {
    await call("write", { path: "tree/sub/a.txt", content: "a\n" });
    await call("write", { path: "tree/b.txt", content: "b\n" });
    await call("write", { path: "c.txt", content: "c\n" });
    await call("delete", { path: "c.txt" });
    await call("delete", { path: "tree", recursive: true });
    expect((await toolkit.undo()).status).toBe("done");
    expect((await toolkit.undo()).status).toBe("done");
    expect([await text("tree/sub/a.txt"), await text("tree/b.txt"), await text("c.txt")]).toEqual([
      "a\n",
      "b\n",
      "c\n",
    ]);
  });

  it("takes the id of a call that no other has", async () => {
    const write = (id: string, content: string) =>
      toolkit.box().runner.run({ id, name: "write", input: { path: "a.txt", content } });
    await write("7", "a\n");
    await toolkit.undo({ call: "7" });
    expect(await text("a.txt")).toBeUndefined();
    await write("7", "b\n");
    await expect(toolkit.undo({ call: "7" })).rejects.toThrow(
      /2 calls in this workspace have this id\. Give one of \S+, \S+\.$/,
    );
    expect(await text("a.txt")).toBe("b\n");
  });

  it("moves back, and puts back the file that a move replaced", async () => {
    await put("a.txt", "a\n");
    await put("b.txt", "b\n");
    await call("move", { from: "a.txt", to: "b.txt", overwrite: true });
    await call("move", { from: "b.txt", to: "sub/c.txt" });
    expect(await text("sub/c.txt")).toBe("a\n");
    await toolkit.undo();
    expect([await text("b.txt"), await text("sub/c.txt")]).toEqual(["a\n", undefined]);
    await toolkit.undo();
    expect([await text("a.txt"), await text("b.txt")]).toEqual(["a\n", "b\n"]);
  });

  it("undoes a whole session, of files that were created, moved, edited and deleted", async () => {
    await put("a.txt", "a\n");
    await call("write", { path: "dir/new.txt", content: "new\n" });
    await call("move", { from: "a.txt", to: "dir/b.txt" });
    await call("edit", { path: "dir/b.txt", oldText: "a", newText: "b" });
    await call("move", { from: "dir", to: "other" });
    await call("edit", { path: "other/b.txt", oldText: "b", newText: "c" });
    await call("write", { path: "kept.txt", content: "kept\n" }, "another");
    await call("delete", { path: "other/new.txt" });
    const planned = await toolkit.undo({ session: "main", dryRun: true });
    expect(planned.status).toBe("planned");
    expect(await text("other/b.txt")).toBe("c\n");
    const report = await toolkit.undo({ session: "main" });
    expect(report).toMatchObject({ status: "done", lost: [], conflicts: [] });
    expect([await text("a.txt"), await text("kept.txt")]).toEqual(["a\n", "kept\n"]);
    expect(await (await files()).exists(await at("dir"))).toBe(false);
    expect(await (await files()).exists(await at("other"))).toBe(false);
    await toolkit.undo({ call: report.ids[0]! });
    expect([await text("other/b.txt"), await text("other/new.txt"), await text("a.txt")]).toEqual([
      "c\n",
      undefined,
      undefined,
    ]);
  });

  it("does nothing where one file of a call or session has changed since, and shows what undoing would change", async () => {
    await put("a.txt", "one\ntwo\n");
    await call("edit", { path: "a.txt", oldText: "one", newText: "1" });
    await call("write", { path: "b.txt", content: "b\n" });
    await put("a.txt", "1\ntwo\nthree\n");
    const report = await toolkit.undo({ session: "main" });
    expect(report).toMatchObject({ status: "conflict", ids: [], files: [] });
    expect(report.conflicts).toEqual([
      {
        path: await at("a.txt"),
        why: `${await at("a.txt")} was changed since.`,
        diff: expect.stringContaining("-1\n+one\n two\n-three\n"),
      },
    ]);
    expect([await text("a.txt"), await text("b.txt")]).toEqual(["1\ntwo\nthree\n", "b\n"]);
    await call("write", { path: "c.txt", content: "c\n" });
    await call("delete", { path: "c.txt" });
    await put("c.txt", "again\n");
    expect(await toolkit.undo()).toMatchObject({
      status: "conflict",
      conflicts: [{ why: `${await at("c.txt")} exists again.` }],
    });
  });

  // Files in memory end with their process.
  const inAnotherProcess = on === "memory" ? () => {} : it;
  inAnotherProcess("works in another process, for a session without a name too", async () => {
    await put("a.txt", "old\n");
    await toolkit.box().runner.run({ id: "1", name: "write", input: { path: "a.txt", content: "new\n" } });
    expect(await text("a.txt")).toBe("new\n");
    await restart();
    expect((await toolkit.undo()).status).toBe("done");
    expect(await text("a.txt")).toBe("old\n");
    await restart();
    const [, undo] = (await toolkit.changes()).calls;
    expect(undo).toMatchObject({ tool: "undo", isUndone: false });
    await toolkit.undo({ call: undo!.id });
    expect(await text("a.txt")).toBe("new\n");
  });
});
