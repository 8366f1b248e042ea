import type { Transcript } from "./transcript-shape.js";

/** Files of known sizes, hidden ones, directories, and names out of order. */
const TREE = {
  "README.md": "# a\n",
  B: "",
  a: "twelve bytes",
  "A/x.txt": "x",
  "b/": "",
  ".env": "K=v\n",
  ".git/config": "",
};

/** Names to find, some of them where nothing is looked for. */
const NAMED = {
  "README.md": "",
  "src/a.ts": "",
  "src/A.tsx": "",
  "src/deep/B.TS": "",
  "src/deep/src/read.txt": "",
  "a+b.c": "",
  "aab.c": "",
  "node_modules/x/a.ts": "",
  ".git/a.ts": "",
  ".hidden.ts": "",
};

const LIST = "dir   0 A/\ndir   0 b/\nfile 12 a\nfile  0 B\nfile  4 README.md";

/** Looking at directories: ls and find. */
export const DIRECTORY_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a directory is listed in aligned rows, directories first, hidden names counted",
    rows: ["IR-080", "IR-081", "IR-082"],
    files: TREE,
    calls: [
      {
        name: "ls",
        input: {},
        outcome: { is_error: false, output: `5 entries (2 hidden entries omitted)\n${LIST}` },
      },
      {
        name: "ls",
        input: { path: ".", showHidden: true },
        outcome: {
          is_error: false,
          output: `7 entries\ndir   0 .git/\n${LIST.replace("file 12", "file  4 .env\nfile 12")}`,
        },
      },
      { name: "ls", input: { path: "b" }, outcome: { is_error: false, output: "0 entries" } },
      { name: "ls", input: { path: "A" }, outcome: { is_error: false, output: "1 entry\nfile 1 x.txt" } },
      { name: "ls", input: { path: "./nope" }, outcome: { is_error: true, has: ["./nope"] } },
      { name: "ls", input: { path: "a" }, outcome: { is_error: true, has: ["it is a file"] } },
    ],
  },
  {
    title: "a listing over the budget is cut in its middle, with a notice that names the tool",
    rows: ["IR-083"],
    files: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`${"long-name-".repeat(4)}${index}`, ""])),
    calls: [
      {
        name: "ls",
        input: {},
        outcome: {
          is_error: false,
          has: ["2000 entries\nfile 0 long", "\nls: ", " bytes left out here to fit the window\n"],
        },
      },
    ],
  },
  {
    title: "names are found by a glob for the whole or by a part, in any case, without .git and node_modules",
    rows: ["IR-093", "IR-094", "IR-095"],
    files: NAMED,
    calls: [
      {
        name: "find",
        input: { query: "*.TS" },
        outcome: { is_error: false, output: ".hidden.ts\nsrc/a.ts\nsrc/deep/B.TS" },
      },
      {
        name: "find",
        input: { query: "?.ts*" },
        outcome: { is_error: false, output: "src/A.tsx\nsrc/a.ts\nsrc/deep/B.TS" },
      },
      { name: "find", input: { query: "a+b.*" }, outcome: { is_error: false, output: "a+b.c" } },
      {
        name: "find",
        input: { query: "read" },
        outcome: { is_error: false, output: "README.md\nsrc/deep/src/read.txt" },
      },
      {
        name: "find",
        input: { query: "src", type: "file" },
        outcome: { is_error: false, output: "No matches found." },
      },
      { name: "find", input: { query: "src", type: "dir" }, outcome: { is_error: false, output: "src\nsrc/deep/src" } },
      { name: "find", input: { query: "src", type: "socket" }, outcome: { is_error: true, has: ["type"] } },
      { name: "find", input: { query: "" }, outcome: { is_error: true, has: ["query"] } },
    ],
  },
  {
    title: "at most 500 results are told, whatever is asked for",
    rows: ["IR-096"],
    files: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`m${index}`, ""])),
    calls: [
      {
        name: "find",
        input: { query: "m*", limit: 9_999 },
        outcome: { is_error: false, has: ["m0\nm1\nm10\n", "\n[stopped at 500 results; narrow query or path]"] },
      },
    ],
  },
  {
    title: "results are relative to where the search began, which is itself told as a dot",
    rows: ["IR-097"],
    files: NAMED,
    calls: [
      { name: "find", input: { query: "SRC", path: "src" }, outcome: { is_error: false, output: ".\ndeep/src" } },
      {
        name: "find",
        input: { query: "src", path: "./src", type: "dir" },
        outcome: { is_error: false, output: ".\ndeep/src" },
      },
      { name: "find", input: { query: "a.ts", path: "src" }, outcome: { is_error: false, output: "A.tsx\na.ts" } },
      { name: "find", input: { query: "a", path: "nope" }, outcome: { is_error: true, has: ["nope"] } },
    ],
  },
  {
    title: "the Python edition words a directory that is not there like a system call",
    rows: ["IP-010", "IP-017"],
    edition: "python",
    files: { a: "" },
    calls: [
      {
        name: "ls",
        input: { path: "./nope" },
        outcome: { is_error: true, output: "ENOENT: no such file or directory, scandir './nope'" },
      },
      {
        name: "find",
        input: { query: "a", path: "./nope" },
        outcome: { is_error: true, output: "ENOENT: no such file or directory, scandir './nope'" },
      },
      {
        name: "ls",
        input: { path: "a" },
        outcome: { is_error: true, output: "ENOTDIR: not a directory, scandir 'a'" },
      },
    ],
  },
];
