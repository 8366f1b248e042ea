import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../host/index.js";
import type { Backend } from "../../../kernel/index.js";
import { conform } from "../../../testing/conform.fixture.js";
import { type Fixture, fsSuite, type Plant } from "../../../testing/index.js";
import { LocalFs, localFsTools } from "./local-fs.js";

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

/** Files as on a system that shows no descriptors; `local-backend.test.ts` has those of this one. */
async function create(): Promise<Fixture> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-fs-")));
  const tools = localFsTools("checked");
  const backend: { root: { fs: LocalFs }; bind: (...binding: Parameters<Backend["bind"]>) => { fs: LocalFs } } = {
    root: { fs: new LocalFs(tools) },
    bind: (grant, call) => ({ fs: new LocalFs(tools, { grant, call }) }),
  };
  return {
    // The cases of files use nothing else of it.
    backend: backend as unknown as Backend,
    directory: dir,
    clock: systemClock,
    plant,
    dispose: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

const cannot = { "fs:guard:swapped-during-the-act": "without descriptors a swap between check and act can win" };
conform({ name: "local files, checked", create, cannot, knownFailures: {} }, [fsSuite]);
