import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { createLocalBackend } from "../local-backend.js";

let directory: string;
let fs: ReturnType<typeof createLocalBackend>["root"]["fs"];
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

/** A `cp` that stands before the system's own while `use` runs. */
async function withCp(make: (path: string) => void, use: () => Promise<void>): Promise<void> {
  mkdirSync(at("bin"));
  make(at("bin/cp"));
  process.env.PATH = at("bin");
  try {
    await use();
  } finally {
    process.env.PATH = path;
  }
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
    await withCp(
      (cp) => {
        writeFileSync(cp, "");
        chmodSync(cp, 0o644);
      },
      async () => expect(await write("file", "one")).toBe(true),
    );
    expect([has(at("file"), USER), readFileSync(at("file"), "utf8")]).toEqual([true, "one"]);
    expect([await write("file", "two"), has(at("file"), USER)]).toEqual([false, true]);
  });

  it("a cp that fails with this file leaves it to be written in place", async () => {
    writeFileSync(at("file"), "old");
    await withCp(
      (cp) =>
        writeFileSync(cp, "#!/bin/sh\necho 'cp: setting attributes: not supported' >&2\nexit 1\n", { mode: 0o755 }),
      async () => expect(await write("file", "one")).toBe(true),
    );
    expect(await write("file", "two")).toBe(false);
  });

  it.each([
    ["there is none", () => {}],
    [
      "it is another program",
      (cp: string) => writeFileSync(cp, "#!/bin/sh\necho 'cp: illegal option -- -' >&2\nexit 64\n", { mode: 0o755 }),
    ],
  ])("a cp is asked for no more where %s", async (_, make) => {
    writeFileSync(at("file"), "old");
    await withCp(make, async () => expect(await write("file", "one")).toBe(false));
    // With a `cp` that would fail, this one would be written in place.
    rmSync(at("bin"), { recursive: true });
    await withCp(
      (cp) => writeFileSync(cp, "#!/bin/sh\nexit 1\n", { mode: 0o755 }),
      async () => expect(await write("file", "two")).toBe(false),
    );
  });
});
