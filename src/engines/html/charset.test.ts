import { describe, expect, it } from "vitest";
import { decodePage } from "./index.js";

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const bytesOf = (...parts: (string | readonly number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)));
const SHIFT_JIS = [0x93, 0xfa, 0x96, 0x7b];
const GBK = [0xd6, 0xd0, 0xce, 0xc4];
const CYRILLIC = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2];
const utf16 = (text: string, isBig: boolean) =>
  [...text].flatMap((char) => {
    const code = char.charCodeAt(0);
    return isBig ? [code >> 8, code & 255] : [code & 255, code >> 8];
  });

describe("the charset of a page", () => {
  it("is that of its BOM, whatever is declared", async () => {
    const utf8 = await decodePage(bytesOf([0xef, 0xbb, 0xbf], "<meta charset=gbk>é"), "text/html; charset=shift_jis");
    expect(utf8).toEqual({ text: "<meta charset=gbk>é", charset: "utf-8", notes: [] });
    const little = await decodePage(bytesOf([0xff, 0xfe], utf16("<p>é", false)), "text/html; charset=utf-8");
    expect(little).toEqual({ text: "<p>é", charset: "utf-16le", notes: [] });
    expect((await decodePage(bytesOf([0xfe, 0xff], utf16("<p>é", true)), "")).text).toBe("<p>é");
  });

  it("is that of the content type, before that of the page", async () => {
    const page = await decodePage(bytesOf('<meta charset="utf-8">', SHIFT_JIS), 'text/html; Charset="Shift_JIS"');
    expect(page).toMatchObject({ text: '<meta charset="utf-8">日本', charset: "shift_jis" });
    expect((await decodePage(bytesOf(CYRILLIC), "text/html;charset=windows-1251")).text).toBe("Привет");
    expect((await decodePage(bytesOf(GBK), "text/plain; charset=gb2312")).text).toBe("中文");
  });

  it.each([
    ["charset", '<meta charset="Shift_JIS">'],
    ["http-equiv", '<meta http-equiv="Content-Type" content="text/html; charset=sjis">'],
    ["a comment before it", "<!-- <meta charset=utf-8> --><META CHARSET=shift-jis />"],
    ["much before it", `<script>${"x".repeat(2_000)}</script><meta charset=shift_jis>`],
    ["an XML declaration", '<?xml version="1.0" encoding="Shift_JIS"?>'],
  ])("is that which the page names by %s", async (_how, head) => {
    const page = await decodePage(bytesOf(head, SHIFT_JIS), "text/html");
    expect(page).toEqual({ text: `${head}日本`, charset: "shift_jis", notes: [] });
  });

  it("is detected where none is declared", async () => {
    expect((await decodePage(bytesOf("<p>né"), undefined)).charset).toBe("utf-8");
    expect(await decodePage(bytesOf("<p>caf", [0xe9], " d", [0xe9], "j", [0xe0], " vu"), "text/html")).toMatchObject({
      text: "<p>café déjà vu",
      charset: "windows-1252",
    });
    expect(await decodePage(bytesOf(utf16("<p>Text of a page</p>", false)), "text/html")).toMatchObject({
      text: "<p>Text of a page</p>",
      charset: "utf-16le",
    });
  });

  it("is the declared one as in browsers, with a note where the bytes are UTF-8", async () => {
    const page = await decodePage(bytesOf("<p>é"), "text/html; charset=latin1");
    expect(page.text).toBe("<p>Ã©");
    expect(page.notes).toEqual([
      "The page is declared and decoded as windows-1252, although its bytes are valid UTF-8.",
    ]);
    expect((await decodePage(ascii("<p>e"), "text/html; charset=latin1")).notes).toEqual([]);
  });

  it("is the next one where a name is unknown, with a note", async () => {
    const page = await decodePage(bytesOf("<meta charset=gbk>", GBK), "text/html; charset=klingon");
    expect(page.text).toContain("中文");
    expect(page.notes).toEqual(['The content type names the unknown charset "klingon".']);
  });

  it("is UTF-8 where the page itself claims UTF-16 in ASCII", async () => {
    expect(await decodePage(bytesOf("<meta charset=utf-16>é"), "text/html")).toMatchObject({ charset: "utf-8" });
  });
});

describe("bytes that are not valid", () => {
  it("are counted in a note", async () => {
    const page = await decodePage(bytesOf("a", [0xff], "b"), "text/html; charset=utf-8");
    expect(page).toEqual({
      text: "a\ufffdb",
      charset: "utf-8",
      notes: ["1 byte sequence is not valid utf-8 and shown as U+FFFD."],
    });
  });

  it("are none where the body ends within a character", async () => {
    expect(await decodePage(bytesOf("aé").subarray(0, 2), "text/html")).toEqual({
      text: "a",
      charset: "utf-8",
      notes: [],
    });
  });
});
