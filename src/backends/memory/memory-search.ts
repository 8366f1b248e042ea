/** The port to searching a memory backend: the shared engine over the tree. */

import { isRuleAbove, type SearchSource, searchInCall, searchTree, walkTree } from "../../engines/search/index.js";
import {
  type Binding,
  FS_OPERATIONS,
  type GrepHit,
  type GrepQuery,
  operationFault,
  type Search,
  type SearchEnd,
  sealPort,
  type WalkEntry,
  type WalkQuery,
} from "../../kernel/index.js";
import { FileTree, type ResolvedNode } from "./file-tree.js";
import type { ProcessTable } from "./process-table.js";
import { fileAt, nodeAt } from "./resolved-node.js";
import { TreeGuard } from "./tree-guard.js";

const CHUNK_BYTES = 64 * 1024;

export class MemorySearch implements Search {
  readonly #tree: FileTree;
  readonly #table: ProcessTable;
  readonly #bound: Binding;

  constructor(tree: FileTree, table: ProcessTable, bound: Binding) {
    this.#tree = tree;
    this.#table = table;
    this.#bound = bound;
  }

  grep(asked: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    const query = { ...asked };
    const { clock } = this.#table;
    return searchInCall(this.#bound, clock, query, (scope, bound) =>
      searchTree(this.#source(query.root, bound), query, scope),
    );
  }

  walk(asked: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    const query = { ...asked };
    const { clock } = this.#table;
    return searchInCall(this.#bound, clock, query, (scope, bound) =>
      walkTree(this.#source(query.root, bound), query, scope),
    );
  }

  #source(root: string, bound: Binding): SearchSource {
    // The scope ends the search; a call that has ended meanwhile must still get its end record.
    const call = { ...bound.call, signal: new AbortController().signal };
    const guarded = new TreeGuard(this.#tree, { grant: bound.grant, call });
    const free = new TreeGuard(this.#tree);
    const guardOf = (path: string) => (isRuleAbove(root, path) ? free : guarded);
    const look = <T>(guard: TreeGuard, path: string, act: (resolved: ResolvedNode) => T, followLast = true) =>
      guard.run(FS_OPERATIONS.stat, [{ path, access: "read", followLast }], undefined, act);
    const table = this.#table;
    return {
      stat: (path, follow) => {
        const infoOf = (resolved: ResolvedNode) => {
          const node = nodeAt(resolved, FS_OPERATIONS.stat, path);
          return { kind: node.kind, size: node.kind === "file" ? node.bytes.length : 0 };
        };
        return look(guardOf(path), path, infoOf, follow);
      },
      readDir: async (path) => {
        await table.yieldSlice(0);
        return look(guarded, path, (resolved) => {
          const node = nodeAt(resolved, FS_OPERATIONS.stat, path);
          if (node.kind !== "directory") throw operationFault("ENOTDIR", FS_OPERATIONS.list, path);
          guarded.requireTree(FileTree.pathOf(resolved), "read", "skipped");
          return [...node.children].map(([name, child]) => ({
            name,
            kind: child.kind,
            size: child.kind === "file" ? child.bytes.length : 0,
          }));
        });
      },
      async *openRead(path) {
        const bytes = await look(guardOf(path), path, (resolved) => fileAt(resolved, FS_OPERATIONS.read, path).bytes);
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          await table.yieldSlice(CHUNK_BYTES);
          yield bytes.slice(at, at + CHUNK_BYTES);
        }
      },
    };
  }
}

sealPort(MemorySearch);
