/**
 * Installs the peers into a scratch directory, each by itself, with a cache of its own and without install scripts, and
 * keeps beside each how long that took and what came. What is there in the right version is left as it is.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { PEERS } from "./peers.mjs";
import { weigh } from "./weigh.mjs";

const exec = promisify(execFile);
const INSTALL_MS = 300_000;
const RECORD = "bench-install.json";

/**
 * What each peer came to: its entry, seconds, megabytes and packages, or the reason why it is not here. `rgPath` and
 * `fdPath`, where there are any, are lent to the peers that would otherwise download them in an install script or at the
 * first call.
 */
export async function installPeers(directory, { afresh = false, rgPath, fdPath } = {}) {
  const found = {};
  for (const [name, peer] of Object.entries(PEERS)) {
    const place = join(directory, name);
    if (afresh) rmSync(place, { recursive: true, force: true });
    found[name] = await installed(place, peer);
  }
  if (rgPath !== undefined) lendRipgrep(directory, found, rgPath);
  if (fdPath !== undefined) link(join(directory, "pi-home", "bin", "fd"), fdPath);
  return found;
}

async function installed(place, peer) {
  const record = join(place, RECORD);
  const wanted = `${peer.package}@${peer.version}`;
  try {
    if (!existsSync(record) || JSON.parse(readFileSync(record, "utf8")).wanted !== wanted) {
      console.error(`Installing ${wanted} …`);
      rmSync(place, { recursive: true, force: true });
      writeFileSync(join(made(place), RECORD), JSON.stringify({ wanted, ...(await installCold(place, wanted)) }));
    }
    const entry = join(place, "node_modules", peer.package, peer.entry);
    statSync(entry);
    return { entry, ...JSON.parse(readFileSync(record, "utf8")) };
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** One production install with an empty cache: seconds, megabytes on disk, packages. */
export async function installCold(place, wanted, more = []) {
  const cache = join(made(place), ".bench-cache");
  const flags = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--prefix",
    place,
    "--cache",
    cache,
  ];
  const began = performance.now();
  await exec("npm", ["install", ...flags, ...more, wanted], { timeout: INSTALL_MS, maxBuffer: 1 << 26, cwd: place });
  const seconds = (performance.now() - began) / 1000;
  rmSync(cache, { recursive: true, force: true });
  return { seconds, ...weigh(join(place, "node_modules")) };
}

/** Each looks for it elsewhere: pi in its own directory, gemini beside its package, opencode on PATH. */
function lendRipgrep(directory, found, rgPath) {
  const places = [join(directory, "pi-home", "bin", "rg"), join(directory, "bin", "rg")];
  if (found.gemini.entry !== undefined) {
    const program = `rg-${process.platform}-${process.arch}`;
    places.push(join(found.gemini.entry, "..", "..", "vendor", "ripgrep", program));
  }
  for (const place of places) link(place, rgPath);
}

function link(place, program) {
  rmSync(place, { force: true });
  made(join(place, ".."));
  symlinkSync(program, place);
}

/** fd, as it is called where it comes from a distribution or not; no package of npm carries it. */
export function fdOnPath() {
  const directories = (process.env.PATH ?? "").split(delimiter);
  const candidates = directories.flatMap((directory) => [join(directory, "fd"), join(directory, "fdfind")]);
  const path = candidates.find((one) => existsSync(one));
  if (path === undefined) return { missing: "no `fd` or `fdfind` on PATH, and no npm package carries it" };
  return { path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim() };
}

function made(directory) {
  mkdirSync(directory, { recursive: true });
  return directory;
}

function reasonOf(error) {
  if (error.killed) return `npm took more than ${INSTALL_MS / 1000} s`;
  const lines = String(error.stderr || error.message).split("\n");
  const line = lines.find((one) => one.includes("npm error")) ?? lines[0];
  return line.replaceAll(/\S*\/haft-bench\S*/g, "the scratch directory").slice(0, 160);
}
