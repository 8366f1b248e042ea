import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { built, type Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { builtinRegistry } from "../../toolkit/index.js";
import { connectText } from "./commands/serve/connect-text.js";
import { stdioServerCommand } from "./common-options.js";
import { buildProgram } from "./program.js";
import { DIRECTORY_OPTIONS } from "./usage.js";

const place = cliPlace();
beforeEach(() => writeFileSync(join(place.workspace, "a.txt"), "one\ntwo TODO\n"));

const haft = (...given: Parameters<typeof place.haft>): Promise<Finished> => place.inProcess(...given);
const call = (tool: string, input: unknown, ...options: readonly string[]): Promise<Finished> =>
  haft(["call", tool, JSON.stringify(input), ...options]);
const state = (): string => place.state();

describe("haft call", () => {
  it("prints the answer and exits 0", async () => {
    const done = await call("grep", { pattern: "TODO" });
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain("a.txt");
    expect(done.stdout).toContain("two TODO");
    expect(done.stdout).not.toContain("\u001b");
  });

  it("exits 1 for an error result, which is printed too", async () => {
    const done = await call("read", { path: "missing.txt" });
    expect(done.status).toBe(1);
    expect(done.stdout).toContain('"missing.txt"');
    expect((await call("bash", { command: "exit 3" })).status).toBe(1);
  });

  it("takes its input from standard input for -, and none for a tool that needs none", async () => {
    const done = await haft(["call", "read", "-"], { input: '{"path":"a.txt"}' });
    expect(done).toMatchObject({ status: 0 });
    expect(done.stdout).toContain("two TODO");
    expect((await haft(["call", "todo_read"])).status).toBe(0);
  });

  it("exits 2 for what it does not understand and says what to give", async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["call", "read", "{path}"], /INPUT is not valid JSON/],
      [["call"], /^haft: missing required argument.*\n`haft tools` lists/],
      [["call", "read", "{}", "--nonsense"], /unknown option/],
      [["call", "read", "{}", "--on", "mars"], /"mars".*posix:dash/],
      [["call", "read", "{}", "--dialect", "hft"], /"hft".*"haft"/],
      [["call", "read", "{}", "--gate", "never"], /--gate must be one of off, handle, write, on, not "never"/],
      [
        ["call", "read", "{}", "--autonomy", "some"],
        /--autonomy must be one of readonly, supervised, full, not "some"/,
      ],
      [["call", "read", "{}", "--workspace", "nowhere"], /workspace "nowhere": no such directory/],
      [["call", "read", "{}", "--workspace", "/"], /root of the file system.*--workspace DIR/],
      [["cal"], /no command "cal".*"call"/],
    ];
    for (const [args, reported] of cases) {
      const done = await haft(args);
      expect([args, done.status, done.stdout]).toEqual([args, 2, ""]);
      expect(done.stderr).toMatch(reported);
      expect(done.stderr).not.toMatch(/\n\s+at /);
    }
  });

  it("refuses an empty directory, such as an unset shell variable, with every command", async () => {
    const commands = buildProgram().commands.flatMap((one) => [one, ...one.commands]);
    const cases = commands.flatMap((command) => {
      const path = command.parent?.parent === null ? [command.name()] : [command.parent!.name(), command.name()];
      const needed = command.registeredArguments.filter(({ required }) => required).map(() => "x");
      const taken = DIRECTORY_OPTIONS.filter((name) => command.options.some(({ long }) => long === `--${name}`));
      return taken.map((name) => ({ name, args: [...path, ...needed, `--${name}`, ""] }));
    });
    expect(cases.length).toBeGreaterThan(20);
    const overStdio = DIRECTORY_OPTIONS.map((name) => ({ name, args: ["serve", "--stdio", `--${name}=`] }));
    for (const { name, args } of [...cases, ...overStdio]) {
      const { status, stdout, stderr } = await haft(args);
      const refused = `haft: Did not start: --${name} is empty. Give a directory, or remove the option.\n`;
      expect([args, status, stdout, stderr]).toEqual([args, 2, "", refused]);
    }
    expect(readdirSync(place.workspace)).toEqual(["a.txt"]);
  });

  it("prints the whole outcome as JSON", async () => {
    const done = await call("read", { path: "a.txt" }, "--json");
    expect(JSON.parse(done.stdout)).toMatchObject({ isError: false, status: "ok", decision: { effect: "allow" } });
    const failed = await call("read", { path: "missing" }, "--json");
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true, code: "FS_NOT_FOUND" });
  });

  it("explains what it would touch and runs nothing", async () => {
    const done = await call("bash", { command: "touch made" }, "--explain");
    expect(done.status).toBe(0);
    expect(done.stdout).toContain('"touch made"');
    expect(done.stdout).toContain("allow");
    const asJson = JSON.parse((await call("write", { path: "made", content: "x" }, "--explain", "--json")).stdout);
    expect(asJson).toMatchObject({ tool: "write", effect: "write", decision: { effect: "allow" } });
    expect(JSON.stringify(asJson.claims)).toContain(join(place.workspace, "made"));
    expect(readdirSync(place.workspace)).toEqual(["a.txt"]);
    expect((await call("read", {}, "--explain")).status).toBe(1);
    expect((await call("nothing", {}, "--explain")).stderr).toContain("haft tools");
  });

  it("answers a tool that is not there with those that come near", async () => {
    const done = await call("raed", { path: "a.txt" });
    expect(done.status).toBe(1);
    expect(done.stdout).toContain("read");
    expect(done.stderr).toBe("haft: `haft tools` lists the tools.\n");
    expect((await call("raed", {}, "--dialect", "buddy")).stderr).toContain("`haft tools --dialect buddy`");
  });

  it("says that no parameters were given where some are needed, an empty word being none", async () => {
    const done = await haft(["call", "read"]);
    expect(done.status).toBe(2);
    expect(done.stderr).toMatch(/^haft: No parameters were given\./);
    expect(await haft(["call", "read", ""])).toEqual(done);
    expect(await call("read", {})).toMatchObject({ status: 1, stderr: "" });
    expect((await haft(["call", "todo_read", " "])).status).toBe(0);
  });

  it("names the file that disables the tool", async () => {
    const file = join(place.workspace, "haft.jsonc");
    writeFileSync(file, '{ "tools": { "bash": false } }');
    const off = `haft: "bash" is disabled in ${file}. `;
    expect((await call("bash", { command: "ls" })).stderr).toMatch(off);
    expect((await call("run_shell", { command: "ls" }, "--dialect", "buddy")).stderr).toMatch(off);
    expect((await call("bsh", {})).stderr).not.toContain("disabled");
  });

  it.skipIf(!existsSync("/dev/full"))(
    "reports that its output could not be printed (skipped where there is no /dev/full)",
    async () => {
      const sh = `"${process.execPath}" "${built("surfaces/cli/main.js")}" call time "{}" > /dev/full`;
      const done = spawnSync("sh", ["-c", sh], { cwd: place.workspace, env: place.env(), encoding: "utf8" });
      expect(done.stderr).toMatch(/^haft: the call completed, but its output could not be printed: .*ENOSPC.*\.\n$/);
      expect(done.status).toBe(1);
    },
  );

  it("speaks the chosen dialect on the chosen target", async () => {
    const done = await call("file_read", { path: "a.txt" }, "--dialect", "zeroclaw", "--json");
    expect(JSON.parse(done.stdout)).toMatchObject({ success: true });
    const posix = await call("bash", { command: "pwd" }, "--on", "posix:sh");
    expect(posix).toMatchObject({ status: 0 });
    expect(posix.stdout).toContain(place.workspace);
    const memory = await call("write", { path: "m.txt", content: "x" }, "--on", "memory");
    expect(memory.status).toBe(0);
    expect(readdirSync(place.workspace)).toEqual(["a.txt"]);
  });

  it("works in the workspace that it is given", async () => {
    const done = await haft(["call", "read", '{"path":"a.txt"}', "--workspace", "project"], { cwd: place.root });
    expect(done.stdout).toContain("two TODO");
  });

  it("passes on the environment variables that are named", async () => {
    const command = 'echo "[$HAFT_ONE][$HAFT_TWO]"';
    const env = { HAFT_ONE: "1", HAFT_TWO: "2" };
    const done = await haft(["call", "bash", JSON.stringify({ command }), "--env", "HAFT_ONE"], { env });
    expect(done.stdout).toContain("[1][]");
  });

  it("kills the background processes of the call and reports it", async () => {
    // The shell's child bears the shell's name until it has become sleep.
    const became = "until grep -q sleep /proc/$!/comm; do :; done";
    const done = await call("bash", { command: `sleep 600 & echo $! >pid; ${became}` });
    expect(done.status).toBe(0);
    expect(done.stderr).toMatch(/killed the background processes of the call: sleep \(process \d+\)/);
    const pid = Number(readFileSync(join(place.workspace, "pid"), "utf8"));
    expect(isRunning(pid)).toBe(false);
  });
});

describe("sessions of the command line", () => {
  const items = [{ id: "1", text: "Write it", status: "pending" }];

  it("share a todo list between calls in one workspace, in one database", async () => {
    expect((await call("todo_set", { items })).status).toBe(0);
    expect((await haft(["call", "todo_read"])).stdout).toContain("Write it");
    const sessions = readdirSync(join(state(), "sessions"));
    expect(sessions).toHaveLength(1);
    // SQLite moves what was written last from its log to the database when it likes.
    const database = readdirSync(state()).filter((name) => /^state\.db(-wal)?$/.test(name));
    const stored = database.map((name) => readFileSync(join(state(), name), "utf8")).join("");
    expect(stored).toContain("Write it");
  });

  it("keep it from other names and other workspaces", async () => {
    await call("todo_set", { items }, "--session", "one");
    expect((await haft(["call", "todo_read", "--session", "two"])).stdout).not.toContain("Write it");
    expect((await haft(["call", "todo_read"])).stdout).not.toContain("Write it");
    expect((await haft(["call", "todo_read", "--session", "one"])).stdout).toContain("Write it");
  });

  it("start a new session for new, and report its name", async () => {
    const done = await call("todo_set", { items }, "--session", "new");
    const [, name = ""] = /--session (\S+)`/.exec(done.stderr) ?? [];
    expect((await haft(["call", "todo_read", "--session", name])).stdout).toContain("Write it");
    expect((await haft(["call", "todo_read", "--session", "new"])).stdout).not.toContain("Write it");
  });

  it("remember that a file was read, so that the next call may replace it", async () => {
    const refused = await call("write", { path: "a.txt", content: "new\n" });
    expect(refused.status).toBe(1);
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\ntwo TODO\n");
    await call("read", { path: "a.txt" });
    expect((await call("write", { path: "a.txt", content: "new\n" })).status).toBe(0);
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("new\n");
  });

  it("report an unwritable state directory at the first call, with the option that names another", async () => {
    writeFileSync(join(place.root, "file"), "");
    const done = await call("read", { path: "a.txt" }, "--state", join(place.root, "file", "state"));
    expect(done.status).toBe(1);
    expect(done.stdout).toContain(join(place.root, "file", "state"));
    expect(done.stdout).toContain("--state DIR");
    expect((await call("read", { path: "a.txt" }, "--state", join(place.root, "state"))).status).toBe(0);
    expect(readdirSync(join(place.root, "state"))).toContain("audit");
  });
});

describe("haft tools", () => {
  it("prints the descriptors as one array", async () => {
    const done = await haft(["tools", "--json"]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    const tools = JSON.parse(done.stdout) as { name: string; parameters: { type: string } }[];
    const offered = builtinRegistry(undefined, { memories: true, schedules: true });
    expect(tools.map((tool) => tool.name)).toEqual(offered.names());
    for (const tool of tools) expect(Object.keys(tool)).toEqual(["name", "description", "parameters"]);
  });

  it("prints one line per tool for users, and the tools of one collection", async () => {
    const done = await haft(["tools", "--collection", "read-only"]);
    expect(done.stdout).toMatch(/^read\s+\S/m);
    expect(done.stdout).not.toMatch(/^bash/m);
    expect(done.stdout).toContain("`haft tools read` shows a tool's parameters");
    const unknown = await haft(["tools", "--collection", "nothing"]);
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(/"nothing".*read-only, coding, .*all/);
    expect((await haft(["tools", "--dialect", "zeroclaw"])).stdout).toMatch(/^file_read/m);
  });
});

describe("haft itself", () => {
  it("prints help with an example for each command, and its version", async () => {
    const done = await haft(["--help"]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain("$ haft call");
    for (const command of ["call", "tools", "serve"]) {
      const help = await haft([command, "--help"]);
      expect(help.status).toBe(0);
      expect(help.stdout).toContain(`$ haft ${command}`);
    }
    expect((await haft(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await haft([])).toMatchObject({ status: 0, stdout: done.stdout });
    expect(await haft(["help"])).toMatchObject({ status: 0, stdout: done.stdout });
  });

  it("rejects an unknown command, also with --help", async () => {
    const unknown = await haft(["tool", "--help"]);
    expect(unknown).toMatchObject({ status: 2, stdout: "" });
    expect(unknown.stderr).toBe('haft: There is no command "tool". Did you mean "tools"?\n');
    for (const args of [
      ["sessions", "lst"],
      ["sessions", "lst", "--help"],
    ])
      expect(await haft(args)).toMatchObject({
        status: 2,
        stderr: 'haft: There is no command "sessions lst". Did you mean "list"?\n',
      });
    expect((await haft(["sessions", "list", "--help"])).status).toBe(0);
  });
});

describe("haft serve over HTTP", () => {
  it("prints a block that outlives it and exits with --once, in an empty home", async () => {
    const done = await haft(["serve", "--once"]);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /^\{"mcpServers":\{"haft":\{"command":"\/.*","args":\["\/.*\/main\.js","serve","--stdio"/m,
    );
    expect(done.stdout).toMatch(/at http:\/\/127\.0\.0\.1:\d+\/mcp and stopped because of --once/);
    expect(done.stdout).not.toMatch(/Bearer/);
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("prints address, token and both blocks while it serves", () => {
    const about = {
      url: "http://127.0.0.1:1/mcp",
      token: "t0ken",
      place: `in ${place.workspace}`,
      autonomy: "full" as const,
      tools: ["read"],
      start: stdioServerCommand(place.workspace),
    };
    const text = connectText(about, false);
    const block = JSON.parse(/^\{[\s\S]*?^\}/m.exec(text)?.[0] ?? "") as object;
    expect(block).toMatchObject({
      mcpServers: { haft: { url: about.url, headers: { Authorization: "Bearer t0ken" } } },
    });
    expect(text).toContain(JSON.stringify({ mcpServers: { haft: about.start } }));
  });

  it("says at its start that nothing can be kept, and serves all the same", async () => {
    writeFileSync(join(place.root, "plain"), "");
    const done = await haft(["serve", "--once", "--state", join(place.root, "plain", "state")]);
    expect(done.status).toBe(0);
    expect(done.stderr).toMatch(/^haft: the state directory ".*plain\/state" is not usable: .*--state DIR/);
  });

  it("refuses a workspace that is none, and options that do not go together", async () => {
    expect(await haft(["serve", "--once"], { cwd: "/" })).toMatchObject({ status: 2, stdout: "" });
    expect(await haft(["serve", "--once"], { cwd: place.home })).toMatchObject({ status: 2, stdout: "" });
    expect((await haft(["serve", "--port", "x"])).stderr).toContain("--port");
    expect((await haft(["serve", "--stdio", "--once"])).status).toBe(2);
  });
});

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX]/.test(stat);
  } catch {
    return false;
  }
}
