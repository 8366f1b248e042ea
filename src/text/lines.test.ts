import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { detectEol, skipLines, splitLines, windowLines } from "./lines.js";
import { countNewlines } from "./newline-count.js";

const encode = (text: string) => new TextEncoder().encode(text);

describe("splitLines", () => {
  verifies("IR-135", "ends a line at \\n and at \\r\\n, and not at a lone \\r", () => {
    expect(splitLines("a\nb\r\nc\rd")).toEqual(["a", "b", "c\rd"]);
    expect(splitLines("a\r\nb\r")).toEqual(["a", "b\r"]);
  });

  verifies("IR-135", "adds no line for a newline at the end", () => {
    expect(splitLines("a\nb\n")).toEqual(["a", "b"]);
    expect(splitLines("a\r\n")).toEqual(["a"]);
    expect(splitLines("a\n\n")).toEqual(["a", ""]);
    expect(splitLines("\n")).toEqual([""]);
  });

  verifies("IR-135", "makes one empty line of an empty text", () => {
    expect(splitLines("")).toEqual([""]);
  });

  it("undoes joining for any lines without endings in them", () => {
    const lines = fc.array(fc.constantFrom("", "a", "b c", "é\r?"), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n"), (list, eol) => {
        expect(splitLines(list.join(eol) + eol)).toEqual(list);
      }),
    );
  });
});

describe("windowLines", () => {
  verifies("IR-060", "finds no line in an empty text and no phantom line after a newline", () => {
    expect(windowLines("")).toEqual([]);
    expect(windowLines("a\nb\n")).toEqual(["a", "b"]);
    expect(windowLines("\n")).toEqual([""]);
  });
});

describe("detectEol", () => {
  it.each([
    ["", "none"],
    ["a", "none"],
    ["a\nb\n", "lf"],
    ["a\r\nb\r\n", "crlf"],
    ["a\rb\r", "cr"],
    ["a\r\nb\n", "mixed"],
    ["a\nb\r\n", "mixed"],
    ["a\nb\rc", "mixed"],
    ["a\r\r\n", "mixed"],
  ] as const)("names the endings of %j %s", (text, eol) => {
    expect(detectEol(text)).toBe(eol);
  });
});

describe("skipLines", () => {
  it("stops after the wanted newline, or at the end with the number it found", () => {
    const bytes = encode("a\nbb\nccc");
    expect(skipLines(bytes, 0, 0)).toEqual({ offset: 0, skipped: 0 });
    expect(skipLines(bytes, 0, 1)).toEqual({ offset: 2, skipped: 1 });
    expect(skipLines(bytes, 2, 1)).toEqual({ offset: 5, skipped: 1 });
    expect(skipLines(bytes, 0, 5)).toEqual({ offset: 8, skipped: 2 });
    expect(countNewlines(bytes, 2)).toBe(1);
  });
});
