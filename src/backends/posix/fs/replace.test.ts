import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
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
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Backend, HaftError } from "../../../kernel/index.js";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { skipTest } from "../../../testing/services.fixture.js";
import { openLocalPosix } from "../index.js";
import { PosixMachine } from "../machine.fixture.js";
import { ARGV, underEachShell } from "../shells.fixture.js";
import { mountSmallDisk, type SmallDisk } from "./small-disk.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const MIB = 1024 * 1024;
/** An access control list that gives one more user what the owner has. */
const ACL = Buffer.from(
  "0200000001000600ffffffff020007000100000004000400ffffffff10000700ffffffff20000400ffffffff",
  "hex",
);

underEachShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend;
  beforeAll(async () => {
    machine = new PosixMachine(shell);
    backend = await machine.open();
  });
  afterAll(async () => {
    await backend.close();
    machine.dispose();
  });
  let disk: SmallDisk | undefined;
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-replacing-")));
  });
  afterEach(() => {
    disk?.dispose();
    disk = undefined;
    rmSync(directory, { recursive: true, force: true });
  });
  const refusal = (path: string, bytes: Uint8Array, on = backend) => refusalOf(on, path, bytes);

  it("a file of two names keeps all its bytes when the disk has no room for more", async (context) => {
    disk = mountSmallDisk(10 * 1024);
    if (disk === undefined) return skipTest(context, "a small disk cannot be mounted here: that takes root");
    const path = join(disk.path, "one");
    const old = Buffer.alloc(MIB + 4_321, "o");
    writeFileSync(path, old);
    linkSync(path, join(disk.path, "two"));
    expect((await refusal(path, Buffer.alloc(6 * MIB, "n"))).code).toBe("FS_NO_SPACE");
    expect([readFileSync(path).equals(old), readdirSync(disk.path)]).toEqual([true, ["one", "two"]]);
    const done = await backend.root.fs.replaceAtomic(path, Buffer.alloc(3 * MIB + 7, "n"), "any");
    expect(done.inPlace).toBe(true);
    expect(readFileSync(join(disk.path, "two")).equals(Buffer.alloc(3 * MIB + 7, "n"))).toBe(true);
  });

  it("names the directory that is full where it is not that of the file", async (context) => {
    disk = mountSmallDisk(3 * 1024);
    if (disk === undefined) return context.skip("a small disk cannot be mounted here: that takes root");
    const narrow = await machine.open({ stateDir: join(disk.path, "state") });
    const path = join(directory, "file");
    try {
      const { code, message, details } = await refusal(path, Buffer.alloc(6 * MIB, "n"), narrow);
      expect([code, details.path, existsSync(path)]).toEqual(["FS_NO_SPACE", path, false]);
      expect(message).toContain(`"${disk.path}/state/`);
      // What was collected is removed.
      await vi.waitUntil(
        () => !readdirSync(disk!.path, { recursive: true }).some((name) => String(name).includes("stage-")),
        { timeout: 20_000 },
      );
    } finally {
      await narrow.close();
    }
  });

  it("new bytes that could be put down only in part are kept beside the file, and the error names the place", async (context) => {
    disk = mountSmallDisk(5 * 1024);
    if (disk === undefined) return skipTest(context, "a small disk cannot be mounted here: that takes root");
    const path = join(disk.path, "one");
    // A sparse file takes no disk space until it is written.
    writeFileSync(path, "");
    truncateSync(path, 2 * MIB);
    linkSync(path, join(disk.path, "two"));
    const bytes = Buffer.alloc(2 * MIB, "n");
    const { code, message, details } = await refusal(path, bytes);
    const [temp = ""] = readdirSync(disk.path).filter((name) => name.endsWith(".tmp"));
    const kept = join(disk.path, temp);
    expect(readFileSync(kept).equals(bytes)).toBe(true);
    expect(code).toBe("FS_IO");
    expect(message).toContain(`"${kept}"`);
    const [old = ""] = readdirSync(disk.path).filter((name) => name.startsWith("one.haft-backup-"));
    expect(readFileSync(join(disk.path, old)).equals(Buffer.alloc(2 * MIB))).toBe(true);
    expect(message).toContain(`"${join(disk.path, old)}"`);
    expect(message).toMatch(/No space left/);
    expect(details.system).toContain(`"${kept}"`);
  });

  it("a file of two names of which no copy can be kept is refused, and stays as it was", async (context) => {
    disk = mountSmallDisk(3 * 1024);
    if (disk === undefined) return skipTest(context, "a small disk cannot be mounted here: that takes root");
    const path = join(disk.path, "one");
    const old = Buffer.alloc(2 * MIB, "o");
    writeFileSync(path, old);
    linkSync(path, join(disk.path, "two"));
    expect(await refusal(path, Buffer.from("new"))).toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining(`its ${2 * MIB} bytes could not be backed up to a file beside it first`),
    });
    expect([readFileSync(path).equals(old), readdirSync(disk.path)]).toEqual([true, ["one", "two"]]);
  });

  it("a file that may not grow so far is refused, and stays as it was", async () => {
    const names = ["one", "two"];
    for (const name of names) writeFileSync(join(directory, name), "old");
    linkSync(join(directory, "two"), join(directory, "two again"));
    // In blocks of 512 bytes; what writes beyond is killed without a word.
    const narrow = await machine.open({ open: ["sh", "-c", 'ulimit -f 200; exec "$@"', "sh", ...ARGV[shell]] });
    for (const name of names) {
      for (const size of [150_000, MIB]) {
        const path = join(directory, name);
        expect((await refusal(path, Buffer.alloc(size, "n"), narrow)).code).toMatch(/^FS_(IO|TOO_LARGE|NO_SPACE)$/);
        expect(readFileSync(path, "utf8")).toBe("old");
      }
    }
    expect(readdirSync(directory)).toEqual(["one", "two", "two again"]);
    await narrow.close();
  });

  it("a file keeps its extended attributes and its access control list", async (context) => {
    const path = join(directory, "file");
    writeFileSync(path, "old");
    const problem = attribute(path, "user.origin", Buffer.from("here"));
    if (problem !== undefined) return skipTest(context, `attributes cannot be set here: ${problem}`);
    // What a file that was written before has is looked at again.
    for (const text of ["new", "newer"]) {
      const done = await backend.root.fs.replaceAtomic(path, Buffer.from(text), "any");
      expect([readFileSync(path, "utf8"), done.inPlace, attributesOf(path)]).toEqual([text, false, ["user.origin"]]);
    }
    if (attribute(path, "system.posix_acl_access", ACL) !== undefined) return;
    for (const text of ["once", "twice"]) {
      await backend.root.fs.replaceAtomic(path, Buffer.from(text), "any");
      const all = ["system.posix_acl_access", "user.origin"];
      expect([readFileSync(path, "utf8"), attributesOf(path)]).toEqual([text, all]);
    }
  });

  describe("for a user who is not the superuser", () => {
    // The superuser may write everything, and loses no set-id bit.
    const isRoot = process.getuid?.() === 0;
    const become = isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : [];
    const canBecome = !isRoot || spawnSync("setpriv", ["true"]).status === 0;
    const asUser = async (mode: number, test: (theirs: Backend, path: string) => Promise<void>) => {
      const path = join(directory, "file");
      writeFileSync(path, "old and longer");
      if (isRoot) chownSync(path, 65_534, 65_534);
      chmodSync(path, mode);
      chmodSync(directory, 0o777);
      const theirs = await openLocalPosix({ shell: [...become, ...ARGV[shell]], stateDir: directory, cwd: "/" });
      await test(theirs, path);
      await theirs.close();
    };

    it("a file that may not be written is refused though its directory would take another", async (context) => {
      if (!canBecome) return skipTest(context, "setpriv is not installed: util-linux has it");
      await asUser(0o444, async (theirs, path) => {
        expect((await refusal(path, Buffer.from("new"), theirs)).code).toBe("FS_PERMISSION");
        expect(readFileSync(path, "utf8")).toBe("old and longer");
      });
    });

    it("a file keeps its set-id bits, which a write takes away", async (context) => {
      if (!canBecome) return skipTest(context, "setpriv is not installed: util-linux has it");
      await asUser(0o6755, async (theirs, path) => {
        for (const inPlace of [false, true]) {
          if (inPlace) linkSync(path, join(directory, "two"));
          const done = await theirs.root.fs.replaceAtomic(path, Buffer.from("new"), "any");
          expect([done.inPlace, statSync(path).mode & 0o7777]).toEqual([inPlace, 0o6755]);
        }
      });
    });
  });
});

describe("a remote side whose dd and cp know nothing but POSIX", () => {
  let bin: string;
  let backend: Backend;
  beforeAll(async () => {
    bin = mkdtempSync(join(tmpdir(), "haft-plain-dd-"));
    for (const tool of ["dd", "cp"]) {
      const real = spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim();
      install(tool, `case "$*" in *flag=* | *conv=fsync* | *--*) exit 1 ;; esac\nexec ${real} "$@"`);
    }
    backend = await openLocalPosix({ shell: "sh", setEnv: { PATH: `${bin}:${process.env.PATH}` } });
  });
  afterAll(async () => {
    await backend.close();
    rmSync(bin, { recursive: true, force: true });
  });

  function install(tool: string, script: string): void {
    writeFileSync(join(bin, tool), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, tool), 0o755);
  }

  it("writes files, also in place, byte for byte", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-replacing-"));
    const path = join(directory, "one");
    for (const size of [3, 70_001, 300_000, 0]) {
      const bytes = randomBytes(size);
      await backend.root.fs.replaceAtomic(path, bytes, "any");
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
    linkSync(path, join(directory, "two"));
    for (const size of [70_001, 300_000, 65_536, 5]) {
      const bytes = randomBytes(size);
      expect((await backend.root.fs.replaceAtomic(path, bytes, "any")).inPlace).toBe(true);
      expect(readFileSync(join(directory, "two")).equals(bytes)).toBe(true);
    }
    rmSync(directory, { recursive: true });
  });

  it("does not take bytes that a full disk rejects for a request", async (context) => {
    const disk = mountSmallDisk(64);
    if (disk === undefined) return skipTest(context, "a small disk cannot be mounted here: that takes root");
    try {
      // What fits, the byte that does not, and then requests to make a directory.
      const request = `0 0 77 mkdir '${disk.path}/made' '*' no haft-end\n`;
      const bytes = Buffer.from("x".repeat(65_537) + request.repeat(1_000));
      expect((await refusalOf(backend, join(disk.path, "file"), bytes)).code).toBe("FS_NO_SPACE");
      await backend.root.fs.writeFile(join(disk.path, "file"), "text");
      expect([readdirSync(disk.path), readFileSync(join(disk.path, "file"), "utf8")]).toEqual([["file"], "text"]);
    } finally {
      disk.dispose();
    }
  });
});

async function refusalOf(backend: Backend, path: string, bytes: Uint8Array): Promise<HaftError> {
  const thrown = await backend.root.fs.replaceAtomic(path, bytes, "any").catch((error: unknown) => error);
  if (!HaftError.is(thrown)) throw new Error(`it was not refused: ${JSON.stringify(thrown)}`);
  return thrown;
}

/** Sets an attribute. Returns why it cannot be set. */
function attribute(path: string, name: string, value: Buffer): string | undefined {
  const script = "import os,sys; os.setxattr(sys.argv[1],sys.argv[2],bytes.fromhex(sys.argv[3]))";
  const { status, error, stderr } = spawnSync("python3", ["-c", script, path, name, value.toString("hex")]);
  return status === 0 ? undefined : (error?.message ?? stderr.toString().trim());
}

function attributesOf(path: string): readonly string[] {
  const script = "import os,sys; print(' '.join(sorted(os.listxattr(sys.argv[1]))))";
  return spawnSync("python3", ["-c", script, path], { encoding: "utf8" }).stdout.trim().split(" ");
}

describe("a remote side that is killed while it overwrites a file in place", () => {
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-torn-")));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const at = (name: string) => join(directory, name);

  /** A `dd` that, where it overwrites, stops after a part until the file "go" is there. */
  function installSlowDd(): string {
    const real = spawnSync("sh", ["-c", "command -v dd"], { encoding: "utf8" }).stdout.trim();
    const wait = `: >${at("begun")}; until [ -e ${at("go")} ]; do sleep 0.05; done`;
    const part = `${real} bs=100 count=1 2>/dev/null; ${wait}`;
    const script = `case "$1 $2" in "bs=65536 count="*) ${part};; esac\nexec ${real} "$@"`;
    mkdirSync(at("bin"));
    writeFileSync(at("bin/dd"), `#!/bin/sh\n${script}\n`);
    chmodSync(at("bin/dd"), 0o755);
    return `${at("bin")}:${process.env.PATH}`;
  }

  const OLD = Buffer.alloc(200_000, "o");
  function twoNames(): void {
    writeFileSync(at("file"), OLD);
    linkSync(at("file"), at("file too"));
  }
  const backups = () => readdirSync(directory).filter((name) => name.startsWith("file.haft-backup-"));

  it("leaves its old bytes beside it, and the error says under what name", async () => {
    twoNames();
    const machine = new PosixMachine("dash");
    const backend = await machine.open({ open: ["env", `PATH=${installSlowDd()}`, machine.mark, ...ARGV.dash] });
    const writing = refusalOf(backend, at("file"), Buffer.alloc(150_000, "n"));
    await vi.waitUntil(() => existsSync(at("begun")), { timeout: 20_000 });
    // Some end by themselves once what they wait for is killed.
    spawnSync("kill", ["-KILL", ...machine.processes().map(String)], { stdio: "ignore" });
    const { code, message } = await writing;
    const [backup = ""] = backups();
    expect([code, readFileSync(at(backup)).equals(OLD)]).toEqual(["BACKEND_UNAVAILABLE", true]);
    expect(statSync(at(backup)).mode & 0o777).toBe(0o600);
    expect(message).toContain(`"${backup.slice("file".length)}"`);
    expect(readFileSync(at("file")).equals(OLD)).toBe(false);
    await backend.close();
    machine.dispose();
  });

  it("continues to the end when only its host is killed", async () => {
    twoNames();
    const built = mkdtempSync(join(tmpdir(), "haft-writer-"));
    const script = await bundleForProcess(new URL("./writer.fixture.ts", import.meta.url), built);
    const PATH = installSlowDd();
    const host = spawn(process.execPath, [script, at("file"), "150000", at("state")], {
      env: { ...process.env, PATH },
      stdio: "ignore",
    });
    await vi.waitUntil(() => existsSync(at("begun")), { timeout: 20_000 });
    host.kill("SIGKILL");
    await new Promise((resolve) => host.once("close", resolve));
    expect(backups()).toHaveLength(1);
    writeFileSync(at("go"), "");
    await vi.waitUntil(() => backups().length === 0, { timeout: 20_000 });
    expect(readFileSync(at("file")).equals(Buffer.alloc(150_000, "n"))).toBe(true);
    expect(readdirSync(directory).filter((name) => name.startsWith(".haft-"))).toEqual([]);
    rmSync(built, { recursive: true, force: true });
  });
});
