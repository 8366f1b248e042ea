/** What a pattern finds, line by line. */

import type { SearchEnd } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, lay, matched } from "./find.js";

export const searchMatching: Suite<Fixture> = [
  on("search:grep:lines", "Each matching line is one hit with its path, number, bytes and ranges", async (fixture) => {
    await lay(fixture, { "a.txt": "one\ntwo one\nthree\none one", "b.txt": "none here" });
    const { hits, lines, end } = await grep(fixture, "one");
    expectEqual(lines, ["a.txt:1: one", "a.txt:2: two one", "a.txt:4: one one", "b.txt:1: none here"], "lines");
    expectEqual(
      hits[2]?.at,
      [
        [0, 3],
        [4, 7],
      ],
      "ranges of the third hit",
    );
    expectEqual(end.why, "complete", "why");
  }),
  on("search:grep:nothing", "Without a match there is only an end record", async (fixture) => {
    await lay(fixture, { "a.txt": "text\n", "empty.txt": "" });
    const { hits, end } = await grep(fixture, "absent");
    expectEqual([hits.length, end.why], [0, "complete"], "hits and why");
  }),
  on("search:grep:literal", "A literal pattern has no special characters", async (fixture) => {
    await lay(fixture, { "a.txt": "a.b\naxb\n(a+b)*[c]^$|\\d{2}?\n" });
    expectEqual((await grep(fixture, "a.b", { pattern: { syntax: "literal" } })).lines, ["a.txt:1: a.b"], "a dot");
    const all = "(a+b)*[c]^$|\\d{2}?";
    const { hits } = await grep(fixture, all, { pattern: { syntax: "literal" } });
    expectEqual(matched(hits[0]), [all], "every sign");
  }),
  on("search:grep:leading-dash", "A pattern that starts with a dash is not an option", async (fixture) => {
    await lay(fixture, { "a.txt": "--files\n-e x\nplain\n" });
    expectEqual((await grep(fixture, "--files")).lines, ["a.txt:1: --files"], "an expression");
    expectEqual((await grep(fixture, "-e", { pattern: { syntax: "literal" } })).lines, ["a.txt:2: -e x"], "a literal");
  }),
  on("search:grep:ignore-case", "ignoreCase finds either case, of non-ASCII letters too", async (fixture) => {
    await lay(fixture, { "a.txt": "Word\nWORD\nword\nÄRGER ärger\n" });
    expectEqual((await grep(fixture, "word", { pattern: { ignoreCase: true } })).hits.length, 3, "hits of word");
    expectEqual((await grep(fixture, "word")).hits.length, 1, "hits of word with its case");
    expectEqual(
      (await grep(fixture, "ärger", { pattern: { ignoreCase: true } })).hits[0]?.at.length,
      2,
      "matches of ärger",
    );
    expectEqual(
      (await grep(fixture, "WORD", { pattern: { ignoreCase: true, syntax: "literal" } })).hits.length,
      3,
      "literal hits",
    );
  }),
  on(
    "search:grep:common-language",
    "Classes, counts, groups, anchors, word boundaries, flags and Unicode classes work",
    async (fixture) => {
      await lay(fixture, { "a.txt": "id-42\nfoo bar\nÉcole\nx\ty\nfoobar\n" });
      const expected: Readonly<Record<string, readonly number[]>> = {
        "\\d{2}$": [1],
        "^foo": [2, 5],
        "\\bbar\\b": [2],
        "(foo|id)-?[[:alnum:]]+$": [1, 5],
        "(?i)é": [3],
        "\\p{Lu}": [3],
        "x\\ty": [4],
        "^(?:x|y).*$": [4],
        "fo{2}b?": [2, 5],
        "[^a-z\\n -~]": [3, 4],
        "\\x{c9}": [3],
      };
      for (const [source, numbers] of Object.entries(expected)) {
        expectEqual(
          (await grep(fixture, source)).hits.map((hit) => hit.line),
          numbers,
          `lines of ${source}`,
        );
      }
    },
  ),
  on(
    "search:grep:refused-by-name",
    "Look-around and backreferences are SEARCH_UNSUPPORTED, and the message names the feature",
    async (fixture) => {
      await lay(fixture, { "a.txt": "aa\n" });
      for (const source of ["(?=a)", "(?!a)a", "(?<=a)b", "(?<!a)b", "(a)\\1"]) {
        const error = await expectError(grep(fixture, source), "SEARCH_UNSUPPORTED", source);
        expectThat(typeof error.details.feature === "string" && error.details.feature !== "", "the feature is named");
      }
    },
  ),
  on(
    "search:grep:invalid-pattern",
    "A pattern that does not compile is SEARCH_PATTERN with the reason",
    async (fixture) => {
      await lay(fixture, { "a.txt": "a(b\n" });
      for (const source of ["(", "a)", "[z-a]", "*a", "a{2,1}", "[[:nope:]]", "\\"]) {
        const error = await expectError(grep(fixture, source), "SEARCH_PATTERN", source);
        expectEqual(error.details.pattern, source, "the pattern in the details");
        expectThat(!error.message.includes("(?m)"), "the message has the pattern as it was given");
      }
      expectEqual((await grep(fixture, "(", { pattern: { syntax: "literal" } })).hits.length, 1, "hits of the literal");
    },
  ),
  on("search:grep:pattern-too-long", "A pattern over 64 KiB is SEARCH_PATTERN with both sizes", async (fixture) => {
    await lay(fixture, { "a.txt": "a\n" });
    for (const syntax of ["re2", "literal"] as const) {
      const error = await expectError(
        grep(fixture, "a".repeat(70_000), { pattern: { syntax } }),
        "SEARCH_PATTERN",
        syntax,
      );
      expectThat(/70000 bytes.*65536/.test(error.message), "the message has both sizes");
    }
  }),
  on("search:grep:byte-ranges", "Ranges count bytes, after multi-byte characters too", async (fixture) => {
    await lay(fixture, { "a.txt": "é漢😀 match 漢match\n" });
    const { hits } = await grep(fixture, "match");
    expectEqual(
      hits[0]?.at,
      [
        [10, 15],
        [19, 24],
      ],
      "ranges",
    );
    expectEqual(matched((await grep(fixture, "漢.")).hits[0]), ["漢😀", "漢m"], "matches");
  }),
  on("search:grep:multiline", "With multiline a match may span lines; each of its lines is a hit", async (fixture) => {
    await lay(fixture, { "a.txt": "zero\nfirst {\n  second\n}\nfirst {}\n" });
    const { hits } = await grep(fixture, "first \\{\\n\\s*second", { pattern: { multiline: true } });
    expectEqual(
      hits.map((hit) => hit.line),
      [2, 3],
      "lines",
    );
    expectThat(new TextDecoder().decode(hits[0]?.bytes).startsWith("first {"), "the first hit is the first line");
    expectEqual((await grep(fixture, "first \\{\\n")).hits.length, 0, "hits without multiline");
    const dots = await grep(fixture, "(?s)zero.*\\}", { pattern: { multiline: true } });
    expectEqual(
      dots.hits.map((hit) => hit.line),
      [1, 2, 3, 4, 5],
      "lines with (?s)",
    );
    expectEqual(
      (await grep(fixture, "zero.*\\}", { pattern: { multiline: true } })).hits.length,
      0,
      "hits without (?s)",
    );
  }),
  on("search:grep:context", "Context lines are in order, marked, and never repeated", async (fixture) => {
    await lay(fixture, { "a.txt": "1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n" });
    const { lines } = await grep(fixture, "hit", { context: 1 });
    expectEqual(
      lines,
      ["a.txt-2- 2", "a.txt:3: hit 3", "a.txt-4- 4", "a.txt:5: hit 5", "a.txt-6- 6", "a.txt-9- 9", "a.txt:10: hit 10"],
      "lines",
    );
  }),
  on(
    "search:grep:context-at-the-edges",
    "Context stops at the start and end of a file and does not count towards the limit",
    async (fixture) => {
      await lay(fixture, { "a.txt": "hit\n2\n3\n", "b.txt": "1\nhit" });
      const { lines } = await grep(fixture, "hit", { context: 5, limit: 2 });
      expectEqual(lines, ["a.txt:1: hit", "a.txt-2- 2", "a.txt-3- 3", "b.txt-1- 1", "b.txt:2: hit"], "lines");
    },
  ),
  on("search:grep:files-mode", "Mode files returns one hit per file", async (fixture) => {
    await lay(fixture, { "a.txt": "x\nx\nx\n", "b.txt": "y\n", "c.txt": "x\n" });
    const { hits } = await grep(fixture, "x", { mode: "files" });
    expectEqual(
      hits.map((hit) => [hit.path, hit.line]),
      [
        [`${fixture.directory}/a.txt`, 0],
        [`${fixture.directory}/c.txt`, 0],
      ],
      "hits",
    );
  }),
  on(
    "search:grep:count-mode",
    "Mode count returns one hit per file, with the number of matching lines",
    async (fixture) => {
      await lay(fixture, { "a.txt": "x x\nx\ny\n", "b.txt": "y\n", "c.txt": "x" });
      const { hits } = await grep(fixture, "x", { mode: "count" });
      expectEqual(
        hits.map((hit) => [hit.path, hit.count]),
        [
          [`${fixture.directory}/a.txt`, 2],
          [`${fixture.directory}/c.txt`, 1],
        ],
        "hits",
      );
    },
  ),
  on(
    "search:grep:long-line",
    "A long line is truncated around its first match, and the omitted bytes are counted",
    async (fixture) => {
      const line = `${"a".repeat(5_000)}MATCH${"b".repeat(5_000)}`;
      await lay(fixture, { "a.txt": `short MATCH\n${line}\n` });
      const { hits } = await grep(fixture, "MATCH", { maxLineBytes: 200 });
      expectEqual(matched(hits[1]), ["MATCH"], "the match inside the window");
      const kept = hits[1]?.bytes.length ?? 0;
      expectThat(kept > 0 && kept <= 200, `${kept} bytes are at most 200`);
      expectEqual(hits[1]?.truncatedBytes, line.length - kept, "omitted bytes");
      expectEqual(hits[0]?.truncatedBytes ?? 0, 0, "omitted bytes of the short line");
    },
  ),
  on(
    "search:grep:match-longer-than-the-line-limit",
    "A match longer than the limit is shown from its start",
    async (fixture) => {
      await lay(fixture, { "a.txt": `start ${"m".repeat(3_000)} end\n` });
      const { hits } = await grep(fixture, "m+", { maxLineBytes: 100 });
      const hit = hits[0];
      expectThat(hit !== undefined && hit.bytes.length <= 100, "the window is at most 100 bytes");
      expectThat(hit.at.length === 1 && (hit.at[0]?.[1] ?? 0) <= hit.bytes.length, "the range is inside the window");
      expectThat(/^m+$/.test(matched(hit)[0] ?? ""), "the range contains part of the match");
    },
  ),
  on("search:grep:large-file", "A hit at the end of 4 MiB is found, with its line", async (fixture) => {
    const line = "an ordinary line of some forty bytes here\n";
    const count = Math.ceil((4 * 1024 * 1024) / line.length);
    await lay(fixture, { "large.txt": `${line.repeat(count)}the TARGET\n` });
    expectEqual((await grep(fixture, "TARGET")).lines, [`large.txt:${count + 1}: the TARGET`], "lines");
  }),
  on("search:grep:one-long-line", "A file of one line of 2 MiB is searched", async (fixture) => {
    await lay(fixture, { "long.json": `${"[0],".repeat(500_000)}"TARGET"` });
    const { hits } = await grep(fixture, "TARGET", { maxLineBytes: 100 });
    expectEqual(
      hits.map((hit) => [hit.line, matched(hit)]),
      [[1, ["TARGET"]]],
      "hits",
    );
  }),
  on(
    "search:grep:match-at-every-byte",
    "A long line with a match at every byte is one hit with the matches that its window shows",
    async (fixture) => {
      const line = "a".repeat(1_000_000);
      await lay(fixture, { "long.txt": `${line}\n${line}\nno\n` });
      for (const source of ["a", "[a-m]", ".."]) {
        const { hits, end } = await grep(fixture, source, { maxLineBytes: 100, limit: 2 });
        expectEqual(
          [hits.map((hit) => [hit.line, hit.bytes.length, hit.at.length * (hit.at[0]?.[1] ?? 0)]), end.skipped],
          [
            [
              [1, 100, 100],
              [2, 100, 100],
            ],
            {},
          ],
          `lines, bytes, matches and skipped of ${source}`,
        );
      }
    },
  ),
  on(
    "search:grep:line-starts-of-a-long-line",
    "With multiline a match at the start of each line is found in long lines too",
    async (fixture) => {
      const line = "a".repeat(1_000_000);
      await lay(fixture, { "long.txt": `${line}\n${line}\nb\n` });
      for (const [source, lines] of [
        ["^", [1, 2, 3]],
        ["^a", [1, 2]],
      ] as const) {
        const query = { pattern: { multiline: true }, maxLineBytes: 100 };
        const { hits, end } = await grep(fixture, source, query);
        expectEqual([hits.map((hit) => hit.line), end.why], [lines, "complete"], `lines and why of ${source}`);
      }
    },
  ),
  on(
    "search:grep:line-too-long-for-the-pattern",
    "A line that is too long for a large pattern is found, or counted under long; other lines are searched",
    async (fixture) => {
      const long = "ab".repeat(250_000);
      await lay(fixture, { "a.txt": `${long}Z\n${"a".repeat(901)}Z\n` });
      const { hits, end } = await grep(fixture, "[ab].{900}[A-Z]$", { maxLineBytes: 100 });
      const expected = end.skipped.long === 1 ? [2] : [1, 2];
      expectEqual([hits.map((hit) => hit.line), end.why], [expected, "complete"], "lines and why");
    },
  ),
  on(
    "search:grep:linear-time",
    "A pattern that is exponential in backtracking engines ends in time",
    async (fixture) => {
      await lay(fixture, { "a.txt": `${"a".repeat(5_000)}!\n` });
      expectEqual((await grep(fixture, "(a+)+$")).hits.length, 0, "hits of (a+)+$");
      expectEqual((await grep(fixture, "^(a|aa)+$")).hits.length, 0, "hits of ^(a|aa)+$");
    },
  ),
  on(
    "search:grep:binary-anywhere",
    "With any-nul a NUL anywhere makes a file binary: no hit, and counted if the engine counts",
    async (fixture) => {
      const late = concatBytes([utf8(`match\n${"x".repeat(5 * 1024)}`), Uint8Array.of(0), utf8("\nmatch\n")]);
      await lay(fixture, {
        "a.bin": Uint8Array.of(109, 97, 116, 99, 104, 0),
        "late.bin": late,
        "plain.txt": "match\n",
      });
      const { lines, end } = await grep(fixture, "match");
      expectEqual(lines, ["plain.txt:1: match"], "lines");
      expectCounted(end, "binary", 2);
    },
  ),
  on("search:grep:binary-very-late", "A NUL after a megabyte makes a file binary too", async (fixture) => {
    await lay(fixture, { "late.bin": concatBytes([utf8(`match\n${"line\n".repeat(300_000)}`), Uint8Array.of(0, 10)]) });
    const { hits, end } = await grep(fixture, "match");
    expectEqual(hits.length, 0, "hits");
    expectCounted(end, "binary", 1);
    expectEqual((await grep(fixture, "match", { mode: "files" })).hits.length, 0, "hits of the mode files");
  }),
  on(
    "search:grep:binary-first-bytes",
    "With firstBytes only a NUL within them makes a file binary",
    async (fixture) => {
      const late = concatBytes([utf8(`match\n${"x".repeat(5 * 1024)}\n`), Uint8Array.of(0), utf8("\nmatch\n")]);
      await lay(fixture, { "early.bin": concatBytes([Uint8Array.of(0), utf8("match\n")]), "late.bin": late });
      const { hits, end } = await grep(fixture, "match", { binary: { firstBytes: 4_096 } });
      expectEqual(
        hits.map((hit) => hit.line),
        [1, 4],
        "lines",
      );
      expectCounted(end, "binary", 1);
    },
  ),
  on("search:grep:binary-as-root", "A binary file as the root is skipped and counted too", async (fixture) => {
    await lay(fixture, { "a.bin": Uint8Array.of(109, 97, 116, 99, 104, 0) });
    const { hits, end } = await grep(fixture, "match", { root: `${fixture.directory}/a.bin` });
    expectEqual([hits.length, end.skipped.binary], [0, 1], "hits and skipped");
  }),
  on(
    "search:grep:too-large-is-counted",
    "Files over maxFileBytes are skipped, and counted if the engine counts",
    async (fixture) => {
      await lay(fixture, { "large.txt": `match${"x".repeat(2_000)}\n`, "small.txt": "match\n" });
      const { lines, end } = await grep(fixture, "match", { maxFileBytes: 1_000 });
      expectEqual(lines, ["small.txt:1: match"], "lines");
      expectCounted(end, "large", 1);
    },
  ),
  on("search:grep:early-close", "The iteration can be stopped early", async (fixture) => {
    await lay(fixture, { "a.txt": "match\n".repeat(10_000) });
    for (let round = 0; round < 20; round += 1) {
      const { search } = bindAll(fixture);
      for await (const record of search.grep({
        root: fixture.directory,
        includeIgnored: false,
        prune: [],
        order: "found",
        offset: 0,
        limit: 10_000,
        mode: "content",
        context: 0,
        maxLineBytes: 100,
        binary: "any-nul",
        pattern: { source: "match", syntax: "literal", ignoreCase: false, multiline: false },
      })) {
        expectEqual(record.kind, "hit", "the first record");
        break;
      }
    }
    expectEqual((await grep(fixture, "match")).hits.length, 10_000, "hits of a whole search");
  }),
];

/** A count, if present, is exact; an engine that skips such files silently has none. */
function expectCounted({ skipped }: SearchEnd, reason: string, count: number): void {
  expectEqual(skipped[reason] ?? count, count, `skipped as ${reason}`);
}
