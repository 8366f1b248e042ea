import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../../kernel/index.js";
import type { Finished } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { createToolkit, DIALECT_NAMES } from "../../../../toolkit/index.js";
import { exampleCall } from "../../parameter-text.js";
import { inputOf, readInput } from "./call-input.js";

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer" },
    ratio: { type: "number" },
    all: { type: "boolean" },
    items: { type: "array", items: { type: "string" } },
    more: { type: "object" },
    wait: { anyOf: [{ type: "boolean" }, { type: "string" }, { type: "integer" }] },
    level: { enum: [1, 2, "high"] },
    maybe: { type: ["null", "integer"] },
    free: {},
  },
} satisfies JsonSchema;

const inputFor = async (...words: readonly string[]): Promise<unknown> =>
  inputOf(await readInput(words, new PassThrough() as never), SCHEMA, ["--json", "--gate"]);

describe("name=value words", () => {
  it.each([
    ["path=a=b c", { path: "a=b c" }],
    ["path=", { path: "" }],
    ["path=5", { path: "5" }],
    ['path={"a":1}', { path: '{"a":1}' }],
    ["limit=-5", { limit: -5 }],
    ["limit=five", { limit: "five" }],
    ["limit=0x10", { limit: "0x10" }],
    ["ratio=1.5e3", { ratio: 1500 }],
    ["all=true", { all: true }],
    ["all=yes", { all: "yes" }],
    ['items=["a","b"]', { items: ["a", "b"] }],
    ["items=a", { items: "a" }],
    ['more={"a":[1]}', { more: { a: [1] } }],
    ["wait=5", { wait: 5 }],
    ["wait=true", { wait: true }],
    ["wait=soon", { wait: "soon" }],
    ["level=2", { level: 2 }],
    ["level=high", { level: "high" }],
    ["maybe=null", { maybe: null }],
    ["free=1", { free: "1" }],
    ["unknown=1", { unknown: "1" }],
    ["constructor=1", { constructor: "1" }],
    ["__proto__=1", JSON.parse('{"__proto__":"1"}')],
  ])("%s", async (word, input) => {
    expect(await inputFor(word)).toEqual(input);
  });

  it("stand in any number, and a JSON object is taken as it is", async () => {
    expect(await inputFor("path=x", "limit=5")).toEqual({ path: "x", limit: 5 });
    expect(await inputFor(' {"limit":"5"}')).toEqual({ limit: "5" });
    expect(await inputFor()).toEqual({});
  });

  it.each([
    [["--path", "my notes.md"], "without dashes: `path='my notes.md'`"],
    [["--path=x"], "without dashes: `path=x`"],
    [["--pth", "x"], "without dashes: `path=x`"],
    [["limit=5", "--all"], "without dashes: `all=VALUE`"],
    [["--jsno"], "Did you mean --json?"],
    [["{}", "--nonsense"], "unknown option '--nonsense'"],
    [["a.txt"], '"a.txt" is not name=value. Give each parameter as one word, such as path=a.txt'],
    [["=5"], '"=5" is not name=value'],
    [["path=a", "path=b"], '"path" is given twice'],
    [["{}", "path=a"], '"path=a" follows INPUT'],
    [["-", "path=a"], '"path=a" follows INPUT'],
    [["{path}"], "INPUT is not valid JSON"],
  ])("%j are refused with what to give", async (words, message) => {
    await expect(inputFor(...words)).rejects.toThrow(message);
  });
});

describe("on the command line", () => {
  const place = cliPlace();
  const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(args);
  beforeEach(() => writeFileSync(join(place.workspace, "a b.txt"), "one\ntwo\nthree\n"));

  it("a call takes name=value words, of the chosen dialect too, without a note of a repair", async () => {
    const read = await haft("call", "read", "path=a b.txt", "limit=2");
    expect(read).toMatchObject({ status: 0, stderr: "" });
    expect(read.stdout).toContain("2│two");
    expect(read.stdout).not.toMatch(/three|note:/);
    const todo = await haft("call", "todo_set", 'items=[{"id":"1","text":"a","status":"done"}]');
    expect(todo).toMatchObject({ status: 0 });
    expect(await haft("call", "file_read", "path=a b.txt", "--dialect", "zeroclaw")).toMatchObject({ status: 0 });
    expect((await haft("call", "read", "path=a b.txt", "lmit=2")).stdout).toContain("did you mean `limit`?");
  });

  it("a parameter that is written as an option is answered with the word to type", async () => {
    const done = await haft("call", "read", "--path", "a b.txt");
    expect(done).toMatchObject({ status: 2, stdout: "" });
    expect(done.stderr).toBe(
      "haft: Did not run: unknown option '--path'. Write parameters of the tool without dashes: `path='a b.txt'`.\n",
    );
  });

  it("`haft tools NAME` shows one tool: what it does, its parameters with limits, a call", async () => {
    const read = await haft("tools", "read");
    expect(read).toMatchObject({ status: 0, stderr: "" });
    expect(read.stdout).toMatch(/^read\nRead a file/);
    expect(read.stdout).toMatch(/^ {2}path +string +required/m);
    expect(read.stdout).toMatch(/^ {2}limit +integer +1 to 2000$/m);
    expect(read.stdout).toMatch(/^ {2}\$ haft call read path=notes.md$/m);
    expect((await haft("tools", "edit")).stdout).toMatch(/^ {2}edits\[\]\.oldText +string +required$/m);
    expect((await haft("tools", "todo_read")).stdout).toContain("No parameters.");
    const buddy = await haft("tools", "run_shell", "--dialect", "buddy");
    expect(buddy.stdout).toMatch(/^ {2}\$ haft call run_shell command=ls --dialect buddy$/m);
    const json = JSON.parse((await haft("tools", "read", "--json")).stdout);
    expect(json).toMatchObject({ name: "read", parameters: { required: ["path"] } });
  });

  it("`haft tools NAME` answers an unknown name with near ones, and says what is switched off", async () => {
    const done = await haft("tools", "raed");
    expect(done).toMatchObject({ status: 2, stdout: "" });
    expect(done.stderr).toBe('haft: There is no tool "raed". Did you mean "read"? `haft tools` lists the tools.\n');
    expect((await haft("tools", "delete", "--collection", "read-only")).status).toBe(2);
    writeFileSync(join(place.workspace, "haft.jsonc"), '{ "tools": { "bash": false } }');
    expect((await haft("tools", "bash")).stderr).toContain('"bash" is disabled in ');
  });
});

describe("the example of a tool", () => {
  it.each(DIALECT_NAMES)("can be typed for every tool of %s", async (dialect) => {
    const toolkit = await createToolkit({ autonomy: "full", dialect, on: "memory" });
    try {
      const box = toolkit.box();
      const problems: string[] = [];
      for (const { name, parameters } of box.descriptors()) {
        const typed = exampleCall(name, parameters);
        const { stdout } = spawnSync("sh", ["-c", `haft() { shift 2; printf '%s\\n' "$@"; }; ${typed}`], {
          encoding: "utf8",
        });
        const words = stdout.split("\n").slice(0, -1);
        const input = inputOf(await readInput(words, new PassThrough() as never), parameters, []);
        const { stopped, repairs } = (await box.explain({ id: "1", name, input }))!;
        const isInvalid = stopped?.code === "CALL_INVALID";
        if (isInvalid || repairs.length > 0) problems.push(`${typed}: ${stopped?.message}`);
      }
      expect(problems).toEqual([]);
    } finally {
      await toolkit.close();
    }
  });
});

it("reads a JSON object from stdin, but not without end", async () => {
  const text = new PassThrough();
  text.end('{"path":"a"}');
  expect(await readInput(["-"], text as never)).toEqual({ json: { path: "a" } });
  const zeros = Buffer.alloc(1024 * 1024);
  const endless = Readable.from(
    (function* () {
      for (;;) yield zeros;
    })(),
  );
  await expect(readInput(["-"], endless as never)).rejects.toThrow("stdin has more than 64 MiB");
});
