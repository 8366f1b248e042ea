/** Checks, then acts: all that can be done over operations that resolve no symlinks and compare nothing. */
import type { Binding, CoreFs, Io } from "../../kernel/index.js";
import {
  type Access,
  covers,
  type FsOperation,
  type Grant,
  HaftError,
  MAX_SYMLINKS,
  requireAuthorized,
  requireAuthorizedDirectory,
  requireCovered,
  requireLive,
  requirePath,
  requireTreeCovered,
  requireUncancelled,
  systemFault,
} from "../../kernel/index.js";
import { askCore, coreFault } from "./faults.js";

export type CoreStat = Awaited<ReturnType<CoreFs["stat"]>>;

/** Where symlinks of this core lead, or undefined where that cannot be found out. */
type FollowSymlink = (path: string) => Promise<string | undefined>;

export interface CoreAccess {
  readonly name: string;
  readonly fs: CoreFs;
  readonly follow: FollowSymlink;
  /** Throws once the backend is closed. */
  requireOpen(): void;
}

export class CoreGuard {
  readonly core: CoreAccess;
  readonly #bound: Binding | undefined;

  constructor(core: CoreAccess, bound?: Binding) {
    this.core = core;
    this.#bound = bound;
  }

  /** Refuses by the asked path, then by the real one. `followLast` false leaves a symlink at the end alone. */
  async check(operation: FsOperation, path: string, access: Access, followLast: boolean, io?: Io): Promise<void> {
    this.requireRunning(operation, path, io);
    requirePath(operation, path);
    if (this.#bound === undefined) return;
    requireCovered(this.#bound.grant, path, access);
    const real = await this.#realPath(operation[0], path, access, followLast);
    if (real !== path) await requireAuthorized(this.#bound.grant, this.#bound.call, path, real, access);
    this.requireRunning(operation, path, io);
  }

  /** Has the real path of a command's directory judged. @returns That path, to start by: a swap of a directory in it can still win. */
  async checkDirectory(command: string, cwd: string): Promise<string> {
    if (this.#bound === undefined) return cwd;
    const real = await this.#realPath("run a command in", cwd, "read", true);
    await requireAuthorizedDirectory(this.#bound, command, cwd, real);
    this.core.requireOpen();
    return real;
  }

  /** Like `check` for what takes a whole directory. */
  requireTree(path: string, access: Access, excepted: "refused" | "skipped" = "refused"): void {
    if (this.#bound !== undefined) requireTreeCovered(this.#bound.grant, path, access, excepted);
  }

  requireRunning(operation: FsOperation, path: string, io?: Io): void {
    this.core.requireOpen();
    if (this.#bound !== undefined) requireLive(this.#bound.call);
    requireUncancelled(operation, path, io?.signal);
  }

  /** Whether the target of a symlink may be reported without asking policy. */
  async reaches(path: string): Promise<boolean> {
    if (this.#bound === undefined) return true;
    const { grant } = this.#bound;
    const real = await this.core.follow(path);
    if (real === undefined) return coversEverything(grant, "read");
    return (
      covers(grant, real, "read") || grant.symlinkTargets.some((pair) => pair.asked === path && pair.real === real)
    );
  }

  /** Follows one symlink after the other, with one `stat` per path component. */
  async #realPath(did: string, path: string, access: Access, followLast: boolean): Promise<string> {
    let at = path;
    for (let symlinks = 0; symlinks <= MAX_SYMLINKS; symlinks += 1) {
      const symlink = await this.#firstSymlink(at, followLast);
      if (symlink === undefined) return at;
      const real = await this.core.follow(symlink);
      if (real === undefined) return this.#requireEverything(did, path, symlink, access);
      at = `${real === "/" ? "" : real}${at.slice(symlink.length)}` || "/";
    }
    throw systemFault("ELOOP", did, path);
  }

  async #firstSymlink(path: string, followLast: boolean): Promise<string | undefined> {
    for (let end = path.indexOf("/", 1); ; end = path.indexOf("/", end + 1)) {
      const part = end === -1 ? path : path.slice(0, end);
      if (end === -1 && !followLast) return undefined;
      const info = await this.statOrMissing(part);
      if (info === undefined) return undefined;
      if (info.isSymlink) return part;
      if (end === -1) return undefined;
    }
  }

  /** A symlink with an unknown target is followed only if every path is granted. */
  #requireEverything(did: string, path: string, symlink: string, access: Access): string {
    if (this.#bound !== undefined && coversEverything(this.#bound.grant, access)) return path;
    const { name: backend } = this.core;
    const what = symlink === path ? "it is a symlink" : `"${symlink}" is a symlink`;
    throw new HaftError(
      "BACKEND_UNSUPPORTED",
      `Did not ${did} "${path}": ${what}, and the backend "${backend}" cannot resolve symlinks. Use the real path.`,
      { details: { backend, feature: "resolving symlinks" } },
    );
  }

  async statOrMissing(path: string): Promise<CoreStat | undefined> {
    try {
      return await this.core.fs.stat(path);
    } catch (thrown) {
      const { code } = coreFault(thrown, "inspect", path);
      if (code === "FS_NOT_FOUND" || code === "FS_NOT_A_DIRECTORY" || code === "FS_LINK_LOOP") return undefined;
      if (!(await askCore("inspect", path, () => this.core.fs.exists(path)))) return undefined;
      throw coreFault(thrown, "inspect", path);
    }
  }
}

/** Whether no place is outside the grant: an unknown one is then inside it. */
function coversEverything(grant: Grant, access: Access): boolean {
  if (grant.except.length > 0 || grant.exceptNames.length > 0) return false;
  return grant.files.some(({ path, scope, access: granted }) => {
    return (
      path === "/" &&
      scope === "tree" &&
      (granted.includes(access) || (access === "create" && granted.includes("write")))
    );
  });
}
