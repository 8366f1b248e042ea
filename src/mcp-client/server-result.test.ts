import { describe, expect, it } from "vitest";
import type { Artifacts } from "../kernel/index.js";
import { serverResult } from "./server-result.js";

/** Gives out the ids that bytes were kept under. */
function artifactsOf(kept: Map<string, Uint8Array>): Artifacts {
  const create = async () => {
    const id = `a-${kept.size + 1}`;
    return {
      id,
      write: async (bytes: Uint8Array) => void kept.set(id, bytes),
      end: async () => ({ producedBytes: 0, keptBytes: 0 }),
    };
  };
  return { create } as unknown as Artifacts;
}

async function blocks(
  content: unknown,
  structuredContent?: unknown,
  kept = new Map<string, Uint8Array>(),
): Promise<readonly unknown[]> {
  const result = await serverResult({ content, structuredContent }, "s", artifactsOf(kept));
  return result.content.map(({ provenance: _, ...block }) => block);
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
/** With the end of an embedded preview before its own. */
const JPEG = Buffer.from("ffd8ffe000104a464946ffd9ffda0102ffd9", "hex");
/** With a comment and a color table that hold the byte of the trailer. */
const GIF = Buffer.from(
  "GIF89a\x01\0\x01\0\x80\0\0;;;;;;!\xfe\x03a;b\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
  "latin1",
);
const WEBP = Buffer.from("RIFF\x10\0\0\0WEBPVP8L\0\0\0\0\0\0\0\0", "latin1");
const NO_IMAGE = "not shown: not a PNG, JPEG, GIF or WebP image]";

describe("what another server answers", () => {
  it.each([
    ["hello", [{ kind: "text", text: "hello" }]],
    [{ type: "text", text: "hello" }, [{ kind: "text", text: "hello" }]],
    [{ x: 1 }, [{ kind: "json", value: { x: 1 } }]],
    [7, [{ kind: "json", value: 7 }]],
    [null, []],
    [undefined, []],
    [[], []],
  ])("is shown where %j stands for the list of blocks", async (content, shown) => {
    expect(await blocks(content)).toEqual(shown);
  });

  it.each([
    ["AAEC", "text/html", `[text/html, 3 bytes, ${NO_IMAGE}`],
    ["AAEC", undefined, `[application/octet-stream, 3 bytes, ${NO_IMAGE}`],
    ["AAEC", "image/", `[application/octet-stream, 3 bytes, ${NO_IMAGE}`],
    ["<svg/>", "image/svg+xml", "[image/svg+xml, not valid base64, not shown]"],
    ["data:image/png;base64,AAEC", "image/png", "[image/png, not valid base64, not shown]"],
    ["", "image/png", `[image/png, 0 bytes, ${NO_IMAGE}`],
    ["====", "image/png", `[image/png, 0 bytes, ${NO_IMAGE}`],
  ])("is named where it says that %j is an image of the type %j", async (data, mimeType, text) => {
    expect(await blocks([{ type: "image", data, mimeType }])).toEqual([{ kind: "text", text }]);
  });

  it.each([
    ["image/png", PNG],
    ["image/jpeg", JPEG],
    ["image/gif", GIF],
    ["image/webp", WEBP],
  ])("is an image where it is a whole %s, whatever type it claims", async (mime, bytes) => {
    for (const [data, mimeType] of [
      [bytes.toString("base64"), mime],
      [`${bytes.toString("base64")}\n`, "image/bmp"],
    ])
      expect(await blocks([{ type: "image", data, mimeType }])).toEqual([
        { kind: "image", data: new Uint8Array(bytes), mime },
      ]);
    for (let length = mime === "image/webp" ? 12 : 8; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString("base64");
      // Whoever cuts a JPEG right after its preview leaves one that ends as it should.
      if (mime === "image/jpeg" && length === 12) continue;
      expect(await blocks([{ type: "image", data: cut, mimeType: mime }])).toEqual([
        { kind: "text", text: `[${mime}, ${length} bytes, not shown: the image is truncated]` },
      ]);
    }
    const padded = Buffer.concat([bytes, Buffer.alloc(2)]);
    expect(await blocks([{ type: "image", data: padded.toString("base64"), mimeType: mime }])).toMatchObject([
      { kind: "image", mime },
    ]);
  });

  it.each(['{"not":"an image"}', "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "BM"])(
    "is not an image where %j says that it is one",
    async (text) => {
      const data = Buffer.from(text).toString("base64");
      expect(await blocks([{ type: "image", data, mimeType: "image/png" }])).toEqual([
        { kind: "text", text: `[image/png, ${text.length} bytes, ${NO_IMAGE}` },
      ]);
    },
  );

  it("has its structured content shown where the text does not hold it, and not a second time", async () => {
    const text = (value: string) => [{ type: "text", text: value }];
    const structured = { issues: [{ id: 17, title: 'say "hi"', closed: null }] };
    const shown = { kind: "json", value: structured };
    expect(await blocks(text("Found 1 issue."), structured)).toEqual([{ kind: "text", text: "Found 1 issue." }, shown]);
    expect(await blocks([], structured)).toEqual([shown]);
    const note = text('Issue 17: say "hi", closed: null');
    expect(await blocks(note, structured)).toEqual([{ kind: "text", text: note[0]?.text }, shown]);
    expect(await blocks(text("Done, 10 items. true story"), { deleted: true, count: 1, left: 0 })).toHaveLength(2);
    expect(await blocks(text("{}"), structured)).toHaveLength(2);
    expect(await blocks([...text("Found:"), ...text(JSON.stringify(structured))], structured)).toHaveLength(2);
    for (const whole of [JSON.stringify(structured), JSON.stringify(structured, null, 2)])
      expect(await blocks(text(whole), structured)).toEqual([{ kind: "text", text: whole }]);
  });

  it("keeps embedded bytes as an artifact that can be read, and says so", async () => {
    const kept = new Map<string, Uint8Array>();
    const resource = { uri: "docs://a.pdf", blob: "JVBERg==", mimeType: "application/pdf" };
    expect(await blocks([{ type: "resource", resource }], undefined, kept)).toEqual([
      {
        kind: "text",
        text: '[docs://a.pdf, application/pdf, 4 bytes: stored as "artifact:a-1"; `read` accepts this path]',
      },
    ]);
    expect(Buffer.from(kept.get("a-1") ?? []).toString()).toBe("%PDF");
  });

  it.each(["create", "write", "end"] as const)("omits embedded bytes whose %s failed, and reports it", async (step) => {
    const discarded: string[] = [];
    const fails = () => Promise.reject(new Error("no space left"));
    const writer = {
      id: "a-1",
      write: async () => {},
      end: async () => {},
      // Discarding an artifact may fail too.
      discard: () => {
        discarded.push("a-1");
        return fails();
      },
    };
    const artifacts = {
      create: async () => ({ ...writer, [step]: fails }),
      ...(step === "create" ? { create: fails } : {}),
    };
    const content = [{ type: "resource", resource: { uri: "docs://a.pdf", blob: "JVBERg==" } }];
    const result = await serverResult({ content }, "s", artifacts as unknown as Artifacts);
    expect(result.content).toMatchObject([
      { text: "[docs://a.pdf, application/octet-stream, 4 bytes: could not be stored, not shown]" },
    ]);
    expect(discarded).toEqual(step === "create" ? [] : ["a-1"]);
  });

  it("says what it omits of lists and objects that are nested too deep", async () => {
    const text = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    const nested = (...of: Parameters<typeof text>) => JSON.parse(text(...of));
    const omitted = /\[omitted: nested deeper than 64 levels\]/;
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const deep = nested(20_000, open, close);
      expect(JSON.stringify(await blocks([], deep))).toMatch(omitted);
      expect(JSON.stringify(await blocks([deep]))).toMatch(omitted);
      expect(JSON.stringify(await blocks(text(20_000, open, close), { a: 1 }))).not.toMatch(omitted);
      expect(await blocks([], nested(64, open, close))).toEqual([{ kind: "json", value: nested(64, open, close) }]);
      expect(JSON.stringify(await blocks([], nested(65, open, close)))).toMatch(omitted);
    }
  });

  it("shows control, bidirectional and unseen characters instead of passing them on", async () => {
    const hidden = "a\tb\r\nc\u001b[31m\u202ed\u200b\u{e0041}\u0000";
    const seen = "a\tb\nc\\u001b[31m\\u202ed\\u{200b}\\u{e0041}\\u0000";
    const resource = { uri: hidden, text: hidden };
    expect(
      await blocks(
        [
          { type: "text", text: hidden },
          { type: "resource", resource },
          { type: "resource_link", uri: hidden },
          { type: "other", [hidden]: [hidden] },
        ],
        { value: `${hidden}!` },
      ),
    ).toEqual([
      { kind: "text", text: seen },
      { kind: "resource", uri: seen, text: seen },
      { kind: "resource", uri: seen },
      { kind: "text", text: expect.stringMatching(/^\[a\tb\nc\\u001b\[31m\\u202ed[^\u001b\u202e]*not fetched/) },
      { kind: "json", value: { type: "other", [seen]: [seen] } },
      { kind: "json", value: { value: `${seen}!` } },
    ]);
    const joined = "\u0645\u06cc\u200c\u062e \u{1f469}\u200d\u{1f4bb}";
    expect(await blocks(joined)).toEqual([{ kind: "text", text: joined }]);
  });
});
