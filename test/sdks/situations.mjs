/**
 * What can happen between a model and a tool, played through each SDK's loop. `reads` is the whole of what the model is shown in
 * each following request, and `remembers` names the calls that the last request must hold with their results. A loop whose SDK has words of its own for a situation replaces them with `reads[name]`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
export const FILES = {
  "a.txt": "hello\nworld\n",
  "check.mjs": 'console.log("checked");\n',
  "dot.png": Buffer.from(DOT, "base64"),
};
const LARGE = "x".repeat(200 * 1024);

const call = (id, name, input) => ({ id, name, arguments: typeof input === "string" ? input : JSON.stringify(input) });
const read = (id, isError, ...parts) => ({
  id,
  isError,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});
const A_TXT = "Showing lines 1–2 of 2.\n     1│hello\n     2│world";
const CHECKED = "stdout:\nchecked\nstderr: (empty)\nstatus: exit code 0";
const EDITED = 'Edited "a.txt": 1 replacement on line 2, +1 −1 lines.\n@@ -1,2 +1,2 @@\n hello\n-world\n+there\n';

export const situations = [
  {
    name: "plain text",
    turns: [{ calls: [call("call_1", "read", { path: "a.txt" })] }, { text: "done" }],
    reads: [[read("call_1", false, A_TXT)]],
  },
  {
    name: "an error",
    turns: [{ calls: [call("call_1", "read", { path: "none.txt" })] }, { text: "done" }],
    reads: [
      [read("call_1", true, 'Did not read "none.txt": no such file.\nCheck the spelling, or use `ls` or `find`.')],
    ],
  },
  {
    name: "an image",
    turns: [{ calls: [call("call_1", "read", { path: "dot.png" })] }, { text: "done" }],
    reads: [
      [
        read("call_1", false, '"dot.png": image/png, 1×1 pixels, 70 bytes.', {
          type: "image",
          mime: "image/png",
          data: DOT,
        }),
      ],
    ],
  },
  {
    name: "truncated output",
    turns: [{ calls: [call("call_1", "bash", { command: "seq 1 200000" })] }, { text: "done" }],
    // As the box itself returns it, which the suites of the tools look at.
    sameAs: { name: "bash", input: { command: "seq 1 200000" } },
    looks: /omitted/,
  },
  {
    name: "cancel in the middle",
    turns: [{ calls: [call("call_1", "wait", {})] }, { text: "done" }],
    cancels: true,
    reads: [],
  },
  {
    name: "four parallel calls",
    turns: [{ calls: ["1", "2", "3", "4"].map((n) => call(`call_${n}`, "echo", { text: n })) }, { text: "done" }],
    reads: [["1", "2", "3", "4"].map((n) => read(`call_${n}`, false, n))],
  },
  {
    name: "an approval granted",
    turns: [{ calls: [call("call_1", "bash", { command: "node check.mjs" })] }, { text: "done" }],
    approves: true,
    reads: [[read("call_1", false, CHECKED)]],
  },
  {
    name: "an approval denied",
    turns: [{ calls: [call("call_1", "bash", { command: "node check.mjs" })] }, { text: "done" }],
    approves: false,
    reads: [[read("call_1", true, "Did not run `bash`: The user said no.")]],
  },
  {
    name: "an unknown tool",
    turns: [{ calls: [call("call_1", "frobnicate", {})] }, { text: "done" }],
    reads: [[read("call_1", true, 'Unknown tool "frobnicate". Use one of the listed tools.')]],
  },
  {
    name: "malformed arguments",
    turns: [{ calls: [call("call_1", "read", { path: "a.txt", limit: "many" })] }, { text: "done" }],
    reads: [
      [
        read(
          "call_1",
          true,
          'Did not run `read`: `limit` must be an integer of at least 1 and at most 2000, not the string "many".',
        ),
      ],
    ],
  },
  {
    name: "truncated JSON",
    turns: [{ calls: [call("call_1", "read", '{"path":"a.tx')] }, { text: "done" }],
    reads: [
      [
        read(
          "call_1",
          true,
          'Did not run `read`: the arguments are not valid JSON: expected the `"` that ends the string at line 1, column 14, but the text ends there. Send one JSON object, complete and by itself.',
        ),
      ],
    ],
  },
  {
    name: "arguments of 200 KB",
    turns: [{ calls: [call("call_1", "write", { path: "large.txt", content: LARGE })] }, { text: "done" }],
    reads: [[read("call_1", false, 'Created "large.txt": 204800 bytes, sha256 5d4abf60daba.')]],
    after: (workspace) => assert.equal(readFileSync(join(workspace, "large.txt"), "utf8"), LARGE),
  },
  {
    name: "an empty result",
    turns: [{ calls: [call("call_1", "nothing", {})] }, { text: "done" }],
    reads: [[read("call_1", false)]],
  },
  {
    name: "a tool that throws",
    turns: [{ calls: [call("call_1", "boom", {})] }, { text: "done" }],
    reads: [[read("call_1", true, "`boom` failed: boom")]],
  },
  {
    name: "two turns",
    turns: [
      { calls: [call("call_1", "read", { path: "a.txt" })] },
      { calls: [call("call_2", "edit", { path: "a.txt", oldText: "world", newText: "there" })] },
      { text: "done" },
    ],
    reads: [[read("call_1", false, A_TXT)], [read("call_2", false, EDITED)]],
    after: (workspace) => assert.equal(readFileSync(join(workspace, "a.txt"), "utf8"), "hello\nthere\n"),
  },
  {
    name: "two questions after a read",
    turns: [
      { calls: [call("call_1", "read", { path: "a.txt" })] },
      { calls: [call("call_2", "bash", { command: "node check.mjs" })] },
      { calls: [call("call_3", "bash", { command: "node check.mjs again" })] },
      { text: "done" },
    ],
    approves: true,
    questions: 2,
    reads: [[read("call_1", false, A_TXT)], [read("call_2", false, CHECKED)], [read("call_3", false, CHECKED)]],
    remembers: ["call_1", "call_2", "call_3"],
  },
];
