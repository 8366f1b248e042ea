/** The port to searching a memory backend: the shared engine over the tree. */
import {
  type GrepHit,
  type GrepQuery,
  IGNORE_FILES,
  isWithin,
  requireLive,
  type Search,
  type SearchEnd,
  type SearchScope,
  type SearchSource,
  searchStop,
  searchTree,
  type WalkEntry,
  type WalkQuery,
  walkTree,
} from "../../kernel/index.js";
import { baseName, parentOf } from "../../text/index.js";
import { FileTree, type Spot } from "./file-tree.js";
import type { ProcessTable } from "./process-table.js";
import { fileAt, nodeAt } from "./spot-node.js";
import { LISTING, LOOKING, READING, treeError } from "./tree-errors.js";
import { type Bound, TreeGuard } from "./tree-guard.js";

const CHUNK_BYTES = 64 * 1024;

export class MemorySearch implements Search {
  readonly #tree: FileTree;
  readonly #table: ProcessTable;
  readonly #bound: Bound;

  constructor(tree: FileTree, table: ProcessTable, bound: Bound) {
    this.#tree = tree;
    this.#table = table;
    this.#bound = bound;
  }

  grep(query: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    return this.#during(query, (source, scope) => searchTree(source, query, scope));
  }

  walk(query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    return this.#during(query, (source, scope) => walkTree(source, query, scope));
  }

  async *#during<T>(
    query: WalkQuery,
    search: (source: SearchSource, scope: SearchScope) => AsyncIterable<T>,
  ): AsyncGenerator<T, void> {
    const { grant, call } = this.#bound;
    requireLive(call);
    const stop = searchStop(query, call, this.#table.clock);
    const scope = {
      except: grant.except,
      signal: stop.signal,
      ...(call.workspace === undefined ? {} : { workspace: call.workspace }),
    };
    try {
      yield* search(this.#source(query.root), scope);
    } finally {
      stop.release();
    }
  }

  #source(root: string): SearchSource {
    // The scope ends the search; a call that has ended meanwhile must still get its end record.
    const call = { ...this.#bound.call, signal: new AbortController().signal };
    const guarded = new TreeGuard(this.#tree, { grant: this.#bound.grant, call });
    const free = new TreeGuard(this.#tree);
    const { workspace } = call;
    // Ignore rules come from the workspace down; what they say is used and not told, so no claim covers it.
    const isAbove = (folder: string) =>
      workspace !== undefined && folder !== root && isWithin(workspace, folder) && isWithin(folder, root);
    const look = <T>(guard: TreeGuard, path: string, act: (spot: Spot) => T) =>
      guard.act(LOOKING, [{ path, access: "read", followLast: true }], undefined, act);
    const table = this.#table;
    return {
      stat: (path) =>
        look(guarded, path, (spot) => {
          const node = nodeAt(spot, LOOKING, path);
          return { kind: node.kind, size: node.kind === "file" ? node.bytes.length : 0 };
        }),
      readDir: async (path) => {
        await table.takeTurn(0);
        return look(isAbove(path) ? free : guarded, path, (spot) => {
          const node = nodeAt(spot, LOOKING, path);
          if (node.kind !== "directory") throw treeError("ENOTDIR", LISTING, path);
          if (!isAbove(path)) guarded.requireTree(FileTree.pathOf(spot), "read", "left-out");
          return [...node.children].map(([name, child]) => ({
            name,
            kind: child.kind,
            size: child.kind === "file" ? child.bytes.length : 0,
          }));
        });
      },
      async *openRead(path) {
        const isRule = (IGNORE_FILES as readonly string[]).includes(baseName(path)) && isAbove(parentOf(path));
        const bytes = await look(isRule ? free : guarded, path, (spot) => fileAt(spot, READING, path).bytes);
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          await table.takeTurn(CHUNK_BYTES);
          yield bytes.slice(at, at + CHUNK_BYTES);
        }
      },
    };
  }
}
