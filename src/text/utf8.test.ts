import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import {
  compareUtf8,
  hasLoneSurrogate,
  incompleteTailLength,
  isAscii,
  isUtf8,
  truncateToHead,
  truncateToTail,
  utf8HeadEnd,
  utf8Length,
  utf8TailStart,
} from "./utf8.js";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
/** Any UTF-16, lone surrogates included, with characters of every width. */
const anyText = fc
  .array(fc.constantFrom("a", "é", "—", "😀", "\ud83d", "\ude00", "\ufffd"), { maxLength: 40 })
  .map((parts) => parts.join(""));
const wellFormed = fc.string({ unit: "binary", maxLength: 60 });
const count = (text: string, part: string) => text.split(part).length - 1;

describe("utf8Length", () => {
  it("agrees with TextEncoder on any UTF-16, lone surrogates included", () => {
    fc.assert(fc.property(anyText, (text) => utf8Length(text) === encode(text).length));
    fc.assert(fc.property(wellFormed, (text) => utf8Length(text) === encode(text).length));
  });
});

describe.each([
  ["cutHead", truncateToHead],
  ["cutTail", truncateToTail],
] as const)("%s", (name, cut) => {
  it("keeps a text that fits as it is", () => {
    expect(cut("é".repeat(10), 20)).toEqual({ text: "é".repeat(10), keptBytes: 20, omittedBytes: 0 });
    expect(cut("é".repeat(10), 19)).toEqual({ text: "é".repeat(9), keptBytes: 18, omittedBytes: 2 });
    fc.assert(fc.property(anyText, (text) => cut(text, utf8Length(text)).text === text));
  });

  it("keeps an end of the text, counts every byte and stays within the limit", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 130 }), (text, max) => {
        const result = cut(text, max);
        expect(name === "cutHead" ? text.startsWith(result.text) : text.endsWith(result.text)).toBe(true);
        expect(utf8Length(result.text)).toBe(result.keptBytes);
        expect(result.keptBytes + result.omittedBytes).toBe(utf8Length(text));
        expect(result.keptBytes).toBeLessThanOrEqual(max);
        if (result.omittedBytes > 0) expect(result.keptBytes).toBeGreaterThan(max - 4);
      }),
    );
  });

  it("never adds a replacement character", () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(200), (text, max) => {
        const kept = cut(text, max).text;
        expect(count(decode(encode(kept)), "\ufffd")).toBe(count(kept, "\ufffd"));
      }),
    );
  });

  it("keeps nothing for a limit that is zero, negative or not a number", () => {
    for (const max of [0, -1, Number.NaN]) expect(cut("a😀", max)).toEqual({ text: "", keptBytes: 0, omittedBytes: 5 });
  });
});

describe("utf8HeadEnd and utf8TailStart", () => {
  it("cut text between characters, as the string versions do", () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(200), (text, max) => {
        const bytes = encode(text);
        expect(utf8HeadEnd(bytes, max)).toBe(truncateToHead(text, max).keptBytes);
        expect(bytes.length - utf8TailStart(bytes, max)).toBe(truncateToTail(text, max).keptBytes);
      }),
    );
  });

  it("move at most 3 bytes on any input and never past the limit", () => {
    const continuationRich = fc.array(fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0xff), { maxLength: 20 });
    fc.assert(
      fc.property(continuationRich, fc.nat(22), (list, max) => {
        const bytes = Uint8Array.from(list);
        const size = Math.min(max, bytes.length);
        const kept = [utf8HeadEnd(bytes, max), bytes.length - utf8TailStart(bytes, max)];
        for (const keptBytes of kept) {
          expect(keptBytes).toBeLessThanOrEqual(size);
          expect(keptBytes).toBeGreaterThanOrEqual(Math.max(0, size - 3));
        }
      }),
    );
  });

  it("leave a run of stray continuation bytes where the limit falls", () => {
    const stray = new Uint8Array(10).fill(0x80);
    expect(utf8HeadEnd(stray, 6)).toBe(6);
    expect(utf8TailStart(stray, 6)).toBe(4);
    const afterLetter = Uint8Array.of(0x61, 0x80, 0x80);
    expect(utf8HeadEnd(afterLetter, 2)).toBe(2);
    expect(utf8TailStart(afterLetter, 1)).toBe(2);
  });
});

describe("incompleteTailLength", () => {
  it("counts the bytes of a character that has begun", () => {
    fc.assert(
      fc.property(
        wellFormed,
        fc.constantFrom("é", "—", "😀", "\u0800", "\u{10ffff}"),
        fc.integer({ min: 1, max: 3 }),
        (text, next, part) => {
          const bytes = encode(next);
          const held = Math.min(part, bytes.length - 1);
          expect(incompleteTailLength(Uint8Array.from([...encode(text), ...bytes.subarray(0, held)]))).toBe(held);
          expect(incompleteTailLength(encode(text + next))).toBe(0);
        },
      ),
    );
  });

  it("counts nothing that no later byte can complete", () => {
    for (const list of [
      [0x80],
      [0xff],
      [0xc0],
      [0xe0, 0x80],
      [0xed, 0xa0],
      [0xf0, 0x80],
      [0xf4, 0x90],
      [0xf5],
      [0x80, 0x80, 0x80, 0x80],
    ])
      expect(incompleteTailLength(Uint8Array.from(list)), list.join()).toBe(0);
  });
});

describe("compareUtf8", () => {
  it("orders as the UTF-8 bytes do", () => {
    const sign = (order: number): number => Math.sign(order);
    const textOf = fc.string({
      unit: fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\uffee", "😀", "\u{10ffff}"),
    });
    fc.assert(
      fc.property(textOf, textOf, (one, other) => {
        expect(sign(compareUtf8(one, other))).toBe(sign(Buffer.compare(Buffer.from(one), Buffer.from(other))));
      }),
    );
  });
});

describe("hasLoneSurrogate", () => {
  it("distinguishes lone or misordered surrogates from whole characters", () => {
    for (const half of ["\ud83d", "a\ude00", "\ude00\ud83d", "😀\ud83d"]) expect(hasLoneSurrogate(half)).toBe(true);
    for (const whole of ["", "a", "é—😀", "\ufffd"]) expect(hasLoneSurrogate(whole)).toBe(false);
  });
});

describe("isUtf8", () => {
  it("accepts what TextEncoder writes, whatever the size", () => {
    expect(isUtf8(new Uint8Array())).toBe(true);
    expect(isUtf8(encode("\ufeffmark"))).toBe(true);
    for (const shift of ["", "a", "aa", "aaa"]) expect(isUtf8(encode(shift + "😀".repeat(140_000)))).toBe(true);
  });

  it("refuses overlong forms, surrogates, stray and missing bytes", () => {
    for (const list of [
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0x61, 0x80],
      [0xe2, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
    ])
      expect(isUtf8(Uint8Array.from(list)), list.join()).toBe(false);
    const late = encode("a".repeat(600_000));
    late[599_999] = 0xc3;
    expect(isUtf8(late)).toBe(false);
  });
});

it("says whether every byte is below 0x80, in any alignment and length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 0x7f, maxLength: 100 }), fc.nat(8), fc.option(fc.nat(99)), (values, shift, at) => {
      const bytes = new Uint8Array(values.length + shift);
      bytes.set(values, shift);
      const view = bytes.subarray(shift);
      const isBroken = at !== null && at < view.length;
      if (isBroken) view[at] = 0x80 | view[at]!;
      expect(isAscii(view)).toBe(!isBroken);
    }),
  );
});
