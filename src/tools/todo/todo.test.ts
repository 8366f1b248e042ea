import { expect, it } from "vitest";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, newSession } from "../tool-bench.fixture.js";
import type { TodoData } from "./contract.js";

const item = (id: string, status = "pending") => ({ id, text: `do ${id}`, status });

verifies("IR-112", "todo_set replaces the whole list and todo_read plays it back unchanged", async () => {
  const bench = memoryBench();
  await bench.call("todo_set", { items: [item("old")] });
  const items = [item("a", "done"), item("b", "active"), item("c"), item("d", "cancelled")];
  const set = await bench.call<TodoData>("todo_set", { items });
  expect(set.data).toEqual({ items, tally: { pending: 1, active: 1, done: 1, cancelled: 1 } });
  for (let time = 0; time < 2; time++) expect((await bench.call<TodoData>("todo_read", {})).data).toEqual(set.data);
});

verifies("IR-113", "the first malformed item refuses all, and the list stays", async () => {
  const bench = memoryBench();
  await bench.call("todo_set", { items: [item("kept")] });
  const bad = [{ ...item("b"), id: " " }, { ...item("b"), text: "" }, item("a")];
  for (const second of bad) {
    const call = await bench.call("todo_set", { items: [item("a"), second, { id: 1 }] });
    expect(call.isError).toBe(true);
    const valid = await bench.call("todo_set", { items: [item("a"), second] });
    expect(valid).toMatchObject({ code: "TODO_INVALID", details: { index: 1, why: expect.any(String) } });
  }
  expect(await bench.call("todo_set", { items: [item("a"), { ...item("b"), status: "later" }] })).toMatchObject({
    isError: true,
  });
  expect((await bench.call<TodoData>("todo_read", {})).data?.items).toEqual([item("kept")]);
});

verifies("IR-114", "an empty list clears it", async () => {
  const bench = memoryBench();
  await bench.call("todo_set", { items: [item("a")] });
  await bench.call("todo_set", { items: [] });
  expect((await bench.call<TodoData>("todo_read", {})).data).toMatchObject({ items: [], tally: { pending: 0 } });
});

verifies("IR-116", "two sessions have two lists", async () => {
  const [one, other] = [
    memoryBench({}, { session: newSession("one") }),
    memoryBench({}, { session: newSession("two") }),
  ];
  await one.call("todo_set", { items: [item("a")] });
  expect((await other.call<TodoData>("todo_read", {})).data?.items).toEqual([]);
  expect((await one.call<TodoData>("todo_read", {})).data?.items).toHaveLength(1);
});

it("reports which item is invalid and what is accepted", async () => {
  const bench = memoryBench();
  const call = await bench.call("todo_set", { items: [item("a"), item("a")] });
  expect(call.message).toBe(
    'Did not set the list: item 2 has the `id` "a" of an item before it. The list is unchanged.',
  );
});
