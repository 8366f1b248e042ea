import { describe, expect, it } from "vitest";
import type { TodoItem } from "../kernel/index.js";
import { verifies } from "../testing/verifies.fixture.js";
import type { TodoData } from "../tools/todo/contract.js";
import { DIALECTS, seenBy, succeeded } from "./golden.fixture.js";

const ITEMS: readonly TodoItem[] = [
  { id: "a", text: "write the tests", status: "done" },
  { id: "b", text: "make them\npass", status: "active" },
  { id: "c", text: "ship", status: "pending" },
  { id: "d", text: "sing", status: "cancelled" },
];

function listOf(items: readonly TodoItem[]): TodoData {
  const tally = { pending: 0, active: 0, done: 0, cancelled: 0 };
  for (const item of items) tally[item.status]++;
  return { items, tally };
}

const rendered = (dialect: keyof typeof DIALECTS, tool: string, items: readonly TodoItem[]) => {
  const seen = seenBy(DIALECTS[dialect], tool, succeeded(listOf(items)), {}).envelope;
  return dialect === "haft" ? seen : (seen as { output: unknown }).output;
};

describe("todo lists", () => {
  verifies("IR-115", "each status has its box, and one line sums up", () => {
    const text =
      "[x] write the tests (a)\n[~] make them\\npass (b)\n[ ] ship (c)\n3 in all: 1 pending, 1 active, 1 done";
    expect(rendered("indusagi", "todo_read", ITEMS.slice(0, 3))).toBe(text);
    expect(rendered("indusagi", "todo_set", ITEMS.slice(0, 3))).toBe(text);
  });

  it("shows cancelled items, in the default dialect", () => {
    expect(rendered("haft", "todo_set", ITEMS)).toContain(
      "[-] sing (d)\n4 in all: 1 pending, 1 active, 1 done, 1 cancelled",
    );
  });

  verifies("IR-114", "an empty list is reported as such", () => {
    expect(rendered("haft", "todo_read", [])).toBe("The list is empty.");
    expect(rendered("indusagi", "todo_read", [])).toBe("The list is empty.");
  });

  it("hands the list to the tool as it came, and refuses what is no list of objects", () => {
    const presenter = DIALECTS.haft.tools.todo_set!;
    expect(presenter.decode({ items: ITEMS })).toEqual({ input: { items: ITEMS } });
    expect(presenter.decode({ items: ["a"] })).toMatchObject({ parameter: "items" });
    expect(presenter.decode({})).toMatchObject({ parameter: "items" });
  });
});
