/** A third party's core in sixty lines: files by node:fs, commands by child_process, errors as Node throws them. */
import { spawn } from "node:child_process";
import { access, lstat, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import type { Clock, CoreFs, CoreShell } from "../../kernel/index.js";
import type { BackendCore } from "./index.js";

const fs: CoreFs = {
  readText: (path) => readFile(path, "utf8"),
  readBytes: async (path) => new Uint8Array(await readFile(path)),
  writeFile: (path, data) => writeFile(path, data),
  async stat(path) {
    const own = await lstat(path);
    const info = own.isSymbolicLink() ? await stat(path).catch(() => undefined) : own;
    return {
      isFile: info?.isFile() ?? false,
      isDirectory: info?.isDirectory() ?? false,
      isSymlink: own.isSymbolicLink(),
      size: info?.size ?? 0,
      modifiedMs: Math.trunc(own.mtimeMs),
    };
  },
  async readDir(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  },
  async mkdir(path, recursive) {
    await mkdir(path, { recursive });
  },
  rm: (path, { recursive, ignoreMissing }) => rm(path, { recursive, force: ignoreMissing }),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
};

const shell: CoreShell = {
  exec: (command, { cwd, env, input, timeoutMs, signal }) =>
    new Promise((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", "--", command], { cwd, env: { ...process.env, ...env }, detached: true });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      let timedOut = false;
      const kill = (): void => {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      };
      const expire = (): void => {
        timedOut = true;
        kill();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      signal?.addEventListener("abort", kill, { once: true });
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", kill);
        resolve({ stdout: Buffer.concat(out), stderr: Buffer.concat(err), code, timedOut });
      });
    }),
};

export function nodeCore(cwd: string, clock: Clock): BackendCore {
  return { name: "node-core", fs, shell, cwd, clock, realPath: (path) => realpath(path).catch(() => undefined) };
}
