import type { Transcript } from "./transcript-shape.js";

/** What the Python edition words otherwise, and what it shares. */
export const PYTHON_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a missing file reads as a failed system call with the path as it was spelled",
    rows: ["IP-010", "IP-017"],
    edition: "python",
    calls: [
      {
        name: "read",
        input: { path: "./nope" },
        outcome: { is_error: true, output: "ENOENT: no such file or directory, open './nope'" },
      },
      {
        name: "edit",
        input: { path: "./nope", oldText: "a", newText: "b" },
        outcome: { is_error: true, output: "ENOENT: no such file or directory, open './nope'" },
      },
    ],
  },
  {
    title: "reading a directory has a text without a path",
    rows: ["IP-018"],
    edition: "python",
    files: { "sub/": "" },
    calls: [
      {
        name: "read",
        input: { path: "sub" },
        outcome: { is_error: true, output: "EISDIR: illegal operation on a directory, read" },
      },
    ],
  },
  {
    title: "edits and flags are those of the other edition, look-around is refused here too",
    rows: ["IP-025", "IP-029", "IP-030"],
    edition: "python",
    files: { "a.txt": "one  two\n" },
    calls: [
      {
        name: "grep",
        input: { pattern: "ONE", flags: "iu" },
        outcome: { is_error: false, output: "a.txt:1: one  two" },
      },
      {
        name: "grep",
        input: { pattern: "(?=a)" },
        outcome: { is_error: true, has: ["Could not compile the search pattern: "] },
      },
      {
        name: "edit",
        input: { path: "a.txt", oldText: "one two", newText: "three" },
        outcome: { is_error: false, has: ["Replaced 1 occurrence in a.txt (whitespace differed)."] },
      },
    ],
    after: { "a.txt": "three\n" },
  },
];
