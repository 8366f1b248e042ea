import fs, { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LocalFs, localFsTools } from "./local-fs.js";
import { guardMode } from "./pinned-directory.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-spot-"));
  for (const name of ["one", "two"]) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "file"), name);
  }
  symlinkSync("one", join(directory, "way"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const files = new LocalFs(localFsTools(guardMode()));

it.runIf(guardMode() === "pinned")(
  "operations that begin together open their directory once, and leave none open",
  async () => {
    const path = join(directory, "one/file");
    const opened = vi.spyOn(fs, "openSync");
    syncBuiltinESMExports();
    const before = readdirSync("/proc/self/fd").length;
    try {
      const [[real], info, read] = await Promise.all([
        files.resolve([path]),
        files.stat(path),
        files.readRange(path, 0, 9),
      ]);
      expect([real?.kind, info.size, read.size]).toEqual(["file", 3, 3]);
      expect(opened).toHaveBeenCalledTimes(2);
    } finally {
      opened.mockRestore();
      syncBuiltinESMExports();
    }
    expect(readdirSync("/proc/self/fd")).toHaveLength(before);
  },
);

it("an operation that begins after another finds where the path leads by then", async () => {
  const path = join(directory, "way/file");
  expect(await files.readText(path)).toBe("one");
  symlinkSync("two", join(directory, "next"));
  renameSync(join(directory, "next"), join(directory, "way"));
  expect(await files.readText(path)).toBe("two");
  writeFileSync(path, "longer");
  expect((await files.stat(path)).size).toBe(6);
});
