import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built, cleanEnv } from "../../testing/built.fixture.js";
import { buildProgram } from "./program.js";

let root: string;
let workspace: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-examples-")));
  workspace = join(root, "project");
  for (const directory of ["project", "home", "home/project", "bin"])
    mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(
    join(root, "bin", "haft"),
    `#!/bin/sh\nexec "${process.execPath}" "${built("surfaces/cli/main.js")}" "$@"\n`,
  );
  chmodSync(join(root, "bin", "haft"), 0o755);
  // What the examples speak of.
  writeFileSync(join(workspace, "README.md"), "# Read me\nTODO: more\n");
  writeFileSync(join(workspace, "call.json"), '{"path":"written.txt","content":"hello"}');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Every line of every help that can be typed. */
function examplesOf(): readonly string[] {
  const program = buildProgram();
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  return [program, ...commands].flatMap((command) => {
    let help = "";
    const write = (text: string): void => {
      help += text;
    };
    command.configureOutput({ writeOut: write }).outputHelp();
    const lines = [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line]) => line ?? "");
    expect([command.name(), lines.length > 0]).toEqual([command.name(), true]);
    return lines;
  });
}

/** Runs the line as a user would type it. A server ends with its input, or is stopped once it has printed its address. */
function typed(line: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const env = cleanEnv(join(root, "home"), { PATH: `${join(root, "bin")}:${process.env.PATH ?? ""}` });
  // "exec" makes the shell become the command, so that a signal reaches it.
  const child = spawn("/bin/sh", ["-c", `exec ${line}`], {
    cwd: workspace,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  const isServer = /^haft serve\b(?!.*--(stdio|once))/.test(line);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (isServer && output.includes("Ctrl+C")) child.kill("SIGTERM");
    });
  }
  child.stdin.on("error", () => {});
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}

describe("the examples of the help", () => {
  // git status is an error outside a repository, and is typed inside one.
  beforeAll(async () => expect(await typed("git init -q")).toMatchObject({ status: 0 }));

  it.each(examplesOf())("%s", async (line) => {
    const { status, output } = await typed(line);
    expect([line, status, output]).toEqual([line, 0, expect.any(String)]);
    expect(output).not.toMatch(/\n\s+at /);
  });
});
