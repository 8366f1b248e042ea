/** A todo list as rows of `[ ]`, `[~]`, `[x]`, `[-]` and a one-line tally (IR-115), shared by the dialects that have one. */
import { isRecord, TODO_STATUSES, type TodoItem, type TodoStatus } from "../kernel/index.js";
import { showControls } from "../text/index.js";
import type { TodoData } from "../tools/todo/contract.js";

const BOXES: Readonly<Record<TodoStatus, string>> = { pending: "[ ]", active: "[~]", done: "[x]", cancelled: "[-]" };

export function checklist(data: TodoData): string {
  if (data.items.length === 0) return "The list is empty.";
  const rows = data.items.map(
    (item) => `${BOXES[item.status] ?? "[ ]"} ${showControls(item.text)} (${showControls(item.id)})`,
  );
  return [...rows, tallyOf(data)].join("\n");
}

/** Every status that occurs, in the order of work. */
function tallyOf(data: TodoData): string {
  const counts = TODO_STATUSES.flatMap((status) => (data.tally[status] > 0 ? [`${data.tally[status]} ${status}`] : []));
  return `${data.items.length} in all: ${counts.join(", ")}`;
}

/** The list unchecked, for the tool to validate. Undefined if an entry is not an object. */
export function todoItems(value: unknown): readonly TodoItem[] | undefined {
  if (!Array.isArray(value) || !value.every(isRecord)) return undefined;
  return value as unknown as readonly TodoItem[];
}
