import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { approvalOf } from "../../testing/state/state-fixture.js";
import { createToolkit } from "../../toolkit/index.js";
import { buildProgram } from "./program.js";

const place = cliPlace({ scope: "all" });
beforeAll(async () => {
  for (const directory of ["home/project", "home/src/shop", "bin"])
    mkdirSync(join(place.root, directory), { recursive: true });
  writeFileSync(
    join(place.root, "bin", "haft"),
    `#!/bin/sh\nexec "${process.execPath}" "${built("surfaces/cli/main.js")}" "$@"\n`,
  );
  chmodSync(join(place.root, "bin", "haft"), 0o755);
  // What the examples speak of.
  writeFileSync(join(place.workspace, "README.md"), "# Read me\nTODO: more\n");
  writeFileSync(join(place.workspace, "policy-cases.txt"), "allow ls\n");
  writeFileSync(join(place.home, "src", "shop", "haft.jsonc"), '{ "policy": { "rules": ["allow npm test"] } }');
  writeFileSync(join(place.workspace, "call.json"), '{"path":"written.txt","content":"hello"}');
  const toolkit = await createToolkit({ workspace: place.workspace, stateDir: place.state() });
  for (const token of ["approval-3f9a2c1b", "approval-70be51d2"]) {
    const { request, call } = approvalOf(token);
    await toolkit.approvals.add({ request: { ...request, canRemember: true }, call });
  }
  await toolkit.close();
});

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
  const env = place.env({ PATH: `${join(place.root, "bin")}:${process.env.PATH ?? ""}` });
  // "exec" makes the shell become the command, so that a signal reaches it.
  const child = spawn("/bin/sh", ["-c", `exec ${line}`], {
    cwd: place.workspace,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  const isServer = /^haft (serve\b(?!.*--(stdio|once))|schedule daemon\b)/.test(line);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      // Once: what it prints after its address must not send a second signal, which ends it at once.
      if (isServer && !child.killed && output.includes("Ctrl+C")) child.kill("SIGTERM");
    });
  }
  child.stdin.on("error", () => {});
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}

/** Runs the command with the arguments that the shell makes of the line. */
async function called(line: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const script = `haft() { printf '%s\\0' "$@"; }; ${line}`;
  const words = execFileSync("/bin/sh", ["-c", script], { env: place.env(), encoding: "utf8" });
  const { status, stdout, stderr } = await place.inProcess(words.split("\0").slice(0, -1));
  return { status, output: stdout + stderr };
}

describe("the examples of the help", () => {
  // git status is an error outside a repository, and is typed inside one.
  beforeAll(async () => expect(await typed("git init -q")).toMatchObject({ status: 0 }));

  // Other machines are not there: what their examples say is read, and nothing is opened.
  const isElsewhere = (line: string) => /\b(ssh|container|image|sandbox|tmux)\b/.test(line);
  const examples = [...new Set(examplesOf())];
  const [elsewhere, here] = [examples.filter(isElsewhere), examples.filter((line) => !isElsewhere(line))];

  it.each(elsewhere)("%s", async (line) => {
    const { status, output } = await called(line.replace(/^haft .*?(?=--)/, "haft tools "));
    expect([line, status, output]).toEqual([line, 0, expect.stringContaining("bash")]);
  });

  it.each(here)("%s", async (line) => {
    const isPlain = /^haft (?!serve\b|schedule daemon\b)[^<>|]*$/.test(line);
    const { status, output } = isPlain ? await called(line) : await typed(line);
    expect([line, status, output]).toEqual([line, 0, expect.any(String)]);
    expect(output).not.toMatch(/\n\s+at /);
  });
});
