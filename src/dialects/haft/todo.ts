import type { RenderContext, Rendered, ToolPresenter, ToolResult } from "../../kernel/index.js";
import { type TodoData, type TodoSetInput, todoSetSchema } from "../../tools/todo/contract.js";
import { missing } from "../arguments.js";
import { textResult } from "../rendering.js";
import { checklist, todoItems } from "../todo-list.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";

const { id, text, status } = todoSetSchema.properties.items.items.properties;

/** A model may omit the ids. */
const ITEM = {
  ...todoSetSchema.properties.items.items,
  properties: { id: { ...id, description: "Default: its position" }, text, status },
  required: ["text", "status"],
};

export const haftTodoSetPresenter: ToolPresenter<TodoSetInput, TodoData> = {
  name: "todo_set",
  parameters: { ...todoSetSchema, properties: { items: { type: "array", items: ITEM } } },
  aliases: { todos: "items", tasks: "items", content: "text" },
  decode(args) {
    if (args.items === undefined) return missing("items", "array");
    const items = todoItems(args.items);
    if (items === undefined) return { problem: "`items` must be an array of objects", parameter: "items" };
    return { input: { items: items.map((item, index) => ({ ...item, id: item.id ?? String(index + 1) })) } };
  },
  render: renderList,
};

export const haftTodoReadPresenter: ToolPresenter<Readonly<Record<string, never>>, TodoData> = {
  name: "todo_read",
  decode: () => ({ input: {} }),
  render: renderList,
};

function renderList(result: ToolResult<TodoData>, about: RenderContext): Rendered {
  if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
  return textResult(withNotes(checklist(result.data), about));
}
