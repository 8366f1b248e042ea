#!/usr/bin/env node
/**
 * Makes the checkout ready to run: installs packages when the lock file is newer than the install, then builds when a
 * source is newer than the last build. Says in one line what it does and why; silent when there is nothing to do.
 *
 *   node scripts/prepare.mjs [--install-only | --force | --check]
 *
 * With --check it changes nothing: exit status 1 and the reason where the build is missing or older than a source. Else it
 * refuses a node_modules that is a symbolic link: an install would empty the directory behind it, which is another checkout's.
 *
 * Uses Node built-ins only, because it runs before anything is installed. Everything it prints goes to stderr, so that
 * a server on stdio started after it keeps a clean stdout.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const PACKAGES = at("node_modules");
const INSTALLED = at("node_modules", ".package-lock.json");
const COMPILER = at("node_modules", "typescript", "bin", "tsc");
const BUNDLER = at("scripts", "bundle.mjs");
const OUTPUT = at("dist");
const STAMP = at("dist", ".built");
const COMMAND = ["surfaces", "cli", "main.js"];

/** Where npx looks too: a clone that it met before the first build is in its cache without the command, for good. */
const LINK = at("node_modules", ".bin", "haft");

const force = process.argv.includes("--force");
const installOnly = process.argv.includes("--install-only");
if (process.argv.includes("--check")) check();
refuseLinkedPackages();

const installReason = whyInstall();
if (installReason !== undefined) install(installReason);
linkCommand();
const buildReason = installOnly ? undefined : whyBuild();
if (buildReason !== undefined) build(buildReason);

function check() {
  const reason = whyBuild();
  if (reason !== undefined) say(`${reason}: run \`npm run build\``);
  process.exit(reason === undefined ? 0 : 1);
}

/** Also where only a build is due: it puts the command of this checkout behind the link. */
function refuseLinkedPackages() {
  if (!lstatSync(PACKAGES, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  say(
    `did not install or build: node_modules is a symlink to "${readlinkSync(PACKAGES)}", and an install would empty that directory.`,
  );
  say("Remove the symlink (rm node_modules) and start again: this checkout then gets its own packages");
  process.exit(1);
}

function whyInstall() {
  if (!existsSync(INSTALLED)) return "there is no node_modules";
  if (!existsSync(COMPILER)) return "the compiler is missing from node_modules";
  if (modifiedMs(at("package-lock.json")) > modifiedMs(INSTALLED)) return "package-lock.json is newer than the install";
  return undefined;
}

function install(reason) {
  say(`installing packages: ${reason}`);
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  // --include=dev: the build needs the compiler even where NODE_ENV or a user's settings leave such packages out.
  run(program, [...first, "ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"], "npm ci");
}

function linkCommand() {
  const target = join("..", "..", "dist", ...COMMAND);
  if (lstatSync(LINK, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(LINK) === target) return;
  mkdirSync(dirname(LINK), { recursive: true });
  // Made beside and renamed, so that it does not matter what stands there, nor who else does the same now.
  symlinkSync(target, `${LINK}.${process.pid}`);
  renameSync(`${LINK}.${process.pid}`, LINK);
}

function whyBuild() {
  if (force) return "asked for";
  if (!existsSync(STAMP)) return "there is no build yet";
  const built = modifiedMs(STAMP);
  const settings = ["package.json", "tsconfig.json", "tsconfig.build.json"].map((name) => at(name)).concat(BUNDLER);
  const now = sources(at("src"));
  const newer = [...settings, ...now].find((path) => modifiedMs(path) > built);
  if (newer !== undefined) return `${relative(root, newer)} is newer than the build`;
  // Not by the times of directories: those change with every test that is saved.
  const then = readFileSync(STAMP, "utf8").split("\n").filter(Boolean);
  const names = now.map((path) => relative(root, path));
  const moved = then.find((name) => !names.includes(name)) ?? names.find((name) => !then.includes(name));
  return moved && `${moved} is ${then.includes(moved) ? "gone" : "new"} since the build`;
}

/** Every file that goes into the build. */
function sources(directory) {
  const found = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) found.push(...sources(join(directory, entry.name)));
    else if (/(?<!\.(test|fixture))\.ts$/.test(entry.name)) found.push(join(directory, entry.name));
  }
  return found;
}

/** Builds beside the old output and swaps the directories, so that no run meets half a build and no stale file stays. */
function build(reason) {
  say(`building dist: ${reason}`);
  const begun = new Date();
  const built = sources(at("src"));
  const next = at(`dist.next-${process.pid}`);
  const old = at(`dist.old-${process.pid}`);
  process.on("exit", () => {
    for (const directory of [next, old]) rmSync(directory, { recursive: true, force: true });
  });
  run(process.execPath, [COMPILER, "-p", "tsconfig.build.json", "--noEmitOnError", "--outDir", next], "tsc");
  run(process.execPath, [BUNDLER, next], "the bundler");
  const command = join(next, ...COMMAND);
  if (existsSync(command)) chmodSync(command, 0o755);
  // The stamp lists the sources and bears the time of the start: a source that was saved meanwhile is newer and builds again.
  writeFileSync(join(next, ".built"), built.map((path) => `${relative(root, path)}\n`).join(""));
  utimesSync(join(next, ".built"), begun, begun);
  if (existsSync(OUTPUT)) renameSync(OUTPUT, old);
  renameSync(next, OUTPUT);
}

function run(program, args, name) {
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  say(`${name} failed: ${error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`)}`);
  process.exit(1);
}

function say(line) {
  process.stderr.write(`prepare: ${line}\n`);
}
