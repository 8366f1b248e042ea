/** grep and find beside the same ripgrep binary with the same flags. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { openBox } from "./haft.mjs";

const rgPath = packagedRipgrep();
const FLAGS = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--glob=!.git",
];
const GREP_FLAGS = [...FLAGS, "--json", "--crlf"];

/** Undefined where the optional package, or its program for this machine, is not installed: then Haft is measured alone. */
function packagedRipgrep() {
  try {
    const { rgPath: path } = createRequire(import.meta.url)("@vscode/ripgrep");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs ripgrep to its end, or until `limit` lines of output have come. */
function rawGrep(pattern, cwd, path, limit = Number.POSITIVE_INFINITY) {
  return new Promise((done, failed) => {
    const child = spawn(rgPath, [...GREP_FLAGS, "-e", pattern, "--", path], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let lines = 0;
    child.stdout.on("data", (chunk) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
      if (lines >= limit) child.kill();
    });
    child.on("error", failed);
    child.on("close", () => done(lines));
  });
}

function grepCase(id, what, pattern, where, goal, options = {}) {
  const beside = {
    goal,
    async raw({ layout }) {
      const { cwd, path } = where(layout);
      return () => rawGrep(pattern, cwd, path, options.limit);
    },
  };
  const alone = { goal: { text: "not judged: `@vscode/ripgrep` is missing, there is nothing to compare with" } };
  return {
    id,
    what,
    ...(rgPath === undefined ? alone : beside),
    async ours({ layout, scratch }) {
      const { cwd, path } = where(layout);
      const box = await openBox(cwd, scratch);
      return async () => {
        const output = String(await box.must("grep", { pattern, path }));
        const hits = output.split("\n").filter((line) => line.includes("QUARTZ_NEEDLE")).length;
        if (options.hits !== undefined && hits !== options.hits) throw new Error(`${hits} hits, not ${options.hits}`);
        return hits;
      };
    },
  };
}

/** Lists all files by ripgrep and chooses by grep; the number of those. */
function rawFind(name, cwd) {
  return new Promise((done, failed) => {
    const script = '"$0" "$@" --files . | grep -i -- "$NAME"';
    const options = { cwd, stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, NAME: name } };
    const child = spawn("sh", ["-c", script, rgPath, ...FLAGS], options);
    let lines = 0;
    child.stdout.on("data", (chunk) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    });
    child.on("error", failed);
    child.on("close", () => done(lines));
  });
}

function findCase(id, what, name, input, where, hits) {
  return {
    id,
    what,
    goal: { text: "wall ≤ 1.3x", judge: ({ raw, ours }) => ours.wallMs <= raw.wallMs * 1.3 },
    async raw({ layout }) {
      return () => rawFind(name, where(layout));
    },
    async ours({ layout, scratch }) {
      const box = await openBox(where(layout), scratch);
      return async () => {
        const output = String(await box.must("find", { query: name, ...input }));
        const found = output.split("\n").filter((line) => line.includes(name)).length;
        if (found !== hits) throw new Error(`${found} found, not ${hits}: ${output.slice(0, 200)}`);
        return found;
      };
    },
  };
}

const inTree = (layout) => ({ cwd: layout.tree, path: "." });
const inLog = (layout) => ({ cwd: dirname(layout.log), path: "log.txt" });
const nearRaw = {
  text: "wall ≤ 1.15x (+15 ms under 100 ms)",
  judge: ({ raw, ours }) => ours.wallMs <= raw.wallMs * 1.15 + (raw.wallMs < 100 ? 15 : 0),
};

export const cases = [
  grepCase("grep-rare", "20 hits in a tree", "QUARTZ_NEEDLE_\\d+", inTree, nearRaw, { hits: 20 }),
  grepCase("grep-none", "no hit, no literal in the pattern", "\\b\\p{Lu}{9}\\w{3}\\b", inTree, {
    text: "wall ≤ 1.3x",
    judge: ({ raw, ours }) => ours.wallMs <= raw.wallMs * 1.3,
  }),
  grepCase(
    "grep-frequent",
    "stopped at 200 hits",
    "const",
    inTree,
    { text: "≤ 20 ms + 3 spawns", judge: ({ raw, ours }) => ours.wallMs <= 20 + 6 + raw.wallMs },
    { limit: 200 },
  ),
  findCase("find-rare", "one of 20,000 files by a part of its name", "file777.", {}, (layout) => layout.tree, 1),
  findCase("find-rare-file", "the same, files only", "file777.", { type: "file" }, (layout) => layout.tree, 1),
  findCase("find-none", "no such name among 200,000 files", "quartz", {}, (layout) => layout.names, 0),
  grepCase("grep-log", "9 of 9 hits in one large file", "QUARTZ_NEEDLE", inLog, nearRaw, { hits: 9 }),
];
