import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import type { ReadStateRecord } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { utf8Length } from "../../text/index.js";
import { memoryBench, type ToolBench, toolBench, withFs } from "../tool-bench.fixture.js";
import type { EditData } from "./contract.js";

const sha256 = (text: string) => createHash("sha256").update(text, "latin1").digest("hex");
const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const INDUSAGI = { gate: "handle", stages: ["exact", "whitespace"], whitespace: "anywhere" };

interface More {
  readonly replaceAll?: boolean;
  readonly limits?: object;
}

function edit(bench: ToolBench, path: string, oldText: string, newText: string, more: More = {}) {
  const { replaceAll, limits } = more;
  const input = { path, edits: [{ oldText, newText }], ...(replaceAll === undefined ? {} : { replaceAll }) };
  return bench.call<EditData>("edit", input, limits);
}

describe("replacing", () => {
  verifies("IR-073", "replaces one literal occurrence and proves what it did", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\nthree\n" });
    const { data } = await edit(bench, "a.txt", "two", "TWO");
    expect(data).toEqual({
      path: "a.txt",
      replacements: 1,
      strategy: "exact",
      ranges: [{ before: [4, 7], after: [4, 7], line: 2 }],
      beforeHash: sha256("one\ntwo\nthree\n"),
      afterHash: sha256("one\nTWO\nthree\n"),
      diff: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n",
      added: 1,
      removed: 1,
      merged: false,
      reindented: false,
      eolConverted: false,
    });
    expect(await bench.bytes("a.txt")).toBe("one\nTWO\nthree\n");
  });

  verifies("IR-071", "takes a path, pairs of texts and `replaceAll`", async () => {
    const bench = memoryBench({ "a.txt": "one\n" });
    for (const input of [{}, { path: "a.txt" }, { path: "a.txt", edits: [{ oldText: "one" }] }, { edits: [] }])
      expect(await bench.call("edit", input)).toMatchObject({ status: "invalid" });
  });

  verifies("IR-072", "needs a regular file that is there", async () => {
    const bench = memoryBench({ "directory/": "" });
    expect(await edit(bench, "missing.txt", "a", "b")).toMatchObject({
      isError: true,
      code: "FS_NOT_FOUND",
      message: 'Did not edit "missing.txt": no such file.',
    });
    expect((await edit(bench, "~/missing.txt", "a", "b")).message).toBe(
      `Did not edit "~/missing.txt": no such file; \`~\` is "${bench.backend.home}".`,
    );
    expect(await edit(bench, "directory", "a", "b")).toMatchObject({ isError: true, code: "FS_NOT_A_FILE" });
  });

  verifies("IR-074", "refuses two literal occurrences unless all are to be replaced", async () => {
    const bench = memoryBench({ "e.txt": "dup\nx\ndup\n" });
    expect(await edit(bench, "e.txt", "dup", "one")).toMatchObject({
      code: "EDIT_AMBIGUOUS",
      details: { count: 2, lines: [1, 3] },
      message: expect.stringContaining("occurs 2 times, on lines 1, 3"),
    });
    await bench.put("f.txt", "dup, dup");
    expect((await edit(bench, "f.txt", "dup", "one")).message).toBe(
      'Did not edit "f.txt": `oldText` occurs 2 times, on line 1. Add surrounding lines until it is unique, or set `replaceAll`.',
    );
    await bench.put("g.txt", "dup\n".repeat(21));
    expect((await edit(bench, "g.txt", "dup", "one")).message).toContain("occurs 21 times, on lines 1, 2, ");
    expect((await edit(bench, "g.txt", "dup", "one")).message).toContain(", 19, 20 …. Add surrounding lines");
    expect(await bench.bytes("e.txt")).toBe("dup\nx\ndup\n");
    expect((await edit(bench, "e.txt", "dup", "one", { replaceAll: true })).data?.replacements).toBe(2);
    expect(await bench.bytes("e.txt")).toBe("one\nx\none\n");
  });

  verifies(["IR-075", "IP-025"], "falls back to folded white space only where nothing is found literally", async () => {
    const bench = memoryBench({ "a.txt": "\tif (x) {\n\t\trun();\n\t}\n", "b.txt": "a b\na  b\n" });
    const folded = await edit(bench, "a.txt", "if (x) {\n  run();\n}", "if (y) {\n\t\trun();\n\t}", {
      limits: INDUSAGI,
    });
    expect(folded.data).toMatchObject({ strategy: "whitespace", replacements: 1 });
    expect(await bench.bytes("a.txt")).toBe("\tif (y) {\n\t\trun();\n\t}\n");
    expect((await edit(bench, "b.txt", "a b", "c", { limits: INDUSAGI })).data?.strategy).toBe("exact");
    expect(await bench.bytes("b.txt")).toBe("c\na  b\n");
  });

  verifies("IR-076", "keeps offsets right with several folded places in multibyte text", async () => {
    const bench = memoryBench({ "a.txt": "é  ü — x\nmid ß\né\tü — y\n" });
    const limits = INDUSAGI;
    expect((await edit(bench, "a.txt", "é ü", "漢", { limits, replaceAll: true })).data?.replacements).toBe(2);
    const bytes = await bench.backend.root.fs.readText("/workspace/a.txt");
    expect(bytes).toBe("漢 — x\nmid ß\n漢 — y\n");
  });

  verifies(["IR-077", "IP-025"], "refuses equal texts, an empty one, and a change that changes nothing", async () => {
    const bench = memoryBench({ "a.txt": "a  b\n" });
    expect(await edit(bench, "a.txt", "a", "a")).toMatchObject({ isError: true, code: "EDIT_IDENTICAL" });
    expect(await edit(bench, "a.txt", "", "x")).toMatchObject({ isError: true, code: "EDIT_EMPTY" });
    expect(await edit(bench, "a.txt", "a b", "a  b")).toMatchObject({ isError: true, code: "EDIT_NO_CHANGE" });
    expect(await bench.bytes("a.txt")).toBe("a  b\n");
  });

  verifies("IR-079", "clamps the diff to both ends of 16 KiB and counts the whole", async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `k${index}\n`).join("");
    const bench = memoryBench({ "big.txt": lines });
    const { data, truncations: cuts } = await edit(bench, "big.txt", "k", "j", { replaceAll: true });
    expect(data).toMatchObject({ replacements: 30_000, added: 30_000, removed: 30_000 });
    expect(utf8Length(data!.diff)).toBeLessThan(16_384 + 200);
    expect(data!.diff).toContain("-k0\n");
    expect(data!.diff).toContain("+j29999\n");
    expect(cuts?.[0]).toMatchObject({ what: "diff of big.txt", keptBytes: 16_384 });
    expect(await bench.bytes("big.txt")).toBe(lines.replaceAll("k", "j"));
  });

  it("stores the old bytes as an artifact where the diff does not show all that was removed", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\nthree\n" });
    const limits = { maxDiffBytes: 10 };
    const { details, truncations: cuts } = await edit(bench, "a.txt", "one\ntwo", "new", { limits });
    const artifact = (details?.backup as { readonly artifact?: string } | undefined)?.artifact ?? "none";
    const next = "Read the file to see the rest of the added text.";
    expect(details).toEqual({ backup: { artifact, bytes: 14, sizeBytes: 14 } });
    expect(cuts).toMatchObject([
      { what: "diff of a.txt", next },
      { what: "the replaced bytes of a.txt", producedBytes: 14, keptBytes: 14, artifact },
    ]);
    const kept = await bench.session.artifacts.read(artifact, 0, 100);
    expect(typeof kept !== "string" && new TextDecoder().decode(kept.bytes)).toBe("one\ntwo\nthree\n");
  });

  it("stores them, too, where the diff omits control characters of a removed line", async () => {
    const bench = memoryBench({ "a.txt": "one\u001b[31m\ntwo\u001b[31m\n" });
    expect(await edit(bench, "a.txt", "one\u001b[31m", "one")).toMatchObject({ details: { backup: { bytes: 18 } } });
    expect((await edit(bench, "a.txt", "one", "1")).details).toBeUndefined();
  });

  it("stores nothing where the diff shows all of it, where nothing is removed, or nothing changed", async () => {
    const bench = memoryBench({ "a.txt": "one\r\n" });
    const added = await edit(bench, "a.txt", "\r\n", "\r\ntwo\r\n", { limits: { maxDiffBytes: 1 } });
    expect(added.truncations).toMatchObject([{ next: "Read the file to see the rest of the added text." }]);
    expect(await edit(bench, "a.txt", "one", "two")).toMatchObject({ truncations: [] });
    expect(await edit(bench, "a.txt", "none", "two", { limits: { maxDiffBytes: 1 } })).toMatchObject({ isError: true });
    expect(await bench.session.artifacts.list()).toEqual([]);
  });

  it("reports that removed text beyond the diff was not stored where the file is too large", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\n" });
    const call = await edit(bench, "a.txt", "one", "1", { limits: { maxDiffBytes: 10, maxBackupBytes: 7 } });
    expect(call.details).toEqual({ backup: { kept: false, sizeBytes: 8, maxBytes: 7 } });
    expect(call.truncations).toMatchObject([
      { next: "Read the file to see the rest of the added text." },
      { what: "the replaced bytes of a.txt", keptBytes: 0, next: expect.stringContaining("cannot be restored") },
    ]);
    expect(await bench.session.artifacts.list()).toEqual([]);
  });
});

describe("bytes that no edit names", () => {
  const kept: readonly (readonly [string, string, string, string, string])[] = [
    ["dollar signs", "ID=1\n", "ID=1", "ID=$$ ARG=$1 ALL=$&", "ID=$$ ARG=$1 ALL=$&\n"],
    ["a mark", "\xef\xbb\xbfimport alpha\n", "import alpha", "import beta", "\xef\xbb\xbfimport beta\n"],
    ["a foreign byte", "/* na\xefve */\nint n = 4;\n", "n = 4", "n = 5", "/* na\xefve */\nint n = 5;\n"],
    ["a part of a line", "HOST=db/v1\nPORT=1\n", "/v1", "", "HOST=db\nPORT=1\n"],
    ["the last line", "first\nlast line", "last line\n", "LAST\n", "first\nLAST"],
    ["no final newline", "top\nend", "end", "END", "top\nEND"],
    ["tabs", "all:\n\t@echo one\nb:\n\t@echo b\n", "echo one", "echo two", "all:\n\t@echo two\nb:\n\t@echo b\n"],
  ];
  it.each(kept)("%s", async (_name, before, oldText, newText, after) => {
    const bench = memoryBench({ "f.txt": bytesOf(before) });
    expect(await edit(bench, "f.txt", oldText, newText)).toMatchObject({ isError: false });
    expect(await bench.bytes("f.txt")).toBe(after);
  });

  const refused: readonly (readonly [string, string, string, string])[] = [
    ["other indentation", "def f(a):\n\tif a:\n\t\treturn 1\n", "if a:\n    return 1", "EDIT_NOT_FOUND"],
    ["two folded places", "a  b\n--\na b\n", "a\tb", "EDIT_AMBIGUOUS"],
    ["letters composed otherwise", "re\u0301sume\u0301 v1\ncafe\u0301\n", "résumé v1", "EDIT_NOT_FOUND"],
    ["line numbers copied along", "alpha\nbeta\n", "     2│beta", "EDIT_NOT_FOUND"],
  ];
  it.each(refused)("%s is refused and the file stays", async (_name, before, oldText, code) => {
    const bench = memoryBench({ "f.txt": before });
    expect(await edit(bench, "f.txt", oldText, "NEW")).toMatchObject({ isError: true, code });
    expect(await bench.backend.root.fs.readText("/workspace/f.txt")).toBe(before);
  });

  it("reports what differs at the nearest place", async () => {
    const bench = memoryBench({
      "g.txt": "alpha\nbeta\n",
      "n.txt": "re\u0301sume\u0301 v1\n",
      "c.txt": "a\u001b[1mred\u001b[0m\n",
    });
    expect((await edit(bench, "g.txt", "     2│beta", "x")).message).toContain("line numbers");
    expect((await edit(bench, "n.txt", "résumé v1", "x")).details).toMatchObject({
      nearest: [{ line: 1, differs: expect.stringContaining("composed differently") }],
    });
    expect((await edit(bench, "c.txt", "ared", "x")).details).toMatchObject({
      nearest: [{ line: 1, differs: expect.stringContaining("control characters") }],
    });
  });
});

it("writes in the encoding of a file, reports where that is a guess, and names a character that it lacks", async () => {
  const bench = memoryBench({ "l.txt": bytesOf("caf\xe9\n") });
  const { details } = await edit(bench, "l.txt", "café", "thé “1”");
  expect(details).toEqual({ notes: ["The encoding windows-1252 is guessed, and `newText` was written in it."] });
  expect(await bench.bytes("l.txt")).toBe("th\xe9 \x931\x94\n");
  expect((await edit(bench, "l.txt", "1", "2")).details).toBeUndefined();
  expect(await edit(bench, "l.txt", "2", "你")).toMatchObject({
    code: "CALL_INVALID",
    message:
      'Did not edit "l.txt": `newText` contains "你" (U+4F60), which the file\'s encoding, windows-1252 (guessed), cannot represent. Omit it, or `write` the whole file, which makes it UTF-8.',
  });
});

describe("several edits", () => {
  it("makes all or none, and names the one that fails", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\n" });
    const edits = [
      { oldText: "one", newText: "1" },
      { oldText: "three", newText: "3" },
    ];
    expect(await bench.call("edit", { path: "a.txt", edits })).toMatchObject({
      code: "EDIT_NOT_FOUND",
      details: { edit: 2 },
      message: expect.stringContaining("of edit 2"),
    });
    const overlap = [
      { oldText: "one\ntwo", newText: "1" },
      { oldText: "two", newText: "2" },
    ];
    expect(await bench.call("edit", { path: "a.txt", edits: overlap })).toMatchObject({
      code: "EDIT_OVERLAP",
      details: { edits: [1, 2] },
    });
    expect(await bench.bytes("a.txt")).toBe("one\ntwo\n");
  });

  it("loses none of fifty concurrent edits of one file, through symlinks and spellings", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line-${index}-old\n`).join("");
    const backend = createMemoryBackend({ files: { "n.txt": lines } });
    backend.plant({ kind: "link", path: "/workspace/link.txt", target: "n.txt" });
    const bench = toolBench({ backend });
    const spellings = ["n.txt", "./n.txt", "link.txt", "/workspace/n.txt"];
    const calls = Array.from({ length: 50 }, (_, index) =>
      edit(bench, spellings[index % 4]!, `line-${index}-old`, `line-${index}-new`),
    );
    for (const call of await Promise.all(calls)) expect(call.isError).toBe(false);
    expect(await bench.bytes("n.txt")).toBe(lines.replaceAll("old", "new"));
  });
});

describe("a file that changes meanwhile", () => {
  it("retries when another program writes meanwhile, and keeps both changes", async () => {
    const memory = createMemoryBackend({ files: { "a.txt": "one\ntwo\n" } });
    let foreign = 0;
    const backend = withFs(memory, (real) => ({
      async replaceAtomic(path, data, expected, io) {
        if (++foreign === 1) await memory.root.fs.writeFile(path, "ONE\ntwo\n");
        return real.replaceAtomic(path, data, expected, io);
      },
    }));
    const bench = toolBench({ backend });
    expect(await edit(bench, "a.txt", "two", "TWO")).toMatchObject({ isError: false });
    expect(await bench.bytes("a.txt")).toBe("ONE\nTWO\n");
  });

  it("fails after the second time and shows the current content", async () => {
    const memory = createMemoryBackend({ files: { "a.txt": "one\ntwo\n" } });
    let foreign = 0;
    const backend = withFs(memory, (real) => ({
      async replaceAtomic(path, data, expected, io) {
        await memory.root.fs.writeFile(path, `one\ntwo\n${++foreign}\n`);
        return real.replaceAtomic(path, data, expected, io);
      },
    }));
    const bench = toolBench({ backend });
    expect(await edit(bench, "a.txt", "two", "TWO")).toMatchObject({
      code: "FS_STALE",
      details: { path: "a.txt", region: { line: 2, text: "two" } },
    });
    expect(await bench.bytes("a.txt")).toBe("one\ntwo\n2\n");
  });

  it("applies where the place is unchanged and reports merged, else shows the region", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\nthree\n" });
    await bench.call("read", { path: "a.txt" });
    await bench.put("a.txt", "zero\none\ntwo and more\nthree\n");
    expect((await edit(bench, "a.txt", "one", "ONE")).data).toMatchObject({ merged: true, replacements: 1 });
    expect(await edit(bench, "a.txt", "two\nthree", "2\n3")).toMatchObject({
      code: "FS_STALE",
      details: { region: { line: 3, text: "two and more\nthree" } },
    });
  });

  it("does not take an edit for having seen the file", async () => {
    const bench = memoryBench({ "a.txt": "one\ntwo\n" });
    await edit(bench, "a.txt", "one", "ONE");
    expect(await bench.call("write", { path: "a.txt", content: "x" })).toMatchObject({ code: "FS_NOT_READ" });
    await bench.call("read", { path: "a.txt" });
    await edit(bench, "a.txt", "two", "TWO");
    expect(await bench.call("write", { path: "a.txt", content: "x" })).toMatchObject({ isError: false });
  });
});

describe("gates", () => {
  const ON = { gate: "on" };

  it("asks for a read where it is on, and lets its own change through", async () => {
    const bench = memoryBench({ "p.txt": "1\n" });
    expect(await edit(bench, "p.txt", "1", "2", { limits: ON })).toMatchObject({
      code: "FS_NOT_READ",
      details: { sha256: sha256("1\n"), sizeBytes: 2 },
    });
    await bench.call("read", { path: "p.txt" });
    expect(await edit(bench, "p.txt", "1", "2", { limits: ON })).toMatchObject({ isError: false });
    expect(await edit(bench, "p.txt", "2", "3", { limits: ON })).toMatchObject({ isError: false });
  });

  it("goes by the content, not by the time", async () => {
    const bench = memoryBench({ "o.txt": "aa\n" });
    await bench.call("read", { path: "o.txt" });
    await bench.put("o.txt", "bb\n");
    expect(await edit(bench, "o.txt", "bb", "cc", { limits: ON })).toMatchObject({ code: "FS_STALE" });
    await bench.put("o.txt", "aa\n");
    expect(await edit(bench, "o.txt", "aa", "bb", { limits: ON })).toMatchObject({ isError: false });
  });

  verifies(["IR-129", "IR-130"], "is the seed's where the host hands a read-state in", async () => {
    const handle = new Map<string, ReadStateRecord>();
    const bench = memoryBench({ "a.txt": "one\n" }, { framework: { readState: handle } });
    const limits = { gate: "handle" };
    expect(await edit(bench, "a.txt", "one", "two", { limits })).toMatchObject({ code: "FS_NOT_READ" });
    await bench.call("read", { path: "a.txt" });
    const record = handle.get("/workspace/a.txt")!;
    handle.set("/workspace/a.txt", { ...record, mtimeMs: record.mtimeMs - 1 });
    expect(await edit(bench, "a.txt", "one", "two", { limits })).toMatchObject({ code: "FS_STALE" });
    handle.set("/workspace/a.txt", record);
    expect(await edit(bench, "a.txt", "one", "two", { limits })).toMatchObject({ isError: false });
    expect(await edit(bench, "a.txt", "two", "three", { limits })).toMatchObject({ isError: false });
  });
});

it("refuses a redaction mark on either side, and half of a character", async () => {
  const bench = memoryBench({ "a.txt": "key=⟦redacted:token⟧\n" });
  expect(await edit(bench, "a.txt", "key", "⟦redacted:token⟧")).toMatchObject({ code: "CALL_INVALID" });
  expect(await edit(bench, "a.txt", "key=⟦redacted:token⟧", "x")).toMatchObject({ code: "CALL_INVALID" });
  expect(await edit(bench, "a.txt", "key", "\udc00")).toMatchObject({ code: "CALL_INVALID" });
});

it("hears a cancel in the midst of many edits, and changes nothing", async () => {
  const lines = Array.from({ length: 3_000 }, (_, line) => `line ${line};`);
  // The clock of a slow machine: each look at it finds much work done.
  let nowMs = 0;
  const clock = { now: () => (nowMs += 30), timer: realTimer };
  const bench = memoryBench({ "a.txt": lines.join("\n") }, { host: { clock } });
  const control = new AbortController();
  setTimeout(() => control.abort(), 5); // after some of the thousands of turns
  const edits = lines.map((oldText) => ({ oldText, newText: "changed" }));
  const outcome = await bench.call("edit", { path: "a.txt", edits }, undefined, control.signal);
  expect(outcome).toMatchObject({ status: "cancelled", code: "CALL_CANCELLED" });
  expect(await bench.bytes("a.txt")).toBe(lines.join("\n"));
});

function realTimer(ms: number, done: () => void): () => void {
  const timer = setTimeout(done, ms);
  return () => clearTimeout(timer);
}

describe("an edit of lines that are indented otherwise", () => {
  it("reports that the new text was indented", async () => {
    const bench = memoryBench({ "a.py": "def f(a):\n    if a:\n        return 1\n    return 0\n" });
    const edits = [{ oldText: "if a:\n    return 1", newText: "if a:\n\n    return 2" }];
    const done = await bench.call<EditData>("edit", { path: "a.py", edits });
    expect(done.data).toMatchObject({ strategy: "indentation", reindented: true, added: 2, removed: 1 });
    expect(await bench.bytes("a.py")).toBe("def f(a):\n    if a:\n\n        return 2\n    return 0\n");
  });

  it("does not report it where nothing was indented", async () => {
    const bench = memoryBench({ "a.py": "f:\n  a\n  b\nc\n" });
    const edits = [{ oldText: "a\nb\n", newText: "" }];
    expect((await bench.call<EditData>("edit", { path: "a.py", edits })).data?.reindented).toBe(false);
    expect(await bench.bytes("a.py")).toBe("f:\nc\n");
  });

  it("names the lines of places that come in question alike", async () => {
    const bench = memoryBench({ "a.py": "  a\n  b\nx\n   a\n   b\n" });
    const edits = [{ oldText: " a\n b", newText: " c" }];
    expect(await bench.call("edit", { path: "a.py", edits })).toMatchObject({
      code: "EDIT_AMBIGUOUS",
      details: { lines: [1, 4] },
    });
  });
});
