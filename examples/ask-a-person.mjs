// An approval that comes later: the call ends, is granted, and runs when it is sent again.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAllPolicy, createToolkit } from "haft";

const folder = await mkdtemp(join(tmpdir(), "haft-example-"));

// Asks about every write, and allows the rest.
const allowed = allowAllPolicy();
const policy = {
  name: "ask-before-writing",
  decide(claims, call) {
    const decision = allowed.decide(claims, call);
    const writes = claims.some((claim) => claim.kind === "file" && claim.access.includes("write"));
    return writes ? { ...decision, effect: "ask", rule: "writes", reason: "It writes.", remember: [] } : decision;
  },
};
// Nobody is here to answer now: the request is kept, and the call ends.
const approver = { ask: async ({ token }) => ({ pending: token }) };

const toolkit = await createToolkit({ workspace: folder, stateDir: join(folder, ".state"), policy, approver });
const { runner } = toolkit.box("coding");
const write = { id: "1", name: "write", input: { path: "a.txt", content: "hello" } };

const waiting = await runner.run(write);
assert.equal(waiting.status, "input-required");
const { token } = waiting.inputRequired;

toolkit.approvals.grant(token); // a person said yes, an hour later
const swapped = { ...write, input: { path: "b.txt", content: "something else" } };
assert.equal((await runner.run({ ...swapped, id: "2", resume: token })).isError, true); // what was granted is what runs
const done = await runner.run({ ...write, id: "3", resume: token });
console.log(done.output);
assert.equal(done.status, "ok");
assert.equal(await readFile(join(folder, "a.txt"), "utf8"), "hello");

await toolkit.close();
await rm(folder, { recursive: true });
console.log("ok");
