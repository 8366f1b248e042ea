import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalFs, localFsTools } from "./local-fs.js";
import { guardMode } from "./pinned-directory.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-move-"));
  chmodSync(directory, 0o755);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (name: string) => join(directory, name);
const isRoot = process.getuid?.() === 0;

/** Runs `use` as an unprivileged user. */
async function asAnother(use: () => Promise<void>): Promise<void> {
  if (!isRoot) return use();
  process.setegid!(65_534);
  process.seteuid!(65_534);
  try {
    await use();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** "checked" is how files are moved where a second name is one of a symlink's target, as on macOS. */
describe.each([...new Set([guardMode(), "checked" as const])])("a move to a free name, %s", (mode) => {
  const fs = new LocalFs(localFsTools(mode));

  it("takes a symlink with its text, its owner and its time", async () => {
    const text = Buffer.from("g\xF6ne", "latin1");
    symlinkSync(text, at("link"));
    if (isRoot) lchownSync(at("link"), 1234, 2345);
    lutimesSync(at("link"), 1_000_000_000.123, 1_000_000_000.123);
    const before = lstatSync(at("link"));
    await fs.rename(at("link"), at("moved"), { replace: false });
    const { uid, gid, mtimeMs, ino } = lstatSync(at("moved"));
    // Its second name on Linux; elsewhere that would be one of what it leads to.
    expect(ino === before.ino).toBe(mode === "pinned");
    expect([uid, gid]).toEqual([before.uid, before.gid]);
    expect(Math.trunc(mtimeMs)).toBe(Math.trunc(before.mtimeMs));
    expect(readlinkSync(at("moved"), "buffer")).toEqual(text);
    expect(readdirSync(directory)).toEqual(["moved"]);
  });

  it("that cannot take the old name away leaves no new one", async () => {
    mkdirSync(at("closed"));
    writeFileSync(at("closed/file"), "x");
    symlinkSync("file", at("closed/link"));
    mkdirSync(at("open"));
    if (isRoot) {
      for (const name of ["closed", "closed/file", "open"]) chownSync(at(name), 65_534, 65_534);
      lchownSync(at("closed/link"), 65_534, 65_534);
    }
    chmodSync(at("closed"), 0o555);
    await asAnother(async () => {
      for (const name of ["file", "link"]) {
        const moving = fs.rename(at(`closed/${name}`), at(`open/${name}`), { replace: false });
        await expect(moving).rejects.toMatchObject({ code: "FS_PERMISSION" });
      }
    });
    chmodSync(at("closed"), 0o755);
    expect(readdirSync(at("closed"))).toEqual(["file", "link"]);
    expect(readdirSync(at("open"))).toEqual([]);
  });
});
