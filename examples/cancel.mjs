// Cancelling a command stops its child processes too; its output arrives while it runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit } from "haft";

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));
const toolkit = await createToolkit({ workspace: directory, stateDir: join(directory, ".state") });
const { runner } = toolkit.box("coding");

const control = new AbortController();
let output = "";
const outcome = await runner.run(
  { id: "1", name: "bash", input: { command: "sleep 600 & echo child $!; wait" } },
  {
    signal: control.signal,
    onEvent(event) {
      if (event.kind !== "output") return;
      output += Buffer.from(event.bytes).toString();
      if (output.includes("\n")) control.abort();
    },
  },
);
console.log(outcome.output);
assert.equal(outcome.status, "cancelled");
const child = Number(/child (\d+)/.exec(output)?.[1]);
const state = spawnSync("ps", ["-o", "stat=", "-p", String(child)], { encoding: "utf8" }).stdout.trim();
assert.match(state, /^(Z.*)?$/); // the child has ended too; "Z" is a zombie that was not reaped yet

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
