// A scheme of your own: "box:red" and "box:blue" are machines that the first call on each opens.
import assert from "node:assert/strict";
import { createToolkit, openBackend } from "haft";

const attempts = [];
const toolkit = await createToolkit({
  on: ["memory", "box:red=/srv", "box:blue"],
  schemes: {
    box: {
      open: async ({ address, cwd }) => {
        attempts.push(address);
        // "blue" is switched on only after the first attempt.
        if (address === "blue" && attempts.filter((one) => one === "blue").length === 1)
          throw new Error("no route to host");
        return openBackend("memory", cwd === undefined ? {} : { cwd });
      },
    },
  },
  persist: false,
});

const box = toolkit.box();
const [read] = box.descriptors();
assert.deepEqual(read.parameters.properties.on.enum, ["memory", "box:red", "box:blue"]);
assert.deepEqual(attempts, []); // listing the tools opens nothing

const call = (input) => box.runner.run({ id: "1", name: "bash", input });
assert.match((await call({ command: "pwd", on: "box:red" })).output, /\/srv/);
assert.deepEqual(attempts, ["red"]);

const failed = await call({ command: "pwd", on: "box:blue" });
console.log(failed.output);
assert.match(failed.output, /"box:blue" could not be opened: no route to host/);
assert.match((await call({ command: "pwd" })).output, /\/workspace/); // the others work
assert.equal((await call({ command: "pwd", on: "box:blue" })).status, "ok"); // tried again

await toolkit.close();
console.log("ok");
