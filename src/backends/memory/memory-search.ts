/** The port to searching a memory backend: the shared engine over the tree. */
import {
  type Binding,
  DOING,
  type GrepHit,
  type GrepQuery,
  isRuleAbove,
  refusedBy,
  type Search,
  type SearchEnd,
  type SearchSource,
  searchInCall,
  searchTree,
  type WalkEntry,
  type WalkQuery,
  walkTree,
} from "../../kernel/index.js";
import { FileTree, type Spot } from "./file-tree.js";
import type { ProcessTable } from "./process-table.js";
import { fileAt, nodeAt } from "./spot-node.js";
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

  grep(query: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    const { clock } = this.#table;
    return searchInCall(this.#bound, clock, query, (scope, bound) =>
      searchTree(this.#source(query.root, bound), query, scope),
    );
  }

  walk(query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
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
    const look = <T>(guard: TreeGuard, path: string, act: (spot: Spot) => T) =>
      guard.act(DOING.looking, [{ path, access: "read", followLast: true }], undefined, act);
    const table = this.#table;
    return {
      stat: (path) =>
        look(guardOf(path), path, (spot) => {
          const node = nodeAt(spot, DOING.looking, path);
          return { kind: node.kind, size: node.kind === "file" ? node.bytes.length : 0 };
        }),
      readDir: async (path) => {
        await table.takeTurn(0);
        return look(guarded, path, (spot) => {
          const node = nodeAt(spot, DOING.looking, path);
          if (node.kind !== "directory") throw refusedBy("ENOTDIR", DOING.listing, path);
          guarded.requireTree(FileTree.pathOf(spot), "read", "left-out");
          return [...node.children].map(([name, child]) => ({
            name,
            kind: child.kind,
            size: child.kind === "file" ? child.bytes.length : 0,
          }));
        });
      },
      async *openRead(path) {
        const bytes = await look(guardOf(path), path, (spot) => fileAt(spot, DOING.reading, path).bytes);
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          await table.takeTurn(CHUNK_BYTES);
          yield bytes.slice(at, at + CHUNK_BYTES);
        }
      },
    };
  }
}
