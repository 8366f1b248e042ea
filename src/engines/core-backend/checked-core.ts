/** The boundary to a third party: what it hands over is checked once, and what its operations answer each time. */
import type { CoreFs, CoreShell } from "../../kernel/index.js";
import { HaftError, isRecord } from "../../kernel/index.js";
import { normalizePath } from "../../text/index.js";
import type { BackendCore } from "./backend-core.js";
import { askCore } from "./faults.js";

type Operation = keyof CoreFs;

const FS_METHODS = [
  "readBytes",
  "writeFile",
  "stat",
  "readDir",
  "mkdir",
  "rm",
  "exists",
] as const satisfies Operation[];

/** @throws `CONFIG_INVALID` that names the first member that is missing or is not what it has to be, and what to pass. */
export function requireCore(core: BackendCore): void {
  if (!isRecord(core)) throw invalid("core", core, "an object with `name`, `fs`, `cwd` and `clock`");
  const { name, machine, commandLanguage, fs, shell, cwd, home, clock, digest, realPath, close } = core;
  if (!isText(name)) throw invalid("name", name, "a string that is not empty");
  if (!isRecord(fs)) throw invalid("fs", fs, `an object with the methods ${FS_METHODS.join(", ")}`);
  for (const one of FS_METHODS) requireMethod(`fs.${one}`, fs[one]);
  if (shell !== undefined && !isRecord(shell))
    throw invalid("shell", shell, "an object with the method exec, or absent");
  if (shell !== undefined) requireMethod("shell.exec", shell.exec);
  if (!isPath(cwd)) throw invalid("cwd", cwd, PATH);
  if (home !== undefined && !isPath(home)) throw invalid("home", home, `${PATH}, or absent`);
  if (!isRecord(clock)) throw invalid("clock", clock, "a clock: pass `systemClock`");
  requireMethod("clock.now", clock.now);
  requireMethod("clock.timer", clock.timer);
  for (const [key, value] of Object.entries({ machine, commandLanguage }))
    if (value !== undefined && !isText(value)) throw invalid(key, value, "a string that is not empty, or absent");
  for (const [key, value] of Object.entries({ digest, realPath, close }))
    if (value !== undefined) requireMethod(key, value);
}

const PATH = "an absolute path without `.`, `..` and a slash at its end";

function requireMethod(name: string, value: unknown): void {
  if (typeof value === "function") return;
  const copied = name.includes(".") ? ". A copy such as `{ ...instance }` has lost the methods of its class" : "";
  throw invalid(name, value, `a function${copied}`);
}

function invalid(name: string, value: unknown, needed: string): HaftError {
  const given = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  const message = `Did not complete the backend: \`${name}\` is ${given}, and must be ${needed}.`;
  return new HaftError("CONFIG_INVALID", message, { details: { parameter: name } });
}

/** The same operations, which reject where an answer is not what the contract says. */
export function checkedFs(backend: string, fs: CoreFs): CoreFs {
  const wrong = (operation: Operation, path: string, what: string) =>
    new HaftError("FS_IO", `Did not use "${path}": ${answered(backend, `fs.${operation}`, what)}`, {
      details: { path, system: what },
    });
  return {
    async readBytes(path) {
      const bytes: unknown = await fs.readBytes(path);
      if (!isBytes(bytes)) throw wrong("readBytes", path, `${kindOf(bytes)}, not a Uint8Array`);
      return bytes;
    },
    async writeFile(path, data) {
      await fs.writeFile(path, data);
    },
    async stat(path) {
      const info = await fs.stat(path);
      const what = statProblem(info);
      if (what !== undefined) throw wrong("stat", path, what);
      return info;
    },
    async readDir(path) {
      const entries = await fs.readDir(path);
      const what = entriesProblem(entries);
      if (what !== undefined) throw wrong("readDir", path, what);
      return entries;
    },
    async mkdir(path, recursive) {
      await fs.mkdir(path, recursive);
    },
    async rm(path, options) {
      await fs.rm(path, options);
    },
    async exists(path) {
      const isThere: unknown = await fs.exists(path);
      if (typeof isThere !== "boolean") throw wrong("exists", path, `${kindOf(isThere)}, not true or false`);
      return isThere;
    },
  };
}

/** The same `realPath`, undefined where there is none. */
export function checkedRealPath(core: BackendCore): (path: string) => Promise<string | undefined> {
  return async (path) => {
    const real: unknown = await askCore("follow", path, async () => core.realPath?.(path));
    if (real === undefined || isPath(real)) return real;
    const what = `${typeof real === "string" ? JSON.stringify(real) : kindOf(real)}, not ${PATH}, or undefined`;
    throw new HaftError("FS_IO", `Did not follow "${path}": ${answered(core.name, "realPath", what)}`, {
      details: { path, system: what },
    });
  };
}

/** The same `exec`, which rejects where its answer is not what the contract says. */
export function checkedShell(backend: string, shell: CoreShell): CoreShell {
  return {
    async exec(command, options) {
      const result = await shell.exec(command, options);
      const what = resultProblem(result);
      if (what !== undefined) throw new TypeError(`${answered(backend, "shell.exec", what)} The command may have run`);
      return result;
    },
  };
}

const answered = (backend: string, operation: string, what: string) =>
  `\`${operation}\` of the backend "${backend}" returned ${what}. That has to be corrected in the backend.`;

function statProblem(info: unknown): string | undefined {
  if (!isRecord(info)) return `${kindOf(info)}, not an object`;
  for (const key of ["isFile", "isDirectory", "isSymlink"])
    if (typeof info[key] !== "boolean") return `${kindOf(info[key])} as \`${key}\`, not true or false`;
  for (const key of ["size", "modifiedMs"])
    if (!Number.isFinite(info[key])) return `${kindOf(info[key])} as \`${key}\`, not a number`;
  return undefined;
}

/** A name that leads elsewhere than to a child would make a walk endless, or let it leave the directory. */
function entriesProblem(entries: unknown): string | undefined {
  if (!Array.isArray(entries)) return `${kindOf(entries)}, not an array of { name }`;
  for (const entry of entries) {
    const name: unknown = isRecord(entry) ? entry.name : undefined;
    if (typeof name !== "string") return "an entry without a `name`";
    if (name === "" || name === "." || name === ".." || /[/\0]/.test(name))
      return `the name ${JSON.stringify(name)}, which no entry of a directory can have`;
  }
  return undefined;
}

function resultProblem(result: unknown): string | undefined {
  if (!isRecord(result)) return `${kindOf(result)}, not { stdout, stderr, code }`;
  for (const key of ["stdout", "stderr"])
    if (!isBytes(result[key])) return `${kindOf(result[key])} as \`${key}\`, not a Uint8Array`;
  const { code, timedOut } = result;
  if (code !== null && !Number.isInteger(code)) return `${kindOf(code)} as \`code\`, not a whole number or null`;
  if (timedOut !== undefined && typeof timedOut !== "boolean")
    return `${kindOf(timedOut)} as \`timedOut\`, not true, false or undefined`;
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Also of another realm, in which some test runners run. */
const isBytes = (value: unknown): value is Uint8Array =>
  Object.prototype.toString.call(value) === "[object Uint8Array]";

const isPath = (value: unknown): value is string =>
  typeof value === "string" && value.startsWith("/") && !value.includes("\0") && normalizePath(value) === value;

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
