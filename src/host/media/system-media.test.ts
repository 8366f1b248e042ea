import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { FittedImage, ImageBounds } from "../../kernel/index.js";
import { underLoad } from "../../testing/under-load.fixture.js";
import { deflatedRepeat, ENCRYPTED, pdfOf, pdfWith } from "./pdf.fixture.js";
import { createSystemMedia } from "./system-media.js";

const media = createSystemMedia();
const BOUNDS: ImageBounds = { maxWidth: 200, maxHeight: 200, maxBytes: 60_000, maxPixels: 1_000_000 };
const PAGES = { first: 1, maxCharacters: 100_000 };
const TIMEOUT_MS = 180_000;

const red = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "#ff0000" } });
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#000", noise: { type: "gaussian", mean: 128, sigma: 60 } },
  });

/** Processes of this one that read a file, by the option that all of them have. */
function readers(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [, parent] = /\) [A-Z] (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
      return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes('"lookMs":');
    } catch {
      return false;
    }
  });
}

async function sizeOf({ bytes, mime }: FittedImage) {
  const { format, width, height, pages = 1 } = await sharp(bytes).metadata();
  expect(`image/${format}`).toBe(mime);
  return [format, width, height, pages];
}

describe("an image", () => {
  it.each([
    ["png", () => red(200, 100).png()],
    ["jpeg", () => red(200, 100).jpeg()],
    ["webp", () => red(200, 100).webp()],
    ["gif", () => red(200, 100).gif()],
  ] as const)("that fits stays the bytes that it is: %s", async (format, make) => {
    const bytes = new Uint8Array(await make().toBuffer());
    const fitted = await media.fitImage(bytes, BOUNDS);
    expect(fitted.bytes).toBe(bytes);
    expect(fitted).toMatchObject({ mime: `image/${format}`, width: 200, height: 100 });
  });

  it("that is too wide or high is made smaller and keeps its proportions", async () => {
    expect(await sizeOf(await media.fitImage(await red(800, 400).png().toBuffer(), BOUNDS))).toEqual([
      "png",
      200,
      100,
      1,
    ]);
    expect(await sizeOf(await media.fitImage(await red(400, 900).jpeg().toBuffer(), BOUNDS))).toEqual([
      "jpeg",
      89,
      200,
      1,
    ]);
  });

  it("that stays too heavy becomes a JPEG, and then a smaller one", async () => {
    const heavy = await noise(200, 200).png().toBuffer();
    expect(heavy.length).toBeGreaterThan(BOUNDS.maxBytes);
    const fitted = await media.fitImage(heavy, BOUNDS);
    expect(await sizeOf(fitted)).toEqual(["jpeg", 200, 200, 1]);
    expect(fitted.bytes.length).toBeLessThanOrEqual(BOUNDS.maxBytes);
    const lighter = await media.fitImage(heavy, { ...BOUNDS, maxBytes: 3_000 });
    expect(lighter.bytes.length).toBeLessThanOrEqual(3_000);
    expect(lighter.width).toBeLessThan(200);
  });

  it("that moves becomes its first frame", async () => {
    const frames = Buffer.concat([await red(40, 30).raw().toBuffer(), await noise(40, 30).raw().toBuffer()]);
    const raw = { width: 40, height: 60, channels: 3, pageHeight: 30 } as const;
    const moving = await sharp(frames, { raw })
      .gif({ delay: [100, 100] })
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(2);
    const fitted = await media.fitImage(moving, BOUNDS);
    expect(await sizeOf(fitted)).toEqual(["png", 40, 30, 1]);
    const [red0, green0] = await sharp(fitted.bytes).raw().toBuffer();
    expect([red0! > 200, green0! < 50]).toEqual([true, true]);
  });

  it("that a camera has turned is reported and made smaller as it is seen", async () => {
    const turned = await red(800, 400).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await sizeOf(await media.fitImage(turned, BOUNDS))).toEqual(["jpeg", 100, 200, 1]);
    const small = await red(80, 40).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await media.fitImage(small, BOUNDS)).toMatchObject({ width: 40, height: 80 });
  });

  it("that is cut off or no image is reported to be damaged", async () => {
    const whole = await noise(100, 100).png().toBuffer();
    for (const bytes of [whole.subarray(0, whole.length / 2), new Uint8Array(50), whole.subarray(0, 20)])
      await expect(media.fitImage(bytes, BOUNDS)).rejects.toMatchObject({
        code: "MEDIA_UNREADABLE",
        details: { why: "damaged" },
      });
  });

  it("with more pixels than allowed is not decoded, however few bytes it has", async () => {
    const bomb = await red(1_200, 1_000).png().toBuffer();
    expect(bomb.length).toBeLessThan(20_000);
    await expect(media.fitImage(bomb, BOUNDS)).rejects.toMatchObject({ details: { why: "large" } });
  });
});

describe("a PDF", () => {
  it("gives the text of each page from the first that is asked for", async () => {
    const bytes = pdfOf([["Title", "a (b) \\ c"], [], ["last"]]);
    expect(await media.pdfText(bytes, PAGES)).toEqual({ pages: 3, texts: ["Title\na (b) \\ c", "", "last"] });
    expect(await media.pdfText(bytes, { ...PAGES, first: 3 })).toEqual({ pages: 3, texts: ["last"] });
  });

  it("stops behind the page that goes over the characters", async () => {
    const bytes = pdfOf([["x".repeat(60)], ["y".repeat(60)], ["z"]]);
    const read = await media.pdfText(bytes, { first: 1, maxCharacters: 100 });
    expect(read).toEqual({ pages: 3, texts: ["x".repeat(60), "y".repeat(60)], stopped: "size" });
  });

  it("that is encrypted, damaged or none says which", async () => {
    await expect(media.pdfText(pdfOf([["x"]], ENCRYPTED), PAGES)).rejects.toMatchObject({
      code: "MEDIA_UNREADABLE",
      details: { why: "encrypted" },
    });
    const cut = pdfOf([["x"]]).subarray(0, 100);
    for (const bytes of [cut, new TextEncoder().encode("%PDF-1.4\nnothing")])
      await expect(media.pdfText(bytes, PAGES)).rejects.toMatchObject({ details: { why: "damaged" } });
  });

  it("that says to have a billion pages ends, too", async () => {
    const page = { dictionary: "", data: Buffer.from("BT /F1 12 Tf (only) Tj ET") };
    const read = await media.pdfText(pdfWith([page], "", 1_000_000_000), PAGES);
    expect(read.texts[0]).toBe("only");
    expect(read.texts.length).toBeLessThanOrEqual(PAGES.maxCharacters / 40);
  });

  const first = { dictionary: "", data: Buffer.from("BT /F1 12 Tf (first) Tj ET") };
  const endless = {
    dictionary: "/Filter /FlateDecode",
    data: deflatedRepeat("BT /F1 12 Tf ", "(aaaa) Tj T* ".repeat(80_000), 100, "ET"),
  };

  it(
    "that takes too long is ended, and what was read before it is returned",
    async () => {
      await expect(media.pdfText(pdfWith([endless, first]), PAGES, { timeoutMs: 1_500 })).rejects.toMatchObject({
        code: "MEDIA_UNREADABLE",
        details: { why: "slow" },
      });
      expect(await media.pdfText(pdfWith([first, endless]), PAGES, { timeoutMs: underLoad(2_500) })).toEqual({
        pages: 2,
        texts: ["first"],
        // With a longer time on a busy machine the memory that a reader may take can run out first.
        stopped: expect.stringMatching(/^(time|fault)$/),
      });
      expect(readers()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "that unfolds to gigabytes ends the process that reads it, and no other",
    async () => {
      const data = deflatedRepeat("", " ".repeat(1024 * 1024), 520, "");
      expect(data.length).toBeLessThan(2_000_000);
      const bomb = pdfWith([{ dictionary: "/Filter /FlateDecode", data }]);
      const before = process.memoryUsage.rss();
      await expect(media.pdfText(bomb, PAGES, { timeoutMs: 40_000 })).rejects.toMatchObject({
        details: { why: "memory" },
      });
      expect(process.memoryUsage.rss() - before).toBeLessThan(500_000_000);
    },
    TIMEOUT_MS,
  );

  it(
    "is left at once by a cancel, during the work, before it and while it waits for its turn",
    async () => {
      const gone = AbortSignal.abort();
      await expect(media.pdfText(pdfOf([["x"]]), PAGES, { signal: gone })).rejects.toMatchObject({
        code: "CALL_CANCELLED",
      });
      const bytes = pdfWith([endless]);
      const stop = new AbortController();
      const working = [1, 2, 3].map(() => media.pdfText(bytes, PAGES, { signal: stop.signal }));
      const ends = Promise.allSettled(working);
      await expect.poll(() => readers().length, { timeout: 10_000 }).toBe(2);
      stop.abort();
      for (const end of await ends)
        expect(end).toMatchObject({ status: "rejected", reason: { code: "CALL_CANCELLED" } });
      expect(readers()).toEqual([]);
      expect(await media.pdfText(pdfOf([["after"]]), PAGES)).toMatchObject({ texts: ["after"] });
    },
    TIMEOUT_MS,
  );
});

it("a process that cannot be started is reported, and the turn is given back", async () => {
  const node = process.execPath;
  for (let attempt = 0; attempt < 3; attempt++) {
    process.execPath = "/nowhere/node";
    try {
      await expect(media.pdfText(pdfOf([["x"]]), PAGES)).rejects.toMatchObject({ code: "SHELL_SPAWN" });
    } finally {
      process.execPath = node;
    }
  }
  expect(await media.pdfText(pdfOf([["x"]]), PAGES)).toMatchObject({ texts: ["x"] });
});

it(
  "an end that comes before the file was looked at says nothing of the file",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-media-"));
    const read = async (source: string, limitsMs = [5_000, 5_000, 5_000]) => {
      const part = join(directory, "part.mjs");
      writeFileSync(part, source);
      const own = createSystemMedia({ find: () => part });
      return Promise.allSettled(limitsMs.map((timeoutMs) => own.pdfText(pdfOf([["x"]]), PAGES, { timeoutMs })));
    };
    const because = (why: string, problem: RegExp) => ({
      reason: { code: "MEDIA_UNREADABLE", details: { why, problem: expect.stringMatching(problem) } },
    });
    try {
      // The time of the third one passes while the others have the two turns.
      const late = await read("await new Promise((done) => setTimeout(done, 60_000));", [3_000, 3_000, 500]);
      expect(late).toMatchObject([
        because("unstarted", /did not start/),
        because("unstarted", /did not start/),
        because("busy", /at most 2 at once/),
      ]);
      for (const source of ["process.abort();", "process.exit(3);", "process.kill(process.pid, 'SIGKILL');"])
        expect((await read(source))[0]).toMatchObject(because("unstarted", /no free process, thread or memory/));
      const begun = await read("export const getDocumentProxy = () => process.abort();");
      expect(begun[0]).toMatchObject(because("memory", /[MG]iB/));
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
  TIMEOUT_MS,
);

it(
  "a process that leaves another one behind is waited for no longer than the time that it has",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-media-"));
    const taken = join(directory, "taken.mjs");
    writeFileSync(
      taken,
      `import { spawn } from "node:child_process";
       import { writeFileSync } from "node:fs";
       const { pid } = spawn("/bin/sleep", ["300"], { detached: true, stdio: ["ignore", "ignore", "ignore", 3] });
       writeFileSync(${JSON.stringify(join(directory, "pid"))}, String(pid));
       export const getDocumentProxy = () => process.exit(0);`,
    );
    try {
      const reading = createSystemMedia({ find: () => taken }).pdfText(pdfOf([["x"]]), PAGES, { timeoutMs: 3_000 });
      await expect(reading).rejects.toMatchObject({ details: { why: "slow" } });
    } finally {
      process.kill(Number(readFileSync(join(directory, "pid"), "utf8")), "SIGKILL");
      rmSync(directory, { recursive: true });
    }
  },
  TIMEOUT_MS,
);

describe("a package that is missing", () => {
  const without = createSystemMedia({
    find() {
      throw new Error("not here");
    },
  });
  const broken = createSystemMedia({ find: () => "/nowhere/package.js" });

  it("is named with how to install it, also where it is there and does not load", async () => {
    for (const port of [without, broken]) {
      await expect(port.fitImage(new Uint8Array(9), BOUNDS)).rejects.toMatchObject({
        code: "CONFIG_MISSING_PACKAGE",
        details: { package: "sharp" },
        hint: "Install it beside Haft: `npm install sharp`.",
      });
      await expect(port.pdfText(pdfOf([["x"]]), PAGES)).rejects.toMatchObject({ details: { package: "unpdf" } });
    }
  });
});
