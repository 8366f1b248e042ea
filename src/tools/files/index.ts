export { EDIT_LIMITS, editTool } from "./edit.js";
export { LS_LIMITS, lsTool } from "./ls.js";
export { READ_LIMITS, readTool } from "./read.js";
export { readStateKey } from "./read-state.js";
export { WRITE_LIMITS, writeTool } from "./write.js";
