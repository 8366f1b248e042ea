import type { ToolPresenter } from "../../kernel/index.js";
import type { TodoData, TodoSetInput } from "../../tools/todo/contract.js";
import { missing } from "../arguments.js";
import { textResult } from "../rendering.js";
import { checklist, todoItems } from "../todo-list.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

export function indusagiTodoSetPresenter(edition: IndusagiEdition): ToolPresenter<TodoSetInput, TodoData> {
  return {
    name: "todo_set",
    description: "Replace the whole checklist of this conversation; an empty list clears it.",
    parameters: {
      type: "object",
      properties: {
        items: {
          type: "array",
          description: "The whole list, in order.",
          items: {
            type: "object",
            properties: {
              id: { type: "string", description: "Unique within the list." },
              text: { type: "string" },
              status: { type: "string", enum: ["pending", "active", "done"] },
            },
            required: ["id", "text", "status"],
          },
        },
      },
      required: ["items"],
    },
    decode(args) {
      if (args.items === undefined) return missing("items", "a list");
      const items = todoItems(args.items);
      return items === undefined
        ? { problem: "`items` takes a list of objects", parameter: "items" }
        : { input: { items } };
    },
    render: (result, about) =>
      result.isError || result.data === undefined
        ? renderIndusagiFailure(edition, result, about)
        : textResult(checklist(result.data)),
  };
}

export function indusagiTodoReadPresenter(
  edition: IndusagiEdition,
): ToolPresenter<Readonly<Record<string, never>>, TodoData> {
  return {
    name: "todo_read",
    description: "Show the checklist of this conversation and change nothing.",
    parameters: { type: "object", properties: {} },
    decode: () => ({ input: {} }),
    render: (result, about) =>
      result.isError || result.data === undefined
        ? renderIndusagiFailure(edition, result, about)
        : textResult(checklist(result.data)),
  };
}
