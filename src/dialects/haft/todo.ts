import {
  type RenderContext,
  type Rendered,
  TODO_STATUSES,
  type ToolPresenter,
  type ToolResult,
} from "../../kernel/index.js";
import type { TodoData, TodoSetInput } from "../../tools/todo/contract.js";
import { missing } from "../arguments.js";
import { textResult } from "../rendering.js";
import { checklist, todoItems } from "../todo-list.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";

export const haftTodoSetPresenter: ToolPresenter<TodoSetInput, TodoData> = {
  name: "todo_set",
  description: "Replace the whole todo list of this session; [] clears it.",
  parameters: {
    type: "object",
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string", description: "Default: its position" },
            text: { type: "string" },
            status: { type: "string", enum: TODO_STATUSES },
          },
          required: ["text", "status"],
          additionalProperties: false,
        },
      },
    },
    required: ["items"],
    additionalProperties: false,
  },
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
  description: "Show the todo list of this session.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  decode: () => ({ input: {} }),
  render: renderList,
};

function renderList(result: ToolResult<TodoData>, about: RenderContext): Rendered {
  if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
  return textResult(withNotes(checklist(result.data), about));
}
