import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-scripts-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const at = (path: string) => join(directory, path);

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** Moves a file's time by seconds from now; files of one test are otherwise written in the same instant. */
function age(path: string, seconds: number): void {
  const time = new Date(Date.now() + seconds * 1000);
  utimesSync(at(path), time, time);
}

function run(script: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [at(`scripts/${script}.mjs`), ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  });
  return { status, stdout, stderr };
}

/** A compiler that makes the output directory, and fails where a source says so. */
const COMPILER = `
const { mkdirSync, readFileSync, readdirSync } = require("node:fs");
mkdirSync(process.argv[process.argv.indexOf("--outDir") + 1]);
for (const name of readdirSync("src", { recursive: true })) {
  if (!name.endsWith(".ts")) continue;
  if (readFileSync("src/" + name, "utf8").includes("BROKEN")) { console.error(name + ": error"); process.exit(2); }
}`;

/** A bundler that copies each source to the output, and fails where a source says so. */
const BUNDLER = `
import { cpSync, readFileSync, readdirSync } from "node:fs";
for (const name of readdirSync("src", { recursive: true })) {
  if (!name.endsWith(".ts")) continue;
  if (readFileSync("src/" + name, "utf8").includes("TANGLED")) { console.error(name + ": error"); process.exit(3); }
  cpSync("src/" + name, process.argv[2] + "/" + name.replace(/ts$/, "js"));
}`;

describe("prepare", () => {
  beforeEach(() => {
    mkdirSync(at("scripts"));
    cpSync(join(REPOSITORY, "scripts/prepare.mjs"), at("scripts/prepare.mjs"));
    for (const name of ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"]) put(name, "{}");
    put("node_modules/.package-lock.json", "{}");
    put("node_modules/typescript/bin/tsc", COMPILER);
    put("scripts/bundle.mjs", BUNDLER);
    age("scripts/bundle.mjs", -60);
    put("src/index.ts", "one");
    put("src/surfaces/cli/main.ts", "#!");
    for (const name of ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"]) age(name, -60);
    for (const name of ["src", "src/surfaces", "src/surfaces/cli", "src/index.ts", "src/surfaces/cli/main.ts"])
      age(name, -60);
  });

  it("builds once, makes the command executable, and is silent when nothing is newer", () => {
    const first = run("prepare");
    expect(first).toMatchObject({ status: 0, stdout: "", stderr: "prepare: building dist: there is no build yet\n" });
    expect(statSync(at("dist/surfaces/cli/main.js")).mode & 0o777).toBe(0o755);
    expect(run("prepare")).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("reports with --check that the build is older than a source, and changes nothing", () => {
    expect(run("prepare", ["--check"])).toMatchObject({
      status: 1,
      stderr: "prepare: there is no build yet: run `npm run build`\n",
    });
    expect(existsSync(at("dist"))).toBe(false);
    run("prepare");
    expect(run("prepare", ["--check"])).toEqual({ status: 0, stdout: "", stderr: "" });
    age("src/index.ts", 60);
    expect(run("prepare", ["--check"])).toEqual({
      status: 1,
      stdout: "",
      stderr: "prepare: src/index.ts is newer than the build: run `npm run build`\n",
    });
  });

  it("builds again when a source is newer or gone, and leaves no stale file", () => {
    put("src/old.ts", "old");
    run("prepare");
    age("src/index.ts", 60);
    expect(run("prepare").stderr).toBe("prepare: building dist: src/index.ts is newer than the build\n");
    age("src/index.ts", -60);
    rmSync(at("src/old.ts"));
    expect(run("prepare").stderr).toBe("prepare: building dist: src/old.ts is gone since the build\n");
    expect(existsSync(at("dist/old.js"))).toBe(false);
    put("src/moved.ts", "from elsewhere");
    age("src/moved.ts", -60);
    expect(run("prepare").stderr).toBe("prepare: building dist: src/moved.ts is new since the build\n");
    expect(existsSync(at("dist/index.js"))).toBe(true);
  });

  it("ignores tests, and keeps the old build when the new one fails", () => {
    run("prepare");
    put("src/index.test.ts", "a test");
    age("src/index.test.ts", 60);
    age("src", -60);
    expect(run("prepare").stderr).toBe("");
    put("src/index.ts", "BROKEN");
    age("src/index.ts", 60);
    const failed = run("prepare");
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain("prepare: tsc failed: exit code 2");
    put("src/index.ts", "TANGLED");
    age("src/index.ts", 60);
    expect(run("prepare").stderr).toContain("prepare: the bundler failed: exit code 3");
    expect(readFileSync(at("dist/index.js"), "utf8")).toBe("one");
  });

  it("installs when the lock is newer than the install, with npm as it was started", () => {
    const npm = `require("node:fs").writeFileSync("installed.json", JSON.stringify(process.argv.slice(2)));`;
    put("npm-cli.js", npm);
    age("package-lock.json", 60);
    const { stderr } = run("prepare", ["--install-only"], { npm_execpath: at("npm-cli.js") });
    expect(stderr).toBe("prepare: installing packages: package-lock.json is newer than the install\n");
    const args = JSON.parse(readFileSync(at("installed.json"), "utf8")) as string[];
    expect(args.slice(0, 2)).toEqual(["ci", "--ignore-scripts"]);
    expect(existsSync(at("dist"))).toBe(false);
  });

  it("neither installs nor builds through a node_modules that is a symlink, and still reports with --check", () => {
    renameSync(at("node_modules"), at("elsewhere"));
    symlinkSync("elsewhere", at("node_modules"));
    put("npm-cli.js", `require("node:fs").rmSync("node_modules/.package-lock.json");`);
    age("package-lock.json", 60);
    for (const args of [[], ["--force"], ["--install-only"]]) {
      const refused = run("prepare", args, { npm_execpath: at("npm-cli.js") });
      expect(refused).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("rm node_modules") });
      expect(refused.stderr).toContain('node_modules is a symlink to "elsewhere"');
    }
    expect(existsSync(at("elsewhere/.package-lock.json"))).toBe(true);
    expect(existsSync(at("elsewhere/.bin"))).toBe(false);
    expect(existsSync(at("dist"))).toBe(false);
    expect(run("prepare", ["--check"]).stderr).toBe("prepare: there is no build yet: run `npm run build`\n");
  });
});

/** A runner that prints and reports what its cases file says. */
const RUNNER = `
import { readFileSync, writeFileSync } from "node:fs";
const results = JSON.parse(readFileSync(process.argv[2], "utf8"));
writeFileSync(process.argv[process.argv.indexOf("--json") + 1], JSON.stringify({ results }));
for (const { id, status } of results) console.log((status === "failed" ? "not ok " : status + " ") + id);
process.exit(results.some(({ status }) => status === "failed") ? 1 : 0);`;

describe("cases", () => {
  const closing = (output: string) => output.trimEnd().split("\n").at(-1);
  const play = (results: readonly { id: string; status: string }[]) => {
    put("cases/failures.jsonl", JSON.stringify(results));
    return run("cases", ["--on", "local"], { CASES: at("cases") });
  };

  beforeEach(() => {
    mkdirSync(at("scripts"));
    for (const name of ["cases.mjs", "case-places.mjs"])
      cpSync(join(REPOSITORY, "scripts", name), at(`scripts/${name}`));
    put("cases/run.mjs", RUNNER);
    put("src/a.test.ts", `it("is judged here [KERN-01]", () => {});`);
    put("test/cases/pending.json", `{ "EDIT-02": { "waitsFor": "policy", "reason": "nobody asks yet" } }`);
    cpSync(join(REPOSITORY, "test/cases/areas.json"), at("test/cases/areas.json"));
  });

  it("plays every area of the tools that are built", () => {
    put("cases/run.mjs", `console.log(process.argv[process.argv.indexOf("--area") + 1]);${RUNNER}`);
    const { stdout } = play([{ id: "PROC-01", status: "passed" }]);
    expect(stdout.split("\n")[0]).toBe(
      "EDIT,WRITE,READ,LS,GREP,FIND,SHELL,PROC,MCP,KERN,POL,FETCH,SEARCH,HTTP,SSH,MEM,CRON",
    );
  });

  it("an area that is neither played nor listed as not built fails the run", () => {
    expect(play([{ id: "CRON-01", status: "passed" }]).status).toBe(0);
    const left = play([{ id: "NEW-01", status: "passed" }]);
    expect(left.status).toBe(1);
    expect(left.stdout).toBe("No cases were played: NEW is in no list of test/cases/areas.json.\n");
  });

  it("passes when all cases pass, and fails when one does not", () => {
    expect(play([{ id: "EDIT-01", status: "passed" }])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("passed EDIT-01"),
    });
    const failed = play([{ id: "EDIT-01", status: "failed" }]);
    expect([failed.status, closing(failed.stdout)]).toEqual([1, "0 passed, 1 failed, 0 skipped"]);
  });

  it("a pending case does not fail the run, and one that passes is reported", () => {
    const waits = play([{ id: "EDIT-02", status: "failed" }]);
    expect([waits.status, closing(waits.stdout)]).toEqual([0, "0 passed, 0 failed, 1 skipped"]);
    expect(waits.stdout).toContain("pending EDIT-02: waits for policy (nobody asks yet)");
    expect(waits.stdout).not.toContain("not ok");
    const done = play([{ id: "EDIT-02", status: "passed" }]);
    expect(done.stdout).toContain("No longer pending, take them out of test/cases/pending.json: EDIT-02");
  });

  it("a case for a user needs a test of its name", () => {
    expect(play([{ id: "KERN-01", status: "manual" }]).status).toBe(0);
    const unjudged = play([{ id: "KERN-02", status: "manual" }]);
    expect(unjudged.status).toBe(1);
    expect(unjudged.stdout).toContain("manual without a test that names the id: KERN-02");
  });

  it("a case that no runner can play needs a test of its name, in the areas of such cases", () => {
    const document = (ids: string[]) => put("cases/failures.md", ids.map((id) => `### ${id}\ntext\n`).join("\n"));
    const cases = (args: string[]) => run("cases", args, { CASES: at("cases") });
    put("cases/failures.jsonl", JSON.stringify([{ id: "SSH-05", status: "passed" }]));
    put("src/b.test.ts", `it("is typed [TMUX-01]", () => {}); it("connects [SSH-02]", () => {});`);
    document(["TMUX-01", "SSH-02", "SSH-05", "FIND-01"]);
    const passed = cases(["--on", "local"]);
    expect([passed.status, closing(passed.stdout)]).toEqual([0, "3 passed, 0 failed, 0 skipped"]);
    expect(passed.stdout).toContain("2 passed by tests, each with a test of its name: TMUX-01 SSH-02");
    document(["TMUX-01", "TMUX-02", "CONT-01"]);
    const failed = cases(["--area", "TMUX"]);
    expect([failed.status, closing(failed.stdout)]).toEqual([1, "1 passed, 1 failed, 0 skipped"]);
    expect(failed.stdout).toContain("without a test that names the id: TMUX-02");
  });

  it("a case whose outcome differs on a place passes with that outcome alone", () => {
    const place = (outcome: string) =>
      put(
        "scripts/case-places.mjs",
        `export const PLACES = { local: () => ({ prefix: [], differs: { "WRITE-17": { outcome: "${outcome}", why: "a reason" } } }) };`,
      );
    put("cases/run.mjs", RUNNER.replace("+ id)", '+ id + ": got .git")'));
    const results = (status: string) => [{ id: "WRITE-17", status, why: "got .git" }];
    place("got .git");
    const differs = play(results("failed"));
    expect([differs.status, closing(differs.stdout)]).toEqual([0, "1 passed, 0 failed, 0 skipped"]);
    expect(differs.stdout).toContain("ok WRITE-17, with a difference: a reason");
    expect(closing(play(results("passed")).stdout)).toBe("0 passed, 1 failed, 0 skipped");
    place("got something else");
    expect(closing(play(results("failed")).stdout)).toBe("0 passed, 1 failed, 0 skipped");
  });

  it("reports that there is no cases directory, and succeeds unless one was asked for", () => {
    const none = run("cases");
    expect(none.status).toBe(0);
    expect(none.stdout).toContain("No cases were played");
    expect(closing(none.stdout)).toBe("0 passed, 0 failed, 0 skipped");
    expect(run("cases", [], { CASES: at("nowhere") }).status).toBe(2);
  });
});

describe("test", () => {
  /** A runner of tests that reports what it is given. */
  function reporting(report: object): void {
    put(
      "node_modules/vitest/vitest.mjs",
      `import { writeFileSync } from "node:fs";
const file = process.argv.find((argument) => argument.startsWith("--outputFile.json=")).split("=")[1];
writeFileSync(file, ${JSON.stringify(JSON.stringify(report))});
process.exitCode = ${"numFailedTests" in report && report.numFailedTests === 0 ? 0 : 1};`,
    );
    mkdirSync(at("scripts"));
    cpSync(join(REPOSITORY, "scripts/test.mjs"), at("scripts/test.mjs"));
  }

  it("names at its end what failed and why, so that the end of a log is enough", () => {
    reporting({
      numPassedTests: 1,
      numFailedTests: 1,
      testResults: [
        {
          name: "a.test.ts",
          status: "failed",
          assertionResults: [
            { fullName: "a works", status: "passed", failureMessages: [] },
            { fullName: "a fails", status: "failed", failureMessages: ["Error: 1 is not 2\n    at a.test.ts:3"] },
          ],
        },
        {
          name: "b.test.ts",
          status: "failed",
          message: "Error: no module c\n    at b.test.ts:1",
          assertionResults: [],
        },
      ],
    });
    const { status, stdout } = run("test");
    expect(status).toBe(1);
    expect(stdout).toContain("Failed:\n- a.test.ts: a fails: Error: 1 is not 2\n- b.test.ts: Error: no module c\n\n");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("1 passed, 1 failed, 0 skipped");
  });

  it("says nothing of failures where there is none", () => {
    reporting({ numPassedTests: 2, numFailedTests: 0, testResults: [] });
    const { status, stdout } = run("test");
    expect([status, stdout.includes("Failed")]).toEqual([0, false]);
  });
});
