// A tool of your own with claims, next to the built-in tools.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, defineTool, failure, text } from "haft";

const countLines = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  effect: "read",
  claims: ({ path }, context) => [{ kind: "file", path: context.resolve(path), access: ["read"], scope: "self" }],
  async run({ path }, ctx) {
    const found = (await ctx.fs.readText(ctx.resolve(path))).split("\n").length - 1;
    return found === 0 ? failure(`"${path}" has no line.`) : text(`${found} lines`);
  },
});

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(directory, "three.txt"), "a\nb\nc\n");
await writeFile(join(directory, "none.txt"), "");

const toolkit = await createToolkit({ workspace: directory, stateDir: join(directory, ".state"), tools: [countLines] });
const { runner } = toolkit.box();
const call = (path) => runner.run({ id: path, name: "count_lines", input: { path } });

assert.equal((await call("three.txt")).output, "3 lines");
assert.deepEqual(
  [(await call("none.txt")).isError, (await call("none.txt")).output],
  [true, '"none.txt" has no line.'],
);
const missing = await call("gone.txt");
console.log(missing.output);
assert.equal(missing.code, "FS_NOT_FOUND");

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
