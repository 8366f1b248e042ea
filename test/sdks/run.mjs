#!/usr/bin/env node
/**
 * Connects the MCP clients of widely used agent SDKs to the build over stdio and looks at what each hands on to its model.
 * The SDKs are installed from the lock file into a directory outside of the repository and are no dependency.
 *
 *   node test/sdks/run.mjs [--node PROGRAM] [--keep]
 *
 * The SDKs need Node.js 22, this one or the one that --node names, and the network to be installed; where one is missing this
 * says so and plays nothing. With REQUIRE_ALL set, packages that cannot be installed are a failure.
 * Ends with `N passed, M failed`.
 */
import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const OLDEST_NODE = 22;
const COPIED = [".npmrc", "package.json", "package-lock.json", "clients.mjs", "play.mjs"];

const { values } = parseArgs({
  options: { node: { type: "string", default: process.execPath }, keep: { type: "boolean" } },
});
const main = fileURLToPath(new URL("../../dist/surfaces/cli/main.js", import.meta.url));
const run = promisify(execFile);

const { stdout: version } = await run(values.node, ["--version"]);
if (Number(version.slice(1).split(".")[0]) < OLDEST_NODE)
  nothingPlayed(`the SDKs need Node.js ${OLDEST_NODE}, this is ${version.trim()}`, false);
if (!existsSync(main)) throw new Error(`There is no ${main}. Run \`npm run build\` first.`);

const root = mkdtempSync(join(tmpdir(), "haft-sdks-"));
try {
  for (const name of ["home", "project", "sdks"]) mkdirSync(join(root, name));
  for (const name of COPIED) copyFileSync(new URL(name, import.meta.url), join(root, "sdks", name));
  const args = ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
  const failure = await run("npm", args, { cwd: join(root, "sdks") }).then(
    () => undefined,
    (error) => error.message.split("\n")[0],
  );
  if (failure === undefined) process.exitCode = await play();
  else nothingPlayed(`the SDKs could not be installed: ${failure}`, true);
} finally {
  if (values.keep) console.log(`kept: ${root}`);
  else rmSync(root, { recursive: true, force: true });
}

function play() {
  const child = spawn(values.node, [join(root, "sdks", "play.mjs"), process.execPath, main, join(root, "project")], {
    cwd: join(root, "project"),
    env: {
      PATH: process.env.PATH,
      HOME: join(root, "home"),
      // Nothing that these packages measure leaves this machine.
      DO_NOT_TRACK: "1",
      MASTRA_TELEMETRY_DISABLED: "1",
      LANGSMITH_TRACING: "false",
      LANGCHAIN_TRACING_V2: "false",
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

function nothingPlayed(why, isFault) {
  console.log(`No SDK was connected: ${why}.`);
  const fails = isFault && Boolean(process.env.REQUIRE_ALL);
  console.log(fails ? "0 passed, 1 failed" : "0 passed, 0 failed");
  process.exitCode = fails ? 1 : 0;
  if (!isFault) process.exit();
}
