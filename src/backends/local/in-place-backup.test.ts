import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { transpileForProcess } from "../../../test/transpile.js";
import { showControls } from "../../text/index.js";
import { mountSmallDisk, type SmallDisk } from "../posix/small-disk.fixture.js";
import { MAX_BACKUP_BYTES, restoreCommand } from "./in-place-backup.js";
import { createLocalBackend } from "./local-backend.js";

vi.setConfig({ testTimeout: 120_000 });

/** How many writers are killed at random moments. */
const KILLS = process.env.LONG === "1" ? 200 : 20;
const MIB = 1024 * 1024;
const USER = 1234;
const isRoot = process.getuid?.() === 0;

let folder: string;
let disk: SmallDisk | undefined;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-in-place-")));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  for (const one of started.splice(0)) one.kill("SIGKILL");
  disk?.dispose();
  disk = undefined;
  rmSync(folder, { recursive: true, force: true });
});

let built: { readonly folder: string; readonly script: string };
beforeAll(() => {
  const target = mkdtempSync(join(tmpdir(), "haft-writer-"));
  chmodSync(target, 0o755);
  built = { folder: target, script: transpileForProcess(new URL("./writer.fixture.ts", import.meta.url), target) };
});
afterAll(() => rmSync(built.folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const state = () => at("state");
const backups = () => join(state(), "backups");
const left = (path = backups()) => (existsSync(path) ? readdirSync(path) : []);

/** A start after a host was killed: the files that it reports. */
const nextStart = () =>
  createLocalBackend({ watcher: false, stateDir: state() })
    .takeReports()
    .flatMap(({ halfWritten = [] }) => halfWritten);

/** A file of two names. */
function twoNames(size: number, path = at("file")): Buffer {
  const old = Buffer.alloc(size, "o");
  writeFileSync(path, old);
  linkSync(path, `${path} too`);
  return old;
}

/** Runs a writer to its end. @param stopAt - The operation in which it is killed. */
function write(path: string, size: number, stopAt: number | "overwrite" | "log", as: object = {}, stateDir = state()) {
  const argv = [built.script, path, String(size), stateDir, String(stopAt)];
  const { stdout, signal } = spawnSync(process.execPath, argv, { encoding: "utf8", ...as });
  return { lines: stdout.trim().split("\n"), isKilled: signal === "SIGKILL" };
}

/** That the old or the new bytes can be had, and the next start says how; after that nothing is left of the write. */
function requireRecoverable(path: string, old: Buffer, size: number): "old" | "new" | "reported" {
  const fresh = Buffer.alloc(size, "n");
  const whole = () => {
    const now = readFileSync(path);
    return now.equals(old) ? "old" : now.equals(fresh) ? "new" : undefined;
  };
  const before = whole();
  const reports = nextStart();
  if (before === undefined) {
    const [{ backup, restore }] = reports as [(typeof reports)[0]];
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

describe("a process that is killed while it writes in place", () => {
  it(`at a random moment leaves the old or the new bytes to be had, and the next start says how (${KILLS} times)`, async () => {
    const seen = { old: 0, new: 0, reported: 0 };
    for (let round = 0; round < KILLS; round += 1) {
      const [oldSize, newSize] = [randomInt(1, 65) * MIB + randomInt(MIB), randomInt(1, 65) * MIB + randomInt(MIB)];
      const old = twoNames(oldSize);
      const { mtimeMs } = statSync(at("file"));
      const writer = spawn(process.execPath, [built.script, at("file"), String(newSize), state()], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      started.push(writer);
      const closed = new Promise((resolve) => writer.once("close", resolve));
      await new Promise((resolve) => writer.stdout!.once("data", resolve));
      // Most of the time goes into keeping the old bytes: half of the kills wait for the first overwritten byte.
      if (round % 2 === 0) await pause(randomInt(400));
      else {
        while (writer.exitCode === null && statSync(at("file")).mtimeMs === mtimeMs) await pause(0);
        await pause(randomInt(4) === 0 ? randomInt(60) : 0);
      }
      writer.kill("SIGKILL");
      await closed;
      seen[requireRecoverable(at("file"), old, newSize)] += 1;
      for (const name of ["file", "file too"]) rmSync(at(name));
    }
    if (process.env.LONG === "1") process.stdout.write(`${KILLS} kills: ${JSON.stringify(seen)}\n`);
    expect(seen.old + seen.new + seen.reported).toBe(KILLS);
  }, 1_200_000);

  for (const [how, newSize] of [
    ["longer", 300],
    ["shorter", 100],
  ] as const)
    it(`in any one of its operations leaves a file that becomes ${how} old, new or reported`, () => {
      const seen = new Set<string>();
      let operations = 0;
      for (let stopAt = 1, isKilled = true; isKilled; stopAt += 1) {
        const old = twoNames(200);
        ({ isKilled } = write(at("file"), newSize, stopAt));
        seen.add(requireRecoverable(at("file"), old, newSize));
        for (const name of ["file", "file too"]) rmSync(at(name));
        operations = stopAt;
      }
      expect([...seen].sort()).toEqual(["new", "old", "reported"]);
      expect(operations).toBeGreaterThan(10);
    });
});

/** Leaves the file half-written: the process is killed in the middle of its first write. */
function halfWrite(path: string, size = 300): void {
  expect(write(path, size, "overwrite").isKilled).toBe(true);
  expect(nextStart()).toHaveLength(1);
}

describe("before the first byte is overwritten", () => {
  it("the copy, its name and its record are on the disk", () => {
    twoNames(200);
    const log = write(at("file"), 300, "log").lines.map((line) => line.replace(/[0-9a-f]{16}/g, "ID"));
    const overwriteAt = log.indexOf("writeSync TARGET");
    const order = [
      `writeFileSync ${backups()}/ID.json`,
      `fsync ${backups()}/ID.part`,
      `renameSync ${backups()}/ID.part`,
      `fsync ${backups()}`,
      `fsync ${state()}`,
    ];
    expect(log.slice(0, overwriteAt).filter((line) => order.includes(line))).toEqual(order);
    const end = ["fsync TARGET", `rmSync ${backups()}/ID.old`, `rmSync ${backups()}/ID.json`];
    expect(log.slice(overwriteAt).filter((line) => end.includes(line))).toEqual(end);
  });

  it("nobody else can read the copy", () => {
    twoNames(200);
    halfWrite(at("file"));
    const modes = [backups(), ...left().map((name) => join(backups(), name))].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it("a copy for which there is no room leaves the file as it is, and the error says sizes and what to do", async (context) => {
    disk = mountSmallDisk(2 * 1024);
    if (disk === undefined) return context.skip("a small disk cannot be mounted here: that takes root");
    const old = twoNames(3 * MIB);
    const stateDir = disk.path;
    const { fs } = createLocalBackend({ watcher: false, stateDir }).root;
    await expect(fs.writeFile(at("file"), "new")).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringMatching(
        /^Did not write ".*\/file": it can only be overwritten in place, and its 3145728 bytes could not be backed up first in ".*\/backups" \(no space left on device\)\. Nothing was changed\. Free some space .*--state DIR/,
      ),
    });
    expect([readFileSync(at("file")).equals(old), left(join(stateDir, "backups"))]).toEqual([true, []]);
  });

  it("a file that is too large to be kept is refused", async () => {
    twoNames(1);
    truncateSync(at("file"), MAX_BACKUP_BYTES + 1);
    const { fs } = createLocalBackend({ watcher: false, stateDir: state() }).root;
    await expect(fs.writeFile(at("file"), "new")).rejects.toMatchObject({
      code: "FS_TOO_LARGE",
      details: { sizeBytes: MAX_BACKUP_BYTES + 1, maxBytes: MAX_BACKUP_BYTES },
    });
    expect([statSync(at("file")).size, left()]).toEqual([MAX_BACKUP_BYTES + 1, []]);
  });

  it("nothing is kept where the file is replaced by a rename", async () => {
    writeFileSync(at("file"), "old");
    await createLocalBackend({ watcher: false, stateDir: state() }).root.fs.writeFile(at("file"), "new");
    expect(existsSync(state())).toBe(false);
  });

  it("a cancelled write leaves no copy", async () => {
    const old = twoNames(64 * MIB);
    const control = new AbortController();
    const { fs } = createLocalBackend({ watcher: false, stateDir: state() }).root;
    const writing = fs.writeFile(at("file"), "new", { signal: control.signal });
    while (!left().some((name) => name.endsWith(".part"))) await pause(0);
    control.abort();
    await expect(writing).rejects.toMatchObject({ code: "CALL_CANCELLED" });
    expect([readFileSync(at("file")).equals(old), left()]).toEqual([true, []]);
  });
});

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
    // As long as before, so that the sizes do not tell.
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

describe("wherever a rename cannot be used", () => {
  const asUser = isRoot ? { uid: USER, gid: USER } : {};
  beforeEach(() => {
    mkdirSync(at("closed"));
    if (!isRoot) return;
    mkdirSync(state(), { mode: 0o700 });
    for (const path of [folder, state(), at("closed")]) chownSync(path, USER, USER);
  });
  it.runIf(isRoot)("the bytes of a file of a foreign group are kept", () => {
    writeFileSync(at("file"), "o".repeat(200));
    chownSync(at("file"), USER, 2345);
    requireKept(at("file"));
  });

  it("the bytes of a file in a directory without write permission are kept", () => {
    writeFileSync(at("closed/file"), "o".repeat(200));
    chmodSync(at("closed/file"), 0o666);
    chmodSync(at("closed"), 0o555);
    requireKept(at("closed/file"));
    chmodSync(at("closed"), 0o755);
  });

  it("the bytes behind a symlink are kept", () => {
    twoNames(200, at("closed/file"));
    if (isRoot) chownSync(at("closed/file"), USER, USER);
    symlinkSync("closed/file", at("link"));
    requireKept(at("link"));
  });

  function requireKept(path: string): void {
    const old = readFileSync(path);
    expect(write(path, 300, "overwrite", asUser).isKilled).toBe(true);
    expect(requireRecoverable(path, old, 300)).toBe("reported");
    expect(write(path, 300, "log", asUser).lines.at(-1)).toBe("in place");
  }
});

describe("without a state directory", () => {
  it("the old bytes lie beside the file meanwhile", () => {
    const old = twoNames(200);
    expect(write(at("file"), 200, "log", {}, "").lines.at(-1)).toBe("in place");
    expect(readdirSync(folder)).toEqual(["file", "file too"]);
    writeFileSync(at("file"), old);
    expect(write(at("file"), 300, "overwrite", {}, "").isKilled).toBe(true);
    const [beside = ""] = readdirSync(folder).filter((name) => name.startsWith("file.haft-backup-"));
    expect(readFileSync(at(beside)).equals(old)).toBe(true);
    expect(readFileSync(at("file")).equals(old)).toBe(false);
  });

  it("a file in a directory without write permission is refused", () => {
    mkdirSync(at("closed"));
    writeFileSync(at("closed/file"), "old");
    chmodSync(at("closed/file"), 0o666);
    chmodSync(at("closed"), 0o555);
    const as = isRoot ? { uid: USER, gid: USER } : {};
    const { stdout } = spawnSync(process.execPath, [built.script, at("closed/file"), "any"], {
      encoding: "utf8",
      ...as,
    });
    expect([stdout, readFileSync(at("closed/file"), "utf8")]).toEqual(["STORE_UNWRITABLE\n", "old"]);
    chmodSync(at("closed"), 0o755);
  });
});

describe("a write in place that fails half-way", () => {
  it("says where the old bytes are and how to restore them", async (context) => {
    disk = mountSmallDisk(3 * 1024);
    if (disk === undefined) return context.skip("a small disk cannot be mounted here: that takes root");
    const path = join(disk.path, "one");
    // A file that is all hole takes no room until it is written.
    writeFileSync(path, "");
    truncateSync(path, 4 * MIB);
    linkSync(path, join(disk.path, "two"));
    const { fs } = createLocalBackend({ watcher: false, stateDir: state() }).root;
    const fault = await fs.writeFile(path, Buffer.alloc(4 * MIB, "n")).catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ code: "FS_IO", message: expect.stringContaining("Restore them with: cp '") });
    const [copy] = left().filter((name) => name.endsWith(".old"));
    expect(readFileSync(join(backups(), copy!)).equals(Buffer.alloc(4 * MIB))).toBe(true);
  });
});

describe("the command that restores a file", () => {
  it.each(["plain name", "esc\x1b[2J.txt", "new\nline", "x\u202ey", 'it\'s\x07 100% $(touch ran) `touch ran` \\ "q"'])(
    "names %j in characters that show, and no other file",
    (name) => {
      writeFileSync(at("copy"), "old");
      writeFileSync(at(name), "half");
      const command = restoreCommand(at("copy"), at(name));
      expect(showControls(command)).toBe(command);
      for (const shell of ["sh", "bash"]) {
        writeFileSync(at(name), "half");
        execFileSync(shell, ["-c", command], { cwd: folder });
        expect(readFileSync(at(name), "utf8")).toBe("old");
      }
      expect(existsSync(at("ran"))).toBe(false);
    },
  );
});

function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.startsWith("T");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
