// A tool of your own, with claims, beside the built-in ones.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, defineTool, failure, text } from "haft";

const countLines = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  effect: "look",
  claims: ({ path }, look) => [{ kind: "file", path: look.resolve(path), access: ["read"], scope: "self" }],
  async run({ path }, ctx) {
    const found = (await ctx.fs.readText(ctx.resolve(path))).split("\n").length - 1;
    return found === 0 ? failure(`"${path}" has no line.`) : text(`${found} lines`);
  },
});

const folder = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(folder, "three.txt"), "a\nb\nc\n");
await writeFile(join(folder, "none.txt"), "");

const toolkit = await createToolkit({ workspace: folder, stateDir: join(folder, ".state"), tools: [countLines] });
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
await rm(folder, { recursive: true });
console.log("ok");
