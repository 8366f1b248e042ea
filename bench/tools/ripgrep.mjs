/** The raw searches: the packaged ripgrep with Haft's flags, and fd where it is on PATH. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** Undefined where the optional package, or its program for this machine, is not installed. */
export const rgPath = packagedRipgrep();
const FLAGS = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--glob=!.git",
];
/** fd 8.6 has no `--no-require-git`; the corpora have no ignore files, so it looks at the same names. */
const FD_FLAGS = ["--hidden", "--no-global-ignore-file", "--exclude=.git", "--ignore-case"];

function packagedRipgrep() {
  try {
    const { rgPath: path } = createRequire(import.meta.url)("@vscode/ripgrep");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs ripgrep to its end, or until `limit` lines of output have come. */
export function rawGrep({ pattern, path, limit = Number.POSITIVE_INFINITY }, cwd) {
  return linesOf(rgPath, [...FLAGS, "--json", "--crlf", "-e", pattern, "--", path], { cwd }, limit);
}

/** Lists all files by ripgrep and chooses by grep; the number of those. */
export function rawFind(name, cwd) {
  const script = '"$0" "$@" --files . | grep -i -- "$NAME"';
  return linesOf("sh", ["-c", script, rgPath, ...FLAGS], { cwd, env: { ...process.env, NAME: name } });
}

/** The same question to fd: files and directories whose name holds `name`. */
export function fdFind(fdPath, name, cwd, type) {
  const more = type === undefined ? [] : [`--type=${type}`];
  return linesOf(fdPath, [...FD_FLAGS, ...more, "--fixed-strings", name, "."], { cwd });
}

function linesOf(program, args, options, limit = Number.POSITIVE_INFINITY) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
    let lines = 0;
    child.stdout.on("data", (chunk) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
      if (lines >= limit) child.kill();
    });
    child.on("error", failed);
    // ripgrep exits with 1 if it finds nothing; the code is null if it was killed.
    child.on("close", (code) => (code > 1 ? failed(new Error(`${program} ended with ${code}`)) : done(lines)));
  });
}
