/** The built-in tools: each takes its canonical input and returns data; a dialect gives them names, schemas and texts. */
import type { DefinedTool } from "../kernel/index.js";
import { editTool } from "./edit/edit.js";
import { deleteTool, lsTool, moveTool, readTool, writeTool } from "./files/index.js";
import { timeTool, todoReadTool, todoSetTool } from "./planning/index.js";
import { findTool, grepTool } from "./search/index.js";
import { bashTool, processTool } from "./shell/index.js";

export { EDIT_LIMITS } from "./edit/edit.js";
export {
  DELETE_LIMITS,
  LS_LIMITS,
  MOVE_LIMITS,
  READ_LIMITS,
  readStateKey,
  WRITE_LIMITS,
} from "./files/index.js";
export { FIND_LIMITS, GREP_LIMITS } from "./search/index.js";
export { BASH_LIMITS, PROCESS_LIMITS } from "./shell/index.js";
export {
  bashTool,
  deleteTool,
  editTool,
  findTool,
  grepTool,
  lsTool,
  moveTool,
  processTool,
  readTool,
  timeTool,
  todoReadTool,
  todoSetTool,
  writeTool,
};

/** All of them, in the order in which they are registered. */
export const builtinTools: readonly DefinedTool[] = Object.freeze([
  readTool,
  writeTool,
  editTool,
  moveTool,
  deleteTool,
  lsTool,
  grepTool,
  findTool,
  bashTool,
  processTool,
  todoSetTool,
  todoReadTool,
  timeTool,
]);
