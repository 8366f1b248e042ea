import type { Transcript } from "./transcript-shape.js";

const LIST = [
  { id: "a", text: "write", status: "done" },
  { id: "b", text: "test", status: "active" },
  { id: "c", text: "ship", status: "pending" },
];
const SHOWN = "[x] write (a)\n[~] test (b)\n[ ] ship (c)\n3 in all: 1 pending, 1 active, 1 done";

/** The checklist of a conversation. */
export const TODO_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a list is replaced as a whole and read back unchanged",
    rows: ["IR-112", "IR-114", "IR-115", "IR-116"],
    calls: [
      { name: "todo_read", input: {}, outcome: { is_error: false, output: "The list is empty." } },
      { name: "todo_set", input: { items: LIST }, outcome: { is_error: false, output: SHOWN } },
      { name: "todo_read", input: {}, outcome: { is_error: false, output: SHOWN } },
      { name: "todo_read", input: null, outcome: { is_error: false, output: SHOWN } },
      { name: "todo_set", input: { items: [] }, outcome: { is_error: false, output: "The list is empty." } },
      { name: "todo_read", input: {}, outcome: { is_error: false, output: "The list is empty." } },
    ],
  },
  {
    title: "the first malformed item ends the call and leaves the list as it was",
    rows: ["IR-113"],
    calls: [
      { name: "todo_set", input: { items: LIST }, outcome: { is_error: false, output: SHOWN } },
      {
        name: "todo_set",
        input: { items: [LIST[0], { id: "b", text: "x", status: "later" }] },
        outcome: { is_error: true, has: ["later"] },
      },
      {
        name: "todo_set",
        input: { items: [LIST[0], { id: "a", text: "x", status: "done" }] },
        outcome: { is_error: true, has: ['"a"'] },
      },
      {
        name: "todo_set",
        input: { items: [{ id: "", text: "x", status: "done" }] },
        outcome: { is_error: true, has: ["id"] },
      },
      {
        name: "todo_set",
        input: { items: [{ id: "z", text: "", status: "done" }] },
        outcome: { is_error: true, has: ["text"] },
      },
      { name: "todo_read", input: {}, outcome: { is_error: false, output: SHOWN } },
    ],
  },
];
