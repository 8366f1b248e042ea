// A policy that lets file tools into one folder only, and refuses commands.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, denyByDefaultPolicy } from "haft";

const folder = await mkdtemp(join(tmpdir(), "haft-example-"));
const workspace = join(folder, "workspace");
await mkdir(workspace);
await writeFile(join(folder, "secret.txt"), "not for you\n");
await writeFile(join(workspace, "open.txt"), "for you\n");
await symlink(join(folder, "secret.txt"), join(workspace, "innocent.txt"));

const policy = denyByDefaultPolicy({ roots: [workspace] });
const toolkit = await createToolkit({ workspace, stateDir: join(folder, "state"), policy });
const { runner } = toolkit.box("coding");
const read = (path) => runner.run({ id: path, name: "read", input: { path } });

assert.equal((await read("open.txt")).status, "ok");
assert.equal((await read("../secret.txt")).status, "denied");
// Where a link really leads is judged in the step that opens it.
const throughLink = await read("innocent.txt");
console.log(throughLink.output);
assert.equal(throughLink.isError, true);
assert.doesNotMatch(String(throughLink.output), /not for you/);
assert.equal((await runner.run({ id: "c", name: "bash", input: { command: "true" } })).status, "denied");

await toolkit.close();
await rm(folder, { recursive: true });
console.log("ok");
