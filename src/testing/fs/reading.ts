/** Reads: results and errors. */
import { type Fs, webDigest } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";
import { collect, onFs, pseudoRandomBytes, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual, expectError, expectThat } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";

const TEN_MIB = 10 * 1024 * 1024;

/** What `readPastLines` returns of these bytes. */
function scanPast(bytes: Uint8Array, offset: number, newlines: number, length: number) {
  let [at, passed] = [offset, 0];
  for (; passed < newlines && at < bytes.length; at += 1) if (bytes[at] === 10) passed += 1;
  const from = passed < newlines ? Math.max(offset, bytes.length - length) : at;
  return { bytes: bytes.slice(from, from + length), from, newlines: passed };
}

/** As a caller does where the backend does not count. */
async function passHere(fs: Fs, path: string, offset: number, newlines: number, length: number) {
  const { size, version } = await fs.readRange(path, 0, 0);
  return { ...scanPast(concatBytes(await collect(fs.openRead(path))), offset, newlines, length), size, version };
}

export const fsReading: Suite<Fixture> = [
  onFs("fs:read:missing-is-not-found", "Every read of a missing file is FS_NOT_FOUND", async (fs, path) => {
    const missing = path("missing.txt");
    await expectError(fs.readText(missing), "FS_NOT_FOUND", "readText");
    await expectError(fs.readBytes(missing), "FS_NOT_FOUND", "readBytes");
    await expectError(fs.readRange(missing, 0, 1), "FS_NOT_FOUND", "readRange");
    await expectError(collect(fs.openRead(missing)), "FS_NOT_FOUND", "openRead");
    await expectError(fs.stat(missing), "FS_NOT_FOUND", "stat");
    await expectError(fs.readDir(missing), "FS_NOT_FOUND", "readDir");
  }),
  onFs("fs:read:missing-parent-is-not-found", "A file in a missing directory is not found", async (fs, path) => {
    await expectError(fs.readText(path("no/such/file")), "FS_NOT_FOUND", "readText");
    await expectError(fs.stat(path("no/such/file")), "FS_NOT_FOUND", "stat");
  }),
  onFs("fs:read:below-a-file", "A path below a file is FS_NOT_A_DIRECTORY", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    await expectError(fs.readText(path("file/below")), "FS_NOT_A_DIRECTORY", "readText");
    await expectError(fs.stat(path("file/below")), "FS_NOT_A_DIRECTORY", "stat");
  }),
  onFs(
    "fs:read:directory-is-not-a-file",
    "A directory read as a file is FS_NOT_A_FILE with its kind",
    async (fs, path) => {
      await fs.mkdir(path("dir"), false);
      const directory = path("dir");
      const error = await expectError(fs.readText(directory), "FS_NOT_A_FILE", "readText");
      expectEqual(error.details.kind, "directory", "the kind in the details");
      await expectError(fs.readBytes(directory), "FS_NOT_A_FILE", "readBytes");
      await expectError(fs.readRange(directory, 0, 10), "FS_NOT_A_FILE", "readRange");
      await expectError(collect(fs.openRead(directory)), "FS_NOT_A_FILE", "openRead");
    },
  ),
  onFs("fs:read:empty-file", "An empty file is empty text, no bytes and size 0", async (fs, path) => {
    await fs.writeFile(path("empty"), "");
    expectEqual(await fs.readText(path("empty")), "", "text");
    expectEqual((await fs.readBytes(path("empty"))).length, 0, "bytes");
    expectEqual((await fs.readRange(path("empty"), 0, 10)).bytes.length, 0, "range");
    expectEqual(concatBytes(await collect(fs.openRead(path("empty")))).length, 0, "chunks");
    expectEqual((await fs.stat(path("empty"))).size, 0, "size");
  }),
  onFs("fs:read:any-bytes-survive", "Every byte value is read as it was written", async (fs, path) => {
    const all = Uint8Array.from({ length: 512 }, (_, index) => (index * 7) % 256);
    await fs.writeFile(path("bytes"), all);
    expectBytes(await fs.readBytes(path("bytes")), all, "bytes");
    await fs.writeFile(path("ends"), Uint8Array.of(0, 10, 13, 10, 255, 254, 10, 10));
    expectBytes(
      await fs.readBytes(path("ends")),
      Uint8Array.of(0, 10, 13, 10, 255, 254, 10, 10),
      "line endings and NUL",
    );
  }),
  onFs(
    "fs:read:text-is-exact",
    "Text keeps its line endings and its final newline, or the lack of one",
    async (fs, path) => {
      for (const text of ["a\r\nb\rc\n", "no newline", "\n", "\n\n\n", "tab\tnul\0 é 漢 😀"]) {
        await fs.writeFile(path("text"), text);
        expectEqual(await fs.readText(path("text")), text, "text");
      }
    },
  ),
  onFs("fs:read:mark-is-kept", "A BOM is kept as U+FEFF", async (fs, path) => {
    await fs.writeFile(path("marked"), Uint8Array.of(0xef, 0xbb, 0xbf, 0x61));
    expectEqual(await fs.readText(path("marked")), "\ufeffa", "text");
  }),
  onFs(
    "fs:read:strict-utf8",
    "readText rejects invalid UTF-8 and reports the offset of the first invalid byte",
    async (fs, path) => {
      const bad: readonly (readonly [string, readonly number[], number])[] = [
        ["a stray byte", [0x61, 0x62, 0xff, 0x63], 2],
        ["a truncated character", [0x61, 0xe6, 0xbc], 1],
        ["an overlong form", [0xc0, 0xaf], 0],
        ["a surrogate", [0x61, 0xed, 0xa0, 0x80], 1],
      ];
      for (const [what, bytes, offset] of bad) {
        await fs.writeFile(path("bad"), Uint8Array.from(bytes));
        const error = await expectError(fs.readText(path("bad")), "FS_NOT_TEXT", what);
        expectEqual(error.details.offset, offset, `offset of ${what}`);
      }
    },
  ),
  onFs("fs:read:ten-mib-round-trip", "10 MiB are read as they were written", async (fs, path) => {
    const bytes = pseudoRandomBytes(TEN_MIB);
    const written = await fs.replaceAtomic(path("large"), bytes, "absent");
    const hash = await webDigest(bytes);
    expectEqual(written.after, hash, "the hash returned by the write");
    expectEqual(await webDigest(await fs.readBytes(path("large"))), hash, "the hash of what was read");
    expectEqual((await fs.stat(path("large"))).size, TEN_MIB, "size");
  }),
  onFs("fs:read:too-large-is-refused", "A file over maxBytes is FS_TOO_LARGE with both numbers", async (fs, path) => {
    await fs.writeFile(path("eleven"), "12345678901");
    const error = await expectError(fs.readBytes(path("eleven"), { maxBytes: 10 }), "FS_TOO_LARGE", "readBytes");
    expectEqual([error.details.sizeBytes, error.details.maxBytes], [11, 10], "the numbers");
    expectBytes(await fs.readBytes(path("eleven"), { maxBytes: 11 }), "12345678901", "at the limit");
  }),
  onFs("fs:range:middle", "readRange returns the requested bytes, the size and the version", async (fs, path) => {
    await fs.writeFile(path("digits"), "0123456789");
    const part = await fs.readRange(path("digits"), 3, 4);
    expectBytes(part.bytes, "3456", "bytes");
    expectEqual(part.size, 10, "size");
    expectEqual(part.version, (await fs.stat(path("digits"))).version, "version");
  }),
  onFs("fs:range:end", "readRange returns fewer bytes at the end and none past it", async (fs, path) => {
    await fs.writeFile(path("digits"), "0123456789");
    expectBytes((await fs.readRange(path("digits"), 8, 100)).bytes, "89", "over the end");
    expectEqual((await fs.readRange(path("digits"), 10, 5)).bytes.length, 0, "bytes at the end");
    const past = await fs.readRange(path("digits"), 500, 5);
    expectEqual([past.bytes.length, past.size], [0, 10], "bytes and size past the end");
    expectEqual((await fs.readRange(path("digits"), 3, 0)).bytes.length, 0, "no length");
  }),
  onFs("fs:range:negative", "A negative offset counts from the end, and is clamped to the start", async (fs, path) => {
    await fs.writeFile(path("digits"), "0123456789");
    expectBytes((await fs.readRange(path("digits"), -3, 2)).bytes, "78", "two of the last three");
    expectBytes((await fs.readRange(path("digits"), -3, 100)).bytes, "789", "the last three");
    expectBytes((await fs.readRange(path("digits"), -100, 4)).bytes, "0123", "before the start");
  }),
  onFs(
    "fs:lines:past",
    "Line feeds are passed from an offset on as a scan of the bytes passes them, whatever the bytes are",
    async (fs, path) => {
      const files = {
        text: utf8("one\ntwo\r\n\nfour\rstill four\nfive"),
        closed: utf8("one\ntwo\n"),
        bytes: Uint8Array.of(0, 10, 255, 254, 10, 0, 10, 10, 13, 10, 128),
        empty: new Uint8Array(),
        blank: utf8("\n\n\n"),
        noise: pseudoRandomBytes(300_001, 5),
      };
      for (const [name, bytes] of Object.entries(files)) {
        await fs.writeFile(path(name), bytes);
        const { version } = await fs.stat(path(name));
        for (const offset of [0, 1, bytes.length, bytes.length + 5])
          for (const newlines of [0, 1, 3, Number.MAX_SAFE_INTEGER])
            for (const length of [0, 70_000]) {
              const expected = scanPast(bytes, offset, newlines, length);
              const passed =
                (await fs.readPastLines?.(path(name), offset, newlines, length)) ??
                (await passHere(fs, path(name), offset, newlines, length));
              const what = `${newlines} line feeds of "${name}" from ${offset}, then ${length} bytes`;
              expectBytes(passed.bytes, expected.bytes, what);
              expectEqual([passed.from, passed.newlines], [expected.from, expected.newlines], `place of ${what}`);
              for (const mark of "marks" in passed ? passed.marks : []) {
                const before = bytes.subarray(Math.min(offset, bytes.length), mark.offset);
                expectEqual(
                  mark.newlines,
                  before.filter((byte) => byte === 10).length,
                  `line feeds to a mark of ${what}`,
                );
              }
              expectEqual([passed.size, passed.version], [bytes.length, version], `size and version of ${what}`);
            }
      }
    },
  ),
  onFs("fs:range:odd-numbers", "A fraction is truncated, and NaN counts as absent", async (fs, path) => {
    await fs.writeFile(path("digits"), "0123456789");
    expectBytes((await fs.readRange(path("digits"), 2.9, 3.9)).bytes, "234", "fractions");
    expectBytes((await fs.readRange(path("digits"), -2.5, 9)).bytes, "89", "a fraction from the end");
    expectBytes((await fs.readRange(path("digits"), Number.NaN, 2)).bytes, "01", "no number");
    expectEqual((await fs.readRange(path("digits"), 0, -3)).bytes.length, 0, "a negative length");
    expectEqual((await fs.readRange(path("digits"), 1e21, 3)).bytes.length, 0, "beyond every file");
    for (const offset of [7.5, Number.NaN, 1e21]) {
      let text = "";
      for await (const bytes of fs.openRead(path("digits"), { offset })) text += new TextDecoder().decode(bytes);
      expectEqual(text, offset === 7.5 ? "789" : Number.isNaN(offset) ? "0123456789" : "", `openRead from ${offset}`);
    }
    expectBytes(await fs.readBytes(path("digits"), { maxBytes: Number.NaN }), "0123456789", "readBytes");
  }),
  onFs("fs:range:large-offsets", "Ranges deep inside a large file are exact", async (fs, path) => {
    const bytes = pseudoRandomBytes(3 * 1024 * 1024, 7);
    await fs.writeFile(path("large"), bytes);
    for (const [offset, length] of [
      [0, 1],
      [65_535, 3],
      [1_048_575, 70_000],
      [3_145_727, 10],
    ] as const) {
      const part = await fs.readRange(path("large"), offset, length);
      expectBytes(part.bytes, bytes.subarray(offset, offset + length), `${length} from ${offset}`);
    }
  }),
  onFs("fs:open:chunks", "openRead returns the whole file in chunks, in order", async (fs, path) => {
    const bytes = pseudoRandomBytes(1_500_000, 3);
    await fs.writeFile(path("large"), bytes);
    const chunks = await collect(fs.openRead(path("large")));
    expectThat(
      chunks.every((chunk) => chunk.length > 0),
      "no chunk is empty",
    );
    expectBytes(concatBytes(chunks), bytes, "all chunks");
    expectBytes(
      concatBytes(await collect(fs.openRead(path("large"), { offset: 1_400_001 }))),
      bytes.subarray(1_400_001),
      "from an offset",
    );
    expectEqual((await collect(fs.openRead(path("large"), { offset: 2_000_000 }))).length, 0, "chunks past the end");
  }),
  onFs("fs:open:scan", "A scan gets all bytes; a chunk is valid until the second one after it", async (fs, path) => {
    const bytes = pseudoRandomBytes(1_500_000, 9);
    await fs.writeFile(path("large"), bytes);
    const copies: Uint8Array[] = [];
    let last: Uint8Array | undefined;
    for await (const chunk of fs.openRead(path("large"), { isScan: true })) {
      if (last !== undefined) copies.push(last.slice());
      last = chunk;
    }
    if (last !== undefined) copies.push(last);
    expectBytes(concatBytes(copies), bytes, "all chunks, each copied once the next was there");
  }),
  onFs("fs:open:chunks-are-not-reused", "A chunk keeps its bytes while later ones arrive", async (fs, path) => {
    const bytes = pseudoRandomBytes(800_000, 5);
    await fs.writeFile(path("large"), bytes);
    const kept: Uint8Array[] = [];
    for await (const chunk of fs.openRead(path("large"))) kept.push(chunk);
    expectBytes(concatBytes(kept), bytes, "the chunks, looked at afterwards");
  }),
  onFs("fs:open:early-close", "An iteration that stops early closes the file, two hundred times", async (fs, path) => {
    await fs.writeFile(path("large"), pseudoRandomBytes(300_000, 9));
    for (let round = 0; round < 200; round += 1) {
      for await (const chunk of fs.openRead(path("large"))) {
        expectThat(chunk.length > 0, "a chunk came");
        break;
      }
    }
    await fs.rm(path("large"), { recursive: false, ignoreMissing: false });
    expectEqual(await fs.exists(path("large")), false, "the file is there");
  }),
  onFs(
    "fs:read:fifo-is-refused",
    "Every operation on contents rejects a FIFO before opening it",
    async (fs, path, fixture) => {
      const fifo = path("pipe");
      await plant(fixture, { kind: "fifo", path: fifo });
      const error = await expectError(fs.readText(fifo), "FS_NOT_A_FILE", "readText");
      expectEqual(error.details.kind, "fifo", "the kind in the details");
      await expectError(fs.readBytes(fifo), "FS_NOT_A_FILE", "readBytes");
      await expectError(fs.readRange(fifo, 0, 1), "FS_NOT_A_FILE", "readRange");
      await expectError(collect(fs.openRead(fifo)), "FS_NOT_A_FILE", "openRead");
      await expectError(fs.writeFile(fifo, "x"), "FS_NOT_A_FILE", "writeFile");
      await expectError(fs.replaceAtomic(fifo, utf8("x"), "any"), "FS_NOT_A_FILE", "replaceAtomic");
      expectEqual((await fs.stat(fifo)).kind, "other", "its kind");
    },
  ),
  onFs("fs:read:cancelled-before", "An aborted signal ends a read with CALL_CANCELLED", async (fs, path) => {
    await fs.writeFile(path("file"), "x");
    const signal = AbortSignal.abort();
    await expectError(fs.readBytes(path("file"), { signal }), "CALL_CANCELLED", "readBytes");
    await expectError(fs.stat(path("file"), { signal }), "CALL_CANCELLED", "stat");
    await expectError(fs.writeFile(path("new"), "x", { signal }), "CALL_CANCELLED", "writeFile");
    expectEqual(await fs.exists(path("new")), false, "the file was written");
  }),
  onFs("fs:read:cancelled-between-chunks", "Aborting ends an openRead at its next chunk", async (fs, path) => {
    await fs.writeFile(path("large"), pseudoRandomBytes(2_000_000, 11));
    const controller = new AbortController();
    const reading = async () => {
      for await (const chunk of fs.openRead(path("large"), { signal: controller.signal })) {
        expectThat(chunk.length > 0, "a chunk came");
        controller.abort();
      }
    };
    await expectError(reading, "CALL_CANCELLED", "openRead");
  }),
];
