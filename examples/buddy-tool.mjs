// A tool of your own beside those of buddy, in the shape that a host of buddy calls: JSON text in, text out, two errors.
import assert from "node:assert/strict";
import { buddyTools, createToolkit, defineTool, text } from "haft";

const myTool = defineTool({
  name: "my_tool",
  description: "Does something useful.",
  parameters: {
    type: "object",
    properties: { message: { type: "string", description: "The message to process" } },
    required: ["message"],
  },
  run: ({ message }) => text(`processed: ${message}`),
});

const isEnabled = process.env.MY_TOOL_ENABLED !== "false";
const toolkit = await createToolkit({
  dialect: "buddy",
  on: "memory",
  persist: false,
  tools: isEnabled ? [myTool] : [],
});
const { definitions, execute } = buddyTools(toolkit.box());

const definition = definitions().find((one) => one.function.name === "my_tool");
assert.deepEqual([definition.type, definition.function.parameters.required], ["function", ["message"]]);
assert.equal(await execute("my_tool", '{"message":"hello"}'), "processed: hello");
await assert.rejects(execute("my_tool", "{"), { kind: "InvalidArguments" });
await assert.rejects(execute("read_file", '{"path":"gone.txt"}'), { kind: "ExecutionFailed" });

await toolkit.close();
console.log("ok");
