/** Directories, entries, removal and renaming. */
import { onFs } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";

const PLAIN_RM = { recursive: false, ignoreMissing: false };
const codeUnitOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const fsDirectories: Suite<Fixture> = [
  onFs("fs:stat:file", "stat returns kind, size in bytes and no target", async (fs, path) => {
    await fs.writeFile(path("file"), "é漢");
    const info = await fs.stat(path("file"));
    expectEqual([info.kind, info.size, info.target], ["file", 5, undefined], "kind, size, target");
  }),
  onFs("fs:stat:directory", "A directory has the kind directory and size 0", async (fs, path) => {
    await fs.mkdir(path("dir"), false);
    const info = await fs.stat(path("dir"));
    expectEqual([info.kind, info.size, info.target], ["directory", 0, undefined], "kind, size, target");
  }),
  onFs(
    "fs:stat:whole-milliseconds",
    "The modification time is in whole milliseconds and close to the clock",
    async (fs, path, fixture) => {
      const before = fixture.clock.now();
      await fs.writeFile(path("file"), "x");
      const { modifiedMs } = await fs.stat(path("file"));
      expectThat(Number.isInteger(modifiedMs), `modifiedMs ${modifiedMs} is a whole number`);
      expectThat(Math.abs(modifiedMs - before) < 3_600_000, "it is within an hour of the clock");
    },
  ),
  onFs("fs:stat:version", "The version is stable, and differs after a change of size or identity", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    const first = (await fs.stat(path("file"))).version;
    expectEqual((await fs.stat(path("file"))).version, first, "the version of an untouched file");
    await fs.writeFile(path("file"), "xy");
    const second = (await fs.stat(path("file"))).version;
    expectThat(second !== first, "the version differs after a change of size");
    await fs.writeFile(path("other"), "xy");
    await fs.rename(path("other"), path("file"), { replace: true });
    expectThat((await fs.stat(path("file"))).version !== second, "the version differs after a change of identity");
  }),
  onFs("fs:stat:same-in-readdir", "readDir returns the same fields for a child as stat", async (fs, path) => {
    await fs.mkdir(path("top"), false);
    await fs.mkdir(path("top/dir"), false);
    await fs.writeFile(path("top/file"), "12345");
    for (const { name, ...info } of (await fs.readDir(path("top"))).children) {
      expectEqual(info, await fs.stat(path(`top/${name}`)), name);
    }
  }),
  onFs("fs:mkdir:plain", "mkdir makes one directory; an existing one is FS_EXISTS", async (fs, path) => {
    await fs.mkdir(path("dir"), false);
    await expectError(fs.mkdir(path("dir"), false), "FS_EXISTS", "a second mkdir");
    await fs.writeFile(path("file"), "x");
    await expectError(fs.mkdir(path("file"), false), "FS_EXISTS", "mkdir over a file");
    expectEqual(await fs.readText(path("file")), "x", "the file");
  }),
  onFs("fs:mkdir:missing-parent", "mkdir without recursive needs its parent", async (fs, path) => {
    await expectError(fs.mkdir(path("a/b"), false), "FS_NOT_FOUND", "mkdir");
    expectEqual(await fs.exists(path("a")), false, "the parent is there");
  }),
  onFs(
    "fs:mkdir:recursive",
    "mkdir recursive makes all parents, and succeeds for an existing directory",
    async (fs, path) => {
      await fs.mkdir(path("a/b/c"), true);
      await fs.mkdir(path("a/b/c"), true);
      expectEqual((await fs.stat(path("a/b/c"))).kind, "directory", "kind");
    },
  ),
  onFs("fs:mkdir:recursive-over-a-file", "mkdir recursive fails if a parent is a file", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    await expectError(fs.mkdir(path("file"), true), "FS_EXISTS", "at the path");
    await expectError(fs.mkdir(path("file/below"), true), "FS_NOT_A_DIRECTORY", "above the path");
    await expectError(fs.mkdir(path("file/below/it"), true), "FS_NOT_A_DIRECTORY", "far above the path");
    expectEqual(await fs.readText(path("file")), "x", "the file");
  }),
  onFs(
    "fs:readdir:sorted",
    "Children are sorted by the code units of their names, hidden ones too, without . and ..",
    async (fs, path) => {
      const names = ["b", "a", "B", ".hidden", "a.txt", "a-b", "ä", "10", "9", "漢", "Z", "_"];
      await fs.mkdir(path("dir"), false);
      for (const name of names) await fs.writeFile(path(`dir/${name}`), name);
      await fs.mkdir(path("dir/a!"), false);
      const { children, more } = await fs.readDir(path("dir"));
      expectEqual(
        children.map((child) => child.name),
        [...names, "a!"].sort(codeUnitOrder),
        "names",
      );
      expectEqual(more, false, "more");
      expectEqual(children.find((child) => child.name === "a!")?.kind, "directory", "the kind of the directory");
    },
  ),
  onFs("fs:readdir:empty", "An empty directory has no children", async (fs, path) => {
    await fs.mkdir(path("dir"), false);
    expectEqual(await fs.readDir(path("dir")), { children: [], more: false }, "listing");
  }),
  onFs("fs:readdir:many", "A directory of 1,100 files has 1,100 children", async (fs, path) => {
    const names = Array.from({ length: 1_100 }, (_, index) => `file-${index}`).sort(codeUnitOrder);
    await fs.mkdir(path("dir"), false);
    for (let at = 0; at < names.length; at += 20)
      await Promise.all(names.slice(at, at + 20).map((name) => fs.writeFile(path(`dir/${name}`), "")));
    const { children, more } = await fs.readDir(path("dir"));
    expectEqual([children.length, more], [names.length, false], "how many children, and whether there are more");
    expectEqual(
      children.map(({ name }) => name),
      names,
      "names",
    );
  }),
  onFs(
    "fs:readdir:limit",
    "With a limit the first names are returned, and `more` is whether there are others",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      for (const name of ["e", "d", "c", "b", "a"]) await fs.writeFile(path(`dir/${name}`), "");
      const some = await fs.readDir(path("dir"), { limit: 3 });
      expectEqual([some.children.map((child) => child.name), some.more], [["a", "b", "c"], true], "three of five");
      const all = await fs.readDir(path("dir"), { limit: 5 });
      expectEqual([all.children.length, all.more], [5, false], "five of five");
    },
  ),
  onFs("fs:readdir:file-is-not-a-directory", "readDir of a file is FS_NOT_A_DIRECTORY", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    await expectError(fs.readDir(path("file")), "FS_NOT_A_DIRECTORY", "readDir");
  }),
  onFs("fs:rm:missing", "rm of a missing path is FS_NOT_FOUND, or succeeds with ignoreMissing", async (fs, path) => {
    await expectError(fs.rm(path("gone"), PLAIN_RM), "FS_NOT_FOUND", "rm");
    await expectError(fs.rm(path("gone"), { recursive: true, ignoreMissing: false }), "FS_NOT_FOUND", "rm recursive");
    await fs.rm(path("gone"), { recursive: false, ignoreMissing: true });
    await fs.rm(path("gone/below"), { recursive: true, ignoreMissing: true });
  }),
  onFs("fs:rm:file", "rm removes one file and nothing beside it", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    await fs.writeFile(path("file2"), "y");
    await fs.rm(path("file"), PLAIN_RM);
    expectEqual([await fs.exists(path("file")), await fs.exists(path("file2"))], [false, true], "what is there");
  }),
  onFs(
    "fs:rm:directory-needs-recursive",
    "A non-empty directory is FS_NOT_EMPTY without recursive; an empty one is removed",
    async (fs, path) => {
      await fs.mkdir(path("full/inner"), true);
      await expectError(fs.rm(path("full"), PLAIN_RM), "FS_NOT_EMPTY", "rm");
      expectEqual(await fs.exists(path("full/inner")), true, "the inner directory is there");
      await fs.rm(path("full/inner"), PLAIN_RM);
      expectEqual(await fs.exists(path("full/inner")), false, "the empty directory is there");
    },
  ),
  onFs("fs:rm:recursive", "rm recursive removes a directory with its contents", async (fs, path) => {
    await fs.mkdir(path("top/a/b"), true);
    await fs.writeFile(path("top/a/b/file"), "x");
    await fs.writeFile(path("top/-rf"), "x");
    await fs.rm(path("top"), { recursive: true, ignoreMissing: false });
    expectEqual(await fs.exists(path("top")), false, "the directory is there");
  }),
  onFs("fs:rename:file", "rename moves the file with its bytes", async (fs, path) => {
    await fs.writeFile(path("old"), "bytes");
    await fs.mkdir(path("dir"), false);
    await fs.rename(path("old"), path("dir/new"), { replace: false });
    expectEqual(await fs.exists(path("old")), false, "the old name is there");
    expectEqual(await fs.readText(path("dir/new")), "bytes", "text");
  }),
  onFs("fs:rename:exists", "Without replace an existing file is FS_EXISTS and both stay", async (fs, path) => {
    await fs.writeFile(path("from"), "1");
    await fs.writeFile(path("to"), "2");
    await expectError(fs.rename(path("from"), path("to"), { replace: false }), "FS_EXISTS", "rename");
    expectEqual([await fs.readText(path("from")), await fs.readText(path("to"))], ["1", "2"], "texts");
  }),
  onFs("fs:rename:replace", "With replace the old file is replaced atomically", async (fs, path) => {
    await fs.writeFile(path("from"), "1");
    await fs.writeFile(path("to"), "2");
    await fs.rename(path("from"), path("to"), { replace: true });
    expectEqual([await fs.exists(path("from")), await fs.readText(path("to"))], [false, "1"], "what is there");
  }),
  onFs("fs:rename:onto-itself", "A file renamed to its own name stays", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    for (const replace of [true, false]) {
      await fs.rename(path("file"), path("file"), { replace });
      expectEqual(await fs.readText(path("file")), "x", "text");
    }
  }),
  onFs(
    "fs:rename:hard-links",
    "rename of one hard link to another of the same file keeps both",
    async (fs, path, fixture) => {
      await fs.writeFile(path("one"), "x");
      await plant(fixture, { kind: "hard-link", path: path("two"), of: path("one") });
      await fs.rename(path("one"), path("two"), { replace: true });
      expectEqual([await fs.readText(path("one")), await fs.readText(path("two"))], ["x", "x"], "texts");
      await expectError(fs.rename(path("one"), path("two"), { replace: false }), "FS_EXISTS", "without replace");
      expectEqual([await fs.exists(path("one")), await fs.exists(path("two"))], [true, true], "both names");
    },
  ),
  onFs(
    "fs:rename:missing",
    "rename of a missing path, or into a missing directory, is FS_NOT_FOUND",
    async (fs, path) => {
      await fs.writeFile(path("file"), "x");
      await expectError(fs.rename(path("gone"), path("new"), { replace: false }), "FS_NOT_FOUND", "a missing source");
      await expectError(
        fs.rename(path("file"), path("no/new"), { replace: true }),
        "FS_NOT_FOUND",
        "a missing directory",
      );
      expectEqual(await fs.readText(path("file")), "x", "the file");
    },
  ),
  onFs("fs:rename:directory", "rename moves a directory with its contents", async (fs, path) => {
    await fs.mkdir(path("old/inner"), true);
    await fs.writeFile(path("old/inner/file"), "x");
    await fs.rename(path("old"), path("new"), { replace: false });
    expectEqual(await fs.readText(path("new/inner/file")), "x", "text");
    expectEqual(await fs.exists(path("old")), false, "the old name is there");
  }),
  onFs("fs:rename:into-itself", "A directory cannot be moved into itself", async (fs, path) => {
    await fs.mkdir(path("dir"), false);
    await fs.writeFile(path("dir/file"), "x");
    await expectError(fs.rename(path("dir"), path("dir/inner"), { replace: false }), "FS_BAD_PATH", "rename");
    expectEqual(await fs.readText(path("dir/file")), "x", "the file");
  }),
  onFs(
    "fs:rename:kinds-do-not-mix",
    "A file never replaces a directory, and a directory never a file or a non-empty directory",
    async (fs, path) => {
      await fs.writeFile(path("file"), "x");
      await fs.mkdir(path("full"), false);
      await fs.writeFile(path("full/child"), "y");
      await fs.mkdir(path("dir"), false);
      await expectError(
        fs.rename(path("file"), path("full"), { replace: true }),
        ["FS_NOT_A_FILE", "FS_EXISTS", "FS_NOT_EMPTY"],
        "a file over a directory",
      );
      await expectError(
        fs.rename(path("dir"), path("file"), { replace: true }),
        ["FS_NOT_A_DIRECTORY", "FS_EXISTS"],
        "a directory over a file",
      );
      await expectError(
        fs.rename(path("dir"), path("full"), { replace: true }),
        ["FS_NOT_EMPTY", "FS_EXISTS", "FS_NOT_A_FILE"],
        "a directory over a full one",
      );
      expectEqual([await fs.readText(path("file")), await fs.readText(path("full/child"))], ["x", "y"], "texts");
    },
  ),
  onFs(
    "fs:exists:never-rejects",
    "exists is true for files and directories, false otherwise, and never rejects",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("file"), "x");
      expectEqual([await fs.exists(path("dir")), await fs.exists(path("file"))], [true, true], "what is there");
      const absent = ["gone", "gone/below", "file/below", `long${"x".repeat(5_000)}`, "nul\0byte"];
      for (const name of absent) expectEqual(await fs.exists(path(name)), false, `exists of ${name.slice(0, 12)}`);
      expectEqual(await fs.exists(path("file"), { signal: AbortSignal.abort() }), false, "exists after a cancel");
    },
  ),
];
