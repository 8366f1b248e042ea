import type { Transcript } from "./transcript-shape.js";

const TEN = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
const NOT_READ = "File has not been read yet. Read it first before writing to it.";
const CHANGED =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

/** Reading and writing, and what holds for every call. */
export const FILE_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a window of lines, numbered, with what remains",
    rows: ["IR-003", "IR-008", "IR-058", "IR-059", "IR-062"],
    files: { "a.txt": TEN },
    calls: [
      {
        name: "read",
        input: { path: "a.txt", offset: 2, limit: 3 },
        outcome: {
          is_error: false,
          output:
            "Showing lines 2–4 of 10 (6 more lines; continue with offset 5)\n     2│two\n     3│three\n     4│four",
        },
      },
    ],
  },
  {
    title: "a newline at the end is no line",
    rows: ["IR-060"],
    files: { "a.txt": "a\nb\n", "b.txt": "a\nb", "empty.txt": "" },
    calls: [
      {
        name: "read",
        input: { path: "a.txt" },
        outcome: { is_error: false, output: "Showing lines 1–2 of 2\n     1│a\n     2│b" },
      },
      {
        name: "read",
        input: { path: "b.txt" },
        outcome: { is_error: false, output: "Showing lines 1–2 of 2\n     1│a\n     2│b" },
      },
      {
        name: "read",
        input: { path: "empty.txt" },
        outcome: { is_error: false, output: "Showing lines 0–0 of 0 (the file is empty)" },
      },
    ],
  },
  {
    title: "a directory and a missing file are refused with the path as it was spelled",
    rows: ["IR-061", "IR-016"],
    files: { "sub/": "" },
    calls: [
      { name: "read", input: { path: "sub" }, outcome: { is_error: true, has: ['"sub"', "directory"] } },
      { name: "read", input: { path: "./nope" }, outcome: { is_error: true, has: ['"./nope"'] } },
    ],
  },
  {
    title: "offset and limit are positive whole numbers",
    rows: ["IR-063", "IR-013"],
    files: { "a.txt": TEN },
    calls: [
      { name: "read", input: { path: "a.txt", offset: 0 }, outcome: { is_error: true, has: ["`offset`", "0"] } },
      { name: "read", input: { path: "a.txt", limit: -1 }, outcome: { is_error: true, has: ["`limit`", "-1"] } },
      { name: "read", input: { path: "a.txt", limit: 1.5 }, outcome: { is_error: true, has: ["`limit`", "1.5"] } },
      { name: "read", input: { path: "a.txt", offset: "x" }, outcome: { is_error: true, has: ["`offset`"] } },
    ],
  },
  {
    title: "arguments come as JSON text, as nothing, or as something else",
    rows: ["IR-011", "IR-012", "IR-013", "IR-014"],
    files: { a: "x\n" },
    calls: [
      {
        name: "read",
        input: ' {"path":"a"} ',
        outcome: { is_error: false, output: "Showing lines 1–1 of 1\n     1│x" },
      },
      { name: "read", input: null, outcome: { is_error: true, has: ["`path`", "required"] } },
      { name: "read", input: "hello", outcome: { is_error: true, has: ["hello"] } },
      { name: "read", input: 7, outcome: { is_error: true, has: ["7"] } },
      { name: "read", input: "{oops}", outcome: { is_error: true, has: ["not valid JSON", "line 1, column 2"] } },
    ],
  },
  {
    title: "a box answers for what it does not hold",
    rows: ["IR-049", "IR-050"],
    collection: "read-only",
    files: { "a.txt": "old" },
    calls: [
      {
        name: "write",
        input: { path: "a.txt", content: "new" },
        outcome: { is_error: true, output: 'This session exposes no tool called "write".' },
      },
      { name: "nope", input: {}, outcome: { is_error: true, output: 'This session exposes no tool called "nope".' } },
    ],
    after: { "a.txt": "old" },
  },
  {
    title: "a file is written with its directories, and its bytes are counted",
    rows: ["IR-066", "IR-067", "IR-068"],
    calls: [
      {
        name: "write",
        input: { path: "x/y/z.txt", content: "é" },
        outcome: { is_error: false, output: "Saved 2 bytes to x/y/z.txt." },
      },
      {
        name: "write",
        input: { path: "./one", content: "a" },
        outcome: { is_error: false, output: "Saved 1 byte to ./one." },
      },
      { name: "write", input: { path: "none" }, outcome: { is_error: false, output: "Saved 0 bytes to none." } },
      { name: "write", input: { path: "" }, outcome: { is_error: true, has: ["`path`"] } },
    ],
    after: { "x/y/z.txt": "é", one: "a", none: "" },
  },
  {
    title: "without a read-state nothing has to be read first",
    rows: ["IR-020"],
    files: { "a.txt": "old" },
    calls: [
      {
        name: "write",
        input: { path: "a.txt", content: "new" },
        outcome: { is_error: false, output: "Saved 3 bytes to a.txt." },
      },
    ],
    after: { "a.txt": "new" },
  },
  {
    title: "with a read-state an existing file is read before it is replaced, a new one is not",
    rows: ["IR-065", "IR-069", "IR-070", "IR-129"],
    readState: true,
    files: { "a.txt": "old\n" },
    calls: [
      { name: "write", input: { path: "a.txt", content: "x" }, outcome: { is_error: true, output: NOT_READ } },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "old", newText: "x" },
        outcome: { is_error: true, output: NOT_READ },
      },
      {
        name: "write",
        input: { path: "new.txt", content: "one" },
        outcome: { is_error: false, output: "Saved 3 bytes to new.txt." },
      },
      {
        name: "edit",
        input: { path: "new.txt", oldText: "one", newText: "two" },
        outcome: { is_error: false, has: ["Replaced 1 occurrence in new.txt."] },
      },
      {
        name: "read",
        input: { path: "a.txt" },
        outcome: { is_error: false, output: "Showing lines 1–1 of 1\n     1│old" },
      },
      {
        name: "write",
        input: { path: "a.txt", content: "x" },
        outcome: { is_error: false, output: "Saved 1 byte to a.txt." },
      },
    ],
    after: { "a.txt": "x", "new.txt": "two" },
  },
  {
    title: "a file that changed since it was read is read again first",
    rows: ["IR-130"],
    readState: true,
    files: { "a.txt": "old\n" },
    calls: [
      {
        name: "read",
        input: { path: "a.txt" },
        outcome: { is_error: false, output: "Showing lines 1–1 of 1\n     1│old" },
        meanwhile: { "a.txt": "old\nand more\n" },
      },
      { name: "write", input: { path: "a.txt", content: "x" }, outcome: { is_error: true, output: CHANGED } },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "old", newText: "x" },
        outcome: { is_error: true, output: CHANGED },
      },
    ],
    after: { "a.txt": "old\nand more\n" },
  },
  {
    title: "a gate leaves a missing file to the tool",
    rows: ["IR-131"],
    readState: true,
    calls: [
      {
        name: "edit",
        input: { path: "nope", oldText: "a", newText: "b" },
        outcome: { is_error: true, has: ['"nope"', "no such file"] },
      },
    ],
  },
];
