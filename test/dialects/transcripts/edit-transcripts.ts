import type { Transcript } from "./transcript-shape.js";

/** Replacing snippets. */
export const EDIT_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "one literal occurrence is replaced, and the answer is a sentence with the figures",
    rows: ["IR-071", "IR-073", "IR-078", "IR-010"],
    files: { "a.txt": "one\ntwo\nthree\n" },
    calls: [
      {
        name: "edit",
        input: { path: "./a.txt", oldText: "two", newText: "TWO" },
        outcome: {
          is_error: false,
          output: [
            { kind: "text", text: "Replaced 1 occurrence in ./a.txt." },
            {
              kind: "json",
              value: {
                path: "./a.txt",
                replacements: 1,
                diff: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n",
              },
            },
          ],
        },
      },
    ],
    after: { "a.txt": "one\nTWO\nthree\n" },
  },
  {
    title: "several occurrences are refused unless all are meant",
    rows: ["IR-074"],
    files: { "a.txt": "x=1\ny\nx=1\n" },
    calls: [
      {
        name: "edit",
        input: { path: "a.txt", oldText: "x=1", newText: "x=2" },
        outcome: { is_error: true, has: ["2 times", "1, 3", "`replaceAll`"] },
      },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "x=1", newText: "x=2", replaceAll: true },
        outcome: {
          is_error: false,
          output: [
            { kind: "text", text: "Replaced 2 occurrences in a.txt." },
            {
              kind: "json",
              value: {
                path: "a.txt",
                replacements: 2,
                diff: "@@ -1,3 +1,3 @@\n-x=1\n+x=2\n y\n-x=1\n+x=2\n",
              },
            },
          ],
        },
      },
    ],
    after: { "a.txt": "x=2\ny\nx=2\n" },
  },
  {
    title: "white space is compared loosely only where the text does not stand literally",
    rows: ["IR-075"],
    files: { "a.py": "def f():\n\treturn   1\n", "b.txt": "a b\na  b\n" },
    calls: [
      {
        name: "edit",
        input: { path: "a.py", oldText: "    return 1", newText: "return 2" },
        outcome: { is_error: false, has: ["Replaced 1 occurrence in a.py (whitespace differed)."] },
      },
      {
        name: "edit",
        input: { path: "b.txt", oldText: "a b", newText: "c" },
        outcome: { is_error: false, has: ["Replaced 1 occurrence in b.txt."] },
      },
    ],
    after: { "a.py": "def f():\n\treturn 2\n", "b.txt": "c\na  b\n" },
  },
  {
    title: "loose matches of text of several bytes are all replaced in their places",
    rows: ["IR-076"],
    files: { "a.txt": "é  ü\nß\né   ü\n😀\n" },
    calls: [
      {
        name: "edit",
        input: { path: "a.txt", oldText: "é ü", newText: "ö", replaceAll: true },
        outcome: { is_error: false, has: ["Replaced 2 occurrences in a.txt (whitespace differed)."] },
      },
    ],
    after: { "a.txt": "ö\nß\nö\n😀\n" },
  },
  {
    title: "an edit that changes nothing is refused",
    rows: ["IR-077"],
    files: { "a.txt": "same\n" },
    calls: [
      {
        name: "edit",
        input: { path: "a.txt", oldText: "same", newText: "same" },
        outcome: { is_error: true, has: ['"a.txt"', "the same"] },
      },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "", newText: "x" },
        outcome: { is_error: true, has: ["`oldText`", "empty"] },
      },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "absent", newText: "x" },
        outcome: { is_error: true, has: ["`oldText`", "not found"] },
      },
    ],
    after: { "a.txt": "same\n" },
  },
  {
    title: "a directory and a missing file are refused",
    rows: ["IR-072"],
    files: { "sub/": "" },
    calls: [
      {
        name: "edit",
        input: { path: "sub", oldText: "a", newText: "b" },
        outcome: { is_error: true, has: ['"sub"', "directory"] },
      },
      {
        name: "edit",
        input: { path: "nope", oldText: "a", newText: "b" },
        outcome: { is_error: true, has: ['"nope"'] },
      },
    ],
    after: { nope: null },
  },
  {
    title: "a long diff keeps both of its ends",
    rows: ["IR-079"],
    files: { "big.txt": "k\n".repeat(30_000) },
    calls: [
      {
        name: "edit",
        input: { path: "big.txt", oldText: "k", newText: "j", replaceAll: true },
        outcome: {
          is_error: false,
          has: [
            "Replaced 30000 occurrences in big.txt.",
            "@@ -1,30000 +1,30000 @@",
            "… trimmed 163640 bytes to fit the window …",
          ],
        },
      },
    ],
    after: { "big.txt": "j\n".repeat(30_000) },
  },
];
