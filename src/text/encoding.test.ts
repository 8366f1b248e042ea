import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import {
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  findEncoding,
  looksBinary,
  TEXT_ENCODINGS,
  type TextEncodingName,
} from "./encoding.js";

const encode = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, isBig: boolean) => {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), !isBig);
  return bytes;
};
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** Writes `text` in a legacy encoding by looking each character up among all one- and two-byte sequences. */
function legacy(text: string, encoding: TextEncodingName): Uint8Array {
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(encoding);
  for (let first = 255; first >= 0; first--) {
    for (let second = 255; first >= 0x80 && second >= 0x40; second--) {
      const char = decoder.decode(Uint8Array.of(first, second));
      if ([...char].length === 1) table.set(char, [first, second]);
    }
    const char = decoder.decode(Uint8Array.of(first));
    if (char !== "\ufffd") table.set(char, [first]);
  }
  return Uint8Array.from([...text].flatMap((char) => table.get(char) ?? expect.fail(`no ${char} in ${encoding}`)));
}

describe("detectEncoding", () => {
  it.each([
    ["an empty text", new Uint8Array(), "utf-8", false, true],
    ["ASCII", encode("plain"), "utf-8", false, true],
    ["UTF-8", encode("é—😀"), "utf-8", false, true],
    ["UTF-8 with a mark", encode("\ufeffé"), "utf-8", true, true],
    ["UTF-16 with a mark", utf16("\ufeffab", false), "utf-16le", true, true],
    ["big-endian UTF-16 with a mark", utf16("\ufeffab", true), "utf-16be", true, true],
    ["UTF-16 without a mark", utf16("hello\r\nworld é", false), "utf-16le", false, false],
    ["big-endian UTF-16 without a mark", utf16("hello\r\nworld é", true), "utf-16be", false, false],
    ["Latin letters", latin1("caf\xe9"), "windows-1252", false, false],
    ["UTF-32", Uint8Array.of(0xff, 0xfe, 0, 0, 97, 0, 0, 0), "windows-1252", false, false],
    ["binary", Uint8Array.of(0, 1, 2, 3, 0, 0, 0, 9), "windows-1252", false, false],
    ["numbers of two bytes", Uint8Array.of(1, 0, 2, 0, 72, 0, 105, 0), "windows-1252", false, false],
    ["the same, the other way round", Uint8Array.of(0, 72, 0, 105, 0, 5, 0, 33), "windows-1252", false, false],
    ["numbers and one byte more", Uint8Array.of(72, 0, 105, 0, 33, 0, 10), "windows-1252", false, false],
    ["a few letters in UTF-16", utf16("hi", false), "utf-16le", false, false],
  ] as const)("knows %s", (_name, bytes, encoding, mark, confident) => {
    expect(detectEncoding(bytes)).toEqual({ encoding, hasBom: mark, confident });
  });

  it("accepts a torn last character only from the start of a text", () => {
    const torn = encode("né—").subarray(0, 5);
    expect(detectEncoding(torn).encoding).toBe("windows-1252");
    expect(detectEncoding(torn, { isPrefix: true })).toEqual({ encoding: "utf-8", hasBom: false, confident: true });
    expect(detectEncoding(latin1("\xe9t\xe9"), { isPrefix: true }).encoding).toBe("windows-1252");
  });
});

describe("detectLegacyEncoding", () => {
  const russian =
    "Сегодня утром мы долго шли по берегу реки, и никто не знал, где стоит старый дом. Потом дорога повернула в лес, " +
    "стало тихо и темно, а когда мы вышли к полю, солнце было уже высоко, и в деревне звонили колокола.";
  it.each<[TextEncodingName, string]>([
    ["shift_jis", "これは日本語のテキストです。文字コードを判定します。"],
    ["euc-jp", "これは日本語のテキストです。文字コードを判定します。"],
    ["windows-1251", russian],
    ["koi8-r", russian],
    ["windows-1252", "Le café est très bon, à bientôt les amis de l'été, où êtes-vous passés?"],
  ])("guesses %s from its letters", async (encoding, text) => {
    const bytes = legacy(text, encoding);
    expect(await detectLegacyEncoding(bytes)).toBe(encoding);
    expect(decodeText(bytes, encoding)).toEqual({ text, replaced: 0 });
  });

  it("looks at the first letters that are not ASCII, wherever they are", async () => {
    const late = `${"plain text ".repeat(10_000)} ${russian}`;
    expect(await detectLegacyEncoding(legacy(late, "koi8-r"))).toBe("koi8-r");
  });

  it("never answers UTF-8, even when the part that it looks at is", async () => {
    const broken = Uint8Array.from([...encode("é und ü, ".repeat(10_000)), 0xff]);
    expect(await detectLegacyEncoding(broken)).not.toBe("utf-8");
  });

  it("falls back to windows-1252", async () => {
    expect(await detectLegacyEncoding(Uint8Array.of(0x81, 0xfe, 0xff))).toBe("windows-1252");
  });
});

describe("decodeText", () => {
  it("gives back what was written in UTF-8 and UTF-16, without the mark and without loss", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const expected = { text: text.replace(/^\ufeff/, ""), replaced: 0 };
        expect(decodeText(encode(text), "utf-8")).toEqual(expected);
        expect(decodeText(utf16(text, false), "utf-16le")).toEqual(expected);
        expect(decodeText(utf16(text, true), "utf-16be")).toEqual(expected);
      }),
    );
  });

  it("counts what it replaced, and not what the text itself spells so", () => {
    expect(decodeText(Uint8Array.from([...encode("a\ufffd"), 0xff, 0xfe]), "utf-8")).toEqual({
      text: "a\ufffd\ufffd\ufffd",
      replaced: 2,
    });
    expect(decodeText(Uint8Array.from([...utf16("\ufffda", false), 0x62]), "utf-16le").replaced).toBe(1);
    expect(decodeText(utf16("\ufffd\ud800a", true), "utf-16be").replaced).toBe(1);
    expect(decodeText(Uint8Array.of(0x41, 0x81), "shift_jis").replaced).toBe(1);
  });

  it("reads the quotes, dashes and euro sign of windows-1252, at any size", () => {
    const bytes = Uint8Array.of(0x80, 0x93, 0x94, 0x96, 0x9f, 0x81, 0xe9, 0x41);
    expect(decodeText(bytes, "windows-1252").text).toBe("€“”–Ÿ\x81éA");
    expect(decodeText(new Uint8Array(200_000).fill(0x80), "windows-1252").text).toBe("€".repeat(200_000));
  });

  it.each(TEXT_ENCODINGS)("decodes ASCII in %s", (encoding) => {
    const bytes = encoding.startsWith("utf-16") ? utf16("abc", encoding.endsWith("be")) : encode("abc");
    expect(decodeText(bytes, encoding)).toEqual({ text: "abc", replaced: 0 });
    expect(findEncoding(encoding)).toBe(encoding);
  });
});

describe("findEncoding", () => {
  it("knows common labels and no invented ones", () => {
    expect(findEncoding("latin1")).toBe("windows-1252");
    expect(findEncoding("SJIS")).toBe("shift_jis");
    expect(findEncoding("UTF8")).toBe("utf-8");
    expect(findEncoding("UTF-32")).toBeUndefined();
    expect(findEncoding("")).toBeUndefined();
  });
});

describe("looksBinary", () => {
  it.each([
    ["no bytes", new Uint8Array(), false],
    ["text with tabs and colours", encode("a\tb\r\n\x1b[31mred\x1b[0m\f"), false],
    ["a NUL anywhere", encode(`${"text ".repeat(50_000)}\0`), true],
    ["mostly control characters", Uint8Array.from({ length: 100 }, (_, index) => (index % 8) + 1), true],
    ["one stray control character", encode("bell \x07"), false],
    ["UTF-16 with a mark", utf16("\ufeffhello", false), false],
    ["marked UTF-16 with a NUL character", utf16("\ufeffhe\0llo", true), true],
    ["UTF-16 without a mark", utf16("hello", false), true],
    ["UTF-32", Uint8Array.of(0xff, 0xfe, 0, 0, 97, 0, 0, 0), true],
    ["Latin letters", latin1("caf\xe9 \x93quoted\x94"), false],
  ])("judges %s", (_name, bytes, isBinary) => {
    expect(looksBinary(bytes)).toBe(isBinary);
  });
});
