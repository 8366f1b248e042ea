import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import type { EditData } from "../../tools/edit/contract.js";
import type { GrepData } from "../../tools/grep/contract.js";
import { bashData, failedWith, readData, seenBy, stream, succeeded } from "../golden.fixture.js";
import { indusagi, indusagiDialect, MUTATING_NAMES, READ_ONLY_NAMES } from "./indusagi-dialect.js";

const python = indusagi({ edition: "python" });
const faces = indusagiDialect.tools;

function outputOf(tool: string, result: Parameters<typeof seenBy>[2], args = {}, dialect = indusagiDialect, more = {}) {
  return (seenBy(dialect, tool, result, args, more).envelope as { output: unknown }).output;
}

describe("indusagiDialect", () => {
  verifies(["IR-051", "IR-052", "IR-053"], "twelve tools, and collections in the seed's order", () => {
    expect(READ_ONLY_NAMES).toEqual(["read", "ls", "grep", "find", "websearch", "webfetch"]);
    expect(MUTATING_NAMES).toEqual(["write", "edit", "bash", "todo_set", "todo_read", "process"]);
    expect(indusagiDialect.collections).toEqual({
      "read-only": READ_ONLY_NAMES,
      coding: [...READ_ONLY_NAMES, ...MUTATING_NAMES],
    });
    expect(Object.keys(faces)).toEqual(indusagiDialect.collections.coding);
    expect(Object.keys(faces)).toHaveLength(12);
  });

  verifies("IP-015", "both editions have the same tools and collections", () => {
    expect(python.collections).toEqual(indusagiDialect.collections);
    expect(Object.values(python.tools).map((face) => face.name)).toEqual(Object.values(faces).map((face) => face.name));
  });

  verifies("IR-003", "an outcome is id, output and is_error", () => {
    expect(seenBy(indusagiDialect, "read", succeeded(readData("a")), {}).envelope).toEqual({
      id: "c1",
      output: "Showing lines 1–1 of 1\n     1│a",
      is_error: false,
    });
  });

  verifies("IR-049", "an unknown tool has its own text", () => {
    expect(indusagiDialect.unknownTool("nope", ["read"])).toBe('This session exposes no tool called "nope".');
  });

  it("lets a hard cancel reject in the Python edition alone", () => {
    expect([indusagiDialect.hardCancelRejects, python.hardCancelRejects]).toEqual([false, true]);
  });
});

describe("arguments of indusagi", () => {
  verifies(["IR-058", "IR-071", "IR-098"], "the parameters have the seed's names", () => {
    const names = (tool: string) => Object.keys(faces[tool]?.parameters?.properties as object);
    expect(names("read")).toEqual(["path", "offset", "limit"]);
    expect(names("write")).toEqual(["path", "content"]);
    expect(names("edit")).toEqual(["path", "oldText", "newText", "replaceAll"]);
    expect(names("ls")).toEqual(["path", "showHidden"]);
    expect(names("grep")).toEqual(["pattern", "path", "flags", "limit"]);
    expect(names("find")).toEqual(["query", "path", "type"]);
    expect(names("bash")).toEqual(["command", "timeoutMs", "cwd"]);
    expect(names("todo_set")).toEqual(["items"]);
    expect(names("todo_read")).toEqual([]);
  });

  verifies("IR-063", "offset and limit are positive whole numbers or absent", () => {
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "x", null]) {
      expect(faces.read?.decode({ path: "a", offset: wrong })).toMatchObject({ parameter: "offset" });
      expect(faces.read?.decode({ path: "a", limit: wrong })).toMatchObject({ parameter: "limit" });
    }
    expect(faces.read?.decode({ path: "a", offset: 2, limit: 3 })).toEqual({
      input: { path: "a", offset: 2, limit: 3 },
    });
    expect(faces.read?.decode({ path: "a" })).toEqual({ input: { path: "a" } });
  });

  verifies("IR-066", "write needs a path; absent content is an empty file", () => {
    expect(faces.write?.decode({ path: "a" })).toEqual({ input: { path: "a", content: "" } });
    expect(faces.write?.decode({ path: "", content: "x" })).toMatchObject({ parameter: "path" });
    expect(faces.write?.decode({ path: "a", content: { port: 1 } })).toMatchObject({ parameter: "content" });
  });

  verifies(["IR-069", "IR-075", "IP-025"], "write and edit have the seed's gate and stages", () => {
    expect(faces.write?.limits).toEqual({ gate: "handle", parents: true });
    expect(faces.edit?.limits).toEqual({
      gate: "handle",
      stages: ["exact", "whitespace"],
      whitespace: "anywhere",
      maxDiffBytes: 16_384,
    });
  });

  verifies(["IR-084", "IR-085", "IR-087"], "grep has the seed's bounds", () => {
    expect(faces.grep?.limits).toMatchObject({
      defaultHits: 200,
      maxHits: 5_000,
      maxFileBytes: 2_097_152,
      binary: { firstBytes: 4_096 },
      pruning: { by: "list", names: [".git", "node_modules"] },
      order: "path",
      relativeTo: "root",
    });
    expect(faces.grep?.decode({ pattern: "x", limit: 9_999 })).toEqual({ input: { pattern: "x", limit: 5_000 } });
    expect(faces.grep?.decode({ pattern: "x", limit: 0 })).toMatchObject({ parameter: "limit" });
  });

  verifies(["IR-093", "IR-095", "IR-096"], "find has the seed's bounds, and no call sets others", () => {
    expect(faces.find?.limits).toMatchObject({
      defaultEntries: 500,
      maxEntries: 500,
      pruning: { by: "list", names: [".git", "node_modules"] },
      order: "path",
      relativeTo: "root",
      wildcards: "names",
      withRoot: true,
    });
    expect(faces.find?.decode({ query: "a", type: "dir", limit: 9_999 })).toEqual({
      input: { query: "a", type: "dir" },
    });
    expect(faces.find?.decode({ query: "" })).toMatchObject({ parameter: "query" });
  });

  verifies(["IR-088", "IR-089", "IP-029"], "flags are letters of gimsuy; i, m and s have an effect", () => {
    const decoded = (flags: string) => faces.grep?.decode({ pattern: "a.b", flags });
    expect(decoded("gyu")).toEqual(decoded(""));
    expect(decoded("i")).toEqual({ input: { pattern: "a.b", ignoreCase: true } });
    expect(decoded("m")).toEqual({ input: { pattern: "(?m)a.b" } });
    expect(decoded("gsm")).toEqual({ input: { pattern: "(?ms)a.b", multiline: true } });
    expect(decoded("x")).toMatchObject({ parameter: "flags", problem: expect.stringContaining('"x"') });
    expect(decoded("I")).toMatchObject({ parameter: "flags" });
  });

  verifies(["IR-098", "IR-099", "IP-026"], "bash wants a command; its time is floored and has a ceiling", () => {
    expect(faces.bash?.limits).toMatchObject({ defaultTimeoutMs: 120_000, maxTimeoutMs: 600_000, exit: "error" });
    expect(faces.bash?.decode({ command: "ls", timeoutMs: 1_500.9, cwd: "sub" })).toEqual({
      input: { command: "ls", timeoutMs: 1_500, cwd: "sub" },
    });
    expect(faces.bash?.decode({ command: "ls", timeoutMs: 999_999_999 })).toEqual({
      input: { command: "ls", timeoutMs: 600_000 },
      notes: ["`timeoutMs` 999999999 is above the most and was taken as 600000."],
    });
    for (const wrong of [0, -1, 0.5, Number.NaN, "x"])
      expect(faces.bash?.decode({ command: "ls", timeoutMs: wrong })).toMatchObject({ parameter: "timeoutMs" });
    expect(faces.bash?.decode({ command: "  " })).toMatchObject({ parameter: "command" });
  });
});

describe("texts of indusagi", () => {
  verifies(
    ["IR-064", "IR-062", "IR-043"],
    "a read over the budget is cut in its middle with a notice of its own",
    () => {
      const text = Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join("");
      const budget = { kind: "middle" as const, maxBytes: 1_000 };
      const seen = seenBy(indusagiDialect, "read", succeeded(readData(text)), { path: "a.txt" }, { budget });
      const { output } = seen.envelope as { output: string };
      expect(output.length).toBeLessThanOrEqual(1_000 + 256);
      const notice = /\nread: (\d+) bytes left out here to fit the window\n/.exec(output);
      const first =
        /^Showing lines 1–300 of 300 \[trimmed by (\d+) bytes; lines (\d+)–(\d+) are not whole; read them with offset (\d+)\]\n/.exec(
          output,
        );
      expect(first?.[1]).toBe(notice?.[1]);
      expect(output).toContain(`│line ${Number(first?.[2]) - 1}\n`);
      expect(output).not.toContain(`│line ${first?.[2]}\n`);
      expect(output).toContain(`│line ${Number(first?.[3]) + 1}\n`);
      expect(first?.[4]).toBe(first?.[2]);
      expect(seen.cuts).toHaveLength(1);
    },
  );

  verifies("IR-078", "an edit gives a sentence and the figures", () => {
    const data = { path: "/w/a.ts", replacements: 2, strategy: "whitespace", diff: "@@" } as EditData;
    expect(outputOf("edit", succeeded(data), { path: "./a.ts" })).toEqual([
      { kind: "text", text: "Replaced 2 occurrences in ./a.ts (whitespace differed)." },
      { kind: "json", value: { path: "./a.ts", replacements: 2, diff: "@@" } },
    ]);
  });

  const hits = [{ path: "src/a.ts", line: 12, text: "const a", truncatedBytes: 0, before: [], after: [] }];
  const GREP: GrepData = {
    root: "/w",
    mode: "content",
    hits,
    why: "complete",
    limit: 200,
    skipped: {},
    unreadable: [],
    engine: "re2js",
  };

  verifies("IR-086", "a hit is path, line and text", () => {
    expect(outputOf("grep", succeeded(GREP))).toBe("src/a.ts:12: const a");
    expect(outputOf("grep", succeeded({ ...GREP, hits: [] }))).toBe("No matches found.");
  });

  verifies("IR-087", "a search that stopped at its limit reports it", () => {
    const limited = { ...GREP, why: "limit", limit: 1, skipped: { binary: 2, large: 0 } };
    expect(outputOf("grep", succeeded(limited))).toBe(
      "src/a.ts:12: const a\n[stopped at 1 hit; raise limit (at most 5000) for more]\n[skipped: 2 binary]",
    );
    expect(outputOf("grep", succeeded({ ...limited, limit: 5_000 }))).toContain("[stopped at 5000 hits]");
  });

  const entries = [
    { name: "lib", kind: "directory", sizeBytes: 0, target: "../lib" },
    { name: "a.ts", kind: "file", sizeBytes: 1_234 },
    { name: "two\nlines", kind: "file", sizeBytes: 5 },
  ];
  const LS = { path: "src", entries, total: 3, more: false, limit: 9e15, hidden: 1 };

  verifies(["IR-080", "IR-082"], "a listing has aligned rows under the count of what is shown and hidden", () => {
    expect(outputOf("ls", succeeded(LS))).toBe(
      '3 entries (1 hidden entry omitted)\n[A name in quotes is a JSON string.]\ndir     0 lib/\nfile 1234 a.ts\nfile    5 "two\\nlines"',
    );
    expect(outputOf("ls", succeeded({ ...LS, entries: [], total: 0, hidden: 0 }))).toBe("0 entries");
  });

  verifies("IR-083", "a listing over the budget is truncated with a notice that names the tool", () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ name: `f${index}`, kind: "file", sizeBytes: 1 }));
    const budget = { kind: "middle" as const, maxBytes: 1_000 };
    const seen = seenBy(indusagiDialect, "ls", succeeded({ ...LS, entries: rows, total: 300 }), {}, { budget });
    const { output } = seen.envelope as { output: string };
    expect(output).toMatch(/^300 entries \(1 hidden entry omitted\)\nfile 1 f0\n/);
    expect(output).toMatch(/\nls: \d+ bytes left out here to fit the window\n/);
    expect(output.endsWith("file 1 f299")).toBe(true);
    expect(output.length).toBeLessThanOrEqual(1_100);
    expect(seen.cuts).toHaveLength(1);
  });

  verifies(["IR-096", "IR-097"], "results are one path a row; a reached limit is reported", () => {
    const found = [
      { path: ".", kind: "directory" },
      { path: "a/b", kind: "directory" },
    ];
    const FIND = { root: ".", entries: found, total: 2, why: "complete", limit: 500, skipped: {}, unreadable: [] };
    expect(outputOf("find", succeeded(FIND))).toBe(".\na/b");
    expect(outputOf("find", succeeded({ ...FIND, why: "limit" }))).toBe(
      ".\na/b\n[stopped at 2 results; narrow query or path]",
    );
    expect(outputOf("find", succeeded({ ...FIND, entries: [] }))).toBe("No matches found.");
    const note = { ...succeeded({ ...FIND, entries: [] }), details: { notes: ["no name holds a slash"] } };
    expect(outputOf("find", note)).toBe("No matches found.\n[no name holds a slash]");
    expect(outputOf("find", failedWith("FS_NOT_FOUND", "m"), { path: "no" }, python)).toBe(
      "ENOENT: no such file or directory, scandir 'no'",
    );
  });

  verifies(["IR-090", "IR-091", "IP-030"], "a pattern that does not compile has its own first words", () => {
    const broken = failedWith("SEARCH_PATTERN", "m", { pattern: "(", why: "missing closing )" });
    const around = failedWith("SEARCH_UNSUPPORTED", "m", { pattern: "(?=a)", feature: "look-around" });
    for (const dialect of [indusagiDialect, python]) {
      expect(outputOf("grep", broken, {}, dialect)).toBe("Could not compile the search pattern: missing closing )");
      expect(outputOf("grep", around, {}, dialect)).toBe(
        "Could not compile the search pattern: it holds look-around, which is not supported",
      );
    }
  });

  verifies(["IR-129", "IR-130"], "the gate has the seed's texts on write and edit", () => {
    for (const tool of ["write", "edit"]) {
      expect(outputOf(tool, failedWith("FS_NOT_READ", "m"))).toBe(
        "File has not been read yet. Read it first before writing to it.",
      );
      expect(outputOf(tool, failedWith("FS_STALE", "m"))).toBe(
        "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
      );
    }
  });

  verifies(["IP-010", "IP-017"], "the Python edition words file errors as system calls, with the model's path", () => {
    const gone = failedWith("FS_NOT_FOUND", "m", { path: "/w/nope" });
    const args = { path: "./nope" };
    expect(outputOf("read", gone, args, python)).toBe("ENOENT: no such file or directory, open './nope'");
    expect(outputOf("edit", gone, args, python)).toBe("ENOENT: no such file or directory, open './nope'");
    expect(outputOf("grep", gone, args, python)).toBe("ENOENT: no such file or directory, scandir './nope'");
    expect(outputOf("write", failedWith("FS_PERMISSION", "m"), args, python)).toBe(
      "EACCES: permission denied, open './nope'",
    );
    expect(outputOf("read", gone, args)).toBe("m");
  });

  verifies("IP-018", "a directory read as a file has a text without its path", () => {
    const directory = failedWith("FS_NOT_A_FILE", "m", { path: "/w", kind: "directory" });
    expect(outputOf("read", directory, { path: "." }, python)).toBe("EISDIR: illegal operation on a directory, read");
    expect(outputOf("read", failedWith("FS_NOT_A_FILE", "m", { kind: "fifo" }), {}, python)).toBe("m");
  });

  it("shows the nearest place of a text that was not found, and where an ambiguous one occurs", () => {
    const nearest = [{ line: 3, text: "const a", differs: "case" }];
    expect(outputOf("edit", failedWith("EDIT_NOT_FOUND", "m.", { nearest }))).toBe("m.\nNear line 3 (case):\nconst a");
    expect(outputOf("edit", failedWith("EDIT_AMBIGUOUS", "m.", { lines: [1, 5] }))).toBe(
      "m.\nIt begins on lines 1, 5.",
    );
  });

  verifies(["IR-102", "IR-103"], "a report names both streams and the status", () => {
    const data = bashData({ exitCode: 2, stdout: stream("out\n"), stderr: stream("err") });
    expect(outputOf("bash", failedWith("SHELL_EXIT", "m", {}, data))).toBe(
      "stdout:\nout\nstderr:\nerr\nstatus: exit code 2",
    );
  });

  it("has a text for every code there is", () => {
    for (const dialect of [indusagiDialect, python]) {
      for (const code of ERROR_CODES) expect(outputOf("edit", failedWith(code, "m"), {}, dialect)).not.toBe("");
    }
  });
});
