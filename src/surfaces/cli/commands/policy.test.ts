import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { built, type Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> =>
  place.inProcess(args, { env: { HAFT_AUTONOMY: "supervised" } });
const ownFile = () => join(place.home, ".config", "haft", "haft.jsonc");
const projectFile = () => join(place.workspace, "haft.jsonc");
const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const bash = (command: string, ...more: readonly string[]) =>
  haft("call", "bash", `command=${command}`, "--autonomy", "supervised", ...more);

const GNU_SCRIPT = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/** What is shown at a terminal where `keys` are typed when the question is seen. */
function inTerminal(args: string, keys: string): Promise<string> {
  const line = `${process.execPath} ${built("surfaces/cli/main.js")} ${args}`;
  const options = { cwd: place.workspace, env: place.env({ TERM: "xterm", NO_COLOR: "1" }) };
  const child = spawn("script", ["-qec", line, "/dev/null"], options);
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const isAsked = shown.includes("[y/N] ");
    shown += chunk.toString();
    if (!isAsked && shown.includes("[y/N] ")) child.stdin.write(keys);
  });
  return new Promise((resolve) => child.on("close", () => resolve(shown)));
}

describe("haft policy allow, ask and deny", () => {
  it("make a refusal end with the command that allows the call, and that command does", async () => {
    write(join(place.workspace, "ok.sh"), "echo it ran\n");
    const refused = await bash("sh ok.sh 'a b'");
    expect([refused.status, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/To allow it, run: haft policy allow 'sh ok\.sh \*'\n$/),
    ]);
    const added = await haft("policy", "allow", 'sh ok.sh "a b"');
    expect(added).toMatchObject({ status: 0, stderr: "" });
    expect(added.stdout).toContain('Allowed: sh ok.sh "a b"\n');
    expect(added.stdout).toContain(ownFile());
    expect(await bash("sh ok.sh 'a b'")).toMatchObject({ status: 0, stdout: expect.stringContaining("it ran") });
    expect((await bash("sh ok.sh other")).status).toBe(1);
    expect((await bash("sh ok.sh 'a b'; sh ok.sh")).status).toBe(1);
  });

  it("keep the comments of the file, and the last decision on the same thing", async () => {
    write(
      ownFile(),
      '{\n  // mine\n  "dialect": "haft", // as usual\n  "policy": {\n    "rules": [\n      "ask ls", // why\n    ],\n  },\n}\n',
    );
    for (const [effect, rule] of [
      ["deny", "path:infra/**"],
      ["allow", "ls"],
      ["allow", "ls"],
    ] as const)
      expect(await haft("policy", effect, rule)).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(ownFile(), "utf8")).toBe(
      '{\n  // mine\n  "dialect": "haft", // as usual\n  "policy": {\n    "rules": [\n      "allow ls", // why\n      "deny path:infra/**"\n    ],\n  },\n}\n',
    );
    expect((await haft("policy")).stdout.split("\n").slice(1)).toEqual([
      `  allow ls            ${ownFile()}`,
      `  deny path:infra/**  ${ownFile()}`,
      "",
    ]);
  });

  it("say that the name of a tool is a program in a command rule", async () => {
    const { stdout } = await haft("policy", "ask", "bash");
    expect(stdout).toContain(
      "Asked about: bash\n  It is about the program `bash` alone. For Haft's tool of that name: haft policy ask tool:bash\n",
    );
    expect((await haft("policy", "ask", "bash *")).stdout).not.toContain("It is about");
    expect((await haft("policy", "ask", "tool:bash")).stdout).not.toContain("It is about");
  });

  it("say what they replace, and are taken out by their text or subject, with their comma and comment", async () => {
    const rules = (lines: string) => `{\n  "policy": {\n    "rules": [\n${lines}    ],\n  },\n}\n`;
    write(
      ownFile(),
      rules(
        '      "allow npm test", // why\n      // kept\n      "deny git  push *",\n      { "effect": "deny", "command": "terraform *", "notMatch": ["tf"] }\n',
      ),
    );
    const replaced = await haft("policy", "deny", "npm test");
    expect(replaced.stdout).toContain("Denied: npm test\n  It replaces: allow npm test\n");
    for (const [rule, status, shown] of [
      ["allow npm test", 1, 'There is no rule "allow npm test" in '],
      ["deny npm test", 0, "Removed: deny npm test\n"],
      ["terraform *", 0, "Removed: deny terraform *\n"],
      ["terraform *", 1, 'There is no rule "terraform *" in '],
    ] as const)
      expect(await haft("policy", "remove", rule)).toMatchObject({ status, stdout: expect.stringContaining(shown) });
    expect(readFileSync(ownFile(), "utf8")).toBe(rules('      // kept\n      "deny git  push *",\n'));
    write(ownFile(), '{ "policy": { "rules": ["ask a", "ask b", "ask c"] } }');
    for (const rule of ["a", "c", "b"]) await haft("policy", "remove", rule);
    expect(readFileSync(ownFile(), "utf8")).toMatch(/"rules": \[\s*\]/);
    expect((await haft("policy")).stdout).toContain("No rules.");
  });

  it("refuse a path in the place of a program, but not a script", async () => {
    mkdirSync(join(place.workspace, "infra"));
    write(join(place.workspace, "a.txt"), "");
    writeFileSync(join(place.workspace, "ok.sh"), "", { mode: 0o755 });
    for (const [text, meant] of [
      ["infra", "'path:infra/**'"],
      ["none/", "'path:none/**'"],
      ["a.txt", "path:a.txt"],
    ] as const)
      expect(await haft("policy", "deny", text)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`Did you mean ${meant}?`),
      });
    expect((await haft("policy", "allow", "./ok.sh")).status).toBe(0);
  });

  it("write nothing for what is no rule", async () => {
    for (const [rule, why] of [
      ["npm test && x", '"&" is none'],
      ["tool:reed", 'Did you mean "read"?'],
      ["allow npm test", "leave that out"],
    ] as const)
      expect(await haft("policy", "allow", rule)).toMatchObject({ status: 2, stderr: expect.stringContaining(why) });
    expect((await haft("policy")).stdout).toContain("No rules. Add one: haft policy allow 'npm test'");
  });
});

describe("a configured policy", () => {
  it("closes a directory to reads, searches and commands", async () => {
    write(ownFile(), '{ "autonomy": "supervised", "policy": { "rules": ["deny path:infra/**"] } }');
    write(join(place.workspace, "infra", "main.tf"), "hello\n");
    write(join(place.workspace, "a.txt"), "hello\n");
    const read = await haft("call", "read", "path=infra/main.tf");
    expect([read.status, read.stdout]).toEqual([1, expect.stringContaining(`"deny path:infra/**" in ${ownFile()}`)]);
    const found = await haft("call", "grep", "pattern=hello");
    expect(found.stdout).toContain("a.txt:1");
    expect(found.stdout).not.toContain("main.tf");
    expect(found.stdout).toContain("1 denied by policy");
    for (const command of ["cat infra/main.tf", "cat a.txt > infra/b", "cat inf*/main.tf", "grep -r hello ."])
      expect([command, (await haft("call", "bash", `command=${command}`)).status]).toEqual([command, 1]);
    expect((await haft("call", "bash", "command=cat a.txt")).status).toBe(0);
  });

  it("stops the start with file, line and reason where a rule is none", async () => {
    for (const [policy, why] of [
      [
        '"rules": ["alow npm test"]',
        'haft.jsonc:2:25: "policy.rules[0]": The rule "alow npm test" is invalid: it begins with',
      ],
      ['"rules": [{ "effect": "allow", "command": "git *", "notMatch": ["git push"] }]', 'it matches "git push"'],
      ['"rules": ["ask tool:reed"]', 'Did you mean "read"?'],
      ['"alwaysAsk": ["reed"]', 'Did you mean "read"?'],
      ['"rules": [{ "command": "ls" }]', '"policy.rules[0]" is an object; expected a rule such as'],
      ['"roots": [{ "path": "/x", "access": "all" }]', '"all"; expected "read", "write"'],
    ]) {
      write(ownFile(), `{\n  "policy": { ${policy} },\n}`);
      expect(await haft("call", "ls")).toMatchObject({ status: 2, stderr: expect.stringContaining(why!) });
    }
  });

  it("offers no tool that is excluded", async () => {
    write(ownFile(), '{ "policy": { "excluded": ["bash"], "rules": ["deny tool:time"] } }');
    const { stdout } = await haft("tools");
    expect(stdout).not.toMatch(/^ *(bash|time)\b/m);
    const called = await haft("call", "bash", "command=ls");
    expect([called.status, called.stdout + called.stderr]).toEqual([
      1,
      expect.stringContaining(`disabled in ${ownFile()}`),
    ]);
  });

  it("is added to by --allow, for this session", async () => {
    write(join(place.workspace, "ok.sh"), "echo it ran\n");
    expect(await bash("sh ok.sh", "--allow", "sh ok.sh", "--allow", "path:/")).toMatchObject({ status: 0 });
    expect((await bash("sh ok.sh", "--no-config")).stdout).toMatch(/To allow it, add: --allow 'sh ok\.sh'\n$/);
    const wrong = await bash("ls", "--allow", "ls; rm x");
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('";" is none')]);
  });

  it("has the level of HAFT_AUTONOMY, above the configuration and below the option", async () => {
    write(ownFile(), '{ "autonomy": "full" }');
    const level = async (env: Record<string, string>, ...more: string[]) =>
      (await place.inProcess(["policy", "list", ...more], { env })).stdout.split(/[ ,]/)[1];
    expect([
      await level({}),
      await level({ HAFT_AUTONOMY: "readonly" }),
      await level({ HAFT_AUTONOMY: "readonly" }, "--autonomy", "supervised"),
    ]).toEqual(["full", "readonly", "supervised"]);
    const wrong = await place.inProcess(["policy"], { env: { HAFT_AUTONOMY: "most" } });
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("HAFT_AUTONOMY must be one of readonly"),
    });
  });
});

describe("haft policy trust", () => {
  it("follows what a project allows once the user has seen it, until its file changes", async () => {
    write(projectFile(), '{ "policy": { "rules": ["allow sh ok.sh", "deny path:infra"] } }');
    write(join(place.workspace, "ok.sh"), "echo it ran\n");
    const before = await bash("sh ok.sh");
    expect([before.status, before.stderr]).toEqual([
      1,
      expect.stringContaining(`run: haft policy trust ${place.workspace}`),
    ]);
    expect((await bash("ls infra", "--autonomy", "full")).stdout).toContain('"deny path:infra"');
    const unasked = await haft("policy", "trust");
    expect(unasked).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("allows:\n  allow sh ok.sh\n"),
      stderr: expect.stringContaining(`run: haft policy trust ${place.workspace} --yes`),
    });
    expect((await bash("sh ok.sh")).status).toBe(1);
    const trusted = await haft("policy", "trust", "--yes");
    expect(trusted).toMatchObject({ status: 0, stdout: expect.stringContaining("allows:\n  allow sh ok.sh\n") });
    expect(readFileSync(ownFile(), "utf8")).toMatch(/"policy sha256:[0-9a-f]{64}"/);
    expect(await bash("sh ok.sh")).toMatchObject({ status: 0, stderr: "" });
    write(projectFile(), '{ "policy": { "rules": ["allow sh *"] } }');
    const changed = await bash("sh ok.sh");
    expect([changed.status, changed.stderr]).toEqual([
      1,
      expect.stringContaining("the file has changed since you trusted it"),
    ]);
    await haft("policy", "trust", ".", "--yes");
    expect(readFileSync(ownFile(), "utf8").match(/sha256:/g)).toHaveLength(1);
    expect((await bash("sh ok.sh")).status).toBe(0);
    expect(await haft("policy", "trust", "--remove")).toMatchObject({ status: 0 });
    expect(readFileSync(ownFile(), "utf8")).not.toContain("sha256:");
    expect((await bash("sh ok.sh")).status).toBe(1);
    expect((await haft("policy", "trust", "--remove", ".")).status).toBe(1);
  });

  it.skipIf(!GNU_SCRIPT)("asks at a terminal, where anything but a yes changes nothing", async () => {
    write(projectFile(), '{ "policy": { "rules": ["allow sh ok.sh"] } }');
    for (const [keys, shown] of [
      ["\n", "Nothing was changed."],
      ["y\n", "Followed from now on"],
    ] as const)
      expect(await inTerminal("policy trust", keys)).toContain(shown);
  });

  it("shows what else of the file is ignored, which calls report too", async () => {
    write(projectFile(), '{ "web": { "privateHosts": ["localhost"], "blockedHosts": ["x.example"] } }');
    const { stdout, status } = await haft("policy", "trust");
    expect(status).toBe(0);
    expect(stdout).toContain('allows nothing in "policy" that needs your trust.');
    expect(stdout).toContain('"web.privateHosts": only your own configuration can set it.');
    expect(stdout).toContain(`put "trust": { "${place.workspace}": ["web"] } into`);
    write(projectFile(), '{ "policy": { "rules": ["allow sh ok.sh"] }, "web": { "proxy": "trusted" } }');
    const trusted = (await haft("policy", "trust", "--yes")).stdout;
    expect(trusted).toMatch(/allow sh ok\.sh[\s\S]*Followed from now on[\s\S]*"web\.proxy"/);
  });

  it("says so where there is nothing to trust", async () => {
    expect(await haft("policy", "trust")).toMatchObject({ status: 2, stderr: expect.stringContaining("`haft init`") });
    write(projectFile(), "{}");
    expect(await haft("policy", "trust")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("allows nothing"),
    });
  });
});

describe("haft policy explain and check", () => {
  it("take the configured rules, and name the one that decided", async () => {
    await haft("policy", "allow", "npm test");
    expect((await haft("policy", "explain", "npm test")).stdout).toMatch(/^allow .*rule user rule: allow npm test\n/);
    const { stdout } = await haft("policy", "explain", "npm ci", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ autonomy: "supervised", effect: "ask", suggestedRules: ["npm ci"] });
  });

  it("look up on the target where symlinks lead and what a tree holds, as a call does", async () => {
    symlinkSync("/etc/passwd", join(place.workspace, "link"));
    write(join(place.workspace, "sub", ".env"), "KEY=1\n");
    for (const on of ["local", "posix:dash"]) {
      const link = await haft("policy", "explain", "cat link", "--on", on);
      expect([on, link]).toEqual([on, expect.objectContaining({ status: 0, stderr: "" })]);
      expect(link.stdout).toMatch(/^deny .*rule outside-roots\n/);
      expect(link.stdout).toMatch(/^ {10}read {3}\/.*\/link\n +leads to \/etc\/passwd$/m);
      const tree = await haft("policy", "explain", "grep -r x .", "--on", on);
      expect(tree.stdout).toMatch(/^ask .*rule sensitive-file\n/);
      expect(tree.stdout).toMatch(/ and all below it\n +\/.*\/link leads to \/etc\/passwd\n +holds \/.*\/sub\/\.env\n/);
      const call = await haft("call", "bash", "command=cat link", "--explain", "--json", "--on", on);
      const { decision } = JSON.parse(call.stdout);
      const asJson = JSON.parse((await haft("policy", "explain", "cat link", "--json", "--on", on)).stdout);
      expect(asJson).toMatchObject({ effect: decision.effect, rule: decision.rule, reason: decision.reason });
      expect(asJson.found).toEqual([{ path: join(place.workspace, "link"), real: "/etc/passwd", kind: "link" }]);
    }
    expect((await haft("policy", "explain", "cat link", "--on", "memory")).stdout).toMatch(/^allow /);
    write(join(place.workspace, "cases.txt"), "deny cat link\nask grep -r x .\nallow grep -r x cases.txt\n");
    expect(await haft("policy", "check", "cases.txt")).toMatchObject({ status: 0 });
  });

  it("hint at quotes where a command is several arguments", async () => {
    const { status, stderr } = await haft("policy", "explain", "git", "status");
    expect([status, stderr]).toEqual([2, expect.stringContaining("in quotes: haft policy explain 'git status'")]);
  });

  it("take the policy of a dialect that brings one along", async () => {
    const { stdout } = await haft("policy", "explain", "make build", "--dialect", "zeroclaw");
    expect(stdout).toContain("Command not in allowlist");
  });

  it("compare a file of expected decisions", async () => {
    write(join(place.workspace, "cases.txt"), "# mine\nallow  git status\n\nask npm install\n  deny  rm -rf /\n");
    expect(await haft("policy", "check", "cases.txt")).toMatchObject({
      status: 0,
      stdout: "3 commands decided as expected at the level supervised.\n",
    });
    write(join(place.workspace, "cases.txt"), "allow npm test\nask ls\n");
    const { status, stdout } = await haft("policy", "check", "cases.txt");
    expect([status, stdout.split("\n").slice(0, 2)]).toEqual([
      1,
      [
        "cases.txt:1: expected allow, got ask (workspace-code): npm test",
        "cases.txt:2: expected ask, got allow (command-low): ls",
      ],
    ]);
    for (const text of ["allowed ls", "allow", ""]) {
      write(join(place.workspace, "cases.txt"), text);
      expect((await haft("policy", "check", "cases.txt")).status).toBe(2);
    }
    write(join(place.workspace, "cases.txt"), "allow ls\ndeny delete path=a.txt\n");
    for (const [file, why] of [
      ["nowhere.txt", "Did not check: there is no file nowhere.txt."],
      ["cases.txt", 'cases.txt:2 is a call of the tool "delete". Write shell commands, one per line.'],
    ] as const)
      expect(await haft("policy", "check", file)).toMatchObject({ status: 2, stderr: expect.stringContaining(why) });
  });
});
