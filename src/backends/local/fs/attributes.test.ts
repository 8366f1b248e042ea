import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, type TestContext, vi } from "vitest";
import { isDead, processEntry } from "../../../host/index.js";
import type { Fs } from "../../../kernel/index.js";
import { createLocalBackend } from "../local-backend.js";
import { createAttributeCopy } from "./attributes.js";
import { LocalFs, localFsTools } from "./local-fs.js";
import { guardMode } from "./pinned-directory.js";

let directory: string;
let fs: Fs;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-attributes-"));
  fs = createLocalBackend({ watcher: false }).root.fs;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (name: string) => join(directory, name);
const path = process.env.PATH ?? "";

const USER = "user.origin";
const ACL = "system.posix_acl_access";
/** An access control list that lets the user 1 read and write, as the kernel takes it. */
const ACL_BYTES = [
  "02000000",
  ...["01000600ffffffff", "0200060001000000", "04000400ffffffff", "10000600ffffffff", "20000400ffffffff"],
].join("");

function python(script: string, ...args: string[]) {
  return spawnSync("python3", ["-c", `import os,sys; ${script}`, ...args], { encoding: "utf8", env: { PATH: path } });
}

/** Gives a file an attribute; where that cannot be done the test is skipped and says so. */
function give(file: string, name: string, hex: string, context: TestContext): void {
  const set = python("os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))", file, name, hex);
  if (set.status !== 0) context.skip(`attributes cannot be set here: ${set.error?.message ?? set.stderr.trim()}`);
}

const has = (file: string, name: string) =>
  python("print(sys.argv[2] in os.listxattr(sys.argv[1]))", file, name).stdout.trim() === "True";
const write = async (name: string, text: string) =>
  (await fs.replaceAtomic(at(name), new TextEncoder().encode(text), "any")).inPlace;

/** Has the files of this test written with a stand-in for `cp`. */
function useCp(script: string, mode = 0o755, timeoutMs = 5_000): void {
  writeFileSync(at("cp"), script);
  chmodSync(at("cp"), mode);
  fs = new LocalFs({
    ...localFsTools(guardMode()),
    copyAttributes: createAttributeCopy({ find: () => at("cp"), timeoutMs }),
  });
}

describe("attributes of a file that is written again and again", () => {
  for (const [what, name, hex] of [
    ["extended attributes", USER, "68657265"],
    ["an access control list", ACL, ACL_BYTES],
  ] as const) {
    it(`${what} stay at each write`, async (context) => {
      writeFileSync(at("file"), "old");
      give(at("file"), name, hex, context);
      expect([await write("file", "one"), await write("file", "two")]).toEqual([false, false]);
      expect([readFileSync(at("file"), "utf8"), has(at("file"), name)]).toEqual(["two", true]);
    });

    it(`${what} that a new file was given since stay`, async (context) => {
      await write("file", "one");
      await write("file", "two");
      give(at("file"), name, hex, context);
      expect([await write("file", "three"), await write("file", "four")]).toEqual([false, false]);
      expect([readFileSync(at("file"), "utf8"), has(at("file"), name)]).toEqual(["four", true]);
    });
  }

  it("a file without a list gets none from its directory, which gives one to every new file", async (context) => {
    mkdirSync(at("in"));
    writeFileSync(at("in/file"), "old");
    give(at("in"), "system.posix_acl_default", ACL_BYTES, context);
    writeFileSync(at("in/new"), "");
    expect(has(at("in/new"), ACL)).toBe(true);
    expect([await write("in/file", "one"), await write("in/file", "two")]).toEqual([false, false]);
    expect(has(at("in/file"), ACL)).toBe(false);
  });
});

describe("where attributes cannot be copied", () => {
  it("a cp that could not be started once is tried again, and the file is written in place meanwhile", async (context) => {
    writeFileSync(at("file"), "old");
    give(at("file"), USER, "68657265", context);
    useCp("", 0o644);
    expect(await write("file", "one")).toBe(true);
    expect([has(at("file"), USER), readFileSync(at("file"), "utf8")]).toEqual([true, "one"]);
    writeFileSync(at("cp"), '#!/bin/sh\nexec /bin/cp "$@"\n');
    chmodSync(at("cp"), 0o755);
    expect([await write("file", "two"), has(at("file"), USER)]).toEqual([false, true]);
  });

  it("a cp that fails with this file leaves it to be written in place", async () => {
    writeFileSync(at("file"), "old");
    useCp("#!/bin/sh\necho 'cp: setting attributes: not supported' >&2\nexit 1\n");
    expect(await write("file", "one")).toBe(true);
    writeFileSync(at("cp"), "#!/bin/sh\nexit 0\n");
    expect(await write("file", "two")).toBe(false);
  });

  it.each([
    ["it is missing", () => rmSync(at("cp"))],
    [
      "it is another program",
      () => writeFileSync(at("cp"), "#!/bin/sh\necho 'cp: illegal option -- -' >&2\nexit 64\n"),
    ],
  ])("cp is not started again where %s", async (_, change) => {
    writeFileSync(at("file"), "old");
    useCp("");
    change();
    expect(await write("file", "one")).toBe(false);
    // If this one were started, the file would be written in place.
    writeFileSync(at("cp"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await write("file", "two")).toBe(false);
  });

  it("a system without cp replaces the file without its attributes", async () => {
    writeFileSync(at("file"), "old");
    fs = new LocalFs({ ...localFsTools(guardMode()), copyAttributes: createAttributeCopy({ find: () => undefined }) });
    expect([await write("file", "one"), await write("file", "two")]).toEqual([false, false]);
  });

  it("a cp that hangs is killed with its process group, and the file is written in place", async () => {
    writeFileSync(at("file"), "old");
    useCp(`#!/bin/sh\nsleep 60 &\necho $! > ${at("pid")}\nwait\n`, 0o755, 500);
    const started = performance.now();
    expect(await write("file", "one")).toBe(true);
    expect(performance.now() - started).toBeLessThan(5_000);
    const pid = Number(readFileSync(at("pid"), "utf8"));
    await vi.waitFor(() => {
      const entry = processEntry(pid);
      expect(entry === undefined || isDead(entry)).toBe(true);
    });
    expect(readFileSync(at("file"), "utf8")).toBe("one");
  });

  it.each([
    [0, false],
    [1, true],
  ])("a write does not wait for a process that keeps stderr open after cp exits with %i", async (code, inPlace) => {
    writeFileSync(at("file"), "old");
    useCp(`#!/bin/sh\nsleep 8 &\nexit ${code}\n`);
    const started = performance.now();
    expect(await write("file", "one")).toBe(inPlace);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

it("a cp in the first directory of PATH is not run", async () => {
  mkdirSync(at("bin"));
  writeFileSync(at("bin/cp"), `#!/bin/sh\n: > ${at("ran")}\nexit 1\n`, { mode: 0o755 });
  writeFileSync(at("file"), "old");
  process.env.PATH = `${at("bin")}:${path}`;
  try {
    fs = createLocalBackend({ watcher: false }).root.fs;
    expect([await write("file", "one"), existsSync(at("ran"))]).toEqual([false, false]);
  } finally {
    process.env.PATH = path;
  }
});
