#!/usr/bin/env node
/**
 * Plays the server scenarios of the published MCP conformance suite against the build, over HTTP: those that need no tool,
 * prompt or resource of their own, as `scenarios.json` sorts them; the others are named with the reason. The suite is
 * fetched into a directory outside of the repository and is no dependency.
 *
 *   node test/mcp-conformance/run.mjs [--only SCENARIO,SCENARIO] [--node PROGRAM] [--keep]
 *
 * The suite needs Node.js 22, this one or the one that --node names, and the network; where one is missing this says so and
 * plays nothing. With REQUIRE_ALL set a suite that
 * cannot be fetched is a failure.
 * Ends with `N passed, M failed, K skipped`.
 */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const OLDEST_NODE = 22;
/** Milliseconds for one scenario. */
const SCENARIO_WITHIN_MS = 60_000;

const { suite, play, leave } = JSON.parse(readFileSync(new URL("./scenarios.json", import.meta.url), "utf8"));
const { values } = parseArgs({
  options: { only: { type: "string" }, node: { type: "string", default: process.execPath }, keep: { type: "boolean" } },
});
const main = fileURLToPath(new URL("../../dist/surfaces/cli/main.js", import.meta.url));
const run = promisify(execFile);

const { stdout: version } = await run(values.node, ["--version"]);
if (Number(version.slice(1).split(".")[0]) < OLDEST_NODE)
  nothingPlayed(`the suite needs Node.js ${OLDEST_NODE}, this is ${version.trim()}`, false);
if (!existsSync(main)) throw new Error(`There is no ${main}. Run \`npm run build\` first.`);

const root = mkdtempSync(join(tmpdir(), "haft-conformance-"));
for (const name of ["home", "project", "suite"]) mkdirSync(join(root, name));
const closing = [];
try {
  const program = await fetchSuite();
  const known = await scenariosOf(program);
  const server = await startServer();
  const url = await startProxy(server);
  process.exitCode = await playAll(program, url, known);
} finally {
  for (const close of closing.reverse()) await close();
  if (values.keep) console.log(`kept: ${root}`);
  else rmSync(root, { recursive: true, force: true });
}

/** Installs the suite without running anything of it, and gives the path of its program. */
async function fetchSuite() {
  const directory = join(root, "suite");
  // In the directory, not by --prefix: with that, npm would not read the settings of the machine.
  writeFileSync(join(directory, "package.json"), '{"private":true}\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", suite];
  await run("npm", args, { cwd: directory }).catch((error) => {
    rmSync(root, { recursive: true, force: true });
    nothingPlayed(`${suite} could not be fetched: ${error.message.split("\n")[0]}`, true);
  });
  const home = join(directory, "node_modules", "@modelcontextprotocol", "conformance");
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return join(home, typeof bin === "string" ? bin : Object.values(bin)[0]);
}

/** The names that the suite itself knows. */
async function scenariosOf(program) {
  const { stdout } = await run(values.node, [program, "list", "--server"], { cwd: root });
  return [...stdout.matchAll(/^\s*-\s+([a-z0-9-]+)/gm)].map(([, name]) => name);
}

async function startServer() {
  const child = spawn(process.execPath, [main, "serve"], {
    cwd: join(root, "project"),
    env: { PATH: process.env.PATH, HOME: join(root, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  closing.push(() => {
    child.kill("SIGTERM");
    return ended;
  });
  let printed = "";
  const block = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`haft serve ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const [found] = /^\{[\s\S]*?^\}/m.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const { url, headers } = JSON.parse(block).mcpServers.haft;
  return { url: new URL(url), authorization: headers.Authorization };
}

/** The suite shows no token. This adds one to each request and changes nothing else: not the host, not the origin. */
async function startProxy({ url, authorization }) {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url: path } = incoming;
    const passed = request(
      { host: url.hostname, port: url.port, path, method, headers: { ...headers, authorization }, setHost: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    proxy.closeAllConnections();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${proxy.address().port}${url.pathname}`;
}

async function playAll(program, url, known) {
  const sorted = new Set([...play, ...Object.keys(leave)]);
  const unsorted = known.filter((name) => !sorted.has(name));
  const gone = [...sorted].filter((name) => !known.includes(name));
  let [passed, failed] = [0, 0];
  for (const name of play) {
    if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
    const failure = await playOne(program, url, name);
    console.log(failure === undefined ? `ok ${name}` : `not ok ${name}\n${failure}`);
    if (failure === undefined) passed++;
    else failed++;
  }
  for (const [name, reason] of Object.entries(leave)) console.log(`left out ${name}: ${reason}`);
  for (const name of unsorted) console.log(`not ok ${name}: scenarios.json does not say whether it is played`);
  for (const name of gone) console.log(`not ok ${name}: ${suite} has no such scenario`);
  failed += unsorted.length + gone.length;
  console.log(`${passed} passed, ${failed} failed, ${Object.keys(leave).length} skipped`);
  return failed > 0 ? 1 : 0;
}

/** Undefined, or what the suite said. */
async function playOne(program, url, scenario) {
  const args = [program, "server", "--url", url, "--scenario", scenario];
  const options = { cwd: root, timeout: SCENARIO_WITHIN_MS, maxBuffer: 16 * 1024 * 1024 };
  try {
    await run(values.node, args, options);
    return undefined;
  } catch (error) {
    return `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().split("\n").slice(-40).join("\n") || error.message;
  }
}

function nothingPlayed(why, isFault) {
  console.log(`No conformance scenario was played: ${why}.`);
  const fails = isFault && Boolean(process.env.REQUIRE_ALL);
  console.log(fails ? "0 passed, 1 failed, 0 skipped" : "0 passed, 0 failed, 0 skipped");
  process.exit(fails ? 1 : 0);
}
