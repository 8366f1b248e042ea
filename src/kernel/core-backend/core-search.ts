/** Searching over eight operations: the shared engine, one question a file. */
import type { BoundCall } from "../backend.js";
import { type Grant, isWithin } from "../claims.js";
import { notAFile, systemFault } from "../fs-faults.js";
import { requireLive } from "../guard.js";
import type { GrepHit, GrepQuery, Search, SearchEnd, WalkEntry, WalkQuery } from "../search.js";
import {
  IGNORE_FILES,
  type SearchScope,
  type SearchSource,
  searchStop,
  searchTree,
  walkTree,
} from "../search-engine/index.js";
import type { Clock } from "../services.js";
import { coreFault } from "./core-faults.js";
import { kindOf } from "./core-fs.js";
import { type CoreAccess, CoreGuard } from "./core-guard.js";

export class CorePortSearch implements Search {
  readonly #core: CoreAccess;
  readonly #clock: Clock;
  readonly #bound: { readonly grant: Grant; readonly call: BoundCall };

  constructor(core: CoreAccess, clock: Clock, bound: { readonly grant: Grant; readonly call: BoundCall }) {
    this.#core = core;
    this.#clock = clock;
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
    const stop = searchStop(query, call, this.#clock);
    const workspace = call.workspace === undefined ? {} : { workspace: call.workspace };
    try {
      yield* search(this.#source(query.root), { except: grant.except, signal: stop.signal, ...workspace });
    } finally {
      stop.release();
    }
  }

  #source(root: string): SearchSource {
    const { fs } = this.#core;
    // The scope ends the search; a call that has ended meanwhile must still get its end record.
    const call = { ...this.#bound.call, signal: new AbortController().signal };
    const guarded = new CoreGuard(this.#core, { grant: this.#bound.grant, call });
    const { workspace } = call;
    // Ignore rules come from the workspace down; what they say is used and not told, so no claim covers it.
    const isAbove = (folder: string) =>
      workspace !== undefined && folder !== root && isWithin(workspace, folder) && isWithin(folder, root);
    const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";
    const isRule = (path: string) =>
      (IGNORE_FILES as readonly string[]).includes(path.slice(path.lastIndexOf("/") + 1)) && isAbove(parentOf(path));
    return {
      async stat(path) {
        await guarded.check("search", path, "read", true);
        const info = await guarded.statOrMissing(path);
        if (info === undefined) throw systemFault("ENOENT", "search", path);
        return { kind: kindOf(info), size: info.isFile ? info.size : 0 };
      },
      async readDir(path) {
        if (!isAbove(path)) {
          await guarded.check("list", path, "read", true);
          // What is excepted is left out and counted, so it is no hindrance to looking through the rest.
          guarded.requireTree(path, "read", "left-out");
        }
        const entries = await fs
          .readDir(path)
          .catch((thrown: unknown) => Promise.reject(coreFault(thrown, "list", path)));
        return Promise.all(
          entries.map(async ({ name }) => {
            const info = await guarded.statOrMissing(path === "/" ? `/${name}` : `${path}/${name}`);
            const kind = info === undefined || info.isSymlink ? "link" : kindOf(info);
            return info?.isFile === true ? { name, kind, size: info.size } : { name, kind };
          }),
        );
      },
      async *openRead(path) {
        if (!isRule(path)) await guarded.check("read", path, "read", true);
        const info = await guarded.statOrMissing(path);
        if (info === undefined) throw systemFault("ENOENT", "read", path);
        if (!info.isFile) throw notAFile("read", path, "device", "no regular file");
        yield await fs.readBytes(path).catch((thrown: unknown) => Promise.reject(coreFault(thrown, "read", path)));
      },
    };
  }
}
