#!/usr/bin/env node
/**
 * Plays the build with the widely used SDKs: their MCP clients over stdio, and the adapters in their loops, with the newest
 * and the oldest supported major of each. The SDKs are installed from the lock files in `newest/` and `oldest/` into a directory
 * outside of the repository and are no dependency.
 *
 *   node test/sdks/run.mjs [--node PROGRAM] [--keep]
 *
 * The SDKs need Node.js 22, this one or the one that --node names, and the network to be installed; where one is missing this
 * says so and plays nothing. With REQUIRE_ALL set, packages that cannot be installed are a failure.
 * Ends with `N passed, M failed`.
 */
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const OLDEST_NODE = 22;
const RELEASES = ["newest", "oldest"];

const { values } = parseArgs({
  options: { node: { type: "string", default: process.execPath }, keep: { type: "boolean" } },
});
const repository = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(repository, "dist");
const main = join(dist, "surfaces", "cli", "main.js");
const run = promisify(execFile);

const { stdout: version } = await run(values.node, ["--version"]);
if (Number(version.slice(1).split(".")[0]) < OLDEST_NODE)
  nothingPlayed(`the SDKs need Node.js ${OLDEST_NODE}, this is ${version.trim()}`, false);
if (!existsSync(main)) throw new Error(`There is no ${main}. Run \`npm run build\` first.`);

const root = mkdtempSync(join(tmpdir(), "haft-sdks-"));
let [passed, failed] = [0, 0];
try {
  for (const name of ["home", "project"]) mkdirSync(join(root, name));
  const failures = await Promise.all(RELEASES.map(install));
  const failure = failures.find((one) => one !== undefined);
  if (failure !== undefined) nothingPlayed(`the SDKs could not be installed: ${failure}`, true);
  else {
    await played("newest", "play-mcp.mjs", [process.execPath, main, join(root, "project")]);
    for (const program of ["play-loops.mjs", "play-from-ai-sdk.mjs", "play-from-langchain.mjs", "play-schemas.mjs"])
      for (const release of RELEASES) await played(release, program, [dist]);
    for (const release of RELEASES) {
      symlinkSync(repository, join(root, release, "node_modules", "haft"));
      cpSync(join(repository, "examples"), join(root, release, "examples"), { recursive: true });
      await played(release, "play-examples.mjs", [join(root, release, "examples")]);
      await played(release, "play-readme.mjs", [join(repository, "README.md")]);
      await played(release, "play-types.mjs", [join(repository, "node_modules", "typescript", "bin", "tsc")]);
    }
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
  }
} finally {
  if (values.keep) console.log(`kept: ${root}`);
  else rmSync(root, { recursive: true, force: true });
}

async function install(release) {
  const to = join(root, release);
  cpSync(fileURLToPath(new URL(".", import.meta.url)), to, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) cpSync(join(to, release, name), join(to, name));
  const args = ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
  return run("npm", args, { cwd: to }).then(
    () => undefined,
    (error) => error.message.split("\n")[0],
  );
}

async function played(release, program, args) {
  console.log(`\n${program} with the ${release} SDKs`);
  const child = spawn(values.node, [join(root, release, program), ...args], {
    cwd: join(root, "project"),
    env: {
      PATH: process.env.PATH,
      HOME: join(root, "home"),
      // Nothing that these packages measure leaves this machine.
      DO_NOT_TRACK: "1",
      MASTRA_TELEMETRY_DISABLED: "1",
      LANGSMITH_TRACING: "false",
      LANGCHAIN_TRACING_V2: "false",
      OPENAI_AGENTS_DISABLE_TRACING: "1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let last = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    process.stdout.write(text);
    last = (last + text).slice(-200);
  });
  await new Promise((resolve) => child.once("close", resolve));
  const [, ok = 0, bad = 1] = /(\d+) passed, (\d+) failed\s*$/.exec(last) ?? [];
  passed += Number(ok);
  failed += Number(bad);
}

function nothingPlayed(why, isFault) {
  console.log(`No SDK was played: ${why}.`);
  const fails = isFault && Boolean(process.env.REQUIRE_ALL);
  console.log(fails ? "0 passed, 1 failed" : "0 passed, 0 failed");
  process.exitCode = fails ? 1 : 0;
  if (!isFault) process.exit();
}
