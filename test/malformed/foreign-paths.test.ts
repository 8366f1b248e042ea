import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import type { ToolOutcome } from "../../src/kernel/index.js";
import { createToolkit } from "../../src/toolkit/index.js";

/** Paths that a shell, a browser or another system would understand, each with why it is not taken. */
const FOREIGN = [
  ["$HOME/b.txt", "`$HOME` is not expanded in a path"],
  ["$NOTES", "`$NOTES` is not expanded in a path"],
  ["$\u007bHOME}/b.txt", "is not expanded in a path"],
  ["$(pwd)/b.txt", "`$(pwd)` is not expanded in a path"],
  ["`pwd`/b.txt", "``pwd`` is not expanded in a path"],
  ["%TEMP%/b.txt", "`%TEMP%` is not expanded in a path"],
  ["$env:TEMP\\b.txt", "`$env:TEMP` is not expanded in a path"],
  ["~someone/b.txt", "`~someone` is not expanded in a path"],
  ["https://example.com/b.txt", "it is a URL, not a path"],
  ["vscode-remote://host/b.txt", "it is a URL, not a path"],
  ["C:\\work\\b.txt", "it is a Windows path"],
  ["c:/data/b.txt", "it is a Windows path"],
  ["\\\\server\\share\\b.txt", "it is a Windows path"],
  ["~\\b.txt", "it is a Windows path"],
] as const;

/** Names that only look a little like these. */
const ORDINARY = ["$x.txt", "posts.$id.tsx", "$.tsx", "a:b", "100%.txt", "~backup", "~$a.docx", "x\\b.txt"];

const WRITES = { haft: "write", indusagi: "write", zeroclaw: "file_write", buddy: "write_file" };

describe.each(Object.keys(WRITES) as (keyof typeof WRITES)[])("in the dialect %s", (dialect) => {
  it.each(["local", "memory", "posix:sh"])("nothing is made at a path that is not one, on %s", async (on) => {
    const { call, names, end } = await open(dialect, on);
    for (const [path, why] of FOREIGN) {
      const outcome = await call(WRITES[dialect], { path, content: "x" });
      expect([path, outcome.isError, textOf(outcome)]).toEqual([path, true, expect.stringContaining(why)]);
      expect(await names()).toEqual([]);
    }
    // The dialect buddy makes no directories.
    for (const path of [
      ...ORDINARY,
      "./$NOTES",
      "./C:\\b.txt",
      ...(dialect === "buddy" ? [] : ["app/$LANG/b.txt", "./$HOME/b.txt"]),
    ])
      expect([path, (await call(WRITES[dialect], { path, content: "x" })).isError]).toEqual([path, false]);
    await end();
  });
});

describe("in the default dialect", () => {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open("haft", "local");
  });
  afterAll(async () => {
    await opened.end();
  });

  it("a file that has such a name is read, edited, replaced and moved", async () => {
    const { call, workspace } = opened;
    for (const [path] of FOREIGN.slice(0, 10)) {
      mkdirSync(join(workspace, path, ".."), { recursive: true });
      writeFileSync(join(workspace, path), "one\n");
      expect(textOf(await call("read", { path }))).toContain("one");
      expect((await call("edit", { path, oldText: "one", newText: "two" })).status).toBe("ok");
      expect((await call("write", { path, content: "three\n" })).status).toBe("ok");
      expect((await call("move", { from: path, to: "moved.txt" })).status).toBe("ok");
      expect(readFileSync(join(workspace, "moved.txt"), "utf8")).toBe("three\n");
      expect(textOf(await call("move", { from: "moved.txt", to: path }))).toContain("Did not move anything to");
      rmSync(join(workspace, "moved.txt"));
    }
  });

  it.each(FOREIGN)("%s as a path to read, change or work in is rejected with the reason", async (path, why) => {
    const { call } = opened;
    const calls = [
      ["read", { path }],
      ["ls", { path }],
      ["grep", { pattern: "x", path }],
      ["find", { query: "x", path }],
      ["edit", { path, oldText: "a", newText: "b" }],
      ["delete", { path }],
      ["move", { from: path, to: "elsewhere" }],
      ["bash", { command: "touch ran", cwd: path }],
      ["bash", { command: "touch ran", cwd: path, background: true }],
      ["process", { action: "start", command: "touch ran", cwd: path }],
    ] as const;
    for (const [tool, input] of calls) {
      const outcome = await call(tool, input);
      expect([tool, outcome.status, textOf(outcome)]).toEqual([tool, "failed", expect.stringContaining(why)]);
    }
  });

  it("a file: URL is the path that it names, in every tool, and the repair is reported", async () => {
    const { call, workspace } = opened;
    const url = `file://${workspace}/a%20b.txt`;
    const note = `note: \`path\` was a \`file:\` URL and was converted to "${workspace}/a b.txt".`;
    expect(textOf(await call("write", { path: url, content: "one\n" }))).toContain(note);
    expect(readFileSync(join(workspace, "a b.txt"), "utf8")).toBe("one\n");
    for (const [tool, input] of [
      ["read", {}],
      ["grep", { pattern: "one" }],
      ["edit", { oldText: "one", newText: "two" }],
    ] as const)
      expect(textOf(await call(tool, { ...input, path: url }))).toContain(note);
    const root = `file://localhost${workspace}`;
    expect(textOf(await call("ls", { path: root }))).toContain("a b.txt");
    expect(textOf(await call("find", { query: "a b", path: root }))).toContain("a b.txt");
    expect(textOf(await call("bash", { command: "pwd", cwd: root }))).toContain(`${workspace}\n`);
    expect((await call("process", { action: "start", command: "true", cwd: root })).status).toBe("ok");
    expect((await call("move", { from: url, to: `${root}/c.txt` })).status).toBe("ok");
    expect((await call("delete", { path: `${root}/c.txt` })).status).toBe("ok");
    expect(existsSync(join(workspace, "file:"))).toBe(false);
  });

  it("a file: URL that names no path here is refused", async () => {
    const outcome = await opened.call("write", { path: "file://server/b.txt", content: "x" });
    expect([outcome.status, textOf(outcome)]).toEqual([
      "invalid",
      "Did not run `write`: `path` is an invalid `file:` URL: it names another host, `server`. Send the path itself.",
    ]);
  });
});

async function open(dialect: string, on: string) {
  const directory = mkdtempSync(join(tmpdir(), "haft-foreign-"));
  const workspace = join(directory, "workspace");
  mkdirSync(workspace);
  const memory = createMemoryBackend({ cwd: workspace });
  await memory.root.fs.mkdir(workspace, true);
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace,
    persist: false,
    dialect,
    on,
    backends: { memory },
  });
  const box = toolkit.box("all");
  let count = 0;
  return {
    workspace,
    call: (name: string, input: unknown): Promise<ToolOutcome> => box.runner.run({ id: String(++count), name, input }),
    names: async (): Promise<readonly string[]> =>
      on === "memory"
        ? (await memory.root.fs.readDir(workspace)).children.map(({ name }) => name)
        : readdirSync(workspace),
    async end(): Promise<void> {
      await toolkit.close();
      await memory.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function textOf({ content }: ToolOutcome): string {
  return content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}
