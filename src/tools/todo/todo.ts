import {
  defineTool,
  fail,
  HaftError,
  ok,
  TODO_STATUSES,
  type TodoItem,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { type TodoData, type TodoSetInput, type TodoTally, todoReadSchema, todoSetSchema } from "./contract.js";

/**
 * Replaces the whole todo list of the session; an empty list clears it. The first malformed item refuses all, and the
 * stored list is unchanged: `TODO_INVALID` with its `index` from 0 and `why`.
 */
export const todoSetTool = defineTool({
  name: "todo_set",
  description: "Replace the whole todo list of this session; [] clears it.",
  input: todoSetSchema,
  annotations: { title: "Set the todo list", idempotent: true },
  run: setTodo,
});

/** Returns the todo list of the session and changes nothing. */
export const todoReadTool = defineTool({
  name: "todo_read",
  description: "Show the todo list of this session.",
  input: todoReadSchema,
  annotations: { title: "Show the todo list", idempotent: true },
  run: async (_input, ctx) => listed(await ctx.session.todo.read()),
});

async function setTodo(input: TodoSetInput, ctx: ToolContext): Promise<ToolResult<TodoData>> {
  const seen = new Set<string>();
  for (const [index, item] of input.items.entries()) {
    const why = whyMalformed(item, seen);
    if (why !== undefined) {
      return fail("TODO_INVALID", `Did not set the list: item ${index + 1} ${why}. The list is unchanged.`, {
        details: { index, why },
      });
    }
    seen.add(item.id);
  }
  const items = input.items.map(({ id, text, status }) => ({ id, text, status }));
  try {
    await ctx.session.todo.replace(items);
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return fail(thrown.code, `Did not set the list; it is unchanged. ${thrown.message}`, { details: thrown.details });
  }
  return listed(items);
}

/** The items come from a model; a dialect does not check them. */
function whyMalformed(item: TodoItem, seen: ReadonlySet<string>): string | undefined {
  const { id, text, status } = item as { id?: unknown; text?: unknown; status?: unknown };
  if (typeof id !== "string" || id.trim() === "") return "has no `id`";
  if (typeof text !== "string" || text.trim() === "") return "has no `text`";
  if (!TODO_STATUSES.some((known) => known === status)) {
    const given = status === undefined ? "no `status`" : `the \`status\` ${showControls(JSON.stringify(status) ?? "")}`;
    return `has ${given}; must be one of ${TODO_STATUSES.join(", ")}`;
  }
  return seen.has(id) ? `has the \`id\` "${showControls(id)}" of an item before it` : undefined;
}

function listed(items: readonly TodoItem[]): ToolResult<TodoData> {
  const tally = Object.fromEntries(
    TODO_STATUSES.map((status) => [status, items.filter((item) => item.status === status).length]),
  ) as TodoTally;
  return ok({ items, tally }, { structured: { tally } });
}
