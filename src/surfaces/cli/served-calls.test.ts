import { afterEach, expect, it } from "vitest";
import { createToolkit, type Toolkit } from "../../toolkit/index.js";
import { servedCalls } from "./served-calls.js";

let toolkit: Toolkit | undefined;
afterEach(async () => void (await toolkit?.close()));

it("ends the session that was not used for longest when a client names too many", async () => {
  const calls = servedCalls({
    collection: "coding",
    needsRoots: false,
    maxSessions: 2,
    onNote() {},
    open: async () => {
      toolkit = await createToolkit({ on: "memory", persist: false });
      return toolkit;
    },
  });
  const say = (name: string, input: unknown, key: string) =>
    calls.run({ name, input }, {}, { key, client: "one", isLasting: false });
  const items = [{ id: "1", text: "stay", status: "pending" }];
  for (const session of ["a", "b", "a", "c"]) await say("todo_set", { items }, session);
  expect(toolkit?.sessions()).toHaveLength(2);
  expect((await say("todo_read", {}, "a")).output).toContain("stay");
  expect((await say("todo_read", {}, "b")).output).not.toContain("stay");
});
