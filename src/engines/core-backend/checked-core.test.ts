import { describe, expect, it } from "vitest";
import type { CoreFs, CoreShell } from "../../kernel/index.js";
import { bindAll, expectError, fakeClock } from "../../testing/index.js";
import { type BackendCore, completeBackend } from "./index.js";

const FILE = { isFile: true, isDirectory: false, isSymlink: false, size: 1, modifiedMs: 1 };

/** A class, as third parties write them: its methods are not members of a copy. */
class OneFile implements CoreFs {
  async readBytes(): Promise<Uint8Array> {
    return new Uint8Array([65]);
  }
  async writeFile() {}
  async stat(path: string) {
    return path.endsWith("/file") ? FILE : { ...FILE, isFile: false, isDirectory: true };
  }
  async readDir(): Promise<readonly { readonly name: string }[]> {
    return [{ name: "file" }];
  }
  async mkdir() {}
  async rm() {}
  async exists() {
    return true;
  }
}

const core = (more: object = {}) =>
  ({ name: "mine", fs: new OneFile(), cwd: "/data", clock: fakeClock(), ...more }) as BackendCore;

describe("completeBackend refuses", () => {
  const shell = { exec: 5 };
  it.each([
    [{ name: "" }, 'Did not complete the backend: `name` is "", and must be a string that is not empty.'],
    [{ fs: undefined }, /`fs` is undefined, and must be an object with the methods readBytes, writeFile, stat,/],
    [
      { fs: { ...new OneFile() } },
      "Did not complete the backend: `fs.readBytes` is undefined, and must be a function. A copy such as `{ ...instance }` has lost the methods of its class.",
    ],
    [{ shell }, /`shell\.exec` is 5, and must be a function/],
    [{ shell: null }, /`shell` is null/],
    [{ cwd: undefined }, /`cwd` is undefined, and must be an absolute path/],
    [{ cwd: "data" }, /`cwd` is "data"/],
    [{ cwd: "/data/" }, /`cwd` is "\/data\/", and .* without `\.`, `\.\.` and a slash at its end/],
    [{ home: "~" }, /`home` is "~"/],
    [{ clock: undefined }, /`clock` is undefined, and must be a clock: pass `systemClock`/],
    [{ commandLanguage: 1 }, /`commandLanguage` is 1/],
    [{ realPath: "/data" }, /`realPath` is "\/data", and must be a function/],
  ])("a core with %j", (more, message) => {
    expect(() => completeBackend(core(more))).toThrow(message);
    expect(() => completeBackend(core(more))).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });

  it("no core that is complete", () => {
    expect(completeBackend(core({ shell: undefined, home: "/" })).cwd).toBe("/data");
    expect(() => completeBackend(undefined as never)).toThrow(/`core` is undefined/);
  });
});

describe("an answer that breaks the contract", () => {
  const fsWith = (more: object) => bindAll(opened(Object.assign(new OneFile(), more))).fs;
  const opened = (fs: CoreFs) => ({ backend: completeBackend(core({ fs })), clock: fakeClock() });

  it.each(["", ".", "..", "a/b", "a\0b", 5, undefined])("of readDir, as the name %j, ends a move", async (name) => {
    const made: string[] = [];
    const fs = fsWith({
      readDir: async () => [{ name: "file" }, { name }],
      mkdir: async (path: string) => made.push(path),
      exists: async () => true,
      stat: async (path: string) => {
        if (path.startsWith("/data/to")) throw Object.assign(new Error("none"), { code: "ENOENT" });
        return new OneFile().stat(path);
      },
    });
    const moved = fs.rename("/data/from", "/data/to", { replace: false });
    const error = await expectError(moved, "FS_IO", "the move");
    const what =
      typeof name === "string"
        ? `the name ${JSON.stringify(name)}, which no entry of a directory can have`
        : "an entry without a `name`";
    expect(error.message).toBe(
      `Did not use "/data/from": \`fs.readDir\` of the backend "mine" returned ${what}. That has to be corrected in the backend.`,
    );
    expect(made).toEqual([]);
  });

  it.each([
    ["readBytes", "text", "a string, not a Uint8Array"],
    ["stat", undefined, "undefined, not an object"],
    ["stat", { ...FILE, isFile: () => true }, "a function as `isFile`, not true or false"],
    ["stat", { ...FILE, size: "1" }, "a string as `size`, not a number"],
    ["stat", { ...FILE, modifiedMs: Number.NaN }, "NaN as `modifiedMs`, not a number"],
  ])("of %s is an error that names it", async (operation, answer, what) => {
    const fs = fsWith({ [operation]: async () => answer });
    const error = await expectError(fs.readBytes("/data/file"), "FS_IO", operation);
    expect(error.message).toContain(`\`fs.${operation}\` of the backend "mine" returned ${what}.`);
  });

  it.each([
    [undefined, "undefined, not { stdout, stderr, code }"],
    [{ stdout: "text", stderr: new Uint8Array(), code: 0 }, "a string as `stdout`, not a Uint8Array"],
    [
      { stdout: new Uint8Array(), stderr: new Uint8Array(), code: "0" },
      "a string as `code`, not a whole number or null",
    ],
    [
      { stdout: new Uint8Array(), stderr: new Uint8Array(), code: 0, timedOut: 1 },
      "1 as `timedOut`, not true, false or undefined",
    ],
  ])("of exec, %j, is a command of which nothing is known", async (answer, what) => {
    const shell = { exec: async () => answer } as unknown as CoreShell;
    const { root } = completeBackend(core({ shell }));
    expect(await root.shell.exec("true", { cwd: "/data" })).toMatchObject({
      began: "unknown",
      ended: "spawn-error",
      exit: { by: "none" },
      problem: `\`shell.exec\` of the backend "mine" returned ${what}. That has to be corrected in the backend. The command may have run`,
    });
  });

  it("of realPath is an error that names it", async () => {
    const fs = Object.assign(new OneFile(), { stat: async () => ({ ...FILE, isSymlink: true }) });
    for (const real of ["data", null]) {
      const backend = completeBackend(core({ fs, realPath: async () => real }));
      const error = await expectError(
        bindAll({ backend, clock: fakeClock() }).fs.readBytes("/data/file"),
        "FS_IO",
        "read",
      );
      expect(error.message).toMatch(/`realPath` of the backend "mine" returned (null|"data"), not an absolute path/);
    }
  });

  it.each([
    [{ code: "EACCES" }, "FS_PERMISSION"],
    [{}, "FS_IO"],
  ])("of realPath, rejected with %j, is an error of the path", async (more, code) => {
    const realPath = async () => {
      throw Object.assign(new Error("the connection was lost"), more);
    };
    const backend = completeBackend(core({ realPath }));
    const error = await expectError(backend.root.fs.resolve(["/data/file"]), code as never, "resolve");
    expect(error.message).toContain("/data/file");
  });
});
