/** Symlinks: reported, followed, and never a way out of the grant. */
import { parentOf } from "../../text/index.js";
import { collect, onFs, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";

export const fsSymlinks: Suite<Fixture> = [
  onFs(
    "fs:symlink:to-a-file",
    "stat and readDir of a symlink return its target as written, and the kind and size of the target",
    async (fs, path, fixture) => {
      await fs.writeFile(path("file"), "12345");
      await plant(fixture, { kind: "link", path: path("link"), target: "file" });
      const info = await fs.stat(path("link"));
      expectEqual([info.kind, info.size, info.target], ["file", 5, "file"], "stat");
      const child = (await fs.readDir(fixture.directory)).children.find((one) => one.name === "link");
      expectEqual([child?.kind, child?.size, child?.target], ["file", 5, "file"], "readDir");
    },
  ),
  onFs(
    "fs:symlink:to-a-directory",
    "A symlink to a directory has kind directory, and paths through it work",
    async (fs, path, fixture) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("dir/file"), "x");
      await plant(fixture, { kind: "link", path: path("link"), target: path("dir") });
      const info = await fs.stat(path("link"));
      expectEqual([info.kind, info.size, info.target], ["directory", 0, path("dir")], "stat");
      expectEqual(await fs.readText(path("link/file")), "x", "text through the link");
      expectEqual(
        (await fs.readDir(path("link"))).children.map((one) => one.name),
        ["file"],
        "names through the link",
      );
      await fs.writeFile(path("link/new"), "y");
      expectEqual(await fs.readText(path("dir/new")), "y", "text written through the link");
    },
  ),
  onFs("fs:symlink:read-follows", "Every read follows symlinks", async (fs, path, fixture) => {
    await fs.writeFile(path("file"), "12345");
    await plant(fixture, { kind: "link", path: path("first"), target: "file" });
    await plant(fixture, { kind: "link", path: path("second"), target: "./first" });
    expectEqual(await fs.readText(path("second")), "12345", "readText");
    expectEqual((await fs.readBytes(path("second"))).length, 5, "readBytes");
    expectEqual((await fs.readRange(path("second"), -2, 2)).size, 5, "readRange");
    expectEqual((await collect(fs.openRead(path("second")))).length, 1, "openRead");
    expectEqual(await fs.exists(path("second")), true, "exists");
  }),
  onFs(
    "fs:symlink:write-follows",
    "A write through a symlink replaces its target; the symlink stays",
    async (fs, path, fixture) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("dir/file"), "old");
      await plant(fixture, { kind: "link", path: path("link"), target: "dir/file" });
      const done = await fs.replaceAtomic(path("link"), utf8("new"), "any");
      expectEqual(done.created, false, "created");
      expectEqual((await fs.stat(path("link"))).target, "dir/file", "the target of the symlink");
      expectEqual(await fs.readText(path("dir/file")), "new", "text");
      const names = (await fs.readDir(path("dir"))).children.map((one) => one.name);
      expectEqual(names, ["file"], "names beside the target");
    },
  ),
  onFs(
    "fs:symlink:dangling",
    "A dangling symlink has kind link, cannot be read and does not exist",
    async (fs, path, fixture) => {
      await plant(fixture, { kind: "link", path: path("link"), target: "gone" });
      const info = await fs.stat(path("link"));
      expectEqual([info.kind, info.size, info.target], ["link", 0, "gone"], "stat");
      await expectError(fs.readText(path("link")), "FS_NOT_FOUND", "readText");
      expectEqual(await fs.exists(path("link")), false, "exists");
      const [child] = (await fs.readDir(fixture.directory)).children;
      expectEqual([child?.name, child?.kind, child?.target], ["link", "link", "gone"], "readDir");
    },
  ),
  onFs(
    "fs:symlink:dangling-is-never-replaced",
    "A write through a dangling symlink creates its target or is rejected; the symlink stays",
    async (fs, path, fixture) => {
      await plant(fixture, { kind: "link", path: path("link"), target: "gone" });
      await fs.writeFile(path("link"), "x").catch(() => undefined);
      expectEqual((await fs.stat(path("link"))).target, "gone", "the target of the symlink");
      const names = (await fs.readDir(fixture.directory)).children.map((one) => one.name);
      expectThat(
        names.every((name) => name === "link" || name === "gone"),
        "nothing else exists there",
      );
    },
  ),
  onFs(
    "fs:symlink:absent-is-exclusive",
    'With "absent" an existing symlink is rejected, whatever its target',
    async (fs, path, fixture) => {
      await fs.writeFile(path("file"), "old");
      await plant(fixture, { kind: "link", path: path("link"), target: "file" });
      await expectError(fs.replaceAtomic(path("link"), utf8("new"), "absent"), "FS_STALE", "a link to a file");
      expectEqual(await fs.readText(path("file")), "old", "text");
    },
  ),
  onFs(
    "fs:symlink:loop",
    "A symlink loop is FS_LINK_LOOP for a read and kind link for stat, and never hangs",
    async (fs, path, fixture) => {
      await plant(fixture, { kind: "link", path: path("a"), target: "b" });
      await plant(fixture, { kind: "link", path: path("b"), target: "a" });
      await expectError(fs.readText(path("a")), "FS_LINK_LOOP", "readText");
      await expectError(fs.readText(path("a/below")), "FS_LINK_LOOP", "readText below");
      await expectError(fs.writeFile(path("a"), "x"), "FS_LINK_LOOP", "writeFile");
      const info = await fs.stat(path("a"));
      expectEqual([info.kind, info.target], ["link", "b"], "stat");
      expectEqual(await fs.exists(path("a")), false, "exists");
      expectEqual(
        (await fs.readDir(fixture.directory)).children.map((one) => one.kind),
        ["link", "link"],
        "readDir",
      );
    },
  ),
  onFs("fs:symlink:rm-removes-the-symlink", "rm removes the symlink, never its target", async (fs, path, fixture) => {
    await fs.mkdir(path("dir"), false);
    await fs.writeFile(path("dir/file"), "x");
    await plant(fixture, { kind: "link", path: path("link"), target: "dir" });
    await plant(fixture, { kind: "link", path: path("nowhere"), target: "gone" });
    await fs.rm(path("link"), { recursive: true, ignoreMissing: false });
    await fs.rm(path("nowhere"), { recursive: false, ignoreMissing: false });
    expectEqual(await fs.readText(path("dir/file")), "x", "text");
    expectEqual(
      (await fs.readDir(fixture.directory)).children.map((one) => one.name),
      ["dir"],
      "what remains",
    );
  }),
  onFs(
    "fs:symlink:rm-does-not-follow",
    "rm recursive removes symlinks inside a directory and keeps their targets",
    async (fs, path, fixture) => {
      await fs.mkdir(path("kept"), false);
      await fs.writeFile(path("kept/file"), "x");
      await fs.mkdir(path("removed"), false);
      await plant(fixture, { kind: "link", path: path("removed/link"), target: path("kept") });
      await fs.rm(path("removed"), { recursive: true, ignoreMissing: false });
      expectEqual(await fs.readText(path("kept/file")), "x", "text");
    },
  ),
  onFs("fs:symlink:rename-moves-the-symlink", "rename moves the symlink itself", async (fs, path, fixture) => {
    await fs.writeFile(path("file"), "x");
    await fs.mkdir(path("dir"), false);
    for (const target of ["file", "dir", "gone"]) {
      for (const replace of [false, true]) {
        await plant(fixture, { kind: "link", path: path("link"), target });
        await fs.rename(path("link"), path("moved"), { replace });
        expectEqual((await fs.stat(path("moved"))).target, target, "target");
        expectEqual(
          (await fs.readDir(fixture.directory)).children.map((one) => one.name),
          ["dir", "file", "moved"],
          "names",
        );
        await fs.rm(path("moved"), { recursive: false, ignoreMissing: false });
      }
    }
    expectEqual(await fs.readText(path("file")), "x", "text");
  }),
  onFs(
    "fs:symlink:rename-to-a-taken-name",
    "Without replace a symlink is not moved to an existing name, a dangling symlink included",
    async (fs, path, fixture) => {
      await fs.writeFile(path("file"), "x");
      await plant(fixture, { kind: "link", path: path("link"), target: "file" });
      await plant(fixture, { kind: "link", path: path("nowhere"), target: "gone" });
      for (const taken of ["file", "nowhere"]) {
        await expectError(fs.rename(path("link"), path(taken), { replace: false }), "FS_EXISTS", taken);
      }
      expectEqual((await fs.stat(path("link"))).target, "file", "the target of the symlink");
      expectEqual((await fs.stat(path("nowhere"))).target, "gone", "the target of the other symlink");
      expectEqual(await fs.readText(path("file")), "x", "text");
    },
  ),
  onFs("fs:symlink:mkdir-over-a-symlink", "mkdir never replaces a symlink", async (fs, path, fixture) => {
    await plant(fixture, { kind: "link", path: path("link"), target: "gone" });
    await expectError(fs.mkdir(path("link"), false), "FS_EXISTS", "mkdir");
    expectEqual((await fs.stat(path("link"))).target, "gone", "target");
  }),
  onFs(
    "fs:resolve:many",
    "resolve returns real path, missing part and kind, in the order of its input",
    async (fs, path, fixture) => {
      await fs.mkdir(path("real/inner"), true);
      await fs.writeFile(path("real/inner/file"), "x");
      await plant(fixture, { kind: "link", path: path("link"), target: "real" });
      await plant(fixture, { kind: "link", path: path("nowhere"), target: "real/gone" });
      const answers = await fs.resolve([
        path("link/inner/file"),
        path("real"),
        path("link/no/such"),
        path("nowhere"),
        path("nowhere/below/it"),
        path("link"),
      ]);
      expectEqual(
        answers.map(({ real, missing, kind }) => [real, missing, kind]),
        [
          [path("real/inner/file"), "", "file"],
          [path("real"), "", "directory"],
          [path("real"), "no/such", "absent"],
          [path("real"), "gone", "absent"],
          [path("real"), "gone/below/it", "absent"],
          [path("real"), "", "directory"],
        ],
        "answers",
      );
      expectEqual(await fs.resolve([]), [], "no paths");
    },
  ),
  onFs(
    "fs:resolve:symlink-target-is-walked",
    "resolve follows symlinks as the system does: `..` after a symlink is the parent of its target",
    async (fs, path, fixture) => {
      await fs.mkdir(path("dir"), false);
      await fs.mkdir(path("other/deep"), true);
      await fs.writeFile(path("dir/file"), "beside the symlink");
      await fs.writeFile(path("other/file"), "beside the directory");
      await plant(fixture, { kind: "link", path: path("dir/sub"), target: "../other/deep" });
      const links = {
        file: "sub/../file",
        whole: `${path("dir/sub")}//.././file`,
        directory: "sub/..",
        slash: "sub/../deep/",
        missing: "sub/../gone/below",
        beforeMissing: "gone/below/../../file",
        beyondMissing: "gone/../../file",
        farBeyondMissing: "gone/../../other/deep/../../../file",
        behindMissing: "to-missing/../it",
        beyondLinks: `${path("dir/to-missing")}/../../../other/deep`,
        chain: "to-directory/file",
      };
      for (const [name, target] of Object.entries(links)) {
        await plant(fixture, { kind: "link", path: path(`dir/to-${name}`), target });
      }
      const answers = await fs.resolve(Object.keys(links).map((name) => path(`dir/to-${name}`)));
      const other = path("other");
      expectEqual(
        answers.map(({ real, missing, kind }) => [real, missing, kind]),
        [
          [path("other/file"), "", "file"],
          [path("other/file"), "", "file"],
          [other, "", "directory"],
          [path("other/deep"), "", "directory"],
          [other, "gone/below", "absent"],
          [path("dir"), "file", "absent"],
          [fixture.directory, "file", "absent"],
          [parentOf(fixture.directory), "file", "absent"],
          [other, "gone/it", "absent"],
          [fixture.directory, "other/deep", "absent"],
          [path("other/file"), "", "file"],
        ],
        "answers",
      );
      expectEqual(await fs.readText(path("dir/to-file")), "beside the directory", "what is read through it");
    },
  ),
  onFs(
    "fs:resolve:plain",
    "resolve works without symlinks: an existing path, a missing last part, a missing directory",
    async (fs, path, fixture) => {
      await fs.mkdir(path("a"), false);
      await fs.writeFile(path("a/file"), "x");
      const answers = await fs.resolve([path("a/file"), path("a/gone"), path("gone/below/it")]);
      expectEqual(
        answers.map(({ real, missing, kind }) => [real, missing, kind]),
        [
          [path("a/file"), "", "file"],
          [path("a"), "gone", "absent"],
          [fixture.directory, "gone/below/it", "absent"],
        ],
        "answers",
      );
    },
  ),
  onFs(
    "fs:resolve:loop",
    "resolve of a symlink loop is FS_LINK_LOOP, or returns a dangling symlink",
    async (fs, path, fixture) => {
      await plant(fixture, { kind: "link", path: path("loop"), target: "loop" });
      const answer = await fs
        .resolve([path("loop")])
        .catch((thrown: unknown) => expectError(Promise.reject(thrown), "FS_LINK_LOOP", "resolve"));
      if (Array.isArray(answer)) expectEqual(answer[0]?.kind, "link", "kind");
    },
  ),
];
