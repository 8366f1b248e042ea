import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArtifactPart, Artifacts, Fs } from "../../kernel/index.js";
import { fc, runCount } from "../../testing/property.fixture.js";
import { STILL_WRITTEN_MS } from "./artifact-store.js";
import { fileArtifacts } from "./file-artifacts.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-artifacts-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const open = (partBytes = 8, quotaBytes = 64): ReturnType<typeof fileArtifacts> =>
  fileArtifacts(state, ["sessions", "s", "artifacts"], { partBytes, quotaBytes });

async function keep(artifacts: Artifacts, text: string): Promise<string> {
  const writer = await artifacts.create({ what: "output" });
  await writer.write(Buffer.from(text));
  await writer.end();
  return writer.id;
}

async function part(artifacts: Artifacts, id: string, offset = 0, length = 1_000): Promise<ArtifactPart> {
  const read = await artifacts.read(id, offset, length);
  if (typeof read === "string") throw new Error(`the artifact is ${read}`);
  return read;
}

const textOf = (one: ArtifactPart): string => Buffer.from(one.bytes).toString();

describe("artifacts by files", () => {
  it("keeps a short output whole, for another process too", async () => {
    const id = await keep(open(), "0123456789ab");
    const other = open();
    expect(await other.list()).toMatchObject([{ id, what: "output", producedBytes: 12, keptBytes: 12 }]);
    const whole = await part(other, id);
    expect(textOf(whole)).toBe("0123456789ab");
    expect(whole.gap).toBeUndefined();
    expect(textOf(await part(other, id, 6, 4))).toBe("6789");
  });

  it("keeps the first and last bytes of a long one and says what is missing between", async () => {
    const id = await keep(open(), "0123456789abcdefghijklmnopqrstuvwxyz");
    const artifacts = open();
    expect(await part(artifacts, id)).toMatchObject({ producedBytes: 36, keptBytes: 16, gap: [8, 28] });
    expect(textOf(await part(artifacts, id, 0, 100))).toBe("01234567");
    expect(textOf(await part(artifacts, id, 10, 100))).toBe("");
    expect(textOf(await part(artifacts, id, 28, 100))).toBe("stuvwxyz");
    expect(textOf(await part(artifacts, id, 30, 2))).toBe("uv");
  });

  it("gives exactly the kept bytes whatever the chunks and the window", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 21 }), { maxLength: 8 }),
        fc.nat(60),
        fc.nat(60),
        async (sizes, offset, length) => {
          const artifacts = open(8, 1_000_000);
          const writer = await artifacts.create({ what: "output" });
          let whole = Buffer.alloc(0);
          for (const size of sizes) {
            const chunk = Buffer.from(Array.from({ length: size }, (_, index) => (whole.length + index) % 256));
            whole = Buffer.concat([whole, chunk]);
            await writer.write(chunk);
          }
          expect(await writer.end()).toEqual({ producedBytes: whole.length, keptBytes: Math.min(whole.length, 16) });
          const read = await part(artifacts, writer.id, offset, length);
          const gapEnd = whole.length - 8;
          const end = offset + length;
          const wanted =
            whole.length <= 16
              ? whole.subarray(offset, end)
              : offset < 8
                ? whole.subarray(offset, Math.min(8, end))
                : offset >= gapEnd
                  ? whole.subarray(offset, end)
                  : Buffer.alloc(0);
          expect(Buffer.from(read.bytes).equals(wanted)).toBe(true);
        },
      ),
      { numRuns: runCount(100) },
    );
  });

  it("can be read while it is written", async () => {
    const artifacts = open();
    const writer = await artifacts.create({ what: "output" });
    await writer.write(Buffer.from("0123456789"));
    expect(textOf(await part(artifacts, writer.id))).toBe("0123456789");
    expect(await part(open(), writer.id)).toMatchObject({ producedBytes: 10 });
    await writer.end();
  });

  it("does not keep the caller's buffer", async () => {
    const artifacts = open();
    const writer = await artifacts.create({ what: "output" });
    const buffer = Buffer.from("aaaa");
    const written = writer.write(buffer);
    buffer.fill("b");
    await written;
    await writer.end();
    expect(textOf(await part(artifacts, writer.id))).toBe("aaaa");
  });

  it("evicts the oldest when the quota is exceeded, and distinguishes evicted from unknown", async () => {
    const artifacts = open(8, 40);
    const ids: string[] = [];
    for (const text of ["0123456789abcdef", "1123456789abcdef", "2123456789abcdef"]) {
      ids.push(await keep(artifacts, text));
    }
    const [first = "", second = "", third = ""] = ids;
    expect(await artifacts.read(first, 0, 10)).toBe("evicted");
    expect(await open().read(first, 0, 10)).toBe("evicted");
    expect((await artifacts.list()).map((one) => one.id)).toEqual([second, third]);
    expect(await artifacts.read("a-000000000000", 0, 10)).toBe("unknown");
    expect(await artifacts.read("../../x", 0, 10)).toBe("unknown");
  });

  it("evicts finished ones before one that is still being written", async () => {
    const artifacts = open(8, 40);
    const writer = await artifacts.create({ what: "long" });
    await writer.write(Buffer.from("0123456789abcdef"));
    const old = await keep(artifacts, "1123456789abcdef");
    await keep(artifacts, "2123456789abcdef");
    expect(await artifacts.read(old, 0, 10)).toBe("evicted");
    expect(textOf(await part(artifacts, writer.id))).toBe("0123456789abcdef");
    await writer.end();
  });

  it("evicts finished ones before one that another process still writes, until that has not written for long", async () => {
    const [one, other] = [open(8, 40), open(8, 40)];
    const writer = await one.create({ what: "long" });
    await writer.write(Buffer.from("0123456789ab"));
    const old = await keep(other, "1123456789abcdef");
    await keep(other, "2123456789abcdef");
    expect(await other.read(old, 0, 10)).toBe("evicted");
    expect(textOf(await part(other, writer.id))).toBe("0123456789ab");
    const silentSince = new Date(Date.now() - STILL_WRITTEN_MS - 1_000);
    const directory = join(state.path, "sessions/s/artifacts");
    const names = readdirSync(directory).filter((name) => name.startsWith(writer.id));
    expect(names.length).toBe(3);
    for (const name of names.slice(1)) utimesSync(join(directory, name), silentSince, silentSince);
    const third = await keep(other, "3123456789abcdef");
    expect(typeof (await other.read(writer.id, 0, 10))).toBe("object");
    for (const name of names) utimesSync(join(directory, name), silentSince, silentSince);
    await keep(other, "4123456789abcdef");
    expect(await other.read(writer.id, 0, 10)).toBe("evicted");
    expect(textOf(await part(other, third))).toBe("3123456789abcdef");
    expect(await writer.end()).toEqual({ producedBytes: 12, keptBytes: 0 });
  });

  it("counts for the quota all bytes on disk of one that another process writes, reported or not", async () => {
    const [one, other] = [open(8, 40), open(8, 40)];
    const writer = await one.create({ what: "long" });
    await writer.write(Buffer.from("0123456789abcdefghij"));
    expect(await other.list()).toMatchObject([{ keptBytes: 8 }]);
    const old = await keep(other, "1123456789abcdef");
    const last = await keep(other, "2123456789abcdef");
    expect([await other.read(old, 0, 10), (await other.list()).map(({ id }) => id)]).toEqual([
      "evicted",
      [writer.id, last],
    ]);
    await writer.end();
  });

  it("counts on for one that gave way while it was written, and keeps nothing of it", async () => {
    const artifacts = open(8, 20);
    const writer = await artifacts.create({ what: "long" });
    await writer.write(Buffer.from("0123456789abcdef"));
    await keep(artifacts, "1123456789abcdef");
    expect(await artifacts.read(writer.id, 0, 10)).toBe("evicted");
    await writer.write(Buffer.from("more"));
    const counts = { producedBytes: 20, keptBytes: 0 };
    expect([await writer.end(), await writer.end()]).toEqual([counts, counts]);
    expect(await open().read(writer.id, 0, 10)).toBe("evicted");
    expect(readdirSync(join(state.path, "sessions/s/artifacts")).filter((name) => name.startsWith(writer.id))).toEqual([
      `${writer.id}.evicted`,
    ]);
  });

  it("ends what is still written when it closes", async () => {
    const artifacts = open();
    const writer = await artifacts.create({ what: "output" });
    await writer.write(Buffer.from("abc"));
    await artifacts.close();
    expect(textOf(await part(open(), writer.id))).toBe("abc");
    expect(await writer.end()).toEqual({ producedBytes: 3, keptBytes: 3 });
  });

  it("says which record is damaged, keeps the others at work, and can remove it", async () => {
    const id = await keep(open(), "whole");
    const directory = join(state.path, "sessions", "s", "artifacts");
    const sound = JSON.parse(readFileSync(join(directory, `${id}.json`), "utf8"));
    const odd = [
      { id: "../../x" },
      { partBytes: 0 },
      { createdMs: 1e300 },
      { producedBytes: -1 },
      { what: 1 },
      { ended: 1 },
    ];
    const texts = [
      "",
      "x{",
      "null",
      "[]",
      "{}",
      ...odd.map((more) => JSON.stringify({ ...sound, id: "a-bad", ...more })),
    ];
    for (const text of texts) {
      writeFileSync(join(directory, "a-bad.json"), text);
      const artifacts = open(8, 8);
      expect(await artifacts.list()).toMatchObject([{ id }]);
      expect(artifacts.damaged()).toEqual(["a-bad"]);
      await expect(artifacts.read("a-bad", 0, 1)).rejects.toMatchObject({
        code: "STORE_CONFLICT",
        message: expect.stringContaining(join(directory, "a-bad.json")),
      });
      expect(textOf(await part(artifacts, id))).toBe("whole");
    }
    const artifacts = open(8, 8);
    expect(await keep(artifacts, "a newer one")).toMatch(/^a-/);
    expect(await artifacts.read(id, 0, 1)).toBe("evicted");
    expect(artifacts.remove("a-bad")).toBe(true);
    expect(artifacts.damaged()).toEqual([]);
    for (const make of [
      () => mkdirSync(join(directory, "a-odd.json")),
      () => execFileSync("mkfifo", [join(directory, "a-odd.json")]),
    ]) {
      make();
      expect(artifacts.damaged()).toEqual(["a-odd"]);
      expect(artifacts.remove("a-odd")).toBe(true);
    }
  });

  it("exports the kept bytes to a backend", async () => {
    const artifacts = open();
    const id = await keep(artifacts, "0123456789abcdefghij");
    const written: Record<string, string> = {};
    const fs = {
      replaceAtomic: async (path: string, bytes: Uint8Array) => {
        written[path] = Buffer.from(bytes).toString();
      },
    } as unknown as Fs;
    expect(await artifacts.export(id, fs, "/out")).toEqual({ bytes: 16 });
    expect(written).toEqual({ "/out": "01234567cdefghij" });
    await expect(artifacts.export("a-none", fs, "/out")).rejects.toMatchObject({ code: "ARTIFACT_UNKNOWN" });
  });

  it("creates nothing by reading, and reports when it cannot be written", async () => {
    expect(await open().list()).toEqual([]);
    expect(existsSync(join(state.path, "sessions"))).toBe(false);
    writeFileSync(join(state.path, "sessions"), "in the way");
    await expect(open().create({ what: "output" })).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(readdirSync(state.path)).toEqual(["sessions"]);
  });
});
