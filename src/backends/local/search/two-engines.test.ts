import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../host/index.js";
import type { GrepQuery } from "../../../kernel/index.js";
import { isSampled } from "../../../testing/long.fixture.js";
import { type Answer, TwoEngines } from "./two-engines.fixture.js";

let two: TwoEngines;
beforeEach(() => {
  two = new TwoEngines();
});
afterEach(() => two.dispose());

/** Both engines answer alike; gives the answer. What ripgrep does not count is not compared. */
async function expectAlike(...asked: Parameters<TwoEngines["ask"]>) {
  const [ripgrep, own] = await two.ask(...asked);
  expect([asked[0], ripgrep.hits]).toEqual([asked[0], own.hits]);
  expect(counted(ripgrep)).toEqual(counted(own));
  return ripgrep;
}

function counted({ end }: Answer) {
  if ("error" in end) return end;
  const { binary: _binary, large: _large, special: _special, ...skipped } = end.skipped;
  return { ...end, seen: 0, skipped };
}

const TEXT = [
  "Strasse STRASSE id_42 x-y <tag> ab [x] {y} $1 ~~ \\ \u6f22\u5b57\u{1f600}\r\n",
  "foo foobar barfoo\n\n\t indented line \r\n",
  "value\r\nthe last line has no end",
].join("");

/** In the common language of the engines; \w, \d, \s and \b differ beyond ASCII, and so do signs that one of them reserves. */
const PATTERNS = [
  ["a class of ASCII", "\\d", "\\D+", "\\W", "\\bfoo\\b", "\\Bfoo", "[\\w-]+y"],
  ["a set of signs", "[a&&b]+", "[~~]", "[\\]\\-]", "[[:alpha:]_]+", "[\\d-]+", "[x-]y", "[^[]x"],
  ["what is literal here", "{y}", "\\$1", "]", "}", "\\x{1f600}", "\\x3c", "\\Q[x]\\E"],
  ["Unicode", "\\p{Lu}", "\\pL+", "\\p{Han}", "[^\\p{L}\\s]"],
  ["lines", "^", "$", "^$", "\\A", "\\z", "value$", "line\\s*$", "(?-m)^foo", "^[^a-z]", ".$", "end$"],
  ["any character", ".", "f.o", "^.{5}$", "(?s)a.b", "[^x] [^x]", ". ."],
  ["flags", "(?i)strasse", "(?i)[a-c]+", "(?U)o+", "x(?i)-Y", "(?P<n>foo)(?<m>bar)"],
  ["empty matches", "x*", "(?:)", "a|", "(|foo)", "\\b", "o*?"],
] as const;

describe("ripgrep and our own engine", () => {
  for (const [title, ...patterns] of PATTERNS) {
    it(`find the same by ${title}`, async () => {
      two.lay({ "a.txt": TEXT, "b/c.txt": "FOO\nfoo\r\n" });
      for (const [index, source] of patterns.entries()) {
        for (const ignoreCase of [false, true]) {
          const pattern = { source, syntax: "re2", ignoreCase, multiline: false } as const;
          await expectAlike(source, { pattern, mode: "content" });
          // Counts come from the same matches.
          if (isSampled(index)) await expectAlike(source, { pattern, mode: "count" });
        }
      }
    });
  }

  it("find the same over newlines, by files, with context and in binary files", async () => {
    const late = Buffer.concat([Buffer.from("foo\n".repeat(40_000)), Buffer.from("\0foo\n")]);
    two.lay({ "a.txt": TEXT, "late.bin": late, "early.bin": "\0foo\n", "many.txt": "foo\nx\n".repeat(500) });
    for (const source of ["foo", "fo.", "foo$", "(?s)Strasse.*bar", "\\n\\n", "foo\\n+x"]) {
      const pattern = { source, syntax: "re2", ignoreCase: false, multiline: true } as const;
      const [over, ownOver] = await two.ask(source, { pattern });
      expect([source, over.engine.slice(0, 7), over.hits]).toEqual([source, "ripgrep", ownOver.hits]);
      for (const query of [
        { mode: "files" },
        { context: 2 },
        { context: 1, limit: 3 },
        { limit: 4, offset: 7 },
        { mode: "count", binary: { firstBytes: 4 } },
        { binary: { firstBytes: 4 }, limit: 5 },
      ] satisfies Partial<GrepQuery>[]) {
        const [ripgrep, own] = await two.ask(source, query);
        expect([source, query, ripgrep.hits]).toEqual([source, query, own.hits]);
        if (own.hits.length > 0) expect([source, query, counted(ripgrep)]).toEqual([source, query, counted(own)]);
      }
    }
  });

  it("cut lines of any length alike", async () => {
    const mixed = `${"é".repeat(40_000)}NEEDLE${"x".repeat(700_000)}NEEDLE\r\nshort NEEDLE`;
    two.lay({
      "long.json": `{"a":"${'\\"'.repeat(200_000)}NEEDLE"}\n`,
      "mixed.txt": mixed,
      "many.txt": "NEEDLE,".repeat(30_000),
    });
    for (const source of ["NEEDLE", "NEEDLE.", "NEEDLE$", "N\\w+E"]) {
      for (const maxLineBytes of [20, 400, 200_000]) {
        const [ripgrep, own] = await two.ask(source, { maxLineBytes });
        expect([ripgrep.engine.slice(0, 7), ripgrep.hits.map(inShort)]).toEqual(["ripgrep", own.hits.map(inShort)]);
      }
    }
  });

  it("leave out the same by ignore files, wherever these stand", async () => {
    two.lay({
      ".gitignore": "*.log\n!keep.log\n/top\nbuild/\n**/deep/*.tmp\na\\ b\n\\#hash\n[x-z].txt\n{p,q}\n",
      ".ignore": "!b.log\nsub/private\n",
      "sub/.gitignore": "local\n!c.log\n",
      "sub/inner/.ignore": "*.txt\n!y.txt\n",
      "a.log": "x",
      "b.log": "x",
      "keep.log": "x",
      "top/f": "x",
      "sub/top/f": "x",
      "sub/c.log": "x",
      "sub/local": "x",
      "sub/private/f": "x",
      "sub/build/f": "x",
      "sub/inner/y.txt": "x",
      "sub/inner/z.txt": "x",
      "q/deep/f.tmp": "x",
      "a b": "x",
      "#hash": "x",
      "y.txt": "x",
      p: "x",
      "{p,q}": "x",
    });
    for (const root of ["", "sub", "sub/inner", "q"].map((name) => join(two.directory, name).replace(/\/$/, ""))) {
      for (const includeIgnored of [false, true]) {
        const [ripgrep, own] = await two.ask("^x", { root, includeIgnored });
        expect([root, ripgrep.hits]).toEqual([root, own.hits]);
      }
    }
  });

  it("count what they leave out alike", async () => {
    two.lay({
      "a.txt": "x\n",
      "large.txt": `x${"y".repeat(5_000)}`,
      "sub/secret/k": "x",
      "sub/.env": "x",
      "node_modules/m": "x",
      "sub/vendor": "x",
      "zero.bin": "\0",
    });
    execFileSync("mkfifo", [join(two.directory, "sub/fifo")]);
    symlinkSync("..", join(two.directory, "sub/loop"));
    symlinkSync("a.txt", join(two.directory, "link"));
    const socket = createServer();
    await new Promise<void>((listening) => socket.listen(join(two.directory, "sock"), listening));
    const except = [join(two.directory, "sub/secret"), join(two.directory, "sub/.env")];
    const query = { prune: ["node_modules", "vendor"], maxFileBytes: 4_000 };
    try {
      const { end } = await expectAlike("x", query, { grant: { except } });
      expect(end).toMatchObject({ why: "complete", skipped: { policy: 2 } });
      await expectAlike("x", { ...query, glob: "*.txt", order: "found" }, { grant: { except } });
      await expectAlike("x", { ...query, mode: "count" }, { grant: { except } });
    } finally {
      socket.close();
    }
  });

  it("omit names that the grant excepts alike, signs of ripgrep's globs among them", async () => {
    const names = [
      "!a",
      "#a",
      " a ",
      "[a]",
      "{a,b}",
      "a\\b",
      "-a",
      "a*",
      "sub/.ENV",
      "sub/.env.d/k",
      "a",
      "b",
      "sub/env",
    ];
    two.lay(Object.fromEntries(names.map((name) => [name, "x"])));
    const exceptNames = ["!a", "#a", " a ", "[a]", "{a,b}", "a\\b", "-a", ".env**", "[!a-z]"];
    for (const includeIgnored of [false, true]) {
      const answer = await expectAlike("x", { includeIgnored }, { grant: { exceptNames } });
      expect(answer.engine).toContain("ripgrep");
      expect(answer.hits.map((hit) => hit.split(":")[0])).toEqual(["a", "a*", "b", "sub/env"]);
      expect(answer.end).toMatchObject({ skipped: { policy: 9 } });
    }
  });

  it("take globs alike", async () => {
    const names = [
      "a.ts",
      "b.tsx",
      "sub/a.ts",
      "sub/deep/c.test.ts",
      "sub/[x].ts",
      "x y.ts",
      "é.ts",
      "sub/B.TS",
      "-d.ts",
    ];
    two.lay(Object.fromEntries(names.map((name) => [name, "x"])));
    const globs = [
      "*.ts",
      "*.{ts,tsx}",
      "sub/*.ts",
      "sub/**",
      "**/c*",
      "[ab].ts",
      "\\[x\\].ts",
      "?.ts",
      "!a.ts",
      "{a,b}.*",
      "é*",
    ];
    for (const glob of [
      ...globs,
      "sub/**/*.ts",
      "**",
      "./a.ts",
      "a.ts/",
      "{sub/a,b}.t{s,sx}",
      "-*",
      "x*y.ts",
      "*.TS",
    ]) {
      await expectAlike("x", { glob });
    }
  });

  it("take roots alike: a file, a symlink, the directory of a symlink, one with an odd name", async () => {
    two.lay({ "real/a.txt": "x\n", "-odd\nname/é.txt": "x\n", ".gitignore": "real\n", "zero.bin": "\0x\n" });
    symlinkSync("real", join(two.directory, "link"));
    symlinkSync("real/a.txt", join(two.directory, "file"));
    mkdirSync(join(two.directory, "empty"));
    for (const name of ["real", "real/a.txt", "file", "-odd\nname", "empty", "zero.bin", "gone", "real/a.txt/x"]) {
      const [ripgrep, own] = await two.ask("x", { root: join(two.directory, name) });
      expect([name, ripgrep.hits]).toEqual([name, own.hits]);
      expect(JSON.stringify([name, { ...ripgrep.end, seen: 0 }])).toEqual(
        JSON.stringify([name, { ...own.end, seen: 0 }]),
      );
    }
    const [ripgrep, own] = await two.ask("x", { root: join(two.directory, "link") });
    expect(ripgrep.hits).toEqual(own.hits);
  });

  it("name a file whose name is not UTF-8 among the unreadable", async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${two.directory}/bad`), Buffer.from([0xff])]), "x");
    two.lay({ "a.txt": "x" });
    const { end } = await expectAlike("x");
    expect(end).toMatchObject({ skipped: { unreadable: 1 }, unreadable: [`${two.directory}/bad\uFFFD`] });
  });
});

/** A long line is too much for a failure's message. */
function inShort(hit: string): string {
  return `${hit.slice(0, 80)} ${hit.length} ${sha256(hit).slice(0, 8)}`;
}

it.skipIf(process.platform !== "linux")(
  "counts a root whose bytes the system does not give, as some of Linux, and names it",
  async () => {
    for (const query of [
      {},
      { mode: "count" },
      { pattern: { source: "x", syntax: "re2", ignoreCase: false, multiline: true } },
    ] as const) {
      const root = `/proc/${process.pid}/clear_refs`;
      const { end } = await expectAlike("needle", { ...query, root });
      expect(end).toEqual({ kind: "end", why: "complete", seen: 1, skipped: { unreadable: 1 }, unreadable: [root] });
    }
  },
);
