/** Writers that are killed in the middle of a write in place, and what the next start then says. Importing it sets a directory up for each test. */
import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { createLocalBackend } from "../local-backend.js";

vi.setConfig({ testTimeout: 120_000 });

export const MIB = 1024 * 1024;
export const USER = 1234;
export const isRoot = process.getuid?.() === 0;

export let directory: string;
export const started: ChildProcess[] = [];
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-in-place-")));
  chmodSync(directory, 0o755);
});
afterEach(() => {
  for (const one of started.splice(0)) one.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

export let built: { readonly directory: string; readonly script: string };
beforeAll(async () => {
  const target = mkdtempSync(join(tmpdir(), "haft-writer-"));
  chmodSync(target, 0o755);
  built = {
    directory: target,
    script: await bundleForProcess(new URL("./writer.fixture.ts", import.meta.url), target),
  };
});
afterAll(() => rmSync(built.directory, { recursive: true, force: true }));

export const at = (name: string) => join(directory, name);
export const state = () => at("state");
export const backups = () => join(state(), "backups");
export const left = (path = backups()) => (existsSync(path) ? readdirSync(path) : []);

/** A start after a host was killed: the files that it reports. */
export const nextStart = () =>
  createLocalBackend({ watcher: false, stateDir: state() })
    .takeReports()
    .flatMap(({ halfWritten = [] }) => halfWritten);

/** A file of two names. */
export function twoNames(size: number, path = at("file")): Buffer {
  const old = Buffer.alloc(size, "o");
  writeFileSync(path, old);
  linkSync(path, `${path} too`);
  return old;
}

/** Runs a writer to its end. @param stopAt - The operation in which it is killed. */
export function write(
  path: string,
  size: number,
  stopAt: number | "overwrite" | "log",
  as: object = {},
  stateDir = state(),
) {
  const argv = [built.script, path, String(size), stateDir, String(stopAt)];
  const { stdout, signal } = spawnSync(process.execPath, argv, { encoding: "utf8", ...as });
  return { lines: stdout.trim().split("\n"), isKilled: signal === "SIGKILL" };
}

/** That the old or the new bytes can be had, and the next start says how; after that nothing is left of the write. */
export function requireRecoverable(path: string, old: Buffer, size: number): "old" | "new" | "reported" {
  const fresh = Buffer.alloc(size, "n");
  const whole = () => {
    const now = readFileSync(path);
    return now.equals(old) ? "old" : now.equals(fresh) ? "new" : undefined;
  };
  const before = whole();
  const reports = nextStart();
  if (before === undefined) {
    const [{ backup, restoreCommand: restore }] = reports as [(typeof reports)[0]];
    expect(reports).toMatchObject([{ path: realpathSync(path), oldBytes: old.length }]);
    expect(readFileSync(backup).equals(old)).toBe(true);
    const { ino } = statSync(path);
    // Each start reports it, until it is restored.
    expect(nextStart()).toEqual(reports);
    execFileSync("sh", ["-c", restore]);
    expect([whole(), statSync(path).ino]).toEqual(["old", ino]);
    expect(nextStart()).toEqual([]);
  } else expect(reports).toEqual([]);
  // A record that was cut off names no writer: it is removed once it is old, and no byte was overwritten before it was whole.
  const cut = left().filter(
    (name) => name.endsWith(".json") && !readFileSync(join(backups(), name), "utf8").endsWith("\n"),
  );
  if (before === "old" && cut.length > 0) {
    expect(left()).toEqual(cut);
    for (const name of cut) utimesSync(join(backups(), name), 0, 0);
    expect(nextStart()).toEqual([]);
  }
  expect(left()).toEqual([]);
  return before ?? "reported";
}

/** Leaves the file half-written: the process is killed in the middle of its first write. */
export function halfWrite(path: string, size = 300): void {
  expect(write(path, size, "overwrite").isKilled).toBe(true);
  expect(nextStart()).toHaveLength(1);
}

export function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.startsWith("T");
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
