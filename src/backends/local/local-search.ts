import type { GrepHit, GrepQuery, Search, SearchEnd, WalkEntry, WalkQuery } from "../../kernel/index.js";
import type { GuardMode } from "./fs-anchor.js";
import type { FsBinding } from "./fs-spot.js";

export class LocalSearch implements Search {
  constructor(mode: GuardMode, engine: "ripgrep" | "own", binding: FsBinding) {
    void [mode, engine, binding];
  }
  async *grep(_query: GrepQuery): AsyncIterable<GrepHit | SearchEnd> {}
  async *walk(_query: WalkQuery): AsyncIterable<WalkEntry | SearchEnd> {}
}
