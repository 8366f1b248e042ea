import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { createLocalBackend } from "../local-backend.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-replace-"));
  chmodSync(directory, 0o755);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const { fs } = createLocalBackend({ watcher: false }).root;
const at = (name: string) => join(directory, name);
const bytes = (text: string) => new TextEncoder().encode(text);
const isRoot = process.getuid?.() === 0;

describe("a new file", () => {
  it("has the mode that the umask leaves, and an old one keeps its own [EDIT-23]", async () => {
    const before = process.umask(0o027);
    try {
      await fs.writeFile(at("new"), "x");
    } finally {
      process.umask(before);
    }
    expect(statSync(at("new")).mode & 0o7777).toBe(0o640);
    chmodSync(at("new"), 0o4664);
    await fs.writeFile(at("new"), "y");
    expect(statSync(at("new")).mode & 0o7777).toBe(0o4664);
  });
});

describe("an old file", () => {
  it("keeps its set-id bits, which a write by anybody but the superuser takes away", async () => {
    writeFileSync(at("one"), "old");
    writeFileSync(at("two"), "old");
    const [user, group] = [process.geteuid!(), process.getegid!()];
    if (isRoot) {
      for (const name of ["", "one", "two"]) chownSync(at(name), 65_534, 65_534);
      process.setegid!(65_534);
      process.seteuid!(65_534);
    }
    try {
      linkSync(at("two"), at("other name"));
      for (const name of ["one", "two"]) {
        chmodSync(at(name), 0o6755);
        // What is known of a file after the first time is not looked at again.
        for (const text of ["new", "newer"]) {
          const done = await fs.replaceAtomic(at(name), bytes(text), "any");
          expect([done.inPlace, statSync(at(name)).mode & 0o7777]).toEqual([name === "two", 0o6755]);
        }
      }
    } finally {
      process.seteuid!(user);
      process.setegid!(group);
    }
  });

  it.runIf(isRoot)("keeps its owner and group", async () => {
    writeFileSync(at("file"), "old");
    chownSync(at("file"), 1234, 2345);
    const done = await fs.replaceAtomic(at("file"), bytes("new"), "any");
    const { uid, gid } = statSync(at("file"));
    expect([uid, gid, done.inPlace]).toEqual([1234, 2345, false]);
  });

  it("that is read-only is refused though its directory would allow a new one", async () => {
    writeFileSync(at("file"), "old");
    chmodSync(at("file"), 0o444);
    chmodSync(directory, 0o777);
    const script = built!.script;
    const ran = spawnSync(process.execPath, [script, at("file"), "any"], {
      encoding: "utf8",
      ...(isRoot ? { uid: 1234, gid: 1234 } : {}),
    });
    expect(ran).toMatchObject({ status: 0, stdout: "FS_PERMISSION\n" });
    expect(readFileSync(at("file"), "utf8")).toBe("old");
  });

  it("is written in place where its directory takes no other file", async () => {
    mkdirSync(at("closed"));
    writeFileSync(at("closed/file"), "a longer old text");
    chmodSync(at("closed/file"), 0o666);
    chmodSync(at("closed"), 0o555);
    mkdirSync(at("state"));
    if (isRoot) chownSync(at("state"), 1234, 1234);
    const ran = spawnSync(process.execPath, [built!.script, at("closed/file"), "any", at("state")], {
      encoding: "utf8",
      ...(isRoot ? { uid: 1234, gid: 1234 } : {}),
    });
    expect(ran).toMatchObject({ status: 0, stdout: "in place\n" });
    expect(readFileSync(at("closed/file"), "utf8")).toBe("replaced");
    chmodSync(at("closed"), 0o755);
  });

  it("is judged again at the last moment", async () => {
    writeFileSync(at("file"), "old");
    const sha256 = createHash("sha256").update("old").digest("hex");
    const large = new Uint8Array(24 * 1024 * 1024);
    const replacing = fs.replaceAtomic(at("file"), large, { sha256 });
    await new Promise((resolve) => setTimeout(resolve, 2));
    writeFileSync(at("file"), "changed by another");
    await expect(replacing).rejects.toMatchObject({ code: "FS_STALE" });
    expect(readFileSync(at("file"), "utf8")).toBe("changed by another");
    expect(readdirSync(directory)).toEqual(["file"]);
  });

  it("stays whole when the write is cancelled", async () => {
    writeFileSync(at("file"), "old");
    const control = new AbortController();
    const writing = fs.replaceAtomic(at("file"), new Uint8Array(64 * 1024 * 1024), "any", { signal: control.signal });
    setImmediate(() => control.abort());
    await expect(writing).rejects.toMatchObject({ code: "CALL_CANCELLED" });
    expect(readFileSync(at("file"), "utf8")).toBe("old");
    expect(readdirSync(directory)).toEqual(["file"]);
  });
});

let built: { readonly directory: string; readonly script: string } | undefined;
beforeAll(async () => {
  const target = mkdtempSync(join(tmpdir(), "haft-writer-"));
  chmodSync(target, 0o755);
  built = {
    directory: target,
    script: await bundleForProcess(new URL("./writer.fixture.ts", import.meta.url), target),
  };
});
afterAll(() => rmSync(built!.directory, { recursive: true, force: true }));

describe("a process that is killed while it writes", () => {
  it("leaves all old or all new bytes, and its temporary file goes with the next write [EDIT-37]", async () => {
    const size = 50_000_000;
    writeFileSync(at("file"), "o".repeat(1000));
    for (const afterMs of [15, 40, 80]) {
      const writer = spawn(process.execPath, [built!.script, at("file"), String(size)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await new Promise((resolve) => writer.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      writer.kill("SIGKILL");
      await new Promise((resolve) => writer.once("close", resolve));
      const now = readFileSync(at("file"));
      expect([1000, size]).toContain(now.length);
      expect(new Set(now.length === size ? [now[0], now[size - 1]] : now).size).toBe(1);
    }
    // A host of its own, since one that has looked through the directory does not look again at once.
    await createLocalBackend({ watcher: false }).root.fs.writeFile(at("other"), "x");
    expect(readdirSync(directory).sort()).toEqual(["file", "other"]);
  });

  it("is reported apart from one that still writes", async () => {
    const own = readFileSync("/proc/self/stat", "latin1").split(") ")[1]!.split(" ")[19];
    const namespace = /\d+/.exec(spawnSync("readlink", ["/proc/self/ns/pid"], { encoding: "utf8" }).stdout)![0];
    const inUse = `.haft-${process.pid}-${own}-${namespace}-0123456789ab.tmp`;
    const ended = `.haft-${process.pid}-${Number(own) + 1}-${namespace}-0123456789ab.tmp`;
    const foreign = `.haft-1-1-77-0123456789ab.tmp`;
    for (const name of [inUse, ended, foreign]) writeFileSync(at(name), "");
    await createLocalBackend({ watcher: false }).root.fs.writeFile(at("file"), "x");
    expect(readdirSync(directory).sort()).toEqual([inUse, foreign, "file"].sort());
  });
});

describe("a symlink to a file elsewhere", () => {
  it("is followed, and the temporary file lies beside the target", async () => {
    mkdirSync(at("elsewhere"));
    writeFileSync(at("elsewhere/file"), "old");
    symlinkSync("elsewhere/file", at("link"));
    await fs.replaceAtomic(at("link"), bytes("new"), "any");
    expect(readFileSync(at("elsewhere/file"), "utf8")).toBe("new");
    expect(existsSync(at("link"))).toBe(true);
    expect(readdirSync(at("elsewhere"))).toEqual(["file"]);
  });
});
