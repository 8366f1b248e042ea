import { describe, expect, it } from "vitest";
import { utf8Length } from "../../text/index.js";
import type { ReadData } from "../../tools/read/contract.js";
import { failedWith, readData, seenBy, succeeded } from "../golden.fixture.js";
import { haftDialect } from "./haft-dialect.js";

function shown(data: ReadData, maxBytes = 65_536, notes: readonly string[] = []) {
  const about = { budget: { kind: "middle" as const, maxBytes }, notes };
  const seen = seenBy(haftDialect, "read", succeeded(data), { path: data.path }, about);
  return { text: String(seen.envelope), truncations: seen.cuts };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("readPresenter", () => {
  it("reports a guessed encoding as a guess, and how to name another", () => {
    const latin = { ...readData("café\n"), encoding: "windows-1252" };
    expect(shown({ ...latin, isGuessed: true }).text).toContain(
      "Encoding: windows-1252 (guessed; if characters look wrong, set `encoding`).",
    );
    expect(shown(latin).text).toContain("Encoding: windows-1252.");
  });

  it("truncates a window over the budget between lines and reports where to continue", () => {
    const { text, truncations: cuts } = shown(readData(numbered(100)), 600);
    expect(utf8Length(text)).toBeLessThanOrEqual(600);
    const [, last] = /^Showing lines 1–(\d+) of 100; continue with `offset` (\d+)\./.exec(text) ?? [];
    expect(text).toContain(`\n${String(last).padStart(6)}│line ${last}`);
    expect(text).toContain(`continue with \`offset\` ${Number(last) + 1}.`);
    expect(cuts).toEqual([expect.objectContaining({ next: `Continue with \`offset\` ${Number(last) + 1}.` })]);
    expect(cuts[0]!.keptBytes).toBeGreaterThan(0);
  });

  it("shows how to print the rest of a truncated line, where a command can do that", () => {
    const truncated = { truncatedLines: [{ line: 1, bytes: 4_002 }], eol: "lf" as const };
    const { text } = shown(readData(`${"é".repeat(999)}x\nnext\n`, truncated));
    expect(text).toContain("cut -b 2000-11999`]");
    const fromEnd = {
      ...truncated,
      startLine: -2,
      endLine: -1,
      totalLines: null,
      truncatedLines: [{ line: -2, bytes: 9 }],
    };
    for (const odd of [{ ...truncated, encoding: "utf-16le" }, fromEnd])
      expect(shown(readData("x\nnext\n", odd)).text).toContain("[use a command to print the rest of a truncated line]");
  });

  it("always shows something, however small the budget and long the line", () => {
    const { text } = shown(readData(`${"x".repeat(5_000)}\nb\n`), 10);
    expect(text).toMatch(/^Showing lines 1–1 of 2; continue with `offset` 2\.\n {5}1│x+… \[\d+ more bytes\]$/);
  });

  it("names a total that was not counted as a lower bound", () => {
    const data = readData("b\n", { startLine: 7, endLine: 7, totalLines: null, atLeastLines: 40, nextOffset: 8 });
    expect(shown(data).text).toContain("Showing lines 7–7 of more than 40; continue with `offset` 8.");
  });

  it("numbers the tail of a file that was not counted from its end", () => {
    const data = readData("y\nz\n", { startLine: -2, endLine: -1, totalLines: null, atLeastLines: 1_000 });
    expect(shown(data).text).toBe("Showing lines -2–-1 of more than 1000 (counted from the end).\n    -2│y\n    -1│z");
  });

  it("reports the type of binary content and how to inspect it", () => {
    const data = readData("", { kind: "binary", mime: "application/zip", sizeBytes: 99, path: "my file.zip" });
    expect(shown(data).text).toBe(
      "\"my file.zip\" is binary (application/zip, 99 bytes) and is not shown as text. Inspect it with a command, for example `head -c 256 'my file.zip' | od -c`.",
    );
  });

  const asImage = (more: Partial<ReadData>, notes: readonly string[] = [], isShown = true) => {
    const block = { kind: "image" as const, mime: "image/png", data: Uint8Array.of(1) };
    const data = readData("", { kind: "image", mime: "image/png", sizeBytes: 9_000, path: "a.png", ...more });
    const result = { ...succeeded(data), ...(isShown ? { content: [block] } : {}), details: { notes } };
    const { envelope } = seenBy(haftDialect, "read", result, { path: "a.png" });
    return typeof envelope === "string" ? envelope : (envelope as readonly { readonly text?: string }[])[0]?.text;
  };

  it("reports what an image is, and what is shown instead", () => {
    const picture = { width: 3_000, height: 1_500, isAnimated: false };
    expect(asImage({ picture })).toBe('"a.png": image/png, 3000×1500 pixels, 9000 bytes.');
    const shown = { mime: "image/jpeg", width: 2_000, height: 1_000, sizeBytes: 700 };
    expect(asImage({ picture: { ...picture, shown } })).toBe(
      '"a.png": image/png, 3000×1500 pixels, 9000 bytes. Shown: a copy, image/jpeg, 2000×1000 pixels, 700 bytes.',
    );
    expect(asImage({ mime: "image/gif", picture: { ...picture, isAnimated: true, shown } })).toBe(
      '"a.png": image/gif, 3000×1500 pixels, 9000 bytes. Shown: its first frame, image/jpeg, 2000×1000 pixels, 700 bytes.',
    );
  });

  it("reports type and reason of an image or PDF that is not shown", () => {
    const picture = { width: 30_000, height: 30_000, isAnimated: false };
    expect(asImage({ picture }, ["The image is not shown: it is too large."], false)).toBe(
      '"a.png": image/png, 30000×30000 pixels, 9000 bytes.\nnote: The image is not shown: it is too large.',
    );
    expect(asImage({ kind: "binary", mime: "application/pdf" }, ["It holds no text."], false)).toBe(
      '"a.png": application/pdf, 9000 bytes.\nnote: It holds no text.',
    );
  });

  it("suggests `ls` for a directory, and a regular file instead of anything else", () => {
    const refused = (why: string, kind: string) =>
      seenBy(haftDialect, "read", failedWith("FS_NOT_A_FILE", `Did not read "a": ${why}.`, { kind }), {}).envelope;
    expect(refused("it is a directory", "directory")).toBe(
      'Did not read "a": it is a directory.\nName a regular file; use `ls` for a directory.',
    );
    expect(refused("it is a socket", "socket")).toBe('Did not read "a": it is a socket.\nName a regular file.');
  });

  it("keeps a path that begins with a dash from being read as an option", () => {
    const data = readData("", { kind: "binary", sizeBytes: 9, path: "-n x" });
    expect(shown(data).text).toContain("head -c 256 './-n x'");
  });

  it("shows a name with a line break on one row", () => {
    expect(shown(readData("", { path: "two\nlines.txt" })).text).toBe('"two\\nlines.txt" is empty (0 bytes).');
  });

  it("shows carriage returns that end no line", () => {
    expect(shown(readData("a\rb\n", { eol: "mixed" })).text).toContain("     1│a␍b");
  });

  it("ends with what was put right in the arguments", () => {
    expect(shown(readData("a\n"), 65_536, ["`file` was taken as `path`."]).text).toBe(
      "Showing lines 1–1 of 1.\n     1│a\nnote: `file` was taken as `path`.",
    );
  });
});
