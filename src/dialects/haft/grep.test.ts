import { describe, expect, it } from "vitest";
import type { GrepData, GrepHitData } from "../../tools/grep/contract.js";
import { failedWith, seenBy, succeeded } from "../golden.fixture.js";
import { haftGrepPresenter } from "./grep.js";
import { haftDialect } from "./haft-dialect.js";

function hit(path: string, line: number, text: string, more: Partial<GrepHitData> = {}): GrepHitData {
  return { path, line, text, truncatedBytes: 0, before: [], after: [], ...more };
}

const DATA: GrepData = {
  root: "/w",
  mode: "content",
  hits: [],
  why: "complete",
  limit: 200,
  skipped: {},
  unreadable: [],
  engine: "re2js",
};

const searched = (more: Partial<GrepData>, args: Readonly<Record<string, unknown>> = { pattern: "x" }) =>
  seenBy(haftDialect, "grep", succeeded({ ...DATA, ...more }), args).envelope;
const at = (line: number, text: string) => ({ line, text });

describe("grepPresenter", () => {
  it("decodes to the tool's input", () => {
    expect(haftGrepPresenter.decode({ pattern: "-x", mode: "count", limit: 99, context: 9, offset: 0 })).toEqual({
      input: { pattern: "-x", mode: "count", limit: 99, context: 9, offset: 0 },
    });
    expect(haftGrepPresenter.decode({ path: "." })).toMatchObject({ parameter: "pattern" });
  });

  it("writes a hit as path, line and text, without the end of the line", () => {
    expect(
      searched({ hits: [hit("src/a.ts", 12, "const a = 1;\r"), hit("b", 1, "\x1b[1mx", { truncatedBytes: 900 })] }),
    ).toBe("src/a.ts:12: const a = 1;\nb:1: x [900 bytes of the line omitted]");
  });

  it("shows the lines around hits once, with a mark between groups", () => {
    const hits = [
      hit("a", 3, "x1", { before: [at(2, "b")], after: [at(4, "c")] }),
      hit("a", 5, "x2", { before: [at(4, "c")], after: [at(6, "d")] }),
      hit("a", 9, "x3", { before: [at(8, "e")], after: [] }),
      hit("b", 1, "x4", { after: [at(2, "f")] }),
    ];
    expect(searched({ hits })).toBe(
      "a-2- b\na:3: x1\na-4- c\na:5: x2\na-6- d\n--\na-8- e\na:9: x3\n--\nb:1: x4\nb-2- f",
    );
  });

  it("writes a name that could be mistaken as JSON, whatever the mode", () => {
    const names = ["two\nlines", "exe\u202egpj", "b:7", "a:12:x", " a", '"q', "2026-11-28.md", "c:7x"];
    const rows = ['"two\\nlines"', '"exe\\u202egpj"', '"b:7"', '"a:12:x"', '" a"', '"\\"q"', "2026-11-28.md", "c:7x"];
    const note = "\n\nA name in quotes is a JSON string.";
    const hits = names.map((name) => hit(name, 3, "x"));
    expect(searched({ hits })).toBe(rows.map((row) => `${row}:3: x`).join("\n") + note);
    const counts = names.map((path) => ({ path, count: 2 }));
    expect(searched({ mode: "count", counts })).toBe(rows.map((row) => `${row}: 2`).join("\n") + note);
    expect(searched({ hits: [hit("a\tb", 2, "x", { before: [at(1, "y")] })] })).toBe(
      `"a\\tb"-1- y\n"a\\tb":2: x${note}`,
    );
  });

  it("lists files, and counts", () => {
    expect(searched({ mode: "files", hits: [hit("a", 0, ""), hit("two\nlines", 0, "")] })).toBe(
      'a\n"two\\nlines"\n\nA name in quotes is a JSON string.',
    );
    expect(searched({ mode: "count", counts: [{ path: "a", count: 3 }] })).toBe("a: 3");
  });

  it("reports that nothing was found, and what was skipped", () => {
    expect(searched({ unreadable: ["locked"], skipped: { unreadable: 1, binary: 2, large: 0 } })).toBe(
      "No matches (files excluded by .gitignore were not searched; set `includeIgnored` to include them).\n1 path could not be read: locked.\nSkipped: 2 binary.",
    );
    expect(searched({}, { pattern: "x", path: "a.log" })).toBe("No matches.");
    for (const path of [".github", "a/.config", "..", "src"])
      expect(searched({}, { pattern: "x", path }), path).toContain("excluded by .gitignore");
    expect(searched({}, { pattern: "x", path: ".eslintrc.json" })).toBe("No matches.");
    expect(searched({ skipped: { long: 2 } })).toContain("Skipped: 2 lines too long for this pattern.");
    expect(searched({}, { pattern: "x", includeIgnored: true })).toBe("No matches.");
  });

  it("reports why it stopped and how to continue", () => {
    const hits = [hit("a", 1, "x"), hit("a", 2, "x")];
    expect(searched({ hits, why: "limit", limit: 2 })).toBe(
      "a:1: x\na:2: x\n\nStopped at the limit of 2 hits; there may be more. Narrow `path` or `glob`, raise `limit` (at most 5000), or page with `offset` from 0 (in path order).",
    );
    expect(searched({ hits, why: "limit", limit: 2, offset: 0, nextOffset: 2 })).toContain("Continue with `offset` 2.");
    expect(searched({ hits, why: "limit", limit: 200 })).toContain(
      "Stopped at the limit of 32 KiB; there may be more.",
    );
    expect(searched({ hits, why: "deadline" })).toContain(
      "Timed out (engine: re2js); results are partial. Narrow `path` or `glob`.",
    );
  });

  it("ends a refused pattern with the next step", () => {
    const result = failedWith("SEARCH_PATTERN", 'Did not search for "(": it has an open group.', { pattern: "(" });
    expect(seenBy(haftDialect, "grep", result, { pattern: "(" }).envelope).toBe(
      'Did not search for "(": it has an open group.\nCorrect the pattern, or set `literal` to search for it as text.',
    );
  });
});
