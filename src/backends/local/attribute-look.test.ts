import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lookForAttributes } from "./attribute-look.js";

let folder: string;
const path = process.env.PATH ?? "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-look-"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "file"), "text");
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true, force: true });
});

/** What is told where only the script stands for `tar`; without one there is none. */
async function lookWith(script?: string) {
  if (script !== undefined) writeFileSync(join(folder, "bin/tar"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env.PATH = join(folder, "bin");
  const descriptors = [openSync(folder, "r"), openSync(join(folder, "file"), "r")] as const;
  try {
    return await lookForAttributes(...descriptors);
  } finally {
    for (const one of descriptors) closeSync(one);
  }
}

/** Ends the way that a `tar` does which has reached its limit. */
const ENDED = "kill -TERM $$";
const says = (words: string) => `echo '${words}' >&2`;
/** As much as heads take, of what is no archive. */
const NO_ARCHIVE = "printf '%05000d' 0";

describe("a look that tells nothing this time may tell something the next time", () => {
  it.each([
    ["is ended before it has told anything", ENDED],
    ["is ended in the middle of what it tells", `printf ustar; ${ENDED}`],
    ["is ended by KILL from elsewhere", "kill -KILL $$"],
    ["ends well without a word", "exit 0"],
    ["fails without a word", "exit 2"],
    ["has no memory", `${says("tar: memory exhausted")}; exit 2`],
    ["says that the file changed", `${says("tar: /proc/self/fd/4: file changed as we read it")}; exit 1`],
    ["cannot read attributes of this file", says("tar: /proc/self/fd/4: Cannot llistxattr: Operation not supported")],
    ["tells what is no archive", NO_ARCHIVE],
  ])("where tar %s", async (_, script) => {
    expect(await lookWith(script)).toBe("unknown");
  });
});

describe("a look that can never tell anything", () => {
  it("is one without a tar", async () => {
    expect(await lookWith()).toBe("never");
  });

  it.each([
    "tar: unrecognized option '--xattrs'",
    "tar: illegal option -- -",
    'tar: Unknown option "acls"',
    "tar: Option --selinux is not supported",
    "tar: POSIX ACL support is not available",
  ])("is one with a tar that says: %s", async (words) => {
    expect(await lookWith(`${says(words)}; ${NO_ARCHIVE}`)).toBe("never");
  });
});
