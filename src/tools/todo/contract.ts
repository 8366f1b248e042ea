/** What `todo_set` takes, and what it and `todo_read` return. */
import { type InferInput, type JsonSchema, TODO_STATUSES, type TodoItem, type TodoStatus } from "../../kernel/index.js";

export const todoSetSchema = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          text: { type: "string" },
          status: { type: "string", enum: TODO_STATUSES },
        },
        required: ["id", "text", "status"],
        additionalProperties: false,
      },
    },
  },
  required: ["items"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const todoReadSchema = {
  type: "object",
  properties: {},
  additionalProperties: false,
} as const satisfies JsonSchema;

/** The list that replaces the old one. */
export type TodoSetInput = InferInput<typeof todoSetSchema>;

/** How many items have each status. */
export type TodoTally = Readonly<Record<TodoStatus, number>>;

export interface TodoData {
  readonly items: readonly TodoItem[];
  readonly tally: TodoTally;
}
