/** Writes: all or nothing, checked against `expect`, without leftovers. */
import { webDigest } from "../../kernel/index.js";
import { inChunks, onFs, pseudoRandomBytes, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual, expectError, expectThat } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";

export const fsWriting: Suite<Fixture> = [
  onFs("fs:write:creates", "writeFile creates a file with exactly these bytes", async (fs, path) => {
    await fs.writeFile(path("new.txt"), "Grüße\n");
    expectBytes(await fs.readBytes(path("new.txt")), "Grüße\n", "bytes");
    const info = await fs.stat(path("new.txt"));
    expectEqual([info.kind, info.size], ["file", 8], "kind and size");
    expectThat((info.mode & 0o600) === 0o600, "its owner may read and write a new file");
  }),
  onFs("fs:write:overwrites", "writeFile replaces an existing file entirely, a longer one too", async (fs, path) => {
    await fs.writeFile(path("file"), "a long old text");
    await fs.writeFile(path("file"), "new");
    expectEqual(await fs.readText(path("file")), "new", "text");
    expectEqual((await fs.stat(path("file"))).size, 3, "size");
  }),
  onFs("fs:write:missing-parent", "A write does not create directories", async (fs, path) => {
    await expectError(fs.writeFile(path("no/file"), "x"), "FS_NOT_FOUND", "writeFile");
    await expectError(fs.replaceAtomic(path("no/file"), utf8("x"), "absent"), "FS_NOT_FOUND", "replaceAtomic");
    expectEqual(await fs.exists(path("no")), false, "the directory is there");
  }),
  onFs("fs:write:below-a-file", "A write below a file is FS_NOT_A_DIRECTORY", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    await expectError(fs.writeFile(path("file/below"), "y"), "FS_NOT_A_DIRECTORY", "writeFile");
    expectEqual(await fs.readText(path("file")), "x", "the file");
  }),
  onFs(
    "fs:write:directory-is-not-a-file",
    "A write over a directory is rejected and the directory stays",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("dir/child"), "x");
      await expectError(fs.writeFile(path("dir"), "y"), "FS_NOT_A_FILE", "writeFile");
      await expectError(fs.replaceAtomic(path("dir"), utf8("y"), "any"), "FS_NOT_A_FILE", "replaceAtomic");
      expectEqual(await fs.readText(path("dir/child")), "x", "the child");
    },
  ),
  onFs(
    "fs:replace:returns-both-hashes",
    "replaceAtomic returns the hash before and after, and whether the file was created",
    async (fs, path) => {
      const first = await fs.replaceAtomic(path("file"), utf8("one"), "any");
      expectEqual([first.before, first.created], [null, true], "before and created of a new file");
      expectEqual(first.after, await webDigest(utf8("one")), "after");
      const second = await fs.replaceAtomic(path("file"), utf8("two"), "any");
      expectEqual([second.before, second.created], [first.after, false], "the second");
      expectEqual(second.after, await webDigest(utf8("two")), "after");
    },
  ),
  onFs(
    "fs:replace:by-renaming",
    "A file without other hard links is replaced by rename, not overwritten",
    async (fs, path) => {
      await fs.writeFile(path("file"), "one");
      const version = (await fs.stat(path("file"))).version;
      expectEqual((await fs.replaceAtomic(path("file"), utf8("two"), "any")).inPlace, false, "inPlace");
      expectThat((await fs.stat(path("file"))).version !== version, "the version differs");
    },
  ),
  onFs("fs:replace:absent-is-exclusive", 'With "absent" an existing file is FS_STALE and stays', async (fs, path) => {
    await fs.replaceAtomic(path("file"), utf8("first"), "absent");
    await expectError(fs.replaceAtomic(path("file"), utf8("second"), "absent"), "FS_STALE", "the second");
    expectEqual(await fs.readText(path("file")), "first", "text");
  }),
  onFs(
    "fs:replace:absent-has-one-winner",
    "Of ten concurrent creations exactly one succeeds, and the file has its bytes",
    async (fs, path) => {
      const all = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => fs.replaceAtomic(path("raced"), utf8(`writer ${index}`), "absent")),
      );
      const winners = all.flatMap((one, index) => (one.status === "fulfilled" ? [index] : []));
      expectEqual(winners.length, 1, "number of winners");
      expectEqual(await fs.readText(path("raced")), `writer ${winners[0]}`, "text");
      for (const one of all)
        if (one.status === "rejected") await expectError(Promise.reject(one.reason), "FS_STALE", "a loser");
    },
  ),
  onFs("fs:replace:expect-sha256", "With a hash the current bytes must match it", async (fs, path) => {
    await fs.writeFile(path("file"), "old");
    const old = await webDigest(utf8("old"));
    const wrong = await webDigest(utf8("other"));
    const error = await expectError(
      fs.replaceAtomic(path("file"), utf8("new"), { sha256: wrong }),
      "FS_STALE",
      "a wrong hash",
    );
    expectEqual(error.details.path, path("file"), "the path in the details");
    expectEqual(await fs.readText(path("file")), "old", "text after the refusal");
    const done = await fs.replaceAtomic(path("file"), utf8("new"), { sha256: old });
    expectEqual(done.before, old, "before");
    expectEqual(await fs.readText(path("file")), "new", "text");
  }),
  onFs("fs:replace:expect-version", "With a version the file must not have changed since", async (fs, path) => {
    await fs.writeFile(path("file"), "one");
    const seen = (await fs.stat(path("file"))).version;
    await fs.writeFile(path("file"), "twenty");
    await expectError(fs.replaceAtomic(path("file"), utf8("three"), { version: seen }), "FS_STALE", "an old version");
    expectEqual(await fs.readText(path("file")), "twenty", "text after the refusal");
    const now = (await fs.stat(path("file"))).version;
    await fs.replaceAtomic(path("file"), utf8("three"), { version: now });
    expectEqual(await fs.readText(path("file")), "three", "text");
  }),
  onFs(
    "fs:replace:expect-of-a-missing-file",
    "A hash or version of a missing file is FS_STALE, and nothing is created",
    async (fs, path) => {
      const hash = await webDigest(utf8("x"));
      await expectError(fs.replaceAtomic(path("gone"), utf8("x"), { sha256: hash }), "FS_STALE", "a hash");
      await expectError(fs.replaceAtomic(path("gone"), utf8("x"), { version: "1" }), "FS_STALE", "a version");
      expectEqual(await fs.exists(path("gone")), false, "the file is there");
    },
  ),
  onFs(
    "fs:replace:leaves-nothing-behind",
    "No temporary file remains, after success or after failure",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      await fs.replaceAtomic(path("dir/a"), utf8("1"), "absent");
      await fs.replaceAtomic(path("dir/a"), utf8("2"), "any");
      await expectError(fs.replaceAtomic(path("dir/a"), utf8("3"), "absent"), "FS_STALE", "absent");
      await expectError(fs.replaceAtomic(path("dir/a"), utf8("3"), { sha256: "0".repeat(64) }), "FS_STALE", "hash");
      const names = (await fs.readDir(path("dir"))).children.map((child) => child.name);
      expectEqual(names, ["a"], "names in the directory");
    },
  ),
  onFs(
    "fs:replace:whole-or-nothing",
    "A reader during many replacements sees all old or all new bytes",
    async (fs, path) => {
      const versions = ["a", "b"].map((letter) => utf8(letter.repeat(200_000)));
      await fs.writeFile(path("file"), versions[0] as Uint8Array);
      const writing = (async () => {
        for (let round = 1; round <= 10; round += 1)
          await fs.writeFile(path("file"), versions[round % 2] as Uint8Array);
      })();
      writing.catch(() => undefined); // A failure is met below; until then it is not unhandled.
      for (let round = 0; round < 10; round += 1) {
        const text = await fs.readText(path("file"));
        expectEqual(text.length, 200_000, "length");
        expectThat(text === "a".repeat(200_000) || text === "b".repeat(200_000), "the bytes are of one version");
      }
      await writing;
    },
  ),
  onFs("fs:replace:keeps-mode", "A replaced file keeps its mode", async (fs, path, fixture) => {
    await fs.writeFile(path("script"), "#!/bin/sh\n");
    for (const mode of [0o755, 0o640]) {
      await plant(fixture, { kind: "mode", path: path("script"), mode });
      await fs.replaceAtomic(path("script"), utf8(`mode ${mode}`), "any");
      expectEqual((await fs.stat(path("script"))).mode, mode, "mode");
    }
  }),
  onFs("fs:replace:mode-of-a-new-file", "A file is created with the mode that is given for it", async (fs, path) => {
    for (const [name, mode] of [
      ["private", 0o600],
      ["script", 0o755],
    ] as const) {
      for (const expect of ["absent", "any"] as const) {
        await fs.replaceAtomic(path(`${name}-${expect}`), utf8("x"), expect, { mode });
        expectEqual((await fs.stat(path(`${name}-${expect}`))).mode, mode, "mode");
      }
    }
    await fs.replaceAtomic(path("private-any"), utf8("y"), "any", { mode: 0o644 });
    expectEqual((await fs.stat(path("private-any"))).mode, 0o600, "mode of a file that existed");
  }),
  onFs("fs:replace:keeps-hard-links", "A file with two hard links keeps both", async (fs, path, fixture) => {
    await fs.writeFile(path("one"), "old and longer");
    await plant(fixture, { kind: "hard-link", path: path("two"), of: path("one") });
    await fs.replaceAtomic(path("one"), utf8("new"), "any");
    expectEqual(await fs.readText(path("one")), "new", "the first name");
    expectEqual(await fs.readText(path("two")), "new", "the second name");
  }),
  onFs(
    "fs:replace:reports-in-place",
    "The result reports that a file with two hard links was written in place",
    async (fs, path, fixture) => {
      await fs.writeFile(path("one"), "old");
      await plant(fixture, { kind: "hard-link", path: path("two"), of: path("one") });
      expectEqual((await fs.replaceAtomic(path("one"), utf8("new"), "any")).inPlace, true, "replaceAtomic");
      const { version } = await fs.stat(path("one"));
      expectEqual(
        (await fs.replaceFrom(path("one"), inChunks(utf8("newer"), [2]), { version })).inPlace,
        true,
        "replaceFrom",
      );
    },
  ),
  onFs(
    "fs:replace:in-place-of-any-size",
    "A file with two hard links has exactly the new bytes, whether fewer, as many, more or none",
    async (fs, path, fixture) => {
      await fs.writeFile(path("one"), "");
      await plant(fixture, { kind: "hard-link", path: path("two"), of: path("one") });
      for (const size of [3, 70_001, 70_001, 65_536, 131_072, 131_073, 300, 0, 600_000, 1]) {
        const bytes = pseudoRandomBytes(size, size + 1);
        const done = await fs.replaceAtomic(path("one"), bytes, "any");
        expectEqual(done.after, await webDigest(bytes), `the hash of ${size} bytes`);
        expectBytes(await fs.readBytes(path("two")), bytes, `${size} bytes by the other name`);
      }
    },
  ),
  onFs(
    "fs:replace:does-not-keep-the-buffer",
    "Changing the bytes after a write does not change the file",
    async (fs, path) => {
      const bytes = utf8("before");
      await fs.replaceAtomic(path("file"), bytes, "any");
      bytes.fill(0x78);
      expectEqual(await fs.readText(path("file")), "before", "text");
      const read = await fs.readBytes(path("file"));
      read.fill(0x79);
      expectEqual(await fs.readText(path("file")), "before", "text after changing what was read");
    },
  ),
  onFs(
    "fs:replace:many-files-at-once",
    "Fifty files written concurrently each have their own bytes",
    async (fs, path) => {
      const contents = Array.from({ length: 50 }, (_, index) => pseudoRandomBytes(1_000 + index, index + 1));
      await Promise.all(contents.map((bytes, index) => fs.writeFile(path(`file-${index}`), bytes)));
      for (const [index, bytes] of contents.entries()) {
        expectBytes(await fs.readBytes(path(`file-${index}`)), bytes, `file ${index}`);
      }
    },
  ),
];
