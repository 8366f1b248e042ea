/** Access of one operation to the tree: authorized and executed in one synchronous step, so that nothing can be swapped between. */
import {
  type Access,
  type Binding,
  covers,
  type FsOperation,
  type Io,
  requireAuthorized,
  requireCovered,
  requireLive,
  requirePath,
  requireTreeCovered,
  requireUncancelled,
} from "../../kernel/index.js";
import { FileTree, type ResolvedNode } from "./file-tree.js";

/** One path that an operation touches. */
interface Touch {
  readonly path: string;
  readonly access: Access;
  readonly followLast: boolean;
}

export class TreeGuard {
  readonly tree: FileTree;
  readonly #bound: Binding | undefined;

  constructor(tree: FileTree, bound?: Binding) {
    this.tree = tree;
    this.#bound = bound;
  }

  /** Refuses when the call or the operation has ended, or the backend is closed. */
  requireRunning(operation: FsOperation, path: string, io: Io | undefined): void {
    this.tree.requireOpen();
    if (this.#bound !== undefined) requireLive(this.#bound.call);
    requireUncancelled(operation, path, io?.signal);
  }

  /**
   * Resolves each path, authorizes its real path, then runs `act` synchronously. If policy must be asked, paths are resolved
   * again after its answer until they match the authorized ones.
   */
  async run<T>(
    operation: FsOperation,
    touches: readonly Touch[],
    io: Io | undefined,
    operate: (...resolvedPaths: ResolvedNode[]) => T,
  ): Promise<T> {
    for (const { path } of touches) this.requireRunning(operation, path, io);
    for (const { path } of touches) requirePath(operation, path);
    if (this.#bound !== undefined)
      for (const { path, access } of touches) requireCovered(this.#bound.grant, path, access);
    const authorized = touches.map(({ path }) => path);
    for (;;) {
      const resolvedPaths = touches.map((touch) => this.tree.walk(touch.path, touch.followLast, operation));
      const open = resolvedPaths.findIndex(
        (resolved, index) =>
          !this.#isAuthorized(touches[index] as Touch, FileTree.pathOf(resolved), authorized[index] as string),
      );
      if (open === -1) return operate(...resolvedPaths);
      const { path, access } = touches[open] as Touch;
      const real = FileTree.pathOf(resolvedPaths[open] as ResolvedNode);
      const bound = this.#bound as Binding;
      await requireAuthorized(bound.grant, bound.call, path, real, access);
      this.requireRunning(operation, path, io);
      authorized[open] = real;
    }
  }

  /** Whether the grant covers `real` without asking: for what `stat` and `readDir` report of symlinks. */
  reaches(asked: string, real: string): boolean {
    if (this.#bound === undefined) return true;
    const { grant } = this.#bound;
    return (
      covers(grant, real, "read") || grant.symlinkTargets.some((pair) => pair.asked === asked && pair.real === real)
    );
  }

  /** Refuses to take, or look through, what lies below `path` unless the grant covers all of it; see `requireTreeCovered`. */
  requireTree(path: string, access: Access, excepted?: "skipped"): void {
    if (this.#bound !== undefined) requireTreeCovered(this.#bound.grant, path, access, excepted);
  }

  #isAuthorized(touch: Touch, real: string, authorized: string): boolean {
    return (
      this.#bound === undefined ||
      real === touch.path ||
      real === authorized ||
      covers(this.#bound.grant, real, touch.access)
    );
  }
}
