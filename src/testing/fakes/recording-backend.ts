import type { Backend, Fs } from "../../kernel/index.js";
import { override, wrapBackend } from "./wrap-backend.js";

/** One operation of a port. */
export interface Touched {
  /** The operation: "readText", "exec", "grep". */
  readonly operation: string;
  /** The path, the root of a search, or the directory of a command. */
  readonly path: string;
  readonly command?: string;
}

/** A backend that records the operations of its bound ports. */
export type RecordingBackend<B extends Backend = Backend> = B & { readonly touched: Touched[] };

const FILE_OPERATIONS = [
  "readText",
  "readBytes",
  "readRange",
  "openRead",
  "writeFile",
  "replaceAtomic",
  "replaceFrom",
  "stat",
  "readDir",
  "mkdir",
  "rm",
  "exists",
] as const;

/** The same backend; `touched` lists every operation of its ports, rejected ones too. */
export function recordingBackend<B extends Backend>(backend: B): RecordingBackend<B> {
  const touched: Touched[] = [];
  const recorded =
    <A extends readonly unknown[], R>(
      operation: string,
      path: (...args: A) => readonly string[],
      act: (...args: A) => R,
    ) =>
    (...args: A): R => {
      for (const one of path(...args)) touched.push({ operation, path: one });
      return act(...args);
    };
  const wrapped = wrapBackend(backend, {
    fs(fs) {
      const single = FILE_OPERATIONS.map((name) => [
        name,
        recorded(name, (path: string) => [path], (fs[name] as (path: string) => unknown).bind(fs)),
      ]);
      return override(fs, {
        ...(Object.fromEntries(single) as Partial<Fs>),
        rename(from, to, options, io) {
          touched.push({ operation: "rename", path: from }, { operation: "rename", path: to });
          return fs.rename(from, to, options, io);
        },
        resolve: recorded("resolve", (paths) => paths, fs.resolve.bind(fs)),
      });
    },
    shell: (shell) =>
      override(shell, {
        exec(command, options) {
          touched.push({ operation: "exec", path: options.cwd, command });
          return shell.exec(command, options);
        },
        spawn(command, options) {
          touched.push({ operation: "spawn", path: options.cwd, command });
          return shell.spawn(command, options);
        },
      }),
    search: (search) =>
      override(search, {
        grep: recorded("grep", (query) => [query.root], search.grep.bind(search)),
        walk: recorded("walk", (query) => [query.root], search.walk.bind(search)),
      }),
  });
  return override(wrapped as RecordingBackend<B>, { touched } as Partial<RecordingBackend<B>>);
}
