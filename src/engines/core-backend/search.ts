/** Searching over seven operations: the shared engine, one question a file. */
import type {
  Binding,
  Clock,
  GrepHit,
  GrepQuery,
  Search,
  SearchEnd,
  WalkEntry,
  WalkQuery,
} from "../../kernel/index.js";
import { FS_OPERATIONS, notAFile, operationFault, sealPort } from "../../kernel/index.js";
import { isRuleAbove, type SearchSource, searchInCall, searchTree, walkTree } from "../search/index.js";
import { askCore } from "./faults.js";
import { coreKindOf } from "./fs.js";
import { type CoreAccess, CoreGuard } from "./guard.js";

export class CorePortSearch implements Search {
  readonly #core: CoreAccess;
  readonly #clock: Clock;
  readonly #bound: Binding;

  constructor(core: CoreAccess, clock: Clock, bound: Binding) {
    this.#core = core;
    this.#clock = clock;
    this.#bound = bound;
  }

  grep(asked: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {
    const query = { ...asked };
    return searchInCall(this.#bound, this.#clock, query, (scope, bound) =>
      searchTree(this.#source(query.root, bound), query, scope),
    );
  }

  walk(asked: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {
    const query = { ...asked };
    return searchInCall(this.#bound, this.#clock, query, (scope, bound) =>
      walkTree(this.#source(query.root, bound), query, scope),
    );
  }

  #source(root: string, bound: Binding): SearchSource {
    const { fs } = this.#core;
    // The scope ends the search; a call that has ended meanwhile must still get its end record.
    const call = { ...bound.call, signal: new AbortController().signal };
    const guarded = new CoreGuard(this.#core, { grant: bound.grant, call });
    return {
      async stat(path, follow) {
        if (!isRuleAbove(root, path)) await guarded.check(FS_OPERATIONS.search, path, "read", follow);
        const info = await guarded.statOrMissing(path);
        if (info === undefined) throw operationFault("ENOENT", FS_OPERATIONS.search, path);
        const kind = info.isSymlink && !follow ? "link" : coreKindOf(info);
        return { kind, size: info.isFile ? info.size : 0 };
      },
      async readDir(path) {
        await guarded.check(FS_OPERATIONS.list, path, "read", true);
        // Excluded paths are skipped and counted; the rest of the directory is searched.
        guarded.requireTree(path, "read", "skipped");
        const entries = await askCore(FS_OPERATIONS.list[0], path, () => fs.readDir(path));
        return Promise.all(
          entries.map(async ({ name }) => {
            const info = await guarded.statOrMissing(path === "/" ? `/${name}` : `${path}/${name}`);
            const kind = info === undefined || info.isSymlink ? "link" : coreKindOf(info);
            return info?.isFile === true ? { name, kind, size: info.size } : { name, kind };
          }),
        );
      },
      async *openRead(path) {
        if (!isRuleAbove(root, path)) await guarded.check(FS_OPERATIONS.read, path, "read", true);
        const info = await guarded.statOrMissing(path);
        if (info === undefined) throw operationFault("ENOENT", FS_OPERATIONS.read, path);
        if (!info.isFile) throw notAFile(FS_OPERATIONS.read[0], path, "device", "not a regular file");
        yield await askCore(FS_OPERATIONS.read[0], path, () => fs.readBytes(path));
      },
    };
  }
}

sealPort(CorePortSearch);
