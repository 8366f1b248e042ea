/** A third party's core: files by node:fs with errors as Node throws them, commands by the shell of the guide. */
import { access, lstat, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import type { Clock, CoreFs, CoreShell } from "../../kernel/index.js";
import type { BackendCore } from "./index.js";

const fs: CoreFs = {
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
  readDir: (path) => readdir(path, { withFileTypes: true }),
  async mkdir(path, recursive) {
    await mkdir(path, { recursive });
  },
  rm: (path, options) => rm(path, options),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
};

/** The shell of the guide, as readers copy it. */
const guide = await readFile(new URL("../../../docs/guide/library.md", import.meta.url), "utf8");
const sample = /```js\n(import \{ spawn \}.*?)```/s.exec(guide)?.[1];
const { shell } = (await import(
  /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(`${sample}\nexport { shell };`)}`
)) as { readonly shell: CoreShell };

export function nodeCore(cwd: string, clock: Clock): BackendCore {
  return { name: "node-core", fs, shell, cwd, clock, realPath: (path) => realpath(path).catch(() => undefined) };
}
