export { DELETE_LIMITS, deleteTool } from "./delete.js";
export { LS_LIMITS, lsTool } from "./ls.js";
export { MOVE_LIMITS, moveTool } from "./move.js";
export { READ_LIMITS, readTool } from "./read.js";
export { readStateKey } from "./read-state.js";
export { WRITE_LIMITS, writeTool } from "./write.js";
