// A toolkit in a directory, one call, and its outcome.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit } from "haft";

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(directory, "notes.txt"), "buy milk\nTODO: water the plants\n");

const toolkit = await createToolkit({ workspace: directory, stateDir: join(directory, ".state") });
const box = toolkit.box("coding");
assert.ok(box.descriptors().some(({ name }) => name === "grep")); // what the model sees

const outcome = await box.runner.run({ id: "1", name: "grep", input: { pattern: "TODO", path: "notes.txt" } });
console.log(outcome.output);
assert.equal(outcome.isError, false);
assert.match(outcome.output, /notes\.txt:2: TODO: water the plants/);

// Unambiguous mistakes in the arguments are corrected and reported in `repairs`.
const repaired = await box.runner.run({ id: "2", name: "read", input: { file_path: "notes.txt", limit: "1" } });
assert.equal(repaired.repairs.length, 2);

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
