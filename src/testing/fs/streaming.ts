/** Writes of bytes that arrive in chunks: as other writes, and nothing is left of one that is interrupted. */
import { type ErrorCode, type Fs, HaftError, webDigest } from "../../kernel/index.js";
import { inChunks, onFs, pseudoRandomBytes, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual, expectError } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";

const ABSENT = "absent";
const MIB = 1024 * 1024;

/** Some bytes, and then an error. */
async function* broken(bytes: Uint8Array, code: ErrorCode): AsyncGenerator<Uint8Array, void> {
  yield* inChunks(bytes, [200_000]);
  throw new HaftError(code, "The source was lost.");
}

async function namesIn(fs: Fs, directory: string): Promise<readonly string[]> {
  return (await fs.readDir(directory)).children.map(({ name }) => name);
}

export const fsStreaming: Suite<Fixture> = [
  onFs(
    "fs:stream:exact",
    "replaceFrom writes exactly the bytes of all chunks, and returns their hash",
    async (fs, path) => {
      for (const [index, size] of [0, 1, 262_143, 262_144, 262_145, 3 * MIB + 17].entries()) {
        const bytes = pseudoRandomBytes(size, size + 1);
        const chunks = inChunks(bytes, [1, 70_000, 262_144, 0, 500_001]);
        const done = await fs.replaceFrom(path(`file-${index}`), chunks, ABSENT);
        expectEqual([done.created, done.before, done.inPlace], [true, null, false], `the result of ${size} bytes`);
        expectEqual(done.after, await webDigest(bytes), `the hash of ${size} bytes`);
        expectBytes(await fs.readBytes(path(`file-${index}`)), bytes, `${size} bytes`);
      }
    },
  ),
  onFs("fs:stream:expect", "replaceFrom replaces only what it expects", async (fs, path) => {
    const chunks = (text: string) => inChunks(utf8(text), [2]);
    await fs.writeFile(path("file"), "old");
    const { version } = await fs.stat(path("file"));
    await expectError(fs.replaceFrom(path("file"), chunks("new"), ABSENT), "FS_STALE", "absent");
    await expectError(
      fs.replaceFrom(path("file"), chunks("new"), { sha256: "0".repeat(64) }),
      "FS_STALE",
      "another hash",
    );
    await expectError(fs.replaceFrom(path("gone"), chunks("new"), { version }), "FS_STALE", "a missing file");
    expectEqual(await fs.readText(path("file")), "old", "text after the refusals");
    const second = await fs.replaceFrom(path("file"), chunks("second"), { version });
    expectEqual(second.created, false, "created");
    await expectError(fs.replaceFrom(path("file"), chunks("new"), { version }), "FS_STALE", "an old version");
    await fs.replaceFrom(path("file"), chunks("third"), { sha256: second.after });
    expectEqual(await fs.readText(path("file")), "third", "text");
  }),
  onFs(
    "fs:stream:interrupted",
    "Where the chunks end with an error, it is thrown, and the old file or none is there",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("dir/old"), "old");
      const { version } = await fs.stat(path("dir/old"));
      for (const size of [0, 3, 2 * MIB]) {
        const chunks = () => broken(pseudoRandomBytes(size), "BACKEND_UNAVAILABLE");
        await expectError(fs.replaceFrom(path("dir/old"), chunks(), { version }), "BACKEND_UNAVAILABLE", "replacing");
        await expectError(fs.replaceFrom(path("dir/new"), chunks(), ABSENT), "BACKEND_UNAVAILABLE", "creating");
      }
      expectEqual(await namesIn(fs, path("dir")), ["old"], "names in the directory");
      expectEqual(await fs.readText(path("dir/old")), "old", "text");
    },
  ),
  onFs(
    "fs:stream:cancelled",
    "A cancel between two chunks ends it with CALL_CANCELLED, and the old file or none is there",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      await fs.writeFile(path("dir/old"), "old");
      const { version } = await fs.stat(path("dir/old"));
      for (const [name, expect] of [
        ["old", { version }],
        ["new", ABSENT],
      ] as const) {
        const controller = new AbortController();
        const chunks = (async function* () {
          yield* inChunks(pseudoRandomBytes(MIB), [100_000]);
          controller.abort();
          yield* inChunks(pseudoRandomBytes(MIB), [100_000]);
        })();
        const { signal } = controller;
        await expectError(fs.replaceFrom(path(`dir/${name}`), chunks, expect, { signal }), "CALL_CANCELLED", name);
      }
      expectEqual(await namesIn(fs, path("dir")), ["old"], "names in the directory");
      expectEqual(await fs.readText(path("dir/old")), "old", "text");
    },
  ),
  onFs("fs:stream:missing-parent", "replaceFrom does not create directories", async (fs, path) => {
    const chunks = () => inChunks(utf8("x"), [1]);
    await fs.mkdir(path("dir"), false);
    await expectError(fs.replaceFrom(path("no/file"), chunks(), ABSENT), "FS_NOT_FOUND", "a missing directory");
    const { version } = await fs.stat(path("dir"));
    await expectError(fs.replaceFrom(path("dir"), chunks(), { version }), "FS_NOT_A_FILE", "a directory");
    expectEqual(await fs.exists(path("no")), false, "the directory is there");
  }),
  onFs("fs:stream:mode-of-a-new-file", "replaceFrom creates a file with the mode that is given", async (fs, path) => {
    for (const mode of [0o600, 0o755]) {
      await fs.replaceFrom(path(`file-${mode}`), inChunks(utf8("x"), [1]), ABSENT, { mode });
      expectEqual((await fs.stat(path(`file-${mode}`))).mode, mode, "mode");
    }
  }),
  onFs("fs:stream:keeps-mode", "replaceFrom keeps the mode of a replaced file", async (fs, path, fixture) => {
    await fs.writeFile(path("script"), "#!/bin/sh\n");
    await plant(fixture, { kind: "mode", path: path("script"), mode: 0o750 });
    const { version } = await fs.stat(path("script"));
    await fs.replaceFrom(path("script"), inChunks(utf8("new"), [1]), { version }, { mode: 0o644 });
    expectEqual((await fs.stat(path("script"))).mode, 0o750, "mode");
  }),
  onFs(
    "fs:stream:keeps-hard-links",
    "replaceFrom keeps both hard links of a file, whether it has more bytes than before or fewer",
    async (fs, path, fixture) => {
      await fs.writeFile(path("one"), "old");
      await plant(fixture, { kind: "hard-link", path: path("two"), of: path("one") });
      for (const size of [2 * MIB + 5, 70_001, 3, 0, 1]) {
        const bytes = pseudoRandomBytes(size, size + 1);
        const { version } = await fs.stat(path("one"));
        const done = await fs.replaceFrom(path("one"), inChunks(bytes, [100_000]), { version });
        expectEqual(done.after, await webDigest(bytes), `the hash of ${size} bytes`);
        expectBytes(await fs.readBytes(path("two")), bytes, `${size} bytes by the other name`);
      }
    },
  ),
  onFs(
    "fs:stream:from-openRead",
    "What openRead yields of one file can be written to another, in a scan too",
    async (fs, path) => {
      const bytes = pseudoRandomBytes(2 * MIB + 1, 7);
      await fs.writeFile(path("from"), bytes);
      for (const isScan of [false, true]) {
        await fs.replaceFrom(path(`to-${isScan}`), fs.openRead(path("from"), { isScan }), ABSENT);
        expectBytes(await fs.readBytes(path(`to-${isScan}`)), bytes, `isScan ${isScan}`);
      }
    },
  ),
];
