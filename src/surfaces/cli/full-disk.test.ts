import { type ChildProcessByStdio, spawn } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { built, type Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { type SmallDisk, smallDisk, whyNoSmallDisk } from "./small-disk.fixture.js";

const DISK_BYTES = 2 * 1024 * 1024;
/** Enough to open the database, which needs 32 KiB of memory shared by processes in a file, and to store a little. */
const LITTLE_BYTES = 112 * 1024;
/** More than is left of the disk, less than an argument may have. */
const LONG = "a".repeat(100_000);
const WHY_NOT = whyNoSmallDisk();
const WAITS = fileURLToPath(new URL("./job-waits.fixture.mjs", import.meta.url));
const place = cliPlace();
let disk: SmallDisk;
/** Where state is kept, as the programs see it. */
let state: string;

beforeEach(() => {
  for (const directory of ["disk", "plain", "state"]) mkdirSync(join(place.root, directory));
});
afterEach(() => disk?.end());

/** A disk with a project, and state on it unless that is kept elsewhere. */
async function open(where: "on the disk" | "elsewhere" = "on the disk"): Promise<void> {
  disk = await smallDisk(join(place.root, "disk"), DISK_BYTES);
  mkdirSync(seen("project"));
  state = where === "elsewhere" ? join(place.root, "state") : join(disk.path, "state");
  writeFileSync(seen("project", "big.bin"), Buffer.alloc(200_000, "b"));
  writeFileSync(seen("project", "other.bin"), Buffer.alloc(150_000, "o"));
  writeFileSync(seen("project", "lines.txt"), "one\ntwo\nthree\n");
}

const seen = (...names: string[]): string => join(disk.seenFrom, ...names);
const argvOf = (args: readonly string[]) => disk.argv([process.execPath, built("surfaces/cli/main.js"), ...args]);
const env = () => place.env({ HAFT_STATE: state });

function haft(...args: readonly string[]): Promise<Finished> {
  const [program, ...rest] = argvOf([...args, "--workspace", join(disk.path, "project")]);
  return finished(spawn(program, rest, { cwd: place.root, env: env(), stdio: ["ignore", "pipe", "pipe"] }));
}

function finished(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Finished> {
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
}

const call = (tool: string, input: object): Promise<Finished> => haft("call", tool, JSON.stringify(input));

/** What is in the project, name by name. */
function project(): Readonly<Record<string, string>> {
  const names = readdirSync(seen("project")).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(seen("project", name), "latin1")]));
}

/**
 * The record, the jobs and the sessions are there to be read, and sound: the sessions once a database can be opened, and else the
 * command says why not. What only reads files needs no process beside the disk.
 */
async function expectSound(isFull = false): Promise<void> {
  const env = { HAFT_STATE: state.replace(disk.path, disk.seenFrom) };
  const list = (...args: readonly string[]) => place.inProcess([...args, "--json"], { env });
  const audit = await list("audit");
  expect(audit).toMatchObject({ status: 0, stdout: expect.stringContaining('"problems":[]') });
  expect(JSON.parse(audit.stdout).calls).not.toEqual([]);
  for (const command of ["jobs", "sessions", "artifacts"]) {
    const refused = {
      status: 2,
      stderr: expect.stringMatching(/state\.db": the disk is full\. Free some space there/),
    };
    const listed = command === "sessions" ? await haft(command, "list", "--json") : await list(command, "list");
    // Whether reading the database takes a page depends on who has it open.
    const wanted = isFull && command === "sessions" && listed.status !== 0 ? refused : { status: 0 };
    expect([command, listed]).toMatchObject([command, wanted]);
  }
}

const EDIT = { path: "lines.txt", edits: [{ oldText: "two", newText: "2" }] };
const NEXT = /Free some space there|free some space/;

describe.skipIf(WHY_NOT !== undefined)(`a disk without room${WHY_NOT === undefined ? "" : ` (${WHY_NOT})`}`, () => {
  it("where nothing is left no call runs, each says so, and all is as it was", async () => {
    await open();
    await call("todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
    await call("process", { action: "start", command: "echo words" });
    const before = project();
    disk.fill();
    const calls: readonly [string, object][] = [
      ["write", { path: "new.txt", content: "x" }],
      ["edit", EDIT],
      ["move", { from: "other.bin", to: "big.bin", overwrite: true }],
      ["delete", { path: "big.bin" }],
      ["bash", { command: "rm big.bin" }],
      ["process", { action: "start", command: "rm big.bin" }],
      ["todo_set", { items: [] }],
    ];
    for (const [tool, input] of calls) {
      const { status, stdout, stderr } = await call(tool, input);
      expect([tool, status, stderr]).toEqual([tool, 1, ""]);
      expect(stdout).toMatch(
        /^Did not run `\w+` because it could not be written to the audit log\..* no space left on device\./,
      );
      expect(stdout).toMatch(NEXT);
    }
    expect(project()).toEqual(before);
    await expectSound(true);
    expect((await haft("audit")).stdout.match(/\n/g)).toHaveLength(2);
    // It may have been ended with the process that started it.
    expect((await haft("jobs", "list")).stdout).toMatch(/^job-1 {2}(exit code 0|ended with its host process)/);
    disk.free();
    expect(await call("edit", EDIT)).toMatchObject({ status: 0 });
    expect((await call("todo_read", {})).stdout).toContain("Write it");
    expect(await call("delete", { path: "big.bin" })).toMatchObject({ status: 0 });
    await expectSound();
  });

  it("what needs more than is left changes nothing, says so, and leaves nothing half done behind", async () => {
    await open();
    const todo = [{ id: "1", text: "Write it", status: "pending" }];
    await call("todo_set", { items: todo });
    await call("read", { path: "lines.txt" });
    const before = project();
    const calls: readonly [string, object, string][] = [
      ["write", { path: "new.txt", content: LONG }, 'Did not write "new.txt": the disk is full. Nothing was changed'],
      ["write", { path: "lines.txt", content: LONG }, 'Did not write "lines.txt": the disk is full.'],
      ["edit", { path: "lines.txt", edits: [{ oldText: "two", newText: LONG }] }, 'Did not edit "lines.txt"'],
      ["delete", { path: "big.bin" }, 'Did not delete "big.bin": the state directory is not writable'],
      ["move", { from: "other.bin", to: "big.bin", overwrite: true }, 'Did not move "other.bin"'],
      ["todo_set", { items: [{ ...todo[0], text: LONG }] }, "Did not set the list; it is unchanged."],
    ];
    for (const [tool, input, sentence] of calls) {
      disk.fill(LITTLE_BYTES);
      const { status, stdout, stderr } = await call(tool, input);
      expect([tool, status, stdout, stderr]).toEqual([tool, 1, expect.stringContaining(sentence), ""]);
      expect(stdout).toMatch(NEXT);
    }
    expect(project()).toEqual(before);
    disk.free();
    disk.fill(LITTLE_BYTES);
    await expectSound();
    expect((await call("todo_read", {})).stdout).toContain("Write it");
    // No beginning of something that could not be kept stands there as if it were whole.
    const kept = JSON.parse((await haft("artifacts", "list", "--json")).stdout) as { what: string }[];
    expect(kept).toEqual([]);
    disk.free();
    expect(await call("delete", { path: "big.bin" })).toMatchObject({ status: 0 });
    expect(await call("write", { path: "new.txt", content: LONG })).toMatchObject({ status: 0 });
    await expectSound();
  });

  it("a file with two names, which is written where it stands, keeps its old bytes too", async () => {
    await open();
    linkSync(seen("project", "lines.txt"), seen("project", "second name"));
    await call("read", { path: "lines.txt" });
    const before = project();
    disk.fill(LITTLE_BYTES);
    const { status, stdout } = await call("write", { path: "lines.txt", content: LONG });
    expect([status, stdout]).toEqual([1, expect.stringContaining("the disk is full")]);
    expect(project()).toEqual(before);
  });

  it("a command prints more than can be kept: its answer comes, and what is lost is counted", async () => {
    await open();
    await call("time", {});
    for (const name of ["big.bin", "other.bin"]) rmSync(seen("project", name));
    disk.fill(LITTLE_BYTES);
    const { status, stdout } = await call("bash", { command: "seq 1 400000" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/\[… \d+ bytes omitted; they were not stored …\][\s\S]*\n400000\nstderr: \(empty\)/);
    disk.fill(LITTLE_BYTES);
    await call("process", { action: "start", command: "seq 1 60000", lifetime: "keep" });
    disk.free();
    await expectSound();
    expect((await haft("jobs", "list")).stdout).toMatch(/^job-1 {2}/);
    disk.free();
    expect(await haft("jobs", "stop", "job-1")).toMatchObject({ status: 0 });
    const next = await call("process", { action: "start", command: "echo words" });
    expect(next.stdout).toContain("words");
    expect((await haft("jobs", "list")).stdout).toMatch(/^job-1 .*\n.*\njob-2 /);
    await expectSound();
  });

  it("a full workspace refuses what needs space, and a delete frees some", async () => {
    await open("elsewhere");
    await call("read", { path: "lines.txt" });
    const before = project();
    disk.fill();
    expect((await call("write", { path: "lines.txt", content: LONG })).stdout).toContain("the disk is full");
    expect((await call("edit", EDIT)).stdout).toContain("the disk is full");
    expect(project()).toEqual(before);
    expect(await call("delete", { path: "big.bin" })).toMatchObject({ status: 0 });
    expect(await call("edit", EDIT)).toMatchObject({ status: 0 });
    disk.free();
    const exported = await haft("artifacts", "export", "last", join(disk.path, "project", "big.bin"));
    expect(exported.status).toBe(0);
    await expectSound();
  });

  it("a server continues: its next call after space is freed succeeds and is audited", async () => {
    await open();
    const [command, ...args] = argvOf(["serve", "--stdio", "--workspace", join(disk.path, "project")]);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, env: env(), stderr: "ignore" }));
    try {
      const ask = async (name: string, input: object) => {
        const answer = await client.callTool({ name, arguments: { ...input } });
        return { isError: answer.isError === true, text: JSON.stringify(answer.content) };
      };
      expect(await ask("read", { path: "lines.txt" })).toMatchObject({ isError: false });
      const before = project();
      // The rest of the page in which the record ends is still free: small calls run until that is full.
      disk.fill();
      for (let calls = 0; calls < 20; calls++) {
        const { isError, text } = await ask("write", { path: "lines.txt", content: LONG });
        expect([isError, text]).toEqual([true, expect.stringMatching(NEXT)]);
      }
      let last = "";
      for (let calls = 0; calls < 40 && !last.includes("could not be kept"); calls++)
        last = (await ask("time", {})).text;
      expect(last).toContain("because it could not be written to the audit log");
      expect(project()).toEqual(before);
      await expectSound(true);
      disk.free();
      expect(await ask("edit", EDIT)).toMatchObject({ isError: false });
    } finally {
      await client.close();
    }
    await expectSound();
    const { calls } = JSON.parse((await haft("audit", "--json")).stdout) as {
      calls: { tool: string; status?: string }[];
    };
    expect(calls.at(-1)).toMatchObject({ tool: "edit", status: "ok" });
  });
});

/** In units of 512 bytes: more than records and the database need, less than what is written here. */
const LIMIT = 1024 * 2;

/** More than the limit. */
const LINES = `one\ntwo\n${"line\n".repeat(300_000)}`;

describe("a limit on the size of a file", () => {
  const limited = (...args: readonly string[]): Promise<Finished> =>
    limitedNode(built("surfaces/cli/main.js"), ...args);
  const limitedNode = async (...args: readonly string[]): Promise<Finished> => {
    const script = `ulimit -f ${LIMIT} && exec "$0" "$@"`;
    const command = ["-c", script, process.execPath, ...args];
    return finished(
      spawn("/bin/sh", command, { cwd: join(place.root, "plain"), env: env(), stdio: ["ignore", "pipe", "pipe"] }),
    );
  };
  const ask = (tool: string, input: object): Promise<Finished> => limited("call", tool, JSON.stringify(input));
  const file = (name: string): string => join(place.root, "plain", name);

  beforeEach(() => {
    state = join(place.root, "state");
    writeFileSync(file("lines.txt"), LINES);
    writeFileSync(file("big.bin"), Buffer.alloc(2_000_000, "b"));
  });

  it("refuses what is longer, and leaves old bytes, todo list, record and jobs whole", async () => {
    await ask("todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
    await ask("read", { path: "lines.txt" });
    const calls: readonly [string, object, string][] = [
      [
        "edit",
        { path: "lines.txt", edits: [{ oldText: "two", newText: LONG }] },
        'Did not edit "lines.txt": the state directory is not writable (the file would be too large',
      ],
      [
        "delete",
        { path: "big.bin" },
        'Did not delete "big.bin": the state directory is not writable (the file would be too large',
      ],
    ];
    for (const [tool, input, sentence] of calls)
      expect([tool, await ask(tool, input)]).toMatchObject([
        tool,
        { status: 1, stdout: expect.stringContaining(sentence) },
      ]);
    expect(readdirSync(join(place.root, "plain")).sort()).toEqual(["big.bin", "lines.txt"]);
    expect(readFileSync(file("lines.txt"), "utf8")).toBe(LINES);
    expect((await ask("todo_read", {})).stdout).toContain("Write it");
    expect((await limitedNode(WAITS, built("index.js"), state)).stdout).toContain("300000\n");
    expect((await limited("jobs", "list")).stdout).toMatch(/^job-1 {2}exit code 0;.* 1988895 bytes of output\n/);
    expect(await limited("audit")).toMatchObject({ status: 0 });
  });

  it("keeps the first bytes of an output that is longer, and counts the rest", async () => {
    expect((await ask("bash", { command: "seq 1 300000" })).stdout).toContain("they were not stored");
    expect((await limited("artifacts", "list")).stdout).toMatch(/\n {2}1048576 of \d+ bytes; stored by bash/);
    const shown = await limited("artifacts", "show", "last");
    expect(shown.stdout).toBe(
      Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`)
        .join("")
        .slice(0, 1_048_576),
    );
    expect(shown.stderr).toMatch(
      /^haft: showed the stored part of a-\w+: bytes 1048576 to (\d+) of \1 were not stored\.\n$/,
    );
  });
});
