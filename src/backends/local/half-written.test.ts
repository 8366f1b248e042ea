import { execFileSync, spawn } from "node:child_process";
import fs, { chmodSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  at,
  backups,
  built,
  halfWrite,
  isStopped,
  left,
  nextStart,
  pause,
  requireRecoverable,
  started,
  state,
  twoNames,
} from "./fs/in-place-backup.fixture.js";
import { createLocalBackend } from "./local-backend.js";

describe("the next start", () => {
  it("says nothing of a file that a writer is still at work on, and reports it once the writer has gone", async () => {
    twoNames(200);
    const argv = [built.script, at("file"), "300", state(), "overwrite", "SIGSTOP"];
    const writer = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    started.push(writer);
    while (!existsSync(`/proc/${writer.pid}/stat`) || !isStopped(writer.pid!)) await pause(5);
    expect(nextStart()).toEqual([]);
    expect(left()).toHaveLength(2);
    // A second writer neither disturbs the first nor takes its copy away.
    await createLocalBackend({ watcher: false, stateDir: state() }).root.fs.writeFile(at("file"), "other");
    expect(left()).toHaveLength(2);
    writer.kill("SIGKILL");
    await new Promise((resolve) => writer.once("close", resolve));
    expect(nextStart()).toMatchObject([{ path: at("file"), oldBytes: 200 }]);
  });

  it("is silent once the copy is deleted", () => {
    twoNames(200);
    halfWrite(at("file"));
    rmSync(nextStart()[0]!.backup);
    expect([nextStart(), left()]).toEqual([[], []]);
  });

  it("reports each file once for a host", () => {
    twoNames(200);
    halfWrite(at("file"));
    const backend = createLocalBackend({ watcher: false, stateDir: state() });
    expect([backend.takeReports().length, backend.takeReports().length]).toEqual([1, 0]);
  });

  it("reads the file and its copy again only when the file has changed", () => {
    const old = twoNames(200);
    // As long as before, so that the sizes do not differ.
    halfWrite(at("file"), 200);
    const reads = vi.spyOn(fs, "readSync");
    const readsOf = (act: () => unknown) => {
      const { length } = reads.mock.calls;
      act();
      return reads.mock.calls.slice(length).length;
    };
    syncBuiltinESMExports();
    try {
      const record = readsOf(() => expect(nextStart()).toHaveLength(1));
      const [name] = left().filter((one) => one.endsWith(".json"));
      chmodSync(at("file"), 0o640);
      expect(readsOf(() => expect(nextStart()).toHaveLength(1))).toBeGreaterThan(record);
      expect(readsOf(() => expect(nextStart()).toHaveLength(1))).toBe(record);
      expect(left()).toContain(name);
    } finally {
      reads.mockRestore();
      syncBuiltinESMExports();
    }
    const { atime, mtime } = statSync(at("file"));
    writeFileSync(at("file"), old);
    utimesSync(at("file"), atime, mtime);
    expect([nextStart(), left()]).toEqual([[], []]);
  });

  it("reads a file again that could not be read", () => {
    const old = twoNames(200);
    halfWrite(at("file"), 200);
    writeFileSync(at("file"), old);
    const { openSync } = fs;
    const open = vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
      if (path === at("file")) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return openSync(path, ...rest);
    });
    syncBuiltinESMExports();
    try {
      expect(nextStart()).toHaveLength(1);
    } finally {
      open.mockRestore();
      syncBuiltinESMExports();
    }
    expect([nextStart(), left()]).toEqual([[], []]);
  });

  it.each(["missing", "a FIFO"])(
    "reports a file again whose writer cannot be seen from here, also where it is %s",
    (now) => {
      mkdirSync(backups(), { recursive: true });
      writeFileSync(join(backups(), "a.old"), "old");
      const startedMs = Date.now() - 3_600_000;
      const record = { path: at("file"), oldBytes: 3, newBytes: 0, newSha256: "", startedMs };
      writeFileSync(join(backups(), "a.json"), JSON.stringify(record));
      utimesSync(join(backups(), "a.json"), startedMs / 1000, startedMs / 1000);
      if (now === "a FIFO") execFileSync("mkfifo", [at("file")]);
      for (let start = 0; start < 3; start += 1) expect(nextStart()).toMatchObject([{ path: at("file"), oldBytes: 3 }]);
    },
  );

  it("quotes what stands in the name of a file", () => {
    const path = at("it's $(touch gone) & more");
    const old = twoNames(200, path);
    halfWrite(path);
    expect(requireRecoverable(path, old, 300)).toBe("reported");
    expect(existsSync(at("gone"))).toBe(false);
  });

  it("waits with what it cannot understand, and then removes it where no byte was overwritten", () => {
    mkdirSync(backups(), { recursive: true });
    for (const name of ["a.json", "a.part"]) writeFileSync(join(backups(), name), '{"path": "/x');
    for (const name of ["b.json", "b.old"]) writeFileSync(join(backups(), name), "");
    expect([nextStart(), left().length]).toEqual([[], 4]);
    const longAgo = Date.now() / 1000 - 3600;
    for (const name of left()) utimesSync(join(backups(), name), longAgo, longAgo);
    // A whole copy is never removed without its record.
    expect([nextStart(), left()]).toEqual([[], ["b.json", "b.old"]]);
  });
});
