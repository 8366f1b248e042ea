import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allProcesses, isDead, processStart } from "../../../host/index.js";
import type { BoundCall, Grant, GrepHit, GrepQuery, SearchEnd } from "../../../kernel/index.js";
import { bindAll, type Fixture, treeGrant } from "../../../testing/index.js";
import { verifies } from "../../../testing/verifies.fixture.js";
import { RipgrepFinder } from "./ripgrep-program.js";
import { searchFixture } from "./search.fixture.js";

let directory: string;
let fixture: Fixture;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-local-search-")));
  fixture = searchFixture("ripgrep", undefined, directory);
});
afterEach(() => fixture.dispose());

function lay(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
}

function query(source: string, more: Partial<GrepQuery> = {}): GrepQuery {
  return {
    root: directory,
    pattern: { source, syntax: "re2", ignoreCase: false, multiline: false },
    includeIgnored: false,
    prune: [],
    order: "found",
    offset: 0,
    limit: 1_000,
    mode: "content",
    context: 0,
    maxLineBytes: 400,
    binary: "any-nul",
    ...more,
  };
}

interface Found {
  readonly hits: readonly GrepHit[];
  readonly end: SearchEnd;
  /** `name:line: text`, sorted. */
  readonly lines: readonly string[];
}

async function grep(
  source: string,
  more: Partial<GrepQuery> = {},
  { grant, call, on = fixture }: { grant?: Partial<Grant>; call?: Partial<BoundCall>; on?: Fixture } = {},
): Promise<Found> {
  const hits: GrepHit[] = [];
  const { search } = bindAll(on, grant, { workspace: directory, ...call });
  for await (const record of search.grep(query(source, more))) {
    if (record.kind === "end") return { hits, end: record, lines: hits.map(shown).sort() };
    hits.push(record);
  }
  throw new Error("No end record came.");
}

function shown({ path, line, bytes }: GrepHit): string {
  return `${path.slice(directory.length + 1)}:${line}: ${Buffer.from(bytes).toString()}`;
}

/** Living children of this process, and its open descriptors. */
function held(): { children: string[]; descriptors: number } {
  const children = allProcesses().filter((one) => one.parent === process.pid && !isDead(one));
  return { children: children.map(({ name }) => name), descriptors: readdirSync("/proc/self/fd").length };
}

const manyFiles = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`d${index % 7}/f${index}`, "match here\n".repeat(2_000)]),
);

describe("a search by ripgrep", () => {
  it("leaves neither a process nor a descriptor behind, however it ends", async () => {
    lay(manyFiles);
    await grep("match", { limit: 1 });
    const before = held();
    expect((await grep("absent")).end.why).toBe("complete");
    expect((await grep("match", { limit: 5 })).end.why).toBe("limit");
    expect((await grep("match", { timeoutMs: 1, limit: 1e6 })).end.why).toBe("deadline");
    for (let round = 0; round < 5; round++) {
      for await (const record of bindAll(fixture).search.grep(query("match", { limit: 1e6 }))) {
        expect(record.kind).toBe("hit");
        break;
      }
    }
    const iterator = bindAll(fixture)
      .search.grep(query("match", { limit: 1e6 }))
      [Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    const cancel = new AbortController();
    const pending = grep("absent.*at all", { signal: cancel.signal });
    setImmediate(() => cancel.abort());
    expect((await pending).end.why).toBe("cancelled");
    expect(held()).toEqual(before);
  });

  verifies("IR-092", "ends at a cancel with what it had found, and says so", async () => {
    lay(manyFiles);
    const cancel = new AbortController();
    const kinds: string[] = [];
    for await (const record of bindAll(fixture).search.grep(query("match", { signal: cancel.signal, limit: 1e6 }))) {
      kinds.push(record.kind === "end" ? record.why : record.kind);
      cancel.abort();
    }
    expect([kinds[0], kinds.at(-1), kinds.length < 600_000]).toEqual(["hit", "cancelled", true]);
  });

  it("ends at the deadline of its call", async () => {
    lay(manyFiles);
    expect((await grep("match", { limit: 1e6 }, { call: { deadline: Date.now() + 5 } })).end.why).toBe("deadline");
  });

  verifies(
    ["IR-084", "IR-085"],
    "goes in order of names, leaves out by list, by size and by a NUL at the start",
    async () => {
      lay({
        "b.txt": "x\n",
        "a/z.txt": "x\n",
        "node_modules/m.js": "x\n",
        ".git/config": "x\n",
        "large.txt": `x${"y".repeat(2 * 1024 * 1024)}`,
        "early.bin": "x\n\0",
        "late.bin": `x\n${"y".repeat(5_000)}\0`,
      });
      const { hits, end } = await grep("x", {
        order: "path",
        includeIgnored: true,
        prune: [".git", "node_modules"],
        maxFileBytes: 2 * 1024 * 1024,
        binary: { firstBytes: 4_096 },
      });
      expect(hits.map(shown)).toEqual(["a/z.txt:1: x", "b.txt:1: x", "late.bin:1: x"]);
      expect(end).toMatchObject({ engine: expect.stringMatching(/^ripgrep /), skipped: {} });
    },
  );

  it("takes patterns and roots that look like options for what they are", async () => {
    lay({ "run.sh": "#!/bin/sh\ntouch pwned\n", "o.txt": "use --max-size N\nor --min-size N\n--pre=./run.sh\n" });
    chmodSync(join(directory, "run.sh"), 0o755);
    expect((await grep("--max-size|--min-size")).lines).toHaveLength(2);
    expect((await grep("--pre=./run.sh")).lines).toEqual(["o.txt:3: --pre=./run.sh"]);
    await expect(grep("x", { root: join(directory, "--pre=./run.sh") })).rejects.toMatchObject({
      code: "FS_NOT_FOUND",
    });
    expect(readdirSync(directory)).not.toContain("pwned");
  });

  it("heeds no settings of ripgrep", async () => {
    lay({ "a.txt": "needle\n", ".rc/ripgreprc": "--glob=!a.txt\n" });
    process.env.RIPGREP_CONFIG_PATH = join(directory, ".rc/ripgreprc");
    try {
      expect((await grep("needle")).lines).toEqual(["a.txt:1: needle"]);
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH;
    }
  });

  it("shows nothing of a file whose NUL comes after more hits than wanted", async () => {
    lay({ "late.bin": `${"needle\n".repeat(100)}${"x".repeat(300_000)}\0`, "a.txt": "needle\n" });
    for (const mode of ["content", "files", "count"] as const) {
      for (const source of ["needle", "needl.", "needle$"]) {
        const { hits } = await grep(source, { limit: 10, mode });
        expect([mode, source, hits.map((hit) => hit.path)]).toEqual([mode, source, [join(directory, "a.txt")]]);
      }
    }
  });

  it("reads a line that is longer than a record is kept, beside ordinary ones", async () => {
    lay({ "rec.json": `{"marker":"${"y".repeat(1_500_000)}"}\n`, "small.txt": "marker\n" });
    const { hits, end } = await grep("marker");
    expect(end.why).toBe("complete");
    expect(hits.map((hit) => [hit.path.slice(directory.length), hit.bytes.length, hit.truncatedBytes]).sort()).toEqual([
      ["/rec.json", 400, 1_500_013 - 400],
      ["/small.txt", 6, undefined],
    ]);
  });

  it("is watched while it runs long, and ends at its time limit", async () => {
    lay({ "a.txt": "needle\n", "bin/rg": SLOW_RIPGREP });
    chmodSync(join(directory, "bin/rg"), 0o755);
    const finder = new RipgrepFinder({
      packaged: () => Promise.reject(new Error("none")),
      path: join(directory, "bin"),
    });
    const reported: string[] = [];
    const watch = {
      begin: () => void reported.push("begin"),
      add: (pid: number, start?: number) => void reported.push(`${processStart(pid) === start} ${pid}`),
      remove: (pid: number) => void reported.push(`${pid}`),
    };
    const on = searchFixture("ripgrep", undefined, directory, { watch, finder });
    expect((await grep("needle", { timeoutMs: 600 }, { on })).end.why).toBe("deadline");
    expect(reported).toEqual(["begin", `true ${reported.at(-1)}`, expect.stringMatching(/^\d+$/)]);
  });

  it("continues past directories and files that may not be read, and names them", async () => {
    lay({ "locked/b.txt": "needle\n", "ok/a.txt": "needle\n", "ok/secret.txt": "needle\n" });
    chmodSync(join(directory, "locked"), 0o000);
    chmodSync(join(directory, "ok/secret.txt"), 0o000);
    chmodSync(directory, 0o755);
    const { lines, end } = await asNobody(() => grep("needle"));
    expect(lines).toEqual(["ok/a.txt:1: needle"]);
    expect(end.skipped).toEqual({ unreadable: 2 });
    expect([...(end.unreadable ?? [])].sort()).toEqual([join(directory, "locked"), join(directory, "ok/secret.txt")]);
    const locked = asNobody(() => grep("needle", { root: join(directory, "locked") }));
    await expect(locked).rejects.toMatchObject({ code: "FS_PERMISSION" });
    chmodSync(join(directory, "locked"), 0o755);
  });

  it("gives nothing from outside while a directory is swapped for a symlink again and again", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "haft-outside-")));
    writeFileSync(join(outside, "f.txt"), "secret needle\n");
    lay({ "root/sub/f.txt": "inside needle\n", "root/other/g.txt": "inside needle\n" });
    const swapper = await swapping(join(directory, "root"), outside);
    try {
      const root = join(directory, "root");
      for (let round = 0; round < 40; round++) {
        for (const at of [root, join(root, "sub")]) {
          const found = await grep("needle", { root: at }, { grant: treeGrant(root, ["read"]) }).catch(() => undefined);
          expect(found?.lines.filter((line) => line.includes("secret")) ?? []).toEqual([]);
        }
      }
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
      rmSync(outside, { recursive: true, force: true });
    }
  });
});

describe("a walk", () => {
  it("gives timers their turn, so that it can be cancelled and ends at its deadline", async () => {
    lay(Object.fromEntries(Array.from({ length: 800 }, (_, index) => [`d${index}/f`, ""])));
    const walkOf = async (more: Partial<GrepQuery>) => {
      let why = "";
      for await (const item of bindAll(fixture).search.walk(query("", more))) if (item.kind === "end") why = item.why;
      return why;
    };
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 2);
    expect(await walkOf({ glob: "none", signal: cancel.signal })).toBe("cancelled");
    expect(await walkOf({ glob: "none", timeoutMs: 2 })).toBe("deadline");
    expect(await walkOf({ glob: "none" })).toBe("complete");
  });
});

describe("without a ripgrep that works", () => {
  const none = { packaged: () => Promise.reject(new Error("none")) };

  it("searches by our own engine and says so", async () => {
    lay({ "a.txt": "needle\n" });
    const on = searchFixture("ripgrep", undefined, directory, { finder: new RipgrepFinder({ ...none, path: "" }) });
    const { lines, end } = await grep("needle", {}, { on });
    expect([lines, end.engine]).toEqual([["a.txt:1: needle"], "re2js"]);
  });

  it("searches with the built-in engine what a crashed ripgrep had not reported yet", async () => {
    lay({ "a.txt": "needle a\n", "b.txt": "needle b\nneedle b\n", "c.txt": "needle c\n" });
    const begun = ["begin", "match", "end"].map((type) =>
      JSON.stringify({
        type,
        data: {
          path: { text: "./b.txt" },
          line_number: 1,
          absolute_offset: 0,
          submatches: [{ start: 0, end: 6 }],
          binary_offset: null,
        },
      }),
    );
    const endings = ["exit 2", "kill -9 $$", "echo no json; exit 0"];
    for (const ending of endings) {
      const rg = join(directory, "..", `${directory.split("/").at(-1)}-rg`);
      mkdirSync(rg, { recursive: true });
      const lines = begun.map((line) => `echo '${line}'`).join("\n");
      writeFileSync(
        join(rg, "rg"),
        `#!/bin/sh\n[ "$2" = --version ] && echo "ripgrep 15.0.0" && exit 0\n${lines}\n${ending}\n`,
      );
      chmodSync(join(rg, "rg"), 0o755);
      const on = searchFixture("ripgrep", undefined, directory, { finder: new RipgrepFinder({ ...none, path: rg }) });
      const found = await grep("needle", { limit: 3 }, { on });
      rmSync(rg, { recursive: true });
      expect([ending, found.lines, found.end.why]).toEqual([
        ending,
        ["a.txt:1: needle a", "b.txt:1: needle b", "c.txt:1: needle c"],
        "complete",
      ]);
    }
  });
});

const SLOW_RIPGREP = '#!/bin/sh\n[ "$2" = --version ] && echo "ripgrep 15.0.0" && exit 0\nexec sleep 30\n';

/** Runs with the rights of a user who owns nothing, where this process has those of root. */
async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

/** A process that swaps `root/sub` for a symlink to `outside` and back as fast as it can. Whoever starts it kills it. */
async function swapping(root: string, outside: string): Promise<ChildProcess> {
  const script = `
    const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const [root, outside] = process.argv.slice(1);
    console.log("ready");
    for (;;) {
      renameSync(root + "/sub", root + "/.kept");
      symlinkSync(outside, root + "/sub");
      unlinkSync(root + "/sub");
      renameSync(root + "/.kept", root + "/sub");
    }`;
  const child = spawn(process.execPath, ["-e", script, root, outside], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout!, "data");
  return child;
}
