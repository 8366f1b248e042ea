import { expect, it } from "vitest";
import { withObjectArguments } from "./call-arguments.js";

const call = (given: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "ls", arguments: given },
});

it.each([
  [null, {}],
  ['{"path":"a"}', { path: "a" }],
  [{ path: "a" }, { path: "a" }],
  [[1], [1]],
  ["no object", "no object"],
  ['{"path":"a"', '{"path":"a"'],
  ["[1]", "[1]"],
  [7, 7],
])("arguments %j of a call reach the SDK as %j", (given, meant) => {
  expect(withObjectArguments(call(given))).toEqual(call(meant));
});

it("leaves other messages as they are", () => {
  for (const message of [undefined, null, 7, [call(null)], { method: "tools/list", params: { arguments: null } }])
    expect(withObjectArguments(message)).toBe(message);
});
