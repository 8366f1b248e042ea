/**
 * Failure cases that a runner cannot judge by itself, each under its own id: they need a host that is killed, a tool that
 * misbehaves, or two backends side by side.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolkit, type Toolkit, type ToolOutcome } from "../../src/index.js";
import { processesWith, startHost } from "./hosts.js";

let base: string;
let directory: string;
let state: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-manual-")));
  directory = mkdtempSync(join(base, "ws-"));
  state = join(base, "state");
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

async function once(name: string, input: unknown, on = "local"): Promise<ToolOutcome> {
  const toolkit = await createToolkit({ autonomy: "full", workspace: directory, stateDir: state, on, gate: "off" });
  try {
    return await toolkit.box().runner.run({ id: "c1", name, input });
  } finally {
    await toolkit.close();
  }
}

it("Haft's own configuration is not written, whether it is there or not [WRITE-12]", async () => {
  const path = join(directory, "haft.jsonc");
  const own = '{ "autonomy": "supervised" }\n';
  for (const autonomy of ["readonly", "supervised"] as const) {
    rmSync(path, { force: true });
    await using toolkit = await createToolkit({ autonomy, workspace: directory, stateDir: state, gate: "off" });
    const { runner } = toolkit.box();
    const write = { path: "haft.jsonc", content: '{ "autonomy": "full" }' };
    const calls = [
      { id: "1", name: "write", input: write },
      { id: "2", name: "bash", input: { command: "echo '{}' > haft.jsonc" } },
      { id: "3", name: "bash", input: { command: "cd . && cp /dev/null ./haft.jsonc" } },
    ];
    for (const call of calls) expect([autonomy, await runner.run(call)]).toMatchObject([autonomy, { isError: true }]);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, own);
    for (const call of calls) expect([autonomy, await runner.run(call)]).toMatchObject([autonomy, { isError: true }]);
    expect(readFileSync(path, "utf8")).toBe(own);
  }
});

describe("cases that need a harness of their own", () => {
  it("a fault in a timer or a stream of a tool is the error of that call, and the host continues [KERN-02]", async () => {
    const host = startHost(
      directory,
      state,
      `
      import { EventEmitter } from "node:events";
      const never = (start) => () => new Promise(() => start());
      const tools = [
        haft.defineTool({ name: "faulty_timer", description: "x", input: { type: "object" },
          run: never(() => setTimeout(() => { throw new Error("fault in a timer"); }, 5)) }),
        haft.defineTool({ name: "faulty_stream", description: "x", input: { type: "object" },
          run: never(() => setImmediate(() => new EventEmitter().emit("error", new Error("fault in a stream")))) }),
      ];
      const toolkit = await open({ tools });
      const box = toolkit.box();
      const seen = [];
      for (const [name, input] of [["faulty_timer", {}], ["faulty_stream", {}], ["bash", { command: "echo still here" }]]) {
        const { isError, content } = await box.runner.run({ id: name, name, input });
        seen.push({ name, isError, text: content.map(({ text }) => text).join("") });
      }
      await toolkit.close();
      console.log(JSON.stringify(seen));
      `,
    );
    const { code, stdout, stderr } = await host.ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual([
      { name: "faulty_timer", isError: true, text: expect.stringContaining("fault in a timer") },
      { name: "faulty_stream", isError: true, text: expect.stringContaining("fault in a stream") },
      { name: "bash", isError: false, text: expect.stringContaining("still here") },
    ]);
  });

  it("a tool that ignores its signal is left behind, and its late value is dropped and on record [KERN-03]", async () => {
    // Abandoning takes six seconds; the tool settles right after.
    const host = startHost(
      directory,
      state,
      `
      const alive = setInterval(() => {}, 1000); // a host has more to live for than this call
      const stop = new AbortController();
      let late;
      const deaf = haft.defineTool({ name: "deaf", description: "x", input: { type: "object" },
        run: () => new Promise((done) => {
          late = () => done(haft.text("too late"));
          setTimeout(() => stop.abort(), 50); // cancelled while it runs
        }) });
      const toolkit = await open({ tools: [deaf] });
      const call = { id: "c1", name: "deaf", input: {} };
      const outcome = await toolkit.box().runner.run(call, { signal: stop.signal });
      late();
      await new Promise((done) => setTimeout(done, 500));
      await toolkit.close();
      clearInterval(alive);
      console.log(JSON.stringify({ status: outcome.status, code: outcome.code, isError: outcome.isError }));
      `,
    );
    const { code, stdout, stderr } = await host.ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({ status: "abandoned", code: "CALL_ABANDONED", isError: true });
    const records = readdirSync(state, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(records.join("\n")).toContain("late-value-dropped");
    expect(records.join("\n")).not.toContain("too late");
  });

  it("a host killed while it writes leaves the old bytes or the new ones, and the next write clears up [EDIT-37]", async () => {
    const path = join(directory, "big.bin");
    const size = 50_000_000;
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const old = Buffer.alloc(size, "o");
    const wanted = [digest(old), digest(Buffer.alloc(size, "x"))];
    let killedEarly = 0;
    // Milliseconds from the call to the kill: from before the first byte to after the rename.
    for (const delayMs of [0, 10, 20, 40, 60, 90, 130, 200]) {
      writeFileSync(path, old);
      const host = startHost(
        directory,
        state,
        `
        const box = (await open()).box();
        await box.runner.run({ id: "c0", name: "read", input: { path: "big.bin", limit: 1 } });
        console.log("ready");
        await box.runner.run({ id: "c1", name: "write", input: { path: "big.bin", content: "x".repeat(${size}) } });
        console.log("done");
        setInterval(() => {}, 1000);
        `,
      );
      await host.line("ready");
      await sleep(delayMs);
      host.child.kill("SIGKILL");
      const { stdout } = await host.ended;
      if (!stdout.includes("done")) killedEarly++;
      expect(wanted).toContain(digest(readFileSync(path)));
    }
    expect(killedEarly).toBeGreaterThan(0);
    expect(await once("write", { path: "next.txt", content: "x" })).toMatchObject({ isError: false });
    expect(readdirSync(directory).sort()).toEqual(["big.bin", "next.txt"]);
  }, 60_000);

  it("a host killed hard takes its commands with it [SHELL-37]", async () => {
    const seconds = `60.${process.pid}`; // so that the process is found by its command line
    const host = startHost(
      directory,
      state,
      `
      const box = (await open()).box();
      void box.runner.run({ id: "c1", name: "bash", input: { command: "sleep ${seconds}" } });
      `,
    );
    const running = () => processesWith(`sleep\0${seconds}`).length;
    await until(() => running() > 0, "the command runs");
    host.child.kill("SIGKILL");
    await host.ended;
    await until(() => running() === 0, "the command has ended");
  });

  it("a name typed with a straight apostrophe is not found, and the spelling with the curly one is offered [READ-16]", async () => {
    writeFileSync(join(directory, "Bob’s notes.txt"), "hi\n");
    const missed = await once("read", { path: "Bob's notes.txt" });
    expect(missed).toMatchObject({ isError: true, code: "FS_NOT_FOUND" });
    const [spelling = '""'] = /"Bob\\u2019s notes.txt"/.exec(String(missed.output)) ?? [];
    expect(await once("read", { path: JSON.parse(spelling) })).toMatchObject({ isError: false });
  });

  it.runIf(process.platform !== "win32")(
    "a file whose name looks like a row of hits keeps path, line and text apart [GREP-08]",
    async () => {
      const name = "D:\\src\\m.ts:12:const";
      writeFileSync(join(directory, name), `${"\n".repeat(11)}const a = 1: 2\n`);
      const outcome = await once("grep", { pattern: "const a", path: "." });
      expect(outcome).toMatchObject({ isError: false });
      expect(String(outcome.output)).toContain(`${JSON.stringify(name)}:12: const a = 1: 2`);
    },
  );
});

/** Looks every 20 ms, and fails when it is still not so after 15 s. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 750; turn++) {
    if (holds()) return;
    await sleep(20);
  }
  throw new Error(`Waited 15 s in vain: ${what}`);
}

/** What the files of a workspace are at the start of the comparison. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "a.txt": "one\ntwo\nthree\n",
  "crlf.txt": "one\r\ntwo\r\n",
  "mark.txt": "\ufeffimport x\n",
  "open-end.txt": "first\nlast",
  "empty.txt": "",
  "binary.bin": Uint8Array.of(1, 0, 2, 0, 255),
  "foreign.txt": Uint8Array.of(0x6e, 0x61, 0xef, 0x76, 0x65, 0x0a),
  "wide.txt": Uint8Array.of(0xff, 0xfe, 0x68, 0, 0x69, 0, 0x0a, 0),
  "dup.txt": "dup\nx\ndup\n",
  "Bob’s notes.txt": "hi\n",
  "-dash.txt": "two words\n",
  "src/deep/b.ts": "export const two = 2;\n",
  "src/.hidden.ts": "const two = 2;\n",
  "node_modules/x/index.js": "two\n",
  "skip.log": "two\n",
  ".gitignore": "*.log\nnode_modules/\n",
};

const CALLS: readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[] = [
  ["read", { path: "a.txt" }],
  ["read", { path: "a.txt", offset: 2, limit: 1 }],
  ["read", { path: "a.txt", offset: 99 }],
  ["read", { path: "a.txt", offset: -1 }],
  ["read", { path: "./src/../a.txt" }],
  ["read", { path: "a.txt/" }],
  ["read", { path: "a.txt/x" }],
  ["read", { path: "A.TXT" }],
  ["read", { path: "missing.txt" }],
  ["read", { path: "no/such/file.txt" }],
  ["read", { path: "src" }],
  ["read", { path: "src/" }],
  ["read", { path: "." }],
  ["read", { path: "" }],
  ["read", { path: "a\0b" }],
  ["read", { path: "x".repeat(300) }],
  ["read", { path: "Bob's notes.txt" }],
  ["read", { path: "-dash.txt" }],
  ...["crlf.txt", "mark.txt", "open-end.txt", "empty.txt", "binary.bin", "foreign.txt", "wide.txt"].map(
    (path) => ["read", { path }] as const,
  ),
  ["write", { path: "new.txt", content: "x\n" }],
  ["write", { path: "new/er/x.txt", content: "é" }],
  ["write", { path: "new.txt", content: "" }],
  ["write", { path: "src", content: "x" }],
  ["write", { path: "src/", content: "x" }],
  ["write", { path: "a.txt/x", content: "x" }],
  ["write", { path: "new2.txt/", content: "x" }],
  ["write", { path: "a.txt", content: "old\n", expect: "absent" }],
  ["write", { path: "a.txt", content: "old\n", expect: "0".repeat(64) }],
  ["write", { path: "-n x.txt", content: "d\n" }],
  ["write", { path: "two\nlines.txt", content: "e\n" }],
  ["edit", { path: "a.txt", oldText: "two", newText: "TWO" }],
  ["edit", { path: "crlf.txt", oldText: "one\ntwo", newText: "1\n2" }],
  ["edit", { path: "mark.txt", oldText: "import x", newText: "import y" }],
  ["edit", { path: "open-end.txt", oldText: "last\n", newText: "LAST\n" }],
  ["edit", { path: "open-end.txt", oldText: "last", newText: "$& LAST" }],
  ["edit", { path: "dup.txt", oldText: "dup", newText: "one" }],
  ["edit", { path: "dup.txt", oldText: "dup", newText: "one", replaceAll: true }],
  ["edit", { path: "foreign.txt", oldText: "na", newText: "NA" }],
  ["edit", { path: "empty.txt", oldText: "a", newText: "b" }],
  ["edit", { path: "missing.txt", oldText: "a", newText: "b" }],
  ["edit", { path: "src", oldText: "a", newText: "b" }],
  ["edit", { path: "a.txt", oldText: "nowhere", newText: "b" }],
  ["edit", { path: "a.txt", oldText: "one", newText: "one" }],
  ["edit", { path: "a.txt", oldText: "", newText: "b" }],
  ["grep", { pattern: "two" }],
  ["grep", { pattern: "TWO", ignoreCase: true }],
  ["grep", { pattern: "two", includeIgnored: true }],
  ["grep", { pattern: "two", glob: "*.ts" }],
  ["grep", { pattern: "two", path: "src" }],
  ["grep", { pattern: "two", path: "src/deep/b.ts" }],
  ["grep", { pattern: "two", path: "missing" }],
  ["grep", { pattern: "two", path: "a.txt/x" }],
  ["grep", { pattern: "nothing like it" }],
  ["grep", { pattern: "(" }],
  ["grep", { pattern: "(?=a)" }],
  ["grep", { pattern: "one|first", mode: "files" }],
  ["grep", { pattern: "o", mode: "count" }],
  ["grep", { pattern: "two", path: "-dash.txt" }],
  ["grep", { pattern: "two$", path: "crlf.txt" }],
];

describe("memory and local agree [KERN-05]", () => {
  async function open(on: string): Promise<{ toolkit: Toolkit; files: () => Promise<Record<string, string>> }> {
    const toolkit = await createToolkit({ autonomy: "full", workspace: directory, persist: false, on, gate: "off" });
    const { fs } = await toolkit.session("files").context();
    await fs.mkdir(directory, true);
    for (const [path, content] of Object.entries(FILES)) {
      const parent = path.split("/").slice(0, -1).join("/");
      await fs.mkdir(join(directory, parent), true);
      await fs.writeFile(join(directory, path), content);
    }
    const list = async (path: string): Promise<[string, string][]> => {
      const { children } = await fs.readDir(path);
      const below = children.map(async ({ name, kind }): Promise<[string, string][]> => {
        const child = join(path, name);
        if (kind === "directory") return list(child);
        return [[child, Buffer.from(await fs.readBytes(child)).toString("latin1")]];
      });
      return (await Promise.all(below)).flat();
    };
    return { toolkit, files: async () => Object.fromEntries(await list(directory)) };
  }

  it("on outcome, code and text of every call to read, write, edit and grep, and on the files they leave", async () => {
    const [memory, local] = [await open("memory"), await open("local")];
    try {
      const boxes = [memory.toolkit.box(), local.toolkit.box()];
      for (const [name, input] of CALLS) {
        const [one, other] = await Promise.all(boxes.map((box) => box.runner.run({ id: "c", name, input })));
        const reported = (outcome: ToolOutcome | undefined) => ({
          call: `${name} ${JSON.stringify(input).slice(0, 100)}`,
          status: outcome?.status,
          code: outcome?.code,
          // ripgrep does not count the binary files that it passes over; the engine of memory does.
          output: String(outcome?.output)
            .replace(/artifact:a-\w+/g, "artifact:ID")
            .replace(/modified [\d-]+T[\d:]+Z/g, "modified TIME")
            .replace(/\n+Skipped: \d+ binary\.(?=\n|$)/, ""),
        });
        expect.soft(reported(one)).toEqual(reported(other));
      }
      expect(await memory.files()).toEqual(await local.files());
    } finally {
      await Promise.all([memory.toolkit.close(), local.toolkit.close()]);
    }
  });
});
