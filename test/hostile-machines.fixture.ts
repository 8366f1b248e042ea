/** The backends that hostile tools meet, each with a workspace and a directory outside it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalBackend } from "../src/backends/local/index.js";
import { createMemoryBackend } from "../src/backends/memory/index.js";
import { openLocalPosix } from "../src/backends/posix/index.js";
import type { Backend } from "../src/kernel/index.js";
import { realClock } from "../src/testing/conform.fixture.js";
import { plantByShell } from "../src/testing/index.js";

type PlantLink = (path: string, target: string) => Promise<void>;

export interface Machine {
  readonly backend: Backend;
  readonly base: string;
  readonly link: PlantLink;
  dispose(): Promise<void>;
}

function onDisk(open: (cwd: string) => Backend | Promise<Backend>): () => Promise<Machine> {
  return async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-hostile-")));
    for (const name of ["ws", "ws/real", "out"]) mkdirSync(join(base, name));
    const backend = await open(join(base, "ws"));
    const plant = plantByShell(backend);
    return {
      backend,
      base,
      link: (path, target) => plant({ kind: "link", path, target }),
      async dispose() {
        await backend.close();
        rmSync(base, { recursive: true, force: true });
      },
    };
  };
}

export const machines: Readonly<Record<string, () => Promise<Machine>>> = {
  async memory() {
    const backend = createMemoryBackend({ clock: realClock, cwd: "/base/ws" });
    for (const name of ["/base/ws", "/base/ws/real", "/base/out"]) await backend.root.fs.mkdir(name, true);
    return {
      backend,
      base: "/base",
      link: async (path, target) => backend.plant({ kind: "link", path, target }),
      dispose: async () => void (await backend.close()),
    };
  },
  local: onDisk((cwd) => createLocalBackend({ cwd })),
  posix: onDisk((cwd) => openLocalPosix({ shell: ["sh"], cwd })),
};
