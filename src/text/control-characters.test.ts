import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { escapeControls, showControls, showDeceptive, stripControls } from "./control-characters.js";

const strip = (text: string) => stripControls(text).text;
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|^\ufeff/;
const awkward = fc
  .array(
    fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "0;",
      "31m",
      "\x07",
      "\\",
      "\r",
      "\n",
      "\x9b",
      "\u202e",
      "\ufeff",
      "P",
      "text",
      "é",
    ),
    {
      maxLength: 20,
    },
  )
  .map((parts) => parts.join(""));

describe("stripControls", () => {
  it("takes out a sequence also behind another control character", () => {
    expect(stripControls("a\r\x1b[4A\x1b[Jb")).toEqual({ text: "ab", removed: 8, carriageReturns: 0 });
  });

  it("counts the carriage returns of a line ending apart, in runs of any length", () => {
    const many = "\r".repeat(300_000);
    expect(stripControls(`a${many}b`)).toEqual({ text: "ab", removed: 300_000, carriageReturns: 0 });
    expect(stripControls(`a${many}\nb`)).toEqual({ text: "a\nb", removed: 0, carriageReturns: 300_000 });
    expect(stripControls(`\0a${"\0".repeat(5)}\r\n`)).toEqual({ text: "a\n", removed: 6, carriageReturns: 1 });
  });

  it("returns a clean text as it is", () => {
    const clean = "tab\there\nline é 😀 \u200b\u00a0";
    expect(stripControls(clean)).toEqual({ text: clean, removed: 0, carriageReturns: 0 });
  });

  it.each([
    ["colours", "\x1b[31mred\x1b[0m", "red", 9],
    ["cursor moves with private parameters", "a\x1b[?25lb\x1b[2;5Hc", "abc", 12],
    ["a title ended by BEL", "\x1b]0;title\x07text", "text", 10],
    ["a link ended by ST", "\x1b]8;;http://x\x1b\\name\x1b]8;;\x1b\\", "name", 22],
    ["a title ended by an 8-bit ST", "\x1b]2;title\x9ctext", "text", 10],
    ["a device string", "\x1bPq#0\x1b\\text", "text", 7],
    ["single-character escapes", "\x1b7a\x1b(Bb\x1bM", "ab", 7],
    ["8-bit introducers", "\x9b31mred", "red", 4],
    ["control characters", "a\0b\x08c\x7fd\x85e\x0bf", "abcdef", 5],
    ["direction controls", "a\u202eb\u2066c\u200fd\u061ce", "abcde", 4],
    ["byte-order marks at the start only", "\ufeff\x1b[0m\ufeffa\ufeff", "a\ufeff", 6],
    ["a lone carriage return", "10%\r20%", "10%20%", 1],
  ])("takes out %s", (_name, text, clean, removed) => {
    expect(stripControls(text)).toEqual({ text: clean, removed, carriageReturns: 0 });
  });

  it("counts carriage returns of line endings apart", () => {
    expect(stripControls("a\r\nb\r\r\nc\rd")).toEqual({ text: "a\nb\ncd", removed: 1, carriageReturns: 3 });
  });

  it("leaves in sight what follows a sequence that never ends", () => {
    expect(strip("\x1b]0;rm -rf /\nnext")).toBe("0;rm -rf /\nnext");
    expect(strip("\x1b[31")).toBe("31");
    expect(strip("a\x1b")).toBe("a");
    expect(strip(`\x1b]${"x".repeat(5000)}\x07`)).toBe("x".repeat(5000));
  });

  it("leaves nothing that it should take out, and takes out only what it counts", () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const { text: clean, removed, carriageReturns } = stripControls(text);
        expect(clean).not.toMatch(unsafe);
        expect(strip(clean)).toBe(clean);
        expect(clean.length + removed + carriageReturns).toBe(text.length);
        expect(clean.split("\n").length).toBe(text.split("\n").length);
      }),
    );
  });

  it("answers for many introducers without an end", () => {
    expect(strip("\x1b]".repeat(200_000))).toBe("");
    expect(strip("\x1b[".repeat(200_000))).toBe("");
    expect(strip(`\x1b]${"0".repeat(1_000_000)}`)).toHaveLength(1_000_000);
  });
});

describe("showControls", () => {
  it("writes every control as one visible escape", () => {
    expect(showControls("a\nb\tc\rd\x1b[31m\u202e\x7f\u0085\ufeff")).toBe(
      "a\\nb\\tc\\rd\\x1b[31m\\u202e\\x7f\\x85\\ufeff",
    );
    expect(showControls("plain é \\ 😀")).toBe("plain é \\ 😀");
  });

  it("fits on one row and shows whatever stripControls would take out", () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const shown = showControls(text);
        expect(shown).not.toMatch(/[\n\t]/);
        expect(stripControls(shown)).toEqual({ text: shown, removed: 0, carriageReturns: 0 });
      }),
    );
  });
});

describe("escapeControls", () => {
  it("leaves the value of a JSON text as it is, and no control in it", () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const json = escapeControls(JSON.stringify({ [text]: text }, null, 2));
        expect(json).not.toMatch(unsafe);
        expect(json).not.toContain("\ufeff");
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});

it("showDeceptive escapes what is invisible, or looks like a space, and leaves the rest", () => {
  const shown = "echo é 漢字 😀 \\n\nnext";
  expect(showDeceptive(shown)).toBe(shown);
  expect(showDeceptive("a\u200bb\u2060c\u00add\u202ee\ufefff")).toBe("a\\u200bb\\u2060c\\xadd\\u202ee\\ufefff");
  expect(showDeceptive("a\u00a0b\u3164c\u2003d\u2028e\ufe0ff")).toBe("a\\xa0b\\u3164c\\u2003d\\u2028e\\ufe0ff");
  expect(showDeceptive("a\u2800b\u{1d159}c\ufdd0d\uffffe\u{1fffe}f\u{e0fff}")).toBe(
    "a\\u2800b\\u{1d159}c\\ufdd0d\\uffffe\\u{1fffe}f\\u{e0fff}",
  );
  expect(showDeceptive("\x1b[2J\r\tx\u{e0041}\ud800")).toBe("\\x1b[2J\\r\tx\\u{e0041}\\ud800");
});
