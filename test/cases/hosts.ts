/** Hosts of the built product in processes of their own, for tests that end them hard or let their tools misbehave. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { REPOSITORY } from "../architecture/source-tree.js";

const LIBRARY = join(REPOSITORY, "dist", "index.js");

export interface HostProcess {
  readonly child: ChildProcess;
  /** Settles when this line was printed; rejects when the process ends without it. */
  line(wanted: string): Promise<void>;
  /** Settles when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/**
 * Runs a module in a process that stands in `folder` and keeps its state in `state`. The module finds the library under
 * the name `haft` and a toolkit of these two folders under `toolkit`.
 */
export function startHost(folder: string, state: string, body: string): HostProcess {
  if (!existsSync(LIBRARY)) throw new Error("There is no build. Run `npm run build` first; `npm test` does it.");
  const source = `
    import * as haft from ${JSON.stringify(pathToFileURL(LIBRARY).href)};
    const open = (options = {}) => haft.createToolkit({ autonomy: "full",
      workspace: ${JSON.stringify(folder)}, stateDir: ${JSON.stringify(state)}, gate: "off", ...options,
    });
    ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    line: (wanted) =>
      new Promise((done, failed) => {
        const look = () => {
          if (!stdout.split("\n").includes(wanted)) return;
          listeners.delete(look);
          done();
        };
        listeners.add(look);
        look();
        void ended.then(() => failed(new Error(`The host ended without "${wanted}": ${stderr || stdout}`)));
      }),
  };
}

/** The processes whose command line holds a text, zombies left out. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const state = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "")[0];
        return state !== "Z" && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
      } catch {
        return false; // ended meanwhile
      }
    })
    .map(Number);
}
