#!/usr/bin/env node
/**
 * Plays a user of the packed package: packs an unbuilt copy of this checkout, installs the file into an empty project, and there imports every
 * entry, runs the command, and compiles a program against the types. What runs is what was packed; nothing of the checkout
 * is in reach but its compiler.
 *
 *   node test/package/run.mjs [--node PROGRAM]... [--keep]
 *
 * `--node` names further Node.js programs that import and run the same install. Needs the network where npm's cache does not
 * hold the dependencies. Ends with `N passed, M failed`.
 */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: { node: { type: "string", multiple: true, default: [] }, keep: { type: "boolean" } },
});
const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports).map((entry) => entry.replace(/^\./, manifest.name));
const root = mkdtempSync(join(tmpdir(), "haft-package-"));
const project = join(root, "project");
const home = join(root, "home");
for (const directory of [project, home]) mkdirSync(directory);

let [passed, failed] = [0, 0];
try {
  await check("packs an unbuilt clone and installs it into an empty project, without a script run", install);
  for (const node of [process.execPath, ...values.node]) {
    const { stdout } = await run(node, ["--version"]);
    const version = stdout.trim();
    await check(`${version}: every entry can be imported`, () => importEntries(node));
    await check(`${version}: the command reads, edits and runs a command`, () => useCommand(node));
    await check(`${version}: the MCP server lists its tools and ends with its input`, () => useServer(node));
  }
  await check("a program in TypeScript compiles against the types of every entry", compile);
} finally {
  if (values.keep) console.log(`kept: ${root}`);
  else rmSync(root, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function check(title, body) {
  try {
    const note = await body();
    passed++;
    console.log(`ok ${title}${note === undefined ? "" : ` (${note})`}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${title}\n${error.stdout ?? ""}${error.stderr ?? ""}${error.message}`);
  }
}

/** In the project, with a home of its own; npm keeps the cache of whoever runs this. */
function run(program, args, more = {}) {
  const { PATH, HOME, npm_config_cache } = process.env;
  const cache = more.npm === true ? { npm_config_cache: npm_config_cache ?? join(HOME ?? home, ".npm") } : {};
  const env = { PATH, HOME: home, NO_COLOR: "1", ...cache };
  const child = promisify(execFile)(program, args, { cwd: more.cwd ?? project, env, timeout: 120_000 });
  child.child.stdin.end(more.stdin ?? "");
  return child;
}

async function install() {
  const npm = { npm: true };
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", root], { ...npm, cwd: unbuiltCopy() });
  const [{ filename }] = JSON.parse(stdout);
  writeFileSync(join(project, "package.json"), `${JSON.stringify({ name: "user", private: true, type: "module" })}\n`);
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...quiet, join(root, filename)], npm);
  const lock = JSON.parse(readFileSync(join(project, "node_modules", ".package-lock.json"), "utf8"));
  const withScript = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  if (withScript.length > 0) throw new Error(`install scripts in ${withScript.map(([name]) => name).join(", ")}`);
  return `${Object.keys(lock.packages).length} packages, ${Math.round(sizeOf(join(project, "node_modules")) / 1e6)} MB`;
}

/** As a fresh clone is, without packages and build, but with what is not committed yet. */
function unbuiltCopy() {
  const clone = join(root, "clone");
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(repository, name))))
    cpSync(join(repository, file), join(clone, file));
  return clone;
}

function sizeOf(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath ?? entry.path, entry.name)).length, 0);
}

async function importEntries(node) {
  const lines = entries.map((entry) => {
    const json = entry.endsWith(".json") ? ', { with: { type: "json" } }' : "";
    return `if (Object.keys(await import(${JSON.stringify(entry)}${json})).length === 0) throw new Error("${entry} is empty");`;
  });
  await run(node, ["--input-type=module", "--eval", lines.join("\n")]);
  return entries.join(", ");
}

async function useCommand(node) {
  const command = join(project, "node_modules", manifest.name, manifest.bin.haft);
  const haft = async (...args) => (await run(node, [command, ...args])).stdout;
  expectText(await haft("--version"), manifest.version);
  writeFileSync(join(project, "notes.txt"), "one\ntwo\n");
  expectText(await haft("call", "read", '{"path":"notes.txt"}'), "two");
  await haft("call", "edit", '{"path":"notes.txt","edits":[{"oldText":"two","newText":"three"}]}');
  expectText(readFileSync(join(project, "notes.txt"), "utf8"), "one\nthree\n");
  expectText(await haft("call", "grep", '{"pattern":"thr.e"}'), "notes.txt");
  expectText(await haft("call", "bash", '{"command":"echo $((6 * 7))"}'), "42");
}

async function useServer(node) {
  const command = join(project, "node_modules", manifest.name, manifest.bin.haft);
  const clientInfo = { name: "user", version: "1" };
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
  const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { stdout } = await run(node, [command, "serve", "--stdio"], { stdin });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const tools = answers.find(({ id }) => id === 2)?.result.tools.map(({ name }) => name) ?? [];
  for (const name of ["read", "edit", "bash"]) if (!tools.includes(name)) throw new Error(`there is no tool ${name}`);
  return `${tools.length} tools`;
}

async function compile() {
  cpSync(join(repository, "test/package/user.ts"), join(project, "user.ts"));
  // No types of Node.js: the package's own have to stand without them.
  const compilerOptions = { noEmit: true, strict: true, target: "es2022", module: "nodenext", types: [] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["user.ts"] }));
  await run(process.execPath, [join(repository, "node_modules/typescript/bin/tsc")]);
}

function expectText(text, part) {
  if (!text.includes(part)) throw new Error(`expected ${JSON.stringify(part)} in:\n${text}`);
}
