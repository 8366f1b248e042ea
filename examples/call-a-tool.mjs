// A box of tools in a folder, one call, its outcome.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit } from "haft";

const folder = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(folder, "notes.txt"), "buy milk\nTODO: water the plants\n");

const toolkit = await createToolkit({ workspace: folder, stateDir: join(folder, ".state") });
const box = toolkit.box("coding");
assert.ok(box.descriptors().some(({ name }) => name === "grep")); // what a model is shown

const outcome = await box.runner.run({ id: "1", name: "grep", input: { pattern: "TODO", path: "notes.txt" } });
console.log(outcome.output);
assert.equal(outcome.isError, false);
assert.match(outcome.output, /notes\.txt:2: TODO: water the plants/);

// A mistake in the arguments is mended where only one thing can be meant, and told.
const mended = await box.runner.run({ id: "2", name: "read", input: { file_path: "notes.txt", limit: "1" } });
assert.equal(mended.repairs.length, 2);

await toolkit.close();
await rm(folder, { recursive: true });
console.log("ok");
