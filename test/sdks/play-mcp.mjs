/** Plays the same calls through each SDK: `node play-mcp.mjs NODE MAIN WORKSPACE`. Ends with `N passed, M failed`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS } from "./mcp-clients.mjs";

const [node, main, workspace] = process.argv.slice(2);
const ANSWER_WITHIN_MS = 30_000;
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** Quotes and a backslash, which an SDK that wraps texts in JSON would escape. */
const LINE = 'say "TODO" \\ <b>';

// Mastra prints each failed call with its stack, though it also throws it.
console.error = () => {};

const checks = {
  "a file is text as it is": async (call) => {
    const { texts, images, error } = await call("read", { path: "a.txt" });
    assert.deepEqual([texts.length, images, error], [1, [], undefined]);
    assert.match(texts[0], /^ *1│say "TODO" \\ <b>$/m);
  },
  "a search is text as it is": async (call) => {
    const { texts, error } = await call("grep", { pattern: "TODO" });
    assert.deepEqual([texts.length, error], [1, undefined]);
    assert.ok(texts[0].includes(LINE), texts[0]);
  },
  "the output of a command is text as it is": async (call) => {
    const { texts, error } = await call("bash", { command: "cat a.txt" });
    assert.deepEqual([texts.length, error], [1, undefined]);
    assert.ok(texts[0].includes(LINE), texts[0]);
  },
  "an edit changes the file and shows the change": async (call) => {
    writeFileSync(join(workspace, "b.txt"), "one\ntwo\n");
    const { texts, error } = await call("edit", { path: "b.txt", oldText: "two", newText: 'the "second"' });
    assert.deepEqual([texts.length, error], [1, undefined]);
    assert.ok(texts[0].includes('the "second"'), texts[0]);
    assert.equal(readFileSync(join(workspace, "b.txt"), "utf8"), 'one\nthe "second"\n');
  },
  "an image is an image": async (call) => {
    const { images, error } = await call("read", { path: "dot.png" });
    assert.deepEqual([images, error], [["image/png"], undefined]);
  },
  "a command that fails is an error with its output and exit code": async (call) => {
    const { error } = await call("bash", { command: "echo before; exit 3" });
    assert.match(error, /before/);
    assert.match(error, /exit code 3/);
  },
  "a missing file is an error that names it": async (call) => {
    const { error } = await call("read", { path: "none.txt" });
    assert.match(error, /none\.txt/);
  },
  "wrong and missing arguments are errors": async (call) => {
    for (const input of [{ path: 5 }, {}]) assert.ok((await call("read", input)).error);
  },
};

writeFileSync(join(workspace, "a.txt"), `${LINE}\n`);
writeFileSync(join(workspace, "dot.png"), Buffer.from(DOT, "base64"));
const server = {
  command: node,
  args: [main, "serve", "--stdio", "--workspace", workspace],
  env: { PATH: process.env.PATH, HOME: process.env.HOME },
};
let [passed, failed] = [0, 0];
for (const [sdk, connect] of Object.entries(CLIENTS)) {
  let client;
  try {
    client = await inTime(connect(server));
  } catch (error) {
    console.log(`not ok ${sdk}: did not connect: ${error.message}`);
    failed += Object.keys(checks).length;
    continue;
  }
  for (const [title, check] of Object.entries(checks)) {
    try {
      await inTime(check(client.call));
      console.log(`ok ${sdk}: ${title}`);
      passed++;
    } catch (error) {
      console.log(`not ok ${sdk}: ${title}\n${error.message}`);
      failed++;
    }
  }
  await client.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)), ANSWER_WITHIN_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
