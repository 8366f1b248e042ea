import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LONG } from "../../../testing/long.fixture.js";
import { showControls } from "../../../text/index.js";
import { mountSmallDisk, type SmallDisk } from "../../posix/fs/small-disk.fixture.js";
import { createLocalBackend } from "../local-backend.js";
import {
  at,
  backups,
  built,
  directory,
  halfWrite,
  isRoot,
  left,
  MIB,
  pause,
  requireRecoverable,
  started,
  state,
  twoNames,
  USER,
  write,
} from "./in-place-backup.fixture.js";
import { MAX_BACKUP_BYTES, restoreCommand } from "./in-place-backup.js";

let disk: SmallDisk | undefined;
afterEach(() => {
  disk?.dispose();
  disk = undefined;
});

/** How many writers are killed at random moments. */
const KILLS = LONG ? 200 : 4;

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
    if (LONG) process.stdout.write(`${KILLS} kills: ${JSON.stringify(seen)}\n`);
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

  it("only the owner can read the copy", () => {
    twoNames(200);
    halfWrite(at("file"));
    const modes = [backups(), ...left().map((name) => join(backups(), name))].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it("a copy that does not fit on the disk leaves the file as it is, and the error reports sizes and what to do", async (context) => {
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

describe("wherever a rename cannot be used", () => {
  const asUser = isRoot ? { uid: USER, gid: USER } : {};
  beforeEach(() => {
    mkdirSync(at("closed"));
    if (!isRoot) return;
    mkdirSync(state(), { mode: 0o700 });
    for (const path of [directory, state(), at("closed")]) chownSync(path, USER, USER);
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
    expect(readdirSync(directory)).toEqual(["file", "file too"]);
    writeFileSync(at("file"), old);
    expect(write(at("file"), 300, "overwrite", {}, "").isKilled).toBe(true);
    const [beside = ""] = readdirSync(directory).filter((name) => name.startsWith("file.haft-backup-"));
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
    // A sparse file takes no disk space until it is written.
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
        execFileSync(shell, ["-c", command], { cwd: directory });
        expect(readFileSync(at(name), "utf8")).toBe("old");
      }
      expect(existsSync(at("ran"))).toBe(false);
    },
  );
});
