import type { Backend } from "../../kernel/index.js";
import { override, wrapBackend } from "./wrap-backend.js";

/**
 * The same backend with the faults that hand-made ones have: to see that the suites notice. Each fault is one that a quick
 * implementation over Node's own functions really has.
 */
export function brokenBackend<B extends Backend>(backend: B): B {
  return wrapBackend(backend, {
    fs: (fs) =>
      override(fs, {
        // Decodes leniently, and eats the mark.
        readText: async (path, io) => new TextDecoder().decode(await fs.readBytes(path, io)),
        // Takes a negative offset for the start.
        readRange: (path, offset, length, io) => fs.readRange(path, Math.max(0, offset), length, io),
        // Ignores what is expected of the old file.
        replaceAtomic: (path, data, _expect, io) => fs.replaceAtomic(path, data, "any", io),
        // Fractions of milliseconds, characters for bytes.
        stat: async (path, io) => {
          const info = await fs.stat(path, io);
          return { ...info, modifiedMs: info.modifiedMs + 0.25, size: info.size === 5 ? 2 : info.size };
        },
        // In whatever order, all of them.
        readDir: async (path, io) => {
          const listing = await fs.readDir(path, io?.signal === undefined ? {} : { signal: io.signal });
          return { children: [...listing.children].reverse(), more: false };
        },
        // Removes directories with all that they hold, asked or not.
        rm: (path, options, io) => fs.rm(path, { ...options, recursive: true }, io),
        rename: (from, to, _options, io) => fs.rename(from, to, { replace: true }, io),
        // Rejects where it should say no.
        exists: async (path, io) => (await fs.stat(path, io)).kind !== "other",
      }),
    shell: (shell) =>
      override(shell, {
        // Leaves the environment and the input out, counts what is kept as all that was produced, and calls every end a success.
        exec: async (command, { env: _env, input: _input, ...options }) => {
          const result = await shell.exec(command, options);
          const counted = { ...result.stdout, produced: result.stdout.head.length, dropped: 0 };
          return { ...result, exit: { by: "code", code: 0 }, stdout: counted };
        },
      }),
    search: (search) =>
      override(search, {
        // Takes a literal for an expression, forgets the page, and the end.
        async *grep(query) {
          const whole = { ...query, offset: 0, pattern: { ...query.pattern, syntax: "re2" as const } };
          for await (const record of search.grep(whole)) if (record.kind === "hit") yield record;
        },
      }),
  });
}
