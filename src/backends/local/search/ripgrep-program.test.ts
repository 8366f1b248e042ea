import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RipgrepFinder } from "./ripgrep-program.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-rg-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const none = () => Promise.reject(new Error("no package for this machine"));

/** A program that prints a version, in its own directory. */
function program(name: string, prints: string): string {
  mkdirSync(join(directory, name), { recursive: true });
  const path = join(directory, name, "rg");
  writeFileSync(path, `#!/bin/sh\n${prints}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("RipgrepFinder", () => {
  it("takes the packaged program and names its version", async () => {
    const found = await new RipgrepFinder().find();
    expect(found?.engine).toMatch(/^ripgrep (1[5-9]|[2-9]\d)\.\d+\.\d+$/);
  });

  it("takes one on PATH where there is no package, and looks only once", async () => {
    const path = program("new", 'echo "ripgrep 15.2.1 (rev 1)"');
    const finder = new RipgrepFinder({ packaged: none, path: `relative:${directory}/gone:${directory}/new` });
    expect(await finder.find()).toEqual({ path, engine: "ripgrep 15.2.1" });
    rmSync(path);
    expect(await finder.find()).toEqual({ path, engine: "ripgrep 15.2.1" });
  });

  it("takes none inside the workspace, however PATH spells it", async () => {
    program("workspace/bin", 'echo "ripgrep 17.0.0"');
    const outside = program("outside", 'echo "ripgrep 16.0.0"');
    const at = (name: string) => join(directory, name);
    symlinkSync(at("workspace/bin"), at("directory"));
    mkdirSync(at("file"));
    symlinkSync(at("workspace/bin/rg"), at("file/rg"));
    symlinkSync(at("workspace"), at("link"));
    const path = ["workspace/bin", "directory", "file", "link/bin", "outside/../workspace/bin", "outside"]
      .map(at)
      .join(":");
    for (const workspace of [at("workspace"), at("link")]) {
      expect((await new RipgrepFinder({ packaged: none, path, workspace }).find())?.path).toBe(outside);
    }
    const only = new RipgrepFinder({ packaged: none, path: `:.:${at("workspace/bin")}`, workspace: at("workspace") });
    expect(await only.find()).toBeUndefined();
  });

  it("takes none that is too old, fails, or prints something else", async () => {
    for (const prints of ['echo "ripgrep 14.9.9"', "exit 3", "echo something else", "echo ripgrep 15.0.0; exit 1"]) {
      program("odd", prints);
      expect(await new RipgrepFinder({ packaged: none, path: join(directory, "odd") }).find()).toBeUndefined();
    }
  });

  it("passes over a packaged program that does not run here", async () => {
    const path = program("new", 'echo "ripgrep 16.0.0"');
    const packaged = async () => join(directory, "gone", "rg");
    expect((await new RipgrepFinder({ packaged, path: join(directory, "new") }).find())?.path).toBe(path);
  });
});
