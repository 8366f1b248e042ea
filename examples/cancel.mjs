// A command with children that a cancel ends, and the progress it told.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit } from "haft";

const folder = await mkdtemp(join(tmpdir(), "haft-example-"));
const toolkit = await createToolkit({ workspace: folder, stateDir: join(folder, ".state") });
const { runner } = toolkit.box("coding");

const control = new AbortController();
let told = "";
const outcome = await runner.run(
  { id: "1", name: "bash", input: { command: "sleep 600 & echo child $!; wait" } },
  {
    signal: control.signal,
    onEvent({ kind, data }) {
      if (kind !== "output") return;
      told += data.text;
      if (told.includes("\n")) control.abort();
    },
  },
);
console.log(outcome.output);
assert.equal(outcome.status, "cancelled");
const child = Number(/child (\d+)/.exec(told)?.[1]);
const state = spawnSync("ps", ["-o", "stat=", "-p", String(child)], { encoding: "utf8" }).stdout.trim();
assert.match(state, /^(Z.*)?$/); // the child has ended too; "Z": nobody has asked how

await toolkit.close();
await rm(folder, { recursive: true });
console.log("ok");
