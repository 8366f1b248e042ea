import type { Transcript } from "./transcript-shape.js";

/** A tree with what is searched, what is left out, and names out of order. */
const TREE = {
  "b.txt": "a needle\n",
  "a/z.txt": "no\nneedle here\n",
  "a/b/c.txt": "needle\n",
  "B.txt": "Needle\n",
  ".hidden": "needle\n",
  ".git/config": "needle\n",
  "node_modules/x/y.js": "needle\n",
};

const UNSUPPORTED = "Could not compile the search pattern: ";

/** Searching file contents. */
export const SEARCH_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a tree is searched in the order of its names, without .git and node_modules",
    rows: ["IR-084", "IR-086"],
    files: TREE,
    calls: [
      {
        name: "grep",
        input: { pattern: "needle" },
        outcome: {
          is_error: false,
          output: ".hidden:1: needle\na/b/c.txt:1: needle\na/z.txt:2: needle here\nb.txt:1: a needle",
        },
      },
      {
        name: "grep",
        input: { pattern: "needle", path: "a" },
        outcome: { is_error: false, output: "b/c.txt:1: needle\nz.txt:2: needle here" },
      },
      { name: "grep", input: { pattern: "absent" }, outcome: { is_error: false, output: "No matches found." } },
    ],
  },
  {
    title: "large and binary files are left out",
    rows: ["IR-085"],
    files: {
      "at-the-limit.txt": `needle\n${"x".repeat(2 * 1024 * 1024 - 7)}`,
      "binary.bin": `${"x".repeat(4_000)}\0 needle\n`,
      "late-nul.bin": `needle\n${"x".repeat(5_000)}\0`,
      "too-large.txt": `needle\n${"x".repeat(2 * 1024 * 1024)}`,
    },
    calls: [
      {
        name: "grep",
        input: { pattern: "needle" },
        outcome: {
          is_error: false,
          output: "at-the-limit.txt:1: needle\nlate-nul.bin:1: needle\n[skipped: 1 binary, 1 large]",
        },
      },
    ],
  },
  {
    title: "200 hits unless more are asked for, 5000 at most",
    rows: ["IR-087"],
    files: { "many.txt": "hit\n".repeat(6_000) },
    calls: [
      {
        name: "grep",
        input: { pattern: "hit" },
        outcome: {
          is_error: false,
          has: ["many.txt:200: hit\n[stopped at 200 hits; raise limit (at most 5000) for more]"],
        },
      },
      {
        name: "grep",
        input: { pattern: "hit", limit: 9_999 },
        outcome: { is_error: false, has: ["many.txt:5000: hit\n[stopped at 5000 hits]"] },
      },
    ],
  },
  {
    title: "six flag letters are taken, three of them have an effect",
    rows: ["IR-088", "IR-089"],
    files: { "a.txt": "Foo\nfoo\nbar\n" },
    calls: [
      {
        name: "grep",
        input: { pattern: "foo", flags: "i" },
        outcome: { is_error: false, output: "a.txt:1: Foo\na.txt:2: foo" },
      },
      { name: "grep", input: { pattern: "foo", flags: "gyu" }, outcome: { is_error: false, output: "a.txt:2: foo" } },
      { name: "grep", input: { pattern: "foo" }, outcome: { is_error: false, output: "a.txt:2: foo" } },
      { name: "grep", input: { pattern: "^bar$", flags: "m" }, outcome: { is_error: false, output: "a.txt:3: bar" } },
      {
        name: "grep",
        input: { pattern: "foo.bar", flags: "s" },
        outcome: { is_error: false, has: ["a.txt:2: foo"] },
      },
      { name: "grep", input: { pattern: "foo.bar" }, outcome: { is_error: false, output: "No matches found." } },
      { name: "grep", input: { pattern: "foo", flags: "x" }, outcome: { is_error: true, has: ["`flags`", '"x"'] } },
    ],
  },
  {
    title: "a pattern that does not compile is refused with the seed's first words",
    rows: ["IR-090", "IR-091"],
    files: { "a.txt": "a\n" },
    calls: [
      { name: "grep", input: { pattern: "(" }, outcome: { is_error: true, has: [UNSUPPORTED] } },
      { name: "grep", input: { pattern: "(?=a)" }, outcome: { is_error: true, has: [UNSUPPORTED] } },
      { name: "grep", input: { pattern: "(a)\\1" }, outcome: { is_error: true, has: [UNSUPPORTED] } },
    ],
  },
];
