// A policy that confines file tools to one directory and denies commands.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, denyByDefaultPolicy } from "haft";

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));
const workspace = join(directory, "workspace");
await mkdir(workspace);
await writeFile(join(directory, "secret.txt"), "not for you\n");
await writeFile(join(workspace, "open.txt"), "for you\n");
await symlink(join(directory, "secret.txt"), join(workspace, "innocent.txt"));

const policy = denyByDefaultPolicy({ roots: [workspace] });
const toolkit = await createToolkit({ workspace, stateDir: join(directory, "state"), policy });
const { runner } = toolkit.box("coding");
const read = (path) => runner.run({ id: path, name: "read", input: { path } });

assert.equal((await read("open.txt")).status, "ok");
assert.equal((await read("../secret.txt")).status, "denied");
// The target of a symlink is checked in the same step that opens it.
const throughSymlink = await read("innocent.txt");
console.log(throughSymlink.output);
assert.equal(throughSymlink.isError, true);
assert.doesNotMatch(String(throughSymlink.output), /not for you/);
assert.equal((await runner.run({ id: "c", name: "bash", input: { command: "true" } })).status, "denied");

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
