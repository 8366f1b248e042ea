import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { built, type Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace({ scope: "all" });
/** A state directory with one of each kind of file. */
let filled: string;
let state: string;

const haft = (args: readonly string[]): Promise<Finished> => place.inProcess(args, { env: { HAFT_STATE: state } });
const call = (tool: string, input: object): Promise<Finished> => haft(["call", tool, JSON.stringify(input)]);

beforeAll(async () => {
  filled = join(place.root, "filled");
  state = filled;
  writeFileSync(join(place.workspace, "old.txt"), "old");
  writeFileSync(join(place.workspace, "kept.txt"), "kept");
  await call("todo_set", { items: [{ id: "1", text: "Write it", status: "pending" }] });
  await call("delete", { path: "old.txt" });
  await call("process", { action: "start", command: "echo words" });
  await call("read", { path: "kept.txt" });
  await haft(["token", "add", "laptop"]);
});

beforeEach(() => {
  state = mkdtempSync(join(place.root, "state-"));
  cpSync(filled, state, { recursive: true, preserveTimestamps: true });
});

/** Every name below a directory, with its bytes and the time of its last change. */
function bytesBelow(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const info = lstatSync(join(directory, name));
      return [name, info.isFile() ? `${info.mtimeMs} ${readFileSync(join(directory, name), "latin1")}` : "directory"];
    }),
  );
}

/** What is kept, by its first name below the state directory, and the commands that read or write it. */
const TABLE: readonly (readonly [kind: string, commands: readonly (readonly string[])[]])[] = [
  ["audit", [["call", "time", "{}"], ["audit"], ["audit", "x", "--json"]]],
  ["watcher", [["call", "process", '{"action":"list"}']]],
  ["locks", [["call", "edit", '{"path":"kept.txt","edits":[{"oldText":"kept","newText":"lost"}]}']]],
  [
    "sessions",
    [
      ["call", "todo_set", '{"items":[]}'],
      ["call", "todo_read"],
      ["call", "read", '{"path":"kept.txt"}'],
      ["call", "write", '{"path":"kept.txt","content":"lost"}'],
      ["call", "delete", '{"path":"kept.txt"}'],
      ["call", "move", '{"from":"kept.txt","to":"other.txt"}'],
      ["call", "bash", '{"command":"rm kept.txt"}'],
      ["sessions", "list"],
      ["sessions", "list", "--json"],
      ["sessions", "end", "x"],
      ["sessions", "clean", "--idle", "0"],
      ["artifacts", "list"],
      ["artifacts", "show", "last"],
      ["artifacts", "export", "last", "other.txt"],
      ["artifacts", "remove", "last"],
    ],
  ],
  [
    "jobs",
    [
      ["call", "process", '{"action":"start","command":"rm kept.txt"}'],
      ["call", "process", '{"action":"poll","id":"job-1"}'],
      ["jobs", "list"],
      ["jobs", "stop", "job-1"],
      ["jobs", "clean", "--all"],
    ],
  ],
  [
    "state.db",
    [
      ["approvals", "list"],
      ["sessions", "list"],
    ],
  ],
  [
    "tokens.json",
    [
      ["token", "add", "desktop"],
      ["token", "list"],
      ["token", "remove", "laptop"],
      ["serve", "--once"],
    ],
  ],
  ["undo", [["undo"], ["undo", "--json"], ["undo", "--last", "--dry-run"], ["undo", "--last"]]],
];

describe("a state directory of a newer version", () => {
  it("is one of which the table knows every kind of file", () => {
    const kinds = readdirSync(filled).filter((name) => !/^(format\.json|state\.db-(shm|wal))$/.test(name));
    expect(kinds.sort()).toEqual(TABLE.map(([kind]) => kind).sort());
    expect(readFileSync(join(filled, "format.json"), "utf8")).toBe('{"format":2}\n');
  });

  it.each(TABLE)(
    "%s: what uses it is refused with file, format and next step, and no byte changes",
    async (_, commands) => {
      writeFileSync(join(state, "format.json"), '{"format":3,"more":"of it"}');
      const before = { state: bytesBelow(state), project: bytesBelow(place.workspace) };
      for (const command of commands) {
        const { status, stdout, stderr } = await haft(command);
        expect([command, status, stdout, stderr]).toEqual([
          command,
          2,
          "",
          `haft: Did not use the state directory "${state}": "${state}/format.json" says format 3, and this Haft knows format 2. Use the newer Haft, or use another directory with \`--state DIR\` or the environment variable HAFT_STATE.\n`,
        ]);
      }
      expect({ state: bytesBelow(state), project: bytesBelow(place.workspace) }).toEqual(before);
    },
  );

  it("answers each call of an MCP client with that, and is a finding of the doctor", async () => {
    writeFileSync(join(state, "format.json"), '{"format":3}');
    const before = bytesBelow(state);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [built("surfaces/cli/main.js"), "serve", "--stdio", "--workspace", place.workspace],
        env: place.env({ HAFT_STATE: state }),
        stderr: "ignore",
      }),
    );
    try {
      const answer = client.callTool({ name: "bash", arguments: { command: "rm kept.txt" } });
      await expect(
        answer.catch((error: unknown) => ({ isError: true, content: String(error) })),
      ).resolves.toMatchObject({
        isError: true,
        content: expect.anything(),
      });
      expect(JSON.stringify(await answer.catch(String))).toContain("says format 3, and this Haft knows format 2");
    } finally {
      await client.close();
    }
    const doctor = await haft(["doctor"]);
    expect(doctor).toMatchObject({ status: 1, stdout: expect.stringContaining("says format 3") });
    expect(bytesBelow(state)).toEqual(before);
  });

  it("is not taken for one where the file is damaged, and is used on where there is none yet", async () => {
    writeFileSync(join(state, "format.json"), "words");
    const damaged = await haft(["sessions", "list"]);
    expect(damaged).toMatchObject({ status: 2, stderr: expect.stringContaining("does not state the format") });
    rmSync(join(state, "format.json"));
    expect((await haft(["sessions", "list"])).stdout).toContain("1 todo item");
    expect((await call("todo_read", {})).stdout).toContain("Write it");
    expect(readFileSync(join(state, "format.json"), "utf8")).toBe('{"format":2}\n');
  });

  it("leaves a single job of a newer version alone, and names its file", async () => {
    const record = join(state, "jobs", "job-1", "job.json");
    writeFileSync(record, readFileSync(record, "utf8").replace('"version":1', '"version":2'));
    const before = bytesBelow(join(state, "jobs"));
    const why = `"${record}" has format version 2; this Haft supports version 1. Use the newer Haft.`;
    expect(await haft(["jobs", "list"])).toMatchObject({
      stdout: expect.stringMatching(/^No jobs\./),
      stderr: `haft: did not list job-1: ${why}\n`,
    });
    expect(await haft(["jobs", "stop", "job-1"])).toMatchObject({
      status: 1,
      stderr: `haft: did not stop "job-1": ${why}\n`,
    });
    expect((await haft(["jobs", "clean", "--all"])).stderr).toContain(`did not delete job-1: ${why}`);
    for (const action of ["poll", "stop"])
      expect((await call("process", { action, id: "job-1" })).stdout).toContain("has format version 2");
    expect(bytesBelow(join(state, "jobs"))).toEqual(before);
  });
});
