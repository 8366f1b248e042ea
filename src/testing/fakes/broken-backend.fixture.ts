import type { Backend, Captured } from "../../kernel/index.js";
import { override, wrapBackend } from "./wrap-backend.js";

/**
 * The same backend with typical faults, to test that the suites detect them. Each is a fault of a quick
 * implementation over the functions of Node.js.
 */
export function brokenBackend<B extends Backend>(backend: B): B {
  return wrapBackend(backend, {
    fs: (fs) =>
      override(fs, {
        // Decodes leniently and drops the BOM.
        readText: async (path, io) => new TextDecoder().decode(await fs.readBytes(path, io)),
        // Treats a negative offset as the start.
        readRange: (path, offset, length, io) => fs.readRange(path, Math.max(0, offset), length, io),
        // Ignores `expect`.
        replaceAtomic: (path, data, _expect, io) => fs.replaceAtomic(path, data, "any", io),
        // Fractions of milliseconds, characters instead of bytes.
        stat: async (path, io) => {
          const info = await fs.stat(path, io);
          return { ...info, modifiedMs: info.modifiedMs + 0.25, size: info.size === 5 ? 2 : info.size };
        },
        // Unsorted and without a limit.
        readDir: async (path, io) => {
          const listing = await fs.readDir(path, io?.signal === undefined ? {} : { signal: io.signal });
          return { children: [...listing.children].reverse(), more: false };
        },
        // Removes directories recursively without `recursive`.
        rm: (path, options, io) => fs.rm(path, { ...options, recursive: true }, io),
        rename: (from, to, _options, io) => fs.rename(from, to, { replace: true }, io),
        // Rejects where it should return false.
        exists: async (path, io) => (await fs.stat(path, io)).kind !== "other",
      }),
    shell: (shell) =>
      override(shell, {
        // Ignores environment and input, reports kept bytes as produced bytes, and every end as a success.
        exec: async (command, { env: _env, input: _input, ...options }) => {
          const result = await shell.exec(command, options);
          const counted = {
            ...result.stdout,
            produced: result.stdout.head.length,
            omittedBytes: 0,
          } satisfies Captured;
          return { ...result, exit: { by: "code", code: 0 }, stdout: counted };
        },
      }),
    search: (search) =>
      override(search, {
        // Treats a literal as a regex, and omits paging and the end record.
        async *grep(query) {
          const whole = { ...query, offset: 0, pattern: { ...query.pattern, syntax: "re2" as const } };
          for await (const record of search.grep(whole)) if (record.kind === "hit") yield record;
        },
      }),
  });
}
