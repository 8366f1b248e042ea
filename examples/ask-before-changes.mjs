// A user is asked before each change: what is shown, and an answer that holds for the whole project.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAllPolicy, createToolkit } from "haft";

const directory = await mkdtemp(join(tmpdir(), "haft-example-"));

// Asks before everything that changes something. An approval for the project is remembered for the same tool and claims: the same
// file, or the same command in the same directory.
const allowAll = allowAllPolicy();
const policy = {
  name: "ask-before-changes",
  decide(claims, call) {
    const decision = allowAll.decide(claims, call);
    if (call.effect !== "write" || decision.effect === "deny") return decision;
    const remember = [JSON.stringify([call.tool, claims])];
    return { ...decision, effect: "ask", rule: "changes", reason: "It changes something.", remember };
  },
};
// Stands for a user at a screen, who sees the diff of a file or the text of a command.
const shown = [];
const approver = {
  async ask({ call, preview, arguments: sent }) {
    shown.push(preview?.diff ?? preview?.command ?? sent);
    return call.tool === "bash" ? { denied: "No commands." } : { by: "ada", scope: "project" };
  },
};

const toolkit = await createToolkit({ workspace: directory, stateDir: join(directory, ".state"), policy, approver });
const { runner } = toolkit.box("coding");
const write = (content) => runner.run({ id: "1", name: "write", input: { path: "a.txt", content } });

assert.equal((await write("one\n")).decision.approver, "ada");
assert.deepEqual(shown, ["@@ -0,0 +1 @@\n+one\n"]);
assert.equal((await write("two\n")).decision.approver, "remembered"); // the user was not asked again
assert.equal(shown.length, 1);
const denied = await runner.run({ id: "2", name: "bash", input: { command: "rm a.txt" } });
assert.equal(denied.status, "denied");
assert.equal(shown[1], "rm a.txt");
assert.equal(await readFile(join(directory, "a.txt"), "utf8"), "two\n");

await toolkit.close();
await rm(directory, { recursive: true });
console.log("ok");
