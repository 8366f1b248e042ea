// An approval that comes later: the call ends with a token, the token is granted, and the same call runs when it is sent again.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAllPolicy, createToolkit } from "haft";

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));

// Asks before every write and allows everything else.
const allowed = allowAllPolicy();
const policy = {
  name: "ask-before-writing",
  decide(claims, call) {
    const decision = allowed.decide(claims, call);
    const writes = claims.some((claim) => claim.kind === "file" && claim.access.includes("write"));
    if (!writes || decision.effect === "deny") return decision;
    return { ...decision, effect: "ask", rule: "writes", reason: "It writes.", remember: [] };
  },
};
// No one can answer right away: the request is stored, and the call ends as "input-required".
const approver = { ask: async () => ({ pending: true }) };

const toolkit = await createToolkit({ workspace: directory, stateDir: join(directory, ".state"), policy, approver });
const { runner } = toolkit.box("coding");
const write = { id: "1", name: "write", input: { path: "a.txt", content: "hello" } };

const waiting = await runner.run(write);
assert.equal(waiting.status, "input-required");
const { token } = waiting.inputRequired;

await toolkit.approvals.decide(token, { granted: "ada" }); // the user approved it, an hour later
const swapped = { ...write, input: { path: "b.txt", content: "something else" } };
assert.equal((await runner.run({ ...swapped, id: "2", resume: token })).isError, true); // the token is valid for the approved arguments only
const done = await runner.run({ ...write, id: "3", resume: token });
console.log(done.output);
assert.equal(done.status, "ok");
assert.equal(await readFile(join(directory, "a.txt"), "utf8"), "hello");

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
