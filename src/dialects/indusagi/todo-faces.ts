import type { TodoData, TodoSetInput, ToolFace } from "../../kernel/index.js";
import { missing } from "../arguments.js";
import { saying } from "../rendering.js";
import { checklist, todoItems } from "../todo-list.js";
import type { IndusagiEdition } from "./edition.js";
import { renderFailure } from "./failure-text.js";

export function todoSetFace(edition: IndusagiEdition): ToolFace<TodoSetInput, TodoData> {
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
        ? renderFailure(edition, result, about)
        : saying(checklist(result.data)),
  };
}

export function todoReadFace(edition: IndusagiEdition): ToolFace<Readonly<Record<string, never>>, TodoData> {
  return {
    name: "todo_read",
    description: "Show the checklist of this conversation and change nothing.",
    parameters: { type: "object", properties: {} },
    decode: () => ({ input: {} }),
    render: (result, about) =>
      result.isError || result.data === undefined
        ? renderFailure(edition, result, about)
        : saying(checklist(result.data)),
  };
}
