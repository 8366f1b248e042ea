// The same tools on the memory backend, with no access to this machine.
import assert from "node:assert/strict";
import { createToolkit } from "haft";

const toolkit = await createToolkit({ on: "memory", persist: false });
const { runner } = toolkit.box("coding");
const call = async (name, input) => (await runner.run({ id: name, name, input })).output;

await call("write", { path: "src/a.ts", content: "export const a = 1;\n" });
await call("edit", { path: "src/a.ts", oldText: "= 1", newText: "= 2" });
console.log(await call("bash", { command: "cat src/a.ts | wc -c; ls src" }));
assert.match(await call("grep", { pattern: "const a" }), /src\/a\.ts:1: export const a = 2;/);

await toolkit.close();
console.log("ok");
