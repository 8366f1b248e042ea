import { describe, expect, it } from "vitest";
import { fc } from "../../testing/property.fixture.js";
import type { TextForm } from "../../text/index.js";
import type { ReadLimits } from "./contract.js";
import { LineIndex } from "./line-index.js";
import { type LineSource, lineTerminatorsOf, memorySource } from "./line-source.js";
import { readLineWindow } from "./read-window.js";

const BIG = 1e9;
const UNBOUNDED: ReadLimits = { maxLines: BIG, maxBytes: BIG, maxLineBytes: BIG, truncate: "head" };

/** Gives its bytes in chunks of an odd size. */
function chunked(bytes: Uint8Array, chunkBytes: number): LineSource {
  return {
    size: bytes.length,
    range: async (offset, length) => bytes.slice(offset, offset + length),
    chunks: async function* (offset, isScan) {
      const given: Uint8Array[] = [];
      for (let at = offset; at < bytes.length; at += chunkBytes) {
        // What a scan was given before the last chunk is good for nothing any more.
        if (isScan) given.at(-2)?.fill(10);
        const chunk = bytes.slice(at, at + chunkBytes);
        given.push(chunk);
        yield chunk;
      }
    },
  };
}

/** Passes lines itself, in blocks, and gives as many bytes of a window at once. */
function counting(bytes: Uint8Array, blockBytes: number): LineSource {
  return {
    ...chunked(bytes, blockBytes),
    pastLines: async (offset, newlines, length) => {
      let [at, passed] = [offset, 0];
      const marks: { offset: number; newlines: number }[] = [];
      for (; passed < newlines && at < bytes.length; at++) {
        if (at > offset && (at - offset) % blockBytes === 0) marks.push({ offset: at, newlines: passed });
        if (bytes[at] === 10) passed++;
      }
      const most = Math.min(length, blockBytes);
      const from = passed < newlines ? Math.max(offset, bytes.length - most) : at;
      const part = bytes.slice(from, from + most);
      return { bytes: part, from, newlines: passed, marks, size: bytes.length, version: "1" };
    },
  };
}

const FORMS: Readonly<Record<string, TextForm>> = {
  utf8: { encoding: "utf-8", bomBytes: 0, confident: true },
  hasBom: { encoding: "utf-8", bomBytes: 3, confident: true },
  little: { encoding: "utf-16le", bomBytes: 2, confident: true },
  big: { encoding: "utf-16be", bomBytes: 2, confident: true },
};

function encode(text: string, { encoding, bomBytes: markBytes }: TextForm): Uint8Array {
  const marked = markBytes > 0 ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(marked);
  const bytes = new Uint8Array(marked.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < marked.length; index++)
    view.setUint16(index * 2, marked.charCodeAt(index), encoding === "utf-16le");
  return bytes;
}

/** Lines with their ends, by the plainest means. */
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const text = fc
  .array(fc.constantFrom("a", "é", "漢", "\u0a0a", "\n", "\n", "\r\n", "\r"), { maxLength: 40 })
  .map((all) => all.join(""));

describe("a window", () => {
  it("is what a split into lines gives, whatever the encoding, the chunks and the end it is counted from", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom(...Object.keys(FORMS)),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: -6, max: 12 }).filter((offset) => offset !== 0),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        fc.constantFrom(chunked, counting),
        async (content, name, chunkBytes, offset, limit, source) => {
          const form = FORMS[name]!;
          const bytes = encode(content, form);
          const index = new LineIndex(bytes.length, lineTerminatorsOf(form), form.bomBytes);
          const lines = linesOf(content);
          const first = offset > 0 ? offset - 1 : Math.max(0, lines.length + offset);
          const wanted = lines.slice(first, limit === undefined ? undefined : first + limit);
          // Twice: the second time by what the first has learnt.
          for (let time = 0; time < 2; time++) {
            const window = await readLineWindow(source(bytes, chunkBytes), form, index, {
              offset,
              limit,
              limits: UNBOUNDED,
            });
            expect(window.text).toBe(wanted.join(""));
            expect(window.totalLines).toBe(lines.length);
            expect([window.startLine, window.endLine]).toEqual(
              wanted.length === 0 ? [0, 0] : [first + 1, first + wanted.length],
            );
            const isLast = first + wanted.length >= lines.length;
            expect(window.nextOffset).toBe(isLast || wanted.length === 0 ? undefined : first + wanted.length + 1);
          }
        },
      ),
      { seed: 3 },
    );
  });

  it("never has more than its limits, and continues where it ended", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 4, max: 20 }),
        fc.integer({ min: 3, max: 8 }),
        async (content, maxBytes, maxLineBytes) => {
          const form = FORMS.utf8!;
          const bytes = encode(content, form);
          const limits: ReadLimits = { maxLines: 3, maxBytes, maxLineBytes, truncate: "head" };
          let offset: number | undefined = 1;
          let seen = 0;
          for (let calls = 0; offset !== undefined && calls < 100; calls++) {
            const index = new LineIndex(bytes.length, lineTerminatorsOf(form));
            const window: Awaited<ReturnType<typeof readLineWindow>> = await readLineWindow(
              chunked(bytes, 5),
              form,
              index,
              {
                offset,
                limit: undefined,
                limits,
              },
            );
            const size = new TextEncoder().encode(window.text).length;
            expect(size).toBeLessThanOrEqual(maxBytes + 2);
            if (window.endLine > 0) seen += window.endLine - window.startLine + 1;
            offset = window.nextOffset;
          }
          expect(seen).toBe(linesOf(content).length);
        },
      ),
      { seed: 4 },
    );
  });
});

it("of a file in memory is the same as in pieces, with any limits", async () => {
  const byte = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(10, 13, 97, 98) },
    { weight: 1, arbitrary: fc.constantFrom(0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0xff) },
  );
  const bytes = fc.array(byte, { maxLength: 60 }).map((all) => Uint8Array.from(all));
  const bound = fc.integer({ min: 1, max: 70 });
  const limits = fc.record({ maxLines: bound, maxBytes: bound, maxLineBytes: bound });
  const limit = fc.option(bound, { nil: undefined });
  await fc.assert(
    fc.asyncProperty(bytes, limits, limit, fc.constantFrom("head", "none"), async (content, bounds, most, truncate) => {
      const form: TextForm = { encoding: "utf-8", bomBytes: 0, confident: true };
      const request = { offset: 1, limit: most, limits: { ...bounds, truncate } as ReadLimits };
      const windowOf = (source: LineSource) =>
        readLineWindow(source, form, new LineIndex(content.length, lineTerminatorsOf(form)), request);
      expect(await windowOf(memorySource(content))).toEqual(await windowOf(chunked(content, 7)));
    }),
  );
});

describe("an index", () => {
  it("leads to every line, also when it was filled by pieces that overlap", async () => {
    const bytes = encode(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""), FORMS.utf8!);
    const index = new LineIndex(bytes.length, lineTerminatorsOf(FORMS.utf8!));
    for (let at = 0; at < bytes.length; at += 100_000)
      index.push(Math.max(0, at - 1_000), bytes.subarray(Math.max(0, at - 1_000), at + 100_000));
    expect(index.totalLines).toBe(200_000);
    for (const line of [1, 2, 60_000, 123_456, 200_000]) {
      const { offset, newlines } = index.checkpointBefore(line);
      expect(newlines).toBe(bytes.subarray(0, offset).filter((byte) => byte === 10).length);
      expect(newlines).toBeLessThan(line);
    }
  });

  it("goes back to a line from the one that was counted elsewhere, or to a place before it", () => {
    const bytes = encode(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""), FORMS.utf8!);
    const index = new LineIndex(bytes.length, lineTerminatorsOf(FORMS.utf8!));
    const upTo = (offset: number) => bytes.subarray(0, offset).filter((byte) => byte === 10).length;
    const [middle, start] = [400_003, bytes.indexOf(10, 700_000) + 1];
    index.note(middle, upTo(middle), true);
    index.note(start, upTo(start), false);
    index.note(5, 2, false);
    const line = upTo(start) + 1;
    expect(index.checkpointBefore(line)).toMatchObject({ offset: start, newlines: line - 1 });
    expect(index.checkpointBefore(line - 1)).toMatchObject({ offset: middle, newlines: upTo(middle) });
    expect(index.checkpointBefore(upTo(middle) + 1)).toMatchObject({ offset: 0, newlines: 0 });
    expect(index.totalLines).toBeUndefined();
    index.push(start, bytes.subarray(start));
    expect(index.totalLines).toBe(200_000);
  });
});
