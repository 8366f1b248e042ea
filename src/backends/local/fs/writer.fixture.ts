/**
 * Started as a process by tests: replaces one file and says how, or how it failed. `stopAt`: the operation on files in which it
 * gets `signal`, half-way where that is a write: the Nth, or "overwrite" for the first that overwrites the file; "log": it
 * prints them all.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { messageOf } from "../../../kernel/index.js";
import { createLocalBackend } from "../local-backend.js";

const [path, what, stateDir = "", stopAt = "", signal = "SIGKILL"] = process.argv.slice(2) as [
  string,
  string,
  string?,
  string?,
  NodeJS.Signals?,
];
const backend = createLocalBackend({ watcher: false, ...(stateDir === "" ? {} : { stateDir }) });
const data = /^\d+$/.test(what) ? new Uint8Array(Number(what)).fill(110) : new TextEncoder().encode("replaced");
if (/^\d+$/.test(what)) process.stdout.write("begins\n");
const log: string[] = [];
if (stopAt !== "") watchOperations();
try {
  const { inPlace } = await backend.root.fs.replaceAtomic(path, data, "any");
  if (stopAt === "log") process.stdout.write(`${log.join("\n")}\n`);
  process.stdout.write(inPlace ? "in place\n" : "renamed\n");
} catch (thrown) {
  process.stdout.write(`${(thrown as { code?: string }).code ?? messageOf(thrown)}\n`);
}

function watchOperations(): void {
  const target = fs.statSync(path).ino;
  const { writeSync } = fs;
  const calls = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
  const changing = ["openSync", "writeSync", "write", "writeFileSync", "renameSync", "ftruncateSync"];
  for (const name of [...changing, "fsync", "fchmodSync", "mkdirSync", "rmSync", "unlinkSync", "closeSync"]) {
    const act = calls[name]!;
    calls[name] = (...given) => {
      const [first] = given;
      const place = typeof first !== "number" ? String(first) : fs.readlinkSync(`/proc/self/fd/${first}`);
      const isTarget = typeof first === "number" && fs.fstatSync(first).ino === target;
      log.push(`${name} ${isTarget ? "TARGET" : place}`);
      const isOverwriting = stopAt === "overwrite" && log.at(-1) === "writeSync TARGET";
      if (!isOverwriting && log.length !== Number(stopAt)) return act(...given);
      if (name === "writeSync" || name === "write") {
        const [descriptor, bytes, from = 0, length, to] = given as [number, Uint8Array, number?, number?, number?];
        writeSync(descriptor, bytes, from, Math.floor((length ?? bytes.length - from) / 2), to);
      }
      process.kill(process.pid, signal);
      return name === "write" ? undefined : act(...given);
    };
  }
  syncBuiltinESMExports();
}
