import { execFileSync, fork } from "node:child_process";
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalBackend, type LocalBackend } from "../../backends/local/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import type { BashData } from "../bash/contract.js";
import type { EditData } from "../edit/contract.js";
import type { FindData } from "../find/contract.js";
import type { GrepData } from "../grep/contract.js";
import type { LsData } from "../ls/contract.js";
import type { ReadData } from "../read/contract.js";
import { type ToolBench, toolBench } from "../tool-bench.fixture.js";

let directory: string;
let backend: LocalBackend;
let bench: ToolBench;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-tools-"));
  backend = createLocalBackend({ cwd: directory });
  bench = toolBench({ backend });
});

afterEach(async () => {
  await backend.close();
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, name);
const edit = (path: string, oldText: string, newText: string) =>
  bench.call<EditData>("edit", { path, edits: [{ oldText, newText }] });

describe("directories", () => {
  it("show and find unusual names, names that are not UTF-8, FIFOs and symlink loops", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    symlinkSync("self", at("self"));
    writeFileSync(at("two\nlines"), "needle\n");
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/bad`), Buffer.of(0xff)]), "x");
    mkdirSync(Buffer.concat([Buffer.from(`${directory}/dir`), Buffer.of(0xfe)]));
    const listed = (await bench.call<LsData>("ls", {})).data;
    expect(listed?.entries.map(({ name, kind, error }) => [name, kind, error])).toEqual([
      ["bad\uFFFD", "other", "unnamed"],
      ["dir\uFFFD", "other", "unnamed"],
      ["pipe", "other", undefined],
      ["self", "link", "unreached"],
      ["two\nlines", "file", undefined],
    ]);
    const found = (await bench.call<FindData>("find", { query: "*" })).data;
    expect(found?.entries.map(({ path }) => path)).toEqual(listed?.entries.map(({ name }) => name));
    expect(found).toMatchObject({ why: "complete", skipped: { unreadable: 1 }, unreadable: ["dir\uFFFD"] });
    const path = found!.entries.at(-1)!.path;
    expect((await bench.call<ReadData>("read", { path })).data?.text).toBe("needle\n");
  });

  it("are shown alike on a remote POSIX shell", async () => {
    mkdirSync(at("sub/.hidden"), { recursive: true });
    execFileSync("mkfifo", [at("sub/pipe")]);
    symlinkSync("pipe", at("sub/link"));
    symlinkSync("nowhere", at("sub/gone"));
    for (const name of ["two\nlines", "-n", "B", "a"]) writeFileSync(at(`sub/${name}`), "12345");
    const far = await openLocalPosix({ shell: "sh", cwd: directory });
    const farBench = toolBench({ backend: far });
    try {
      for (const [tool, input] of [
        ["ls", { path: "sub" }],
        ["ls", { path: "sub", showHidden: true }],
        ["find", { query: "*" }],
        ["find", { query: "hid", type: "directory" }],
      ] as const) {
        const { data } = await farBench.call(tool, input);
        const here = (await bench.call(tool, input)).data;
        expect({ ...data, engine: "" }).toEqual({ ...here, engine: "" });
      }
    } finally {
      await far.close();
    }
  });

  it("of very many entries are counted whole and searched", async () => {
    mkdirSync(at("many"));
    for (let index = 0; index < 20_000; index++) closeSync(openSync(at(`many/f${index}`), "w"));
    const { data } = await bench.call<LsData>("ls", { path: "many" });
    expect([data?.entries.length, data?.total, data?.more]).toEqual([500, 20_000, false]);
    const found = (await bench.call<FindData>("find", { query: "f19999", path: "many" })).data;
    expect(found?.entries).toEqual([{ path: "many/f19999", kind: "file" }]);
  });

  it("that are symlinks are listed; what is outside is not shown", async () => {
    mkdirSync(at("real"));
    writeFileSync(at("real/d.md"), "");
    symlinkSync("real", at("shared"));
    expect((await bench.call<LsData>("ls", { path: "shared" })).data?.entries).toMatchObject([{ name: "d.md" }]);
    const { data } = await bench.call<FindData>("find", { query: "*.md", path: "shared" });
    expect(data?.entries).toEqual([{ path: "shared/d.md", kind: "file" }]);
  });
});

describe("files", () => {
  it("keep their mode, and new ones get what the umask leaves", async () => {
    writeFileSync(at("run.sh"), "#!/bin/sh\necho old\n");
    chmodSync(at("run.sh"), 0o755);
    expect(await edit("run.sh", "old", "new")).toMatchObject({ isError: false });
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o755);
    await bench.call("write", { path: "new.txt", content: "x\n" });
    expect(statSync(at("new.txt")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it("keep both names of a hard link, and the result reports that it was written in place", async () => {
    writeFileSync(at("h1"), "old\n");
    linkSync(at("h1"), at("h2"));
    expect((await edit("h1", "old", "new")).data?.inPlace).toBe(true);
    expect(readFileSync(at("h2"), "utf8")).toBe("new\n");
  });

  it("that are FIFOs or devices are refused at once", async () => {
    execFileSync("mkfifo", [at("p.fifo")]);
    symlinkSync("/dev/zero", at("zero"));
    for (const path of ["p.fifo", "zero"]) {
      expect(await bench.call("read", { path })).toMatchObject({ isError: true, code: "FS_NOT_A_FILE" });
      expect(await bench.call("write", { path, content: "x" })).toMatchObject({ isError: true, code: "FS_NOT_A_FILE" });
      expect(await edit(path, "a", "b")).toMatchObject({ isError: true, code: "FS_NOT_A_FILE" });
    }
    expect(await bench.call("grep", { pattern: "x" })).toMatchObject({ isError: false });
  });

  it("are found by odd names", async () => {
    for (const path of ["-n x.txt", "two\nlines.txt", 'quo\'te "x".txt', "ünï.txt"]) {
      expect(await bench.call("write", { path, content: "needle\n" })).toMatchObject({ isError: false });
      expect((await bench.call<ReadData>("read", { path })).data?.text).toBe("needle\n");
    }
    const { data } = await bench.call<GrepData>("grep", { pattern: "needle" });
    expect(data?.hits).toHaveLength(4);
  });

  it("of many megabytes are read at both ends, and by their middle, alike", async () => {
    const line = (number: number) => `${String(number).padStart(79, "0")}\n`;
    const lines = 900_000;
    const block = Array.from({ length: lines }, (_, index) => line(index + 1));
    writeFileSync(at("log"), block.join(""));
    const read = (offset: number) => bench.call<ReadData>("read", { path: "log", offset, limit: 2 });
    expect((await read(1)).data?.text).toBe(line(1) + line(2));
    expect((await read(-2)).data).toMatchObject({ text: line(lines - 1) + line(lines), startLine: -2 });
    for (let time = 0; time < 2; time++) expect((await read(654_321)).data?.text).toBe(line(654_321) + line(654_322));
    expect((await read(lines)).data).toMatchObject({ text: line(lines), totalLines: lines });
    // A change makes another file of it: nothing that was known of the old one is used.
    writeFileSync(at("log"), block.slice(1).join(""));
    expect((await read(654_321)).data?.text).toBe(line(654_322) + line(654_323));
  });
});

describe("edits of one file", () => {
  it("at once lose none, whatever they are called by", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line-${index}-old\n`).join("");
    writeFileSync(at("n.txt"), lines);
    symlinkSync("n.txt", at("link.txt"));
    const spellings = ["n.txt", "./n.txt", "link.txt", at("n.txt")];
    const calls = spellings.flatMap((_, turn) =>
      Array.from({ length: 50 }, (_unused, index) => index)
        .filter((index) => index % 4 === turn)
        .map((index) => edit(spellings[turn]!, `line-${index}-old`, `line-${index}-new`)),
    );
    for (const call of await Promise.all(calls)) expect(call.isError).toBe(false);
    expect(readFileSync(at("n.txt"), "utf8")).toBe(lines.replaceAll("old", "new"));
  });

  it("from eight processes lose none", async () => {
    const [workers, count] = [8, 4];
    const names = Array.from({ length: workers }, (_, worker) => `w${worker}`);
    const lines = names.flatMap((name) => Array.from({ length: count }, (_, line) => `${name}-${line}-old\n`)).join("");
    writeFileSync(at("shared.txt"), lines);
    const state = mkdtempSync(join(tmpdir(), "haft-tools-state-"));
    const built = mkdtempSync(join(tmpdir(), "haft-tools-worker-"));
    try {
      const script = await bundleForProcess(new URL("../edit/edit-worker.fixture.ts", import.meta.url), built);
      const exits = names.map(
        (name) =>
          new Promise<number | null>((resolve) =>
            fork(script, [state, directory, name, String(count)]).on("exit", (code) => resolve(code)),
          ),
      );
      expect(await Promise.all(exits)).toEqual(names.map(() => 0));
      expect(readFileSync(at("shared.txt"), "utf8")).toBe(lines.replaceAll("old", "new"));
    } finally {
      rmSync(state, { recursive: true, force: true });
      rmSync(built, { recursive: true, force: true });
    }
    // Eight processes have to start, which a busy machine takes its time for.
  }, 120_000);
});

describe("commands", () => {
  const bash = (command: string, more: object = {}) => bench.call<BashData>("bash", { command, ...more });

  verifies("IR-103", "report both streams in full and fail by status or signal", async () => {
    const big = await bash("head -c 3000000 /dev/zero | tr '\\0' e >&2; echo out-ok");
    expect(big.data).toMatchObject({ exitCode: 0, stdout: { head: "out-ok\n" }, stderr: { bytes: 3_000_000 } });
    const { head, tail, omittedBytes: dropped, artifact } = big.data!.stderr;
    expect(head.length + tail.length + dropped).toBe(3_000_000);
    const whole = await bench.call<GrepData>("grep", { pattern: "^e+$", path: `artifact:${artifact}`, mode: "count" });
    expect(whole.data?.counts).toHaveLength(1);
    expect(await bash("echo before; kill -KILL $$")).toMatchObject({ code: "SHELL_SIGNALLED" });
    expect(await bash("exit 3")).toMatchObject({ code: "SHELL_EXIT", data: { exitCode: 3 } });
  });

  it("end at their timeout with all they started, and report it", async () => {
    const call = await bash("(sleep 30; echo late > late.txt) & sleep 30", { timeoutMs: 300 });
    expect(call).toMatchObject({ code: "SHELL_TIMEOUT", data: { ended: "deadline", tree: "gone" } });
  });

  it("have an empty stdin unless one is given, and run in the requested directory", async () => {
    expect((await bash("cat; echo after")).data?.stdout.head).toBe("after\n");
    expect((await bash("cat", { input: "né\n" })).data?.stdout.head).toBe("né\n");
    expect((await bash("pwd", { cwd: "/" })).data?.stdout.head).toBe("/\n");
    expect(await bash("pwd", { cwd: "gone" })).toMatchObject({
      code: "SHELL_SPAWN",
      message: expect.stringContaining('"gone"'),
    });
  });

  it("print whole characters only", async () => {
    const { data } = await bash(`node -e 'process.stdout.write("\\u754c".repeat(60000)+"\\n")'`);
    expect(data!.stdout.head + data!.stdout.tail).not.toContain("\ufffd");
    expect(data!.stdout.bytes).toBe(180_001);
  });

  verifies("IR-101", "end soon after a cancel, as an error", async () => {
    const control = new AbortController();
    const running = bench.call<BashData>("bash", { command: "echo begun; sleep 30" }, undefined, control.signal);
    // A moment for the command to begin; the cancel must be right at any moment.
    setTimeout(() => control.abort(), 50);
    expect(await running).toMatchObject({ isError: true, code: "SHELL_CANCELLED", status: "cancelled" });
  });
});
