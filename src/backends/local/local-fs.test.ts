import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { Backend } from "../../kernel/index.js";
import { type Fixture, fsSuite, type Plan, type Plant, runnable } from "../../testing/index.js";
import { type GuardMode, guardMode } from "./fs-anchor.js";
import { KeptAttributes } from "./kept-attributes.js";
import { LocalFs } from "./local-fs.js";
import { TempFiles } from "./temp-file.js";

async function plant(what: Plant): Promise<void> {
  // A case that plants in a loop must leave the others their turn.
  await new Promise(setImmediate);
  if (what.kind === "link") {
    symlinkSync(what.target, `${what.path}.planting`);
    renameSync(`${what.path}.planting`, what.path);
  } else if (what.kind === "hard-link") linkSync(what.of, what.path);
  else if (what.kind === "fifo") execFileSync("mkfifo", [what.path]);
  else chmodSync(what.path, what.mode);
}

function planOf(mode: GuardMode): Plan<Fixture> {
  return {
    name: mode,
    async create() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-fs-")));
      const tools = { mode, temps: new TempFiles(), attributes: new KeptAttributes() };
      const backend = {
        root: { fs: new LocalFs(tools) },
        bind: (grant: never, call: never) => ({ fs: new LocalFs(tools, { grant, call }) }),
      } as unknown as Backend;
      return {
        backend,
        folder,
        clock: { now: () => Date.now(), timer: () => () => {} },
        plant,
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
    cannot:
      mode === "checked"
        ? { "fs:guard:swapped-during-the-act": "without descriptors a swap between check and act can win" }
        : {},
    knownFailures: {},
  };
}

for (const mode of [guardMode(), "checked"] as const) {
  describe(`files, ${mode}`, () => {
    for (const one of runnable(planOf(mode), [fsSuite])) it(`${one.id}: ${one.behavior}`, one.run);
  });
}
