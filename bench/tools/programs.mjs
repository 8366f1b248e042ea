/** Whole programs, one process a call, as at a command line: `haft call` and opencode's own way to run one tool. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { haftTools } from "./haft.mjs";

const main = fileURLToPath(new URL("../../dist/surfaces/cli/main.js", import.meta.url));
/** How often the memory of a program is looked at while it runs. */
const LOOK_MS = 5;

export async function openHaftProgram({ cwd, scratch }) {
  const run = programIn(cwd, scratch);
  const common = ["--state", `${scratch}.state`, "--workspace", cwd];
  const ask = (name, input) => run(process.execPath, [main, "call", name, JSON.stringify(input), ...common]);
  return { ...haftTools(ask), version: () => run(process.execPath, [main, "--version"]), peakMb: run.peakMb };
}

export async function openOpencode({ layout, cwd, scratch }) {
  const run = programIn(cwd, scratch, { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" });
  run.path = `${layout.peerDirectory}/bin${delimiter}${process.env.PATH}`;
  const { entry } = layout.peers.opencode;
  const ask = async (tool, params) => {
    const said = await run(entry, ["debug", "agent", "build", "--tool", tool, "--params", JSON.stringify(params)]);
    return JSON.parse(said.slice(said.indexOf("{"))).result.output;
  };
  const in_ = (path) => `${cwd}/${path}`;
  return {
    grep: ({ pattern }) => ask("grep", { pattern, path: cwd }),
    find: ({ name }) => ask("glob", { pattern: `**/*${name}*`, path: cwd }),
    read: ({ path, first, count }) => ask("read", { filePath: in_(path), offset: first, limit: count }),
    bash: ({ command }) => ask("bash", { command, description: "bench" }),
    version: () => run(entry, ["--version"]),
    peakMb: run.peakMb,
  };
}

/** Runs a program to its end and gives its output; `peakMb()` is the most that one of them has taken. */
function programIn(cwd, scratch, more = {}) {
  mkdirSync(`${scratch}.home`, { recursive: true });
  let peak = 0;
  const run = (program, args) =>
    new Promise((resolve, reject) => {
      const env = { PATH: run.path ?? process.env.PATH, HOME: `${scratch}.home`, ...more };
      const child = execFile(program, args, { cwd, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
        clearInterval(look);
        if (error === null) resolve(stdout);
        else
          reject(
            new Error(
              String(stderr || error.message)
                .trim()
                .split("\n")
                .at(-1),
            ),
          );
      });
      const look = setInterval(() => {
        peak = Math.max(peak, memoryMb(child.pid));
      }, LOOK_MS);
    });
  run.peakMb = () => peak;
  return run;
}

function memoryMb(pid) {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
