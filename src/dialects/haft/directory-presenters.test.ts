import { describe, expect, it } from "vitest";
import type { FindData } from "../../tools/find/contract.js";
import type { LsData } from "../../tools/ls/contract.js";
import type { TimeData } from "../../tools/time/contract.js";
import { failedWith, seenBy, succeeded } from "../golden.fixture.js";
import { haftFindPresenter } from "./find.js";
import { haftDialect } from "./haft-dialect.js";

const LS: LsData = { path: ".", entries: [], total: 0, more: false, limit: 500, hidden: 0 };
const FIND: FindData = {
  root: ".",
  entries: [],
  total: 0,
  why: "complete",
  limit: 500,
  skipped: {},
  unreadable: [],
  engine: "re2js",
};

const listed = (more: Partial<LsData>, args: Readonly<Record<string, unknown>> = {}) =>
  seenBy(haftDialect, "ls", succeeded({ ...LS, ...more }), args).envelope;
const found = (more: Partial<FindData>, args: Readonly<Record<string, unknown>> = { query: "x" }) =>
  seenBy(haftDialect, "find", succeeded({ ...FIND, ...more }), args).envelope;

describe("lsPresenter", () => {
  it("writes kind, size and name in columns, under the count", () => {
    const entries: LsData["entries"] = [
      { name: "lib", kind: "directory", sizeBytes: 0 },
      { name: "shared", kind: "directory", sizeBytes: 0, target: "../other" },
      { name: "a.ts", kind: "file", sizeBytes: 1_234 },
      { name: "gone", kind: "link", sizeBytes: 0, target: "nowhere", error: "unreached" },
      { name: "pipe", kind: "other", sizeBytes: 0 },
    ];
    expect(listed({ path: "src", entries, total: 5, hidden: 2 }, { path: "src" })).toBe(
      [
        '"src": 5 entries, 2 hidden omitted (`showHidden` lists them).',
        "dir        0 lib/",
        "symlink    0 shared/ -> ../other",
        "file    1234 a.ts",
        "symlink    0 gone -> nowhere (not reached)",
        "other      0 pipe",
      ].join("\n"),
    );
  });

  it("reports that a directory is empty, and how many entries are hidden", () => {
    expect(listed({})).toBe('"." is empty.');
    expect(listed({ hidden: 1 })).toBe('".": 0 entries, 1 hidden omitted (`showHidden` lists them).');
  });

  it("reports the true count where the limit truncated the rows, and how to see the rest", () => {
    const entries: LsData["entries"] = [{ name: "a", kind: "file", sizeBytes: 1 }];
    expect(listed({ entries, total: 50_000, limit: 1 })).toBe(
      '".": 50000 entries, the first 1 are listed; raise `limit` (at most 5000) or use `find`.\nfile 1 a',
    );
    expect(listed({ entries, total: 50_000, limit: 5_000, more: true })).toBe(
      '".": more than 50000 entries, the first 1 are listed; use `find`.\nfile 1 a',
    );
  });

  it("shows unusual names as JSON, and reports those that no call can use", () => {
    const entries: LsData["entries"] = [
      { name: "two\nlines", kind: "file", sizeBytes: 1 },
      { name: "bad\uFFFD", kind: "other", sizeBytes: 0, error: "unnamed" },
    ];
    expect(listed({ entries, total: 2 })).toBe(
      [
        '".": 2 entries.',
        'file  1 "two\\nlines"',
        "other 0 bad\uFFFD",
        "A name in quotes is a JSON string.",
        "A name that is not UTF-8 shows invalid bytes as \uFFFD; rename it with a command to use it.",
      ].join("\n"),
    );
  });
});

describe("findPresenter", () => {
  it("decodes to the tool's input", () => {
    expect(haftFindPresenter.decode({ query: "*.ts", type: "dir", limit: 99, includeIgnored: true })).toEqual({
      input: { query: "*.ts", type: "dir", limit: 99, includeIgnored: true },
    });
    expect(haftFindPresenter.decode({ path: "." })).toMatchObject({ parameter: "query" });
  });

  it("prints one path a row, directories with a slash, unusual ones as JSON", () => {
    const entries: FindData["entries"] = [
      { path: "src", kind: "directory" },
      { path: "src/a.ts", kind: "file" },
      { path: "two\nlines", kind: "directory" },
    ];
    expect(found({ entries, total: 3 })).toBe('src/\nsrc/a.ts\n"two\\nlines/"\n\nA name in quotes is a JSON string.');
  });

  it("reports a name that no call can use", () => {
    expect(found({ entries: [{ path: "bad\uFFFD", kind: "file" }], total: 1 })).toMatch(
      /^bad\uFFFD\n\nA name that is not UTF-8/,
    );
  });

  it("reports that nothing was found, and what was skipped", () => {
    expect(found({ unreadable: ["locked"], skipped: { unreadable: 1, policy: 2 } })).toBe(
      "No matches (files excluded by .gitignore were not searched; set `includeIgnored` to include them).\n1 path could not be read: locked.\nSkipped: 2 denied by policy.",
    );
    expect(found({}, { query: "app/[id]/*", includeIgnored: true })).toBe(
      "No matches.\n`[…]` in a glob is a character class; write `\\[` for a literal bracket.",
    );
    expect(found({}, { query: "{a,b}[x]", includeIgnored: true })).toMatch(/^No matches\.\n`\[…\]` in a glob is a/);
    expect(found({}, { query: "a[", includeIgnored: true })).toBe("No matches.");
    expect(found({ asGlob: "*[id]*" }, { query: "[id]", includeIgnored: true })).toBe(
      'No matches.\n`[…]` was searched literally: without `*` or `?` the query is a substring of a name. To use it as a character class, send "*[id]*".',
    );
    const entries: FindData["entries"] = [{ path: "[id]", kind: "file" }];
    expect(found({ entries, total: 1, asGlob: "*[id]*" }, { query: "[id]" })).toBe("[id]");
  });

  it("reports why it stopped and how to continue", () => {
    const entries: FindData["entries"] = [{ path: "a", kind: "file" }];
    const stopped = (more: Partial<FindData>) => found({ entries, total: 1, ...more });
    expect(stopped({ why: "limit", limit: 1 })).toBe(
      "a\n\nStopped at the limit of 1 entry; there may be more. Narrow `query` or `path`, or raise `limit` (at most 5000).",
    );
    expect(stopped({ why: "limit", limit: 5_000 })).toContain("Narrow `query` or `path`.");
    expect(stopped({ why: "limit", total: 9 })).toContain(
      "Truncated to 32 KiB: 1 of 9 matches shown. Narrow `query` or `path`.",
    );
    expect(stopped({ why: "deadline" })).toContain("Timed out (engine: re2js); results are partial. Narrow `path`.");
  });
});

describe("timePresenter", () => {
  it("writes the time alone", () => {
    const data: TimeData = { epochNs: "1", zone: "UTC", format: "iso", text: "1970-01-01T00:00:00+00:00" };
    expect(seenBy(haftDialect, "time", succeeded(data), {}).envelope).toBe("1970-01-01T00:00:00+00:00");
    const refused = failedWith("CALL_INVALID", "Did not return the time: `zone` is none.");
    expect(seenBy(haftDialect, "time", refused, {}).envelope).toBe("Did not return the time: `zone` is none.");
  });
});
