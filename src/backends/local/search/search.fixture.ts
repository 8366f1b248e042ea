/** A local directory with file and search ports, for tests of search alone. */
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../host/index.js";
import type { Backend, BoundCall, Grant } from "../../../kernel/index.js";
import type { Fixture, Plant } from "../../../testing/index.js";
import { LocalFs, localFsTools } from "../fs/local-fs.js";
import { type GuardMode, guardMode } from "../fs/pinned-directory.js";
import { createLocalSearch, type LocalSearchOptions } from "./create-local-search.js";

/** Other parts of a backend are absent because no test uses them. */
export function searchFixture(
  engine: LocalSearchOptions["engine"],
  mode: GuardMode = guardMode(),
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-search-"))),
  more: Pick<LocalSearchOptions, "finder" | "watch"> = {},
): Fixture {
  const tools = localFsTools(mode);
  const search = createLocalSearch({ mode, clock: systemClock, engine, ...more });
  const backend: Pick<Backend, "bind"> = {
    bind: (grant: Grant, call: BoundCall) =>
      ({ fs: new LocalFs(tools, { grant, call }), search: search(grant, call) }) as unknown as ReturnType<
        Backend["bind"]
      >,
  };
  return {
    backend: backend as Backend,
    directory,
    clock: systemClock,
    plant: async (what) => plantHere(what),
    dispose: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

export function plantHere(what: Plant): void {
  if (what.kind === "link") {
    symlinkSync(what.target, `${what.path}.planting`);
    renameSync(`${what.path}.planting`, what.path);
  } else if (what.kind === "hard-link") linkSync(what.of, what.path);
  else if (what.kind === "fifo") execFileSync("mkfifo", [what.path]);
  else chmodSync(what.path, what.mode);
}
