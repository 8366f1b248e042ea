import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { createSystemMedia } from "../../host/index.js";
import { ENCRYPTED, pdfOf } from "../../host/media/pdf.fixture.js";
import { type Backend, HaftError, type Media, type PdfText } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, type ToolBench, toolBench, withFs } from "../tool-bench.fixture.js";
import type { ReadData } from "./contract.js";

const media = createSystemMedia();
const host = { media };
const missing = createSystemMedia({
  find() {
    throw new Error("not installed");
  },
});

const red = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "#f00" } });
const read = (bench: ToolBench, path: string, more: object = {}, limits?: object) =>
  bench.call<ReadData>("read", { path, ...more }, limits);

/** A PNG by its header, and nothing that could be decoded. */
function pngHeader(width: number, height: number, sizeBytes = 2_000): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

async function blockOf(content: readonly unknown[]) {
  const [block] = content as { kind: string; mime: string; data: Uint8Array }[];
  const { width, height, pages = 1 } = await sharp(block!.data).metadata();
  return { kind: block!.kind, mime: block!.mime, width, height, pages, sizeBytes: block!.data.length };
}

describe("an image", () => {
  verifies("IP-036", "comes as a note and an image block of at most 2000×2000 pixels", async () => {
    const bench = memoryBench({ "wide.png": new Uint8Array(await red(3_000, 2_400).png().toBuffer()) }, { host });
    const shown = await read(bench, "wide.png");
    const block = await blockOf(shown.content);
    expect(block).toMatchObject({ kind: "image", mime: "image/png", width: 2_000, height: 1_600 });
    expect(shown.content).toHaveLength(1);
    expect(shown.data).toMatchObject({ kind: "image", mime: "image/png", text: "" });
    const copy = { mime: "image/png", width: 2_000, height: 1_600, sizeBytes: block.sizeBytes };
    expect(shown.data?.picture).toEqual({ width: 3_000, height: 2_400, isAnimated: false, shown: copy });
  });

  verifies("IP-036", "of each of the four kinds comes as it is where it fits", async () => {
    const bytes = {
      png: await red(64, 48).png().toBuffer(),
      jpeg: await red(64, 48).jpeg().toBuffer(),
      gif: await red(64, 48).gif().toBuffer(),
      webp: await red(64, 48).webp().toBuffer(),
    };
    for (const [format, buffer] of Object.entries(bytes)) {
      const file = new Uint8Array(buffer);
      const shown = await read(memoryBench({ x: file }, { host }), "x");
      expect(shown.content).toEqual([{ kind: "image", mime: `image/${format}`, data: file }]);
      expect(shown.data?.picture).toEqual({ width: 64, height: 48, isAnimated: false });
    }
  });

  it("is known by its first bytes, whatever its name", async () => {
    const files = {
      "a.txt": new Uint8Array(await red(4, 4).png().toBuffer()),
      "b.png": "only text\n",
      "c.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
      "d.gif": "GIF89a is how such a file begins.\n",
    };
    const bench = memoryBench(files, { host });
    expect((await read(bench, "a.txt")).data?.kind).toBe("image");
    for (const path of ["b.png", "c.svg", "d.gif"]) expect((await read(bench, path)).data?.kind).toBe("text");
  });

  it("that moves is shown by its first frame", async () => {
    const frames = await red(40, 60).raw().toBuffer();
    const raw = { width: 40, height: 60, channels: 3, pageHeight: 30 } as const;
    frames.fill(0, frames.length / 2);
    const gif = new Uint8Array(
      await sharp(frames, { raw })
        .gif({ delay: [9, 9] })
        .toBuffer(),
    );
    const shown = await read(memoryBench({ "m.gif": gif }, { host }), "m.gif");
    expect(await blockOf(shown.content)).toMatchObject({ mime: "image/png", width: 40, height: 30, pages: 1 });
    expect(shown.data?.picture).toMatchObject({ isAnimated: true, shown: { mime: "image/png" } });
  });

  it("that claims to be huge, or has too many bytes, is reported with the numbers and not opened", async () => {
    const untouched: Media = { fitImage: () => expect.unreachable(), pdfText: () => expect.unreachable() };
    const files = { "bomb.png": pngHeader(30_000, 30_000), "heavy.png": pngHeader(10, 10, 52_428_801) };
    const bench = memoryBench(files, { host: { media: untouched } });
    expect(await read(bench, "bomb.png")).toMatchObject({
      content: [],
      isError: false,
      data: { kind: "image", sizeBytes: 2_000, picture: { width: 30_000, height: 30_000 } },
      details: {
        notes: [
          "The image is not shown: it has 30000×30000 = 900000000 pixels, over the limit of 100000000. Create a smaller copy with a command and read that.",
        ],
      },
    });
    expect((await read(bench, "heavy.png")).details?.notes).toEqual([
      "The image is not shown: it has 52428801 bytes, over the limit of 52428800. Create a smaller copy with a command and read that.",
    ]);
  });

  it("whose content is damaged is refused, be it in the header or behind it", async () => {
    const whole = await red(300, 300).png().toBuffer();
    const files = {
      "cut.png": new Uint8Array(whole.subarray(0, 200)),
      "head.png": pngHeader(10, 10).subarray(0, 18),
      "flat.png": pngHeader(10, 0),
    };
    const bench = memoryBench(files, { host });
    expect(await read(bench, "cut.png")).toMatchObject({
      isError: true,
      code: "MEDIA_UNREADABLE",
      details: { why: "damaged", mime: "image/png" },
      message:
        'Did not read "cut.png" as image/png (200 bytes): it is damaged or truncated. Get the file again, or inspect its bytes with a command.',
    });
    for (const [path, size] of [
      ["head.png", 18],
      ["flat.png", 2_000],
    ] as const)
      expect((await read(bench, path)).message).toContain(`(${size} bytes): its header is damaged or truncated.`);
    expect(bench.session.readState.has("memory:/workspace/cut.png")).toBe(false);
  });

  it("that fits by its header is passed through where the package is missing, a larger one reported with what to install", async () => {
    const files = {
      "ok.png": pngHeader(2_000, 2_000),
      "wide.png": pngHeader(2_001, 10),
      "heavy.png": pngHeader(9, 9, 4e6),
    };
    const bench = memoryBench(files, { host: { media: missing } });
    expect((await read(bench, "ok.png")).content).toEqual([
      { kind: "image", mime: "image/png", data: files["ok.png"] },
    ]);
    const wide = await read(bench, "wide.png");
    expect([wide.content, wide.details?.notes]).toEqual([
      [],
      [
        "The image is not shown: it has 2001×10 pixels, over the limit of 2000×2000, and the package sharp, which resizes images, is not installed. Install it beside Haft (`npm install sharp`), or create a smaller copy with a command and read that.",
      ],
    ]);
    const heavy = (await read(bench, "heavy.png")).details?.notes;
    expect(heavy).toEqual([
      expect.stringContaining("it has 4000000 bytes, over the limit of 3932160, and the package"),
    ]);
    const without = (await read(memoryBench(files), "wide.png")).details?.notes;
    expect(without).toEqual([expect.stringContaining("and this host cannot resize images. Create a smaller copy")]);
  });

  it("is passed unchanged where it fits, in a dialect without resizing", async () => {
    const untouched: Media = { fitImage: () => expect.unreachable(), pdfText: () => expect.unreachable() };
    const bench = memoryBench({ "p.png": pngHeader(9, 9), "a.pdf": pdfOf([["x"]]) }, { host: { media: untouched } });
    const shown = await read(bench, "p.png", {}, { media: false });
    expect([shown.data?.picture, shown.content.length]).toEqual([undefined, 1]);
    expect((await read(bench, "a.pdf", {}, { media: false })).data?.text).toContain("%PDF-1.4\n");
  });

  it("may be replaced once it was seen", async () => {
    const bench = memoryBench({ "p.png": new Uint8Array(await red(4, 4).png().toBuffer()) }, { host });
    const write = () => bench.call("write", { path: "p.png", content: "text" });
    expect(await write()).toMatchObject({ isError: true, code: "FS_NOT_READ" });
    await read(bench, "p.png");
    expect(await write()).toMatchObject({ isError: false });
  });

  it("ends with its call when that is cancelled", async () => {
    const waiting: Media = {
      fitImage: (_bytes, _bounds, io) =>
        new Promise((_, reject) => io?.signal?.addEventListener("abort", () => reject(io.signal?.reason))),
      pdfText: () => expect.unreachable(),
    };
    const bench = memoryBench({ "p.png": pngHeader(9, 9) }, { host: { media: waiting } });
    const stop = new AbortController();
    const call = bench.call("read", { path: "p.png" }, undefined, stop.signal);
    setTimeout(() => stop.abort(), 20);
    expect((await call).status).toBe("cancelled");
  });
});

describe("media of over 8 MiB", () => {
  let large: Uint8Array;
  beforeAll(async () => {
    const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
    const create = { width: 1_900, height: 1_900, channels: 3, background: "#000", noise } as const;
    large = new Uint8Array(await sharp({ create }).png({ compressionLevel: 1 }).toBuffer());
    expect(large.length).toBeGreaterThan(8 * 1024 * 1024);
  });

  const BACKENDS: Readonly<Record<string, (cwd: string) => Promise<Backend> | Backend>> = {
    memory: () => createMemoryBackend(),
    local: (cwd) => createLocalBackend({ cwd }),
    posix: (cwd) => openLocalPosix({ shell: "sh", cwd }),
  };

  it.each(Object.keys(BACKENDS))("is read on the backend %s", async (name) => {
    const directory = await mkdtemp(join(tmpdir(), "haft-media-"));
    const backend = await BACKENDS[name]!(directory);
    try {
      const bench = toolBench({ backend, host });
      await bench.put("n.png", large);
      await bench.put("a.pdf", pdfOf([["on any backend"]]));
      const shown = await read(bench, "n.png");
      expect(await blockOf(shown.content)).toMatchObject({ mime: "image/jpeg", width: 1_900, height: 1_900 });
      expect((await read(bench, "a.pdf")).data?.text).toContain("on any backend\n");
    } finally {
      await backend.close({});
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

it("a file that changes while it is read is refused", async () => {
  const real = createMemoryBackend({ files: { "n.png": pngHeader(9, 9, 9 * 1024 * 1024) } });
  const backend = withFs(real, (fs) => ({
    async readRange(path, offset, length, io) {
      const range = await fs.readRange(path, offset, length, io);
      if (length === range.size) await real.root.fs.writeFile(path, pngHeader(9, 9, range.size));
      return length === range.size ? fs.readRange(path, offset, length, io) : range;
    },
  }));
  expect(await read(toolBench({ backend, host }), "n.png")).toMatchObject({ isError: true, code: "FS_STALE" });
});

describe("a PDF", () => {
  it("comes as the text of its pages, by windows of lines", async () => {
    const bench = memoryBench({ "a.pdf": pdfOf([["Title", "one"], [], ["two", "three"]]) }, { host });
    const whole = await read(bench, "a.pdf");
    expect(whole.data).toMatchObject({ kind: "text", mime: "application/pdf", isView: true, totalLines: 10 });
    expect(whole.data?.text).toBe(
      "--- page 1 of 3 ---\nTitle\none\n\n--- page 2 of 3 ---\n[no text on this page]\n\n--- page 3 of 3 ---\ntwo\nthree\n",
    );
    expect(whole.details?.notes).toEqual([
      "PDF shown as text of its pages (3); line numbers are those of this view. Its images are not shown, and `edit` cannot edit it. Pages without text: 1.",
    ]);
    expect((await read(bench, "a.pdf", { offset: 2, limit: 1 })).data).toMatchObject({
      text: "Title\n",
      nextOffset: 3,
    });
    expect((await read(bench, "a.pdf", { offset: -1 })).data?.text).toBe("three\n");
  });

  it("comes as its bytes where an encoding is named", async () => {
    const { data } = await read(memoryBench({ "a.pdf": pdfOf([["x"]]) }, { host }), "a.pdf", { encoding: "utf-8" });
    expect(data?.text).toContain("1 0 obj\n");
  });

  it("that is encrypted or damaged is refused, and reports which", async () => {
    const files = { "e.pdf": pdfOf([["x"]], ENCRYPTED), "d.pdf": pdfOf([["x"]]).subarray(0, 99) };
    const bench = memoryBench(files, { host });
    expect(await read(bench, "e.pdf")).toMatchObject({
      isError: true,
      code: "MEDIA_UNREADABLE",
      details: { why: "encrypted" },
      message: expect.stringContaining("it is encrypted and needs a password. Try a command such as `pdftotext`."),
    });
    expect((await read(bench, "d.pdf")).message).toContain("(99 bytes): it is damaged or truncated.");
  });

  it("without text is reported as a possible scan", async () => {
    const scanned = await read(memoryBench({ "s.pdf": pdfOf([[], []]) }, { host }), "s.pdf");
    expect(scanned.data).toMatchObject({ kind: "binary", mime: "application/pdf" });
    expect(scanned.details?.notes).toEqual([
      "There is no text in its 2 pages; it may be a scan. Convert pages to images with a command such as `pdftoppm -png`, then read those.",
    ]);
  });

  it("is reported by type and size where the package is missing, with what to install", async () => {
    const files = { "a.pdf": pdfOf([["x"]]) };
    const outcome = await read(memoryBench(files, { host: { media: missing } }), "a.pdf");
    expect(outcome).toMatchObject({ isError: false, data: { kind: "binary", mime: "application/pdf" } });
    expect(outcome.details?.notes).toEqual([
      "Its text is not shown: the package unpdf, which reads PDFs, is not installed. Install it beside Haft (`npm install unpdf`). Try a command such as `pdftotext`.",
    ]);
    const without = await read(memoryBench(files), "a.pdf");
    expect(without.details?.notes).toEqual([
      "Its text is not shown: this host cannot read PDFs. Try a command such as `pdftotext`.",
    ]);
  });

  it("of too many bytes is not opened", async () => {
    const heavy = new Uint8Array(52_428_801);
    heavy.set(new TextEncoder().encode("%PDF-1.7\n"));
    expect((await read(memoryBench({ "h.pdf": heavy }, { host }), "h.pdf")).details?.notes).toEqual([
      "Its text is not shown: it has 52428801 bytes, over the limit of 52428800. Try a command such as `pdftotext`.",
    ]);
  });

  /** A port that gives these answers, one a call, and notes what it was asked. */
  function scripted(...answers: readonly (PdfText | HaftError)[]) {
    const asked: number[] = [];
    const port: Media = {
      fitImage: () => expect.unreachable(),
      async pdfText(_bytes, { first }) {
        const answer = answers[asked.length]!;
        asked.push(first);
        if (answer instanceof HaftError) throw answer;
        return answer;
      },
    };
    return { asked, bench: memoryBench({ "l.pdf": pdfOf([["x"]]) }, { host: { media: port } }) };
  }

  it("that takes longer than a call continues with the next window, and keeps what was read", async () => {
    const { asked, bench } = scripted(
      { pages: 3, texts: ["one", "two"], stopped: "time" },
      { pages: 3, texts: ["three"] },
    );
    const begun = await read(bench, "l.pdf", { limit: 2 });
    expect(begun.data?.text).toBe("--- page 1 of 3 ---\none\n");
    expect(begun.details?.notes).toEqual([
      expect.stringMatching(
        / Only the first 2 of 3 pages were read within the time of a call; continue with `offset` 6\.$/,
      ),
    ]);
    expect((await read(bench, "l.pdf", { offset: 4, limit: 2 })).data?.text).toBe("--- page 2 of 3 ---\ntwo\n");
    expect(asked).toEqual([1]);
    expect((await read(bench, "l.pdf", { offset: 6 })).data?.text).toBe("\n--- page 3 of 3 ---\nthree\n");
    expect((await read(bench, "l.pdf", { offset: -1 })).data?.text).toBe("three\n");
    expect(asked).toEqual([1, 3]);
  });

  it("that changes is read anew", async () => {
    const { asked, bench } = scripted({ pages: 1, texts: ["old"] }, { pages: 1, texts: ["new"] });
    await read(bench, "l.pdf");
    await bench.put("l.pdf", pdfOf([["another"]]));
    expect((await read(bench, "l.pdf")).data?.text).toContain("new\n");
    expect(asked).toEqual([1, 1]);
  });

  it("is not treated as complete after a timeout, and continues later", async () => {
    const problem = "others were read. Try again";
    const busy = new HaftError("MEDIA_UNREADABLE", "", { details: { why: "busy", problem } });
    const answers = [{ pages: 2, texts: ["one"], stopped: "time" as const }, busy, { pages: 2, texts: ["two"] }];
    const { asked, bench } = scripted(...answers);
    await read(bench, "l.pdf", { limit: 1 });
    expect(await read(bench, "l.pdf")).toMatchObject({
      code: "MEDIA_UNREADABLE",
      message: expect.stringMatching(/: others were read\. Try again\.$/),
    });
    expect((await read(bench, "l.pdf")).data?.text).toContain("--- page 2 of 2 ---\ntwo\n");
    expect(asked).toEqual([1, 2, 2]);
  });

  it("reports where its text ends before the last page, and why", async () => {
    const fault = new HaftError("MEDIA_UNREADABLE", "", { details: { why: "memory", problem: "too much" } });
    const broken = scripted({ pages: 9, texts: ["one"], stopped: "time" }, fault);
    await read(broken.bench, "l.pdf", { limit: 1 });
    const ended = await read(broken.bench, "l.pdf");
    expect(ended.data?.text).toBe("--- page 1 of 9 ---\none\n");
    expect(ended.details?.notes).toEqual([
      expect.stringContaining(
        "Only the first 1 of 9 pages were read: the next one needs too much memory or crashes the reader.",
      ),
    ]);
    const long = scripted({ pages: 9, texts: ["one", undefined], stopped: "size" });
    const cut = await read(long.bench, "l.pdf");
    expect(cut.data?.text).toContain("--- page 2 of 9 ---\n[this page could not be read]\n");
    expect(cut.details?.notes).toEqual([
      expect.stringContaining("pages were read: their text reaches 4194304 characters."),
    ]);
  });

  it("has no truncated line and no control character", async () => {
    const { bench } = scripted({ pages: 1, texts: [`${"é".repeat(1_500)}\u0000\u0007 end`] });
    const { data } = await read(bench, "l.pdf");
    expect(data?.truncatedLines).toEqual([]);
    expect(data?.text).toBe(`--- page 1 of 1 ---\n${"é".repeat(1_000)}\n${"é".repeat(500)} end\n`);
  });
});
