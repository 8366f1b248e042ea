import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { type GrepHit, HaftError, type SearchEnd } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { allowExcept, memoryBench, type ToolBench, toolBench } from "../tool-bench.fixture.js";
import type { GrepData } from "./contract.js";

const INDUSAGI = {
  pruning: { by: "list", names: [".git", "node_modules"] },
  order: "path",
  relativeTo: "root",
  maxFileBytes: 2 * 1024 * 1024,
  binary: { firstBytes: 4_096 },
};

function grep(bench: ToolBench, input: object, limits?: object, signal?: AbortSignal) {
  return bench.call<GrepData>("grep", input, limits, signal);
}

const rows = (data: GrepData | undefined) => data?.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`);

/** A bench whose search yields what the test says, or throws it at the end. */
function scripted(items: readonly (Partial<GrepHit> | SearchEnd)[], thrown?: unknown) {
  const memory = createMemoryBackend({ files: { "a.txt": "" } });
  const bind: typeof memory.bind = (grant, call) => ({
    ...memory.bind(grant, call),
    search: {
      async *grep() {
        for (const item of items) {
          const base = { kind: "hit", path: "/workspace/a.txt", line: 1, bytes: new Uint8Array(), at: [] };
          yield { ...base, ...item } as GrepHit | SearchEnd;
        }
        if (thrown !== undefined) throw thrown;
      },
      walk: async function* () {},
    },
  });
  return toolBench({ backend: { ...memory, bind } });
}

describe("hits", () => {
  verifies("IR-084", "come as path, line and text, in path order, pruned by the list", async () => {
    const bench = memoryBench({
      "src/b.ts": "x\nTODO two\n",
      "src/a.ts": "TODO one\r\n",
      "src/node_modules/m.ts": "TODO hidden\n",
      "src/.git/config": "TODO hidden\n",
    });
    const { data } = await grep(bench, { pattern: "TODO", path: "src" }, INDUSAGI);
    expect(rows(data)).toEqual(["a.ts:1: TODO one", "b.ts:2: TODO two"]);
    expect(data).toMatchObject({ root: "src", why: "complete", mode: "content" });
  });

  it("shows paths as `read` accepts them: relative inside the working directory, absolute outside", async () => {
    const bench = memoryBench({ "a/b.txt": "needle\n", "/elsewhere/c.txt": "needle\n", "artifact:1": "needle\n" });
    expect(rows((await grep(bench, { pattern: "needle" })).data)).toEqual(
      ["a/b.txt:1: needle", "./artifact:1:1: needle"].sort(),
    );
    expect(rows((await grep(bench, { pattern: "needle", path: "/elsewhere" })).data)).toEqual([
      "/elsewhere/c.txt:1: needle",
    ]);
    expect(rows((await grep(bench, { pattern: "needle", path: "a/b.txt" })).data)).toEqual(["a/b.txt:1: needle"]);
  });

  verifies(["IR-085"], "skips large and binary files and counts them", async () => {
    const bench = memoryBench({
      "large.txt": `needle\n${"x".repeat(2 * 1024 * 1024)}`,
      "binary.bin": "needle\n\0",
      "late.bin": `needle\n${"y".repeat(5_000)}\0`,
    });
    const { data } = await grep(bench, { pattern: "needle" }, INDUSAGI);
    expect(rows(data)).toEqual(["late.bin:1: needle"]);
    expect(data?.skipped).toMatchObject({ large: 1, binary: 1 });
    expect((await grep(bench, { pattern: "needle" })).data?.skipped).toMatchObject({ binary: 2 });
  });

  verifies("IR-087", "are 200 unless more are asked for, and never more than 5000", async () => {
    const bench = memoryBench({ "many.txt": "hit\n".repeat(6_000) });
    const few = await grep(bench, { pattern: "hit" }, { ...INDUSAGI, maxBytes: 1e9 });
    expect(few.data).toMatchObject({ why: "limit", limit: 200 });
    expect(few.data?.hits).toHaveLength(200);
    const all = await grep(bench, { pattern: "hit", limit: 9_999 }, { ...INDUSAGI, maxBytes: 1e9 });
    expect(all.data?.hits).toHaveLength(5_000);
  });

  it("show no control characters and no carriage return, and are truncated around the match", async () => {
    const bench = memoryBench({
      "win.ini": "k=value\r\n",
      "color.txt": "\u001b[31mred value\u001b[0m \u202e\n",
      "one.csv": `${"a,".repeat(300_000)}zz_tail value\n`,
    });
    const { data } = await grep(bench, { pattern: "value" });
    expect(rows(data)?.slice(0, 1)).toEqual(["color.txt:1: red value "]);
    const truncated = data?.hits.find(({ path }) => path === "one.csv");
    expect(truncated?.text).toContain("zz_tail value");
    expect(truncated!.text.length).toBeLessThanOrEqual(400);
    expect(truncated?.truncatedBytes).toBeGreaterThan(599_000);
    const ini = await grep(bench, { pattern: "value$", path: "win.ini" });
    expect(rows(ini.data)).toEqual(["win.ini:1: k=value"]);
  });

  it("take a pattern or path that starts with a dash for what it is", async () => {
    const bench = memoryBench({ "o.txt": "use --max-size N\nor --min-size N\n" });
    expect((await grep(bench, { pattern: "--max-size|--min-size" })).data?.hits).toHaveLength(2);
    expect(await grep(bench, { pattern: "x", path: "--pre=./run.sh" })).toMatchObject({ code: "FS_NOT_FOUND" });
  });
});

describe("context", () => {
  it("surrounds its hit, and no line is shown twice", async () => {
    const bench = memoryBench({ "c.txt": "1\n2\nhit a\n4\n5\n6\nhit b\nhit c\n9\n" });
    const { data } = await grep(bench, { pattern: "hit", context: 1 });
    const lines = (items: readonly { line: number }[]) => items.map(({ line }) => line);
    expect(data?.hits.map((hit) => [lines(hit.before), hit.line, lines(hit.after)])).toEqual([
      [[2], 3, [4]],
      [[6], 7, []],
      [[], 8, [9]],
    ]);
  });
});

describe("modes", () => {
  it("list files, or count lines a file", async () => {
    const bench = memoryBench({ "a.txt": "x\nx\n", "b.txt": "x\n", "c.txt": "y\n" });
    const files = await grep(bench, { pattern: "x", mode: "files" });
    expect(files.data?.hits.map(({ path, line }) => [path, line])).toEqual([
      ["a.txt", 0],
      ["b.txt", 0],
    ]);
    const counts = await grep(bench, { pattern: "x", mode: "count" });
    expect(counts.data?.counts).toEqual([
      { path: "a.txt", count: 2 },
      { path: "b.txt", count: 1 },
    ]);
  });
});

describe("bounds", () => {
  it("pages without overlap or gap when an offset is given", async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.txt`, "hit\nhit\n"]));
    const bench = memoryBench(files);
    const seen: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: { data?: GrepData } = await grep(bench, { pattern: "hit", limit: 4, offset });
      seen.push(...rows(page.data)!);
      offset = page.data?.nextOffset;
    }
    expect(seen).toHaveLength(14);
    expect(new Set(seen).size).toBe(14);
    expect(seen).toEqual([...seen].sort());
  });

  it("keeps a result under 32 KiB, counts what it omitted and reports how to continue", async () => {
    const bench = memoryBench({ "wide.txt": `${"hit ".repeat(90)}\n`.repeat(200) });
    const { data, truncations: cuts } = await grep(bench, { pattern: "hit", offset: 0 });
    const size = data!.hits.reduce((sum, hit) => sum + hit.path.length + hit.text.length + 12, 0);
    expect(size).toBeLessThanOrEqual(32_768);
    expect(data).toMatchObject({ why: "limit", nextOffset: data!.hits.length });
    expect(cuts).toMatchObject([
      { what: `${200 - data!.hits.length} of the hits`, next: expect.stringContaining("offset") },
    ]);
    const rest = await grep(bench, { pattern: "hit", offset: data!.nextOffset });
    expect(rest.data?.hits[0]?.line).toBe(data!.hits.length + 1);
  });
});

describe("patterns", () => {
  verifies("IR-089", "match in any case, over lines, and literally where asked", async () => {
    const bench = memoryBench({ "a.txt": "Alpha\nbeta.gamma\n" });
    expect((await grep(bench, { pattern: "alpha" })).data?.hits).toHaveLength(0);
    expect((await grep(bench, { pattern: "alpha", ignoreCase: true })).data?.hits).toHaveLength(1);
    expect((await grep(bench, { pattern: "(?s)Alpha.beta", multiline: true })).data?.hits).toHaveLength(2);
    expect((await grep(bench, { pattern: "(?s)Alpha.beta" })).data?.hits).toHaveLength(0);
    expect((await grep(bench, { pattern: "a.g", literal: true })).data?.hits).toHaveLength(1);
    expect((await grep(bench, { pattern: "b.t", literal: true })).data?.hits).toHaveLength(0);
  });

  verifies(["IR-090", "IR-091", "IP-030"], "are refused where they cannot be compiled, look-around too", async () => {
    const bench = memoryBench({ "a.txt": "a\n" });
    for (const pattern of ["(", "(?=a)", "(a)\\1"]) {
      const call = await grep(bench, { pattern });
      expect(call.isError).toBe(true);
      expect(["SEARCH_PATTERN", "SEARCH_UNSUPPORTED"]).toContain(call.code);
    }
    expect(await grep(bench, { pattern: "" })).toMatchObject({ isError: true, status: "invalid" });
  });

  it("take linear time", async () => {
    const bench = memoryBench({ "r.txt": `${"word ".repeat(40)}!\n` });
    expect((await grep(bench, { pattern: "(\\w+\\s?)+:$" })).data).toMatchObject({ hits: [], why: "complete" });
  });
});

describe("roots", () => {
  it("must exist and be a directory or a file", async () => {
    const backend = createMemoryBackend();
    backend.plant({ kind: "fifo", path: "/workspace/q" });
    const bench = toolBench({ backend });
    expect(await grep(bench, { pattern: "x", path: "./nope" })).toMatchObject({
      code: "FS_NOT_FOUND",
      message: expect.stringMatching(/^Did not search ".\/nope": no such file or directory\./),
    });
    expect(await grep(bench, { pattern: "x", path: "q" })).toMatchObject({ code: "FS_NOT_A_FILE" });
  });

  it("may be an artifact, searched on the host", async () => {
    const bench = memoryBench();
    const writer = await bench.session.artifacts.create({ what: "stdout" });
    await writer.write(new TextEncoder().encode("one\nneedle two\n"));
    await writer.end();
    const path = `artifact:${writer.id}`;
    expect(rows((await grep(bench, { pattern: "needle", path })).data)).toEqual([`${path}:2: needle two`]);
    expect(await grep(bench, { pattern: "x", path: "artifact:none" })).toMatchObject({ code: "ARTIFACT_UNKNOWN" });
  });

  it("leave out and count what policy excepts", async () => {
    const policy = allowExcept("/workspace/.env");
    const bench = memoryBench({ ".env": "needle\n", "a.txt": "needle\n" }, { host: { policy } });
    const { data } = await grep(bench, { pattern: "needle" });
    expect(rows(data)).toEqual(["a.txt:1: needle"]);
    expect(data?.skipped.policy).toBe(1);
  });
});

describe("ends", () => {
  const hit = { bytes: new TextEncoder().encode("found") };
  const end = (why: SearchEnd["why"]): SearchEnd => ({ kind: "end", why, engine: "e", seen: 1, skipped: { deep: 1 } });

  it("return what was found when the time is up", async () => {
    const { data, isError } = await grep(scripted([hit, end("deadline")]), { pattern: "x" });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ why: "deadline", hits: [{ text: "found" }], skipped: { deep: 1 } });
  });

  verifies("IR-092", "are a failure after a cancel, with what was found", async () => {
    const ended = await grep(scripted([hit, end("cancelled")]), { pattern: "x" });
    expect(ended).toMatchObject({ isError: true, code: "CALL_CANCELLED", data: { hits: [{ text: "found" }] } });
    const thrown = await grep(scripted([hit], new HaftError("CALL_CANCELLED", "stop")), { pattern: "x" });
    expect(thrown).toMatchObject({ isError: true, code: "CALL_CANCELLED", data: { why: "cancelled" } });
  });

  it("pass on what else goes wrong", async () => {
    expect(await grep(scripted([hit], new Error("disk")), { pattern: "x" })).toMatchObject({ code: "CALL_THREW" });
  });
});

describe("a root that is a symlink", () => {
  it("is reported with its problem, as it was spelled", async () => {
    const memory = createMemoryBackend({ files: { "a.txt": "" } });
    memory.plant({ kind: "link", path: "/workspace/loop", target: "loop" });
    memory.plant({ kind: "link", path: "/workspace/gone", target: "nowhere" });
    const bench = toolBench({ backend: memory });
    const loop = await grep(bench, { pattern: "x", path: "loop" });
    expect([loop.code, loop.message]).toEqual([
      "FS_LINK_LOOP",
      'Did not search "loop": its symlinks form a loop. Send the path of the file itself.',
    ]);
    expect((await grep(bench, { pattern: "x", path: "gone" })).message).toContain(
      ': it is a dangling symlink to "nowhere". ',
    );
  });
});

describe("a search that fails", () => {
  it("names the root as it was spelled, whatever the port calls it", async () => {
    for (const [thrown, message] of [
      [
        new HaftError("FS_IO", 'Did not read "/workspace/a.txt": the system says EBADMSG.', {
          details: { system: "EBADMSG" },
        }),
        'Did not search "./a.txt": the system reported an error (EBADMSG).',
      ],
      [
        new HaftError("POLICY_DENIED", 'Did not read "/workspace/a.txt": it is outside.'),
        'Did not read "./a.txt": it is outside.',
      ],
    ] as const) {
      const failed = await grep(scripted([], thrown), { pattern: "x", path: "./a.txt" });
      expect([failed.code, failed.message]).toEqual([thrown.code, message]);
    }
  });

  it("names what could not be read as hits are named", async () => {
    const end = { kind: "end", why: "complete", engine: "e", seen: 1, skipped: { unreadable: 1 } } as const;
    const bench = scripted([{ ...end, unreadable: ["/workspace/sub/locked"] }]);
    expect((await grep(bench, { pattern: "x" })).data?.unreadable).toEqual(["sub/locked"]);
  });
});

describe("what was not looked at is named", () => {
  const notesOf = async (bench: ToolBench, input: object) => {
    const { details } = (await grep(bench, input)) as { readonly details?: { readonly notes?: readonly string[] } };
    return details?.notes?.join(" ") ?? "";
  };

  it("searches a pattern with a line break across lines, and reports it", async () => {
    const bench = memoryBench({ "m.txt": "alpha\nbeta\n" });
    for (const input of [{ pattern: "alpha\\nbeta" }, { pattern: "alpha\nbeta" }, { pattern: "a\nb", literal: true }]) {
      expect(rows((await grep(bench, input)).data)?.[0]).toBe("m.txt:1: alpha");
      expect(await notesOf(bench, input)).toContain("`multiline`");
    }
    expect(await notesOf(bench, { pattern: "alpha\\nbeta", multiline: false })).toContain("set `multiline`");
    for (const pattern of ["[^\\n]+", "\\\\n", "alpha"]) expect(await notesOf(bench, { pattern })).toBe("");
  });

  it("names a glob that selects no file, and one that is not closed", async () => {
    const bench = memoryBench({ "g/a.md": "needle\n", "g/b.sh": "needle\n" });
    const noteOf = (glob: string) => notesOf(bench, { pattern: "needle", path: "g", glob });
    expect(await noteOf("*.md,*.sh")).toBe(
      '`glob` "*.md,*.sh" selects no file, so nothing was searched. Write alternatives in braces: `{*.md,*.sh}`.',
    );
    expect(await noteOf("*.{md,sh")).toContain("Its `{` and `}` are unbalanced.");
    expect(await noteOf("g/*.md")).toContain("relative to `path`");
    expect(await noteOf("*.{md,sh}")).toBe("");
    expect(await notesOf(bench, { pattern: "absent", path: "g", glob: "*.md" })).toBe("");
  });

  it("names an offset past the last hit", async () => {
    const bench = memoryBench({ "a.txt": "x\nx\nx\n" });
    expect(await notesOf(bench, { pattern: "x", offset: 9 })).toBe("`offset` 9 is past the last of 3 hits.");
    expect(await notesOf(bench, { pattern: "absent", offset: 9 })).toBe("");
    expect(await notesOf(bench, { pattern: "x", offset: 2 })).toBe("");
  });

  it("shows a hit in a legacy encoding as `read` does", async () => {
    const bench = memoryBench({ "l1.txt": Uint8Array.of(0x45, 0x6c, 0xe8, 0x76, 0x65, 0x0a) });
    expect(rows((await grep(bench, { pattern: "El" })).data)).toEqual(["l1.txt:1: El\u00e8ve"]);
  });
});
