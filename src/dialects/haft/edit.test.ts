import { describe, expect, it } from "vitest";
import type { EditData } from "../../tools/edit/contract.js";
import { failedWith, seenBy, succeeded } from "../golden.fixture.js";
import { haftEditPresenter } from "./edit.js";
import { haftDialect } from "./haft-dialect.js";

const DATA: EditData = {
  path: "a.ts",
  replacements: 1,
  strategy: "exact",
  ranges: [{ before: [0, 1], after: [0, 1], line: 3 }],
  beforeHash: "a",
  afterHash: "b",
  diff: "@@ -3 +3 @@\n-two\n+TWO\n",
  added: 1,
  removed: 1,
  merged: false,
  reindented: false,
  eolConverted: false,
};

const edited = (more: Partial<EditData> = {}) =>
  seenBy(haftDialect, "edit", succeeded({ ...DATA, ...more }), { path: "a.ts" }).envelope;
const refused = (code: string, message: string, details: Readonly<Record<string, unknown>>) =>
  seenBy(haftDialect, "edit", failedWith(code, message, details), { path: "a.ts" }).envelope;

describe("editPresenter", () => {
  it("takes one pair or a list of them, not both", () => {
    const pair = { oldText: "a", newText: "" };
    expect(haftEditPresenter.decode({ path: "f", ...pair, replaceAll: true })).toEqual({
      input: { path: "f", edits: [pair], replaceAll: true },
    });
    expect(haftEditPresenter.decode({ path: "f", edits: [pair, pair] })).toEqual({
      input: { path: "f", edits: [pair, pair] },
    });
    expect(haftEditPresenter.decode({ path: "f", ...pair, edits: [pair] })).toMatchObject({ parameter: "edits" });
    expect(haftEditPresenter.decode({ path: "f", oldText: "a" })).toMatchObject({ parameter: "newText" });
  });

  it("sums an edit up in one line and shows its diff", () => {
    expect(edited()).toBe('Edited "a.ts": 1 replacement on line 3, +1 −1 lines.\n@@ -3 +3 @@\n-two\n+TWO\n');
  });

  it("reports where text omitted from the diff is", () => {
    const cut = (backup: object) =>
      seenBy(haftDialect, "edit", { ...succeeded({ ...DATA, diff: "@@…" }), details: { backup } }, {}).envelope;
    expect(cut({ artifact: "a3", bytes: 9, sizeBytes: 9 })).toBe(
      'Edited "a.ts": 1 replacement on line 3, +1 −1 lines. Old content: artifact:a3.\n@@…',
    );
  });

  it("reports every deviation from the input", () => {
    const text = edited({
      replacements: 2,
      ranges: [1, 9].map((line) => ({ before: [0, 1], after: [0, 1], line })),
      strategy: "indentation",
      reindented: true,
      eolConverted: true,
      merged: true,
      inPlace: true,
      diff: "",
    });
    expect(text).toBe(
      'Edited "a.ts": 2 replacements on lines 1, 9, +1 −1 lines. Matched with different indentation. `newText` was reindented to match. The line endings of `newText` were converted to match. The file had changed elsewhere since it was read; that change is preserved. Written in place to preserve hard links, owner and attributes.',
    );
  });

  it("shows the nearest places of a text that is not there, and the next step", () => {
    const nearest = [
      { line: 12, text: "if a:\n\treturn 1", differs: "on line 12, the indentation: a tab in the file" },
    ];
    expect(refused("EDIT_NOT_FOUND", 'Did not edit "a.ts": `oldText` does not occur.', { nearest })).toBe(
      [
        'Did not edit "a.ts": `oldText` does not occur.',
        "Near line 12: the indentation: a tab in the file",
        "    12│if a:",
        "    13│\treturn 1",
        "Copy the text exactly as in the file, without line numbers, or read that part again.",
      ].join("\n"),
    );
  });

  it("names the lines of an ambiguous text once, whoever names them", () => {
    const lines = [1, 3, 4];
    const bare = 'Did not edit "a.ts": `oldText` occurs 3 times.';
    expect(refused("EDIT_AMBIGUOUS", bare, { lines })).toBe(
      `${bare}\nIt begins on lines 1, 3, 4.\nAdd surrounding lines to \`oldText\` until it is unique, or set \`replaceAll\`.`,
    );
    const full = 'Did not edit "a.ts": `oldText` occurs 3 times, on lines 1, 3, 4. Add surrounding lines.';
    expect(refused("EDIT_AMBIGUOUS", full, { lines })).toBe(full);
  });

  it("shows the present text of a place that has changed", () => {
    const region = { line: 5, text: "now\nthis\n" };
    expect(refused("FS_STALE", 'Did not edit "a.ts": it has changed since it was read.', { region })).toBe(
      [
        'Did not edit "a.ts": it has changed since it was read.',
        "The current content there:",
        "     5│now",
        "     6│this",
        "Read it again, then repeat the call.",
      ].join("\n"),
    );
  });
});
