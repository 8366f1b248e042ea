import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { toolBench } from "../tool-bench.fixture.js";

/** Linux keeps a file system in memory here. */
const OTHER = "/dev/shm";
const isOther = statSync(OTHER, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;

const BACKENDS = [
  ["local", async (cwd: string) => createLocalBackend({ cwd })],
  ["posix", async (cwd: string) => openLocalPosix({ shell: ["sh"], cwd })],
] as const;

describe.skipIf(!isOther)("a move to another file system", () => {
  it.each(BACKENDS)("is refused whole on %s, with the way to do it", async (_, open) => {
    const here = mkdtempSync(join(tmpdir(), "haft-move-"));
    const there = mkdtempSync(join(OTHER, "haft-move-"));
    const backend = await open(here);
    try {
      mkdirSync(join(here, "directory"));
      for (const name of ["one.txt", "directory/two.txt"]) writeFileSync(join(here, name), name);
      const bench = toolBench({ backend });
      for (const from of ["one.txt", "directory"]) {
        const to = join(there, "moved");
        const moved = await bench.call("move", { from, to });
        const why =
          "the destination is on another file system, and a move must be atomic. Copy it with a command, then delete it.";
        expect([moved.code, moved.message]).toEqual(["FS_CROSS_DEVICE", `Did not move anything to "${to}": ${why}`]);
        expect(statSync(to, { throwIfNoEntry: false })).toBeUndefined();
      }
      for (const name of ["one.txt", "directory/two.txt"]) expect(readFileSync(join(here, name), "utf8")).toBe(name);
    } finally {
      await backend.close();
      for (const directory of [here, there]) rmSync(directory, { recursive: true });
    }
  });
});
