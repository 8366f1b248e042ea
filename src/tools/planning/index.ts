export { timeTool } from "./time.js";
export { todoReadTool, todoSetTool } from "./todo.js";
