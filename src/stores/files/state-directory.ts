/** Where Haft stores its own state: one private directory, created when something is first stored. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { HaftError, messageOf, shortageOf, systemCode } from "../../kernel/index.js";
import { expandHome } from "../../text/index.js";
import { formatProblem, noteFormat, requireFormat } from "./state-format.js";

/** The state directory of a host. Opening one changes nothing; the first call of `directory` creates it. */
export interface StateDirectory {
  /** Absolute. */
  readonly path: string;
  /**
   * A directory below it, created with mode 0700 if it is missing.
   * @throws `STORE_UNWRITABLE` with the path and the option that names another directory, `STORE_NEWER`.
   */
  directory(...names: readonly string[]): string;
  /** The first of these directories below each other that is a symlink, and so may lead out of the state directory. */
  symlinkIn(...names: readonly string[]): string | undefined;
  /** To call before deleting something. @throws `STORE_NEWER` if a newer version has migrated the directory meanwhile. */
  check(): void;
}

/**
 * The state directory at `path`; absent, the one that the environment gives: `HAFT_STATE`, else `$XDG_STATE_HOME/haft`, else
 * `~/.local/state/haft`. `~` and `~/x` in `HAFT_STATE` are expanded, since it is not always set by a shell. A relative
 * `XDG_STATE_HOME` is ignored, as its specification requires.
 *
 * @param holds - "files": documents, sessions and approvals are kept in files of it, which it refuses once they are in a database.
 * @throws `STORE_NEWER` if a newer version has written it, `CONFIG_MISSING_PACKAGE` if its state is in SQLite and nothing here opens
 *   that. Nothing of it is then read or changed.
 */
export function openStateDirectory(path?: string, holds?: "files"): StateDirectory {
  const root = statePathOf(path);
  requireFormat(root, holds);
  return Object.freeze({
    path: root,
    directory(...names: readonly string[]): string {
      const wanted = join(root, ...names);
      requireFormat(root, holds);
      const symlink = symlinkIn(root, names);
      if (symlink !== undefined) throw unwritable(symlink, new Error("it is a symlink"));
      try {
        makeDirectories(wanted);
        noteFormat(root);
      } catch (error) {
        throw unwritable(wanted, error);
      }
      return wanted;
    },
    symlinkIn: (...names: readonly string[]) => symlinkIn(root, names),
    check: () => requireFormat(root, holds),
  });
}

function symlinkIn(root: string, names: readonly string[]): string | undefined {
  let path = root;
  for (const name of names) {
    path = join(path, name);
    try {
      if (lstatSync(path).isSymbolicLink()) return path;
    } catch {
      // What is not there, or cannot be reached, is reported by its use.
      return undefined;
    }
  }
  return undefined;
}

/** Where `openStateDirectory` would look, absolute. */
export function statePathOf(path?: string): string {
  return resolve(path ?? expandHome(defaultStatePath(process.env), homeDirectory()));
}

/** The path of a state directory without symlinks, whether it exists yet or not. */
export function realStatePath(path: string): string {
  const existing = nearestDirectory(path);
  try {
    return join(realpathSync(existing), relative(existing, path));
  } catch {
    // Nothing can be stored there either.
    return path;
  }
}

/**
 * Creates a directory and its missing parents with mode 0700. One by one, because a recursive `mkdirSync` never returns on
 * Node.js 20.20 if a parent exists but cannot have children, such as `/proc`.
 */
function makeDirectories(path: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw Object.assign(new Error("not a directory"), { code: "EEXIST" });
  }
  const above = dirname(path);
  if (above !== path) makeDirectories(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "EEXIST") throw error;
  }
}

/** Why nothing can be stored there, as a clause; undefined if it is writable, which is tried with a temporary directory. */
export function stateProblem({ path }: Pick<StateDirectory, "path">): string | undefined {
  const problem = formatProblem(path);
  if (problem !== undefined) return problem.why;
  try {
    rmdirSync(mkdtempSync(join(nearestDirectory(path), ".haft-")));
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

/** The directory itself, or its nearest existing parent. */
function nearestDirectory(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

/** The error for state that cannot be stored; `path` is what could not be written. */
export function unwritable(path: string, cause: unknown): HaftError {
  const reason = systemReason(cause);
  const next = nextStep(cause);
  return new HaftError(
    "STORE_UNWRITABLE",
    `Could not write the state directory at "${path}": ${reason}. ${next} with \`--state DIR\` or the environment variable HAFT_STATE.`,
    { cause, details: { path, reason } },
  );
}

function defaultStatePath(env: NodeJS.ProcessEnv): string {
  const own = env.HAFT_STATE;
  if (own !== undefined && own !== "") return own;
  const xdg = env.XDG_STATE_HOME;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "haft");
  return join(homeDirectory(), ".local", "state", "haft");
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on device",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file would be too large",
  ENOENT: "no directory can be created there",
  ENOTDIR: "a parent of the path is not a directory",
  EEXIST: "it exists and is not a directory",
  ELOOP: "the path is a symlink loop",
};

function nextStep(cause: unknown): string {
  const shortage = shortageOf(cause);
  if (shortage !== undefined) return `${shortage.next}, or use another directory`;
  const code = systemCode(cause);
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return isFull ? "Free some space there, or use another directory" : "Use a writable directory";
}

function systemReason(cause: unknown): string {
  return REASONS[systemCode(cause) ?? ""] ?? shortageOf(cause)?.why ?? messageOf(cause);
}
